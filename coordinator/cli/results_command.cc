// tutti results ls|show|events|export|delete: the runs that a coordinator keeps.
#include <CLI/CLI.hpp>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"
#include "common/time/clock.h"
#include "coordinator/cli/command.h"
#include "coordinator/cli/command_options.h"
#include "coordinator/cli/complaint.h"
#include "coordinator/cli/event_table.h"
#include "coordinator/cli/exit_codes.h"
#include "coordinator/cli/find_result.h"
#include "coordinator/cli/instant.h"
#include "coordinator/cli/output.h"
#include "coordinator/cli/result_files.h"
#include "coordinator/cli/run_flow.h"
#include "coordinator/cli/run_id_argument.h"
#include "coordinator/cli/run_labels.h"
#include "coordinator/cli/run_table.h"
#include "coordinator/cli/terminal.h"
#include "coordinator/report/enum_name.h"
#include "coordinator/report/report.h"

namespace tutti::cli {
namespace {

constexpr uint32_t kMostRunsOfAPage = 1000;

struct ListArguments {
  CoordinatorAddress coordinator;
  std::string status;
  std::string plan;
  std::vector<std::string> labels;
  std::string since;
  std::string until;
  std::string text;
  std::string host;
  std::string fingerprint;
  std::string kernel;
  uint32_t limit = 50;
  std::string page;
  Output output = Output::kTable;
};

struct EventsArguments {
  CoordinatorAddress coordinator;
  std::string run_id;
  Output output = Output::kTable;
};

struct RunArguments {
  CoordinatorAddress coordinator;
  std::string run_id;
  std::string path;  // of export
  RunOptions options;
};

struct DeleteArguments {
  CoordinatorAddress coordinator;
  std::vector<std::string> run_ids;
};

absl::StatusOr<tutti::v1::RunStatus> StatusByName(const std::string& name) {
  const google::protobuf::EnumDescriptor& statuses = *tutti::v1::RunStatus_descriptor();
  const std::optional<int> number = report::FindEnumValue(statuses, name);
  if (number.has_value() && *number != tutti::v1::RUN_STATUS_UNSPECIFIED) {
    return static_cast<tutti::v1::RunStatus>(*number);
  }
  std::string names;
  for (int i = 1; i < statuses.value_count(); ++i) {
    absl::StrAppend(&names, i == 1 ? "" : ", ", report::ShortEnumName(*statuses.value(i)));
  }
  return absl::InvalidArgumentError(absl::StrCat("--status ", name, ": there are ", names));
}

absl::StatusOr<tutti::v1::ListRunsRequest> RequestOf(const ListArguments& arguments) {
  tutti::v1::ListRunsRequest request;
  if (!arguments.status.empty()) {
    TUTTI_ASSIGN_OR_RETURN(const tutti::v1::RunStatus status, StatusByName(arguments.status));
    request.set_status(status);
  }
  request.set_plan_name(arguments.plan);
  using Labels = std::map<std::string, std::string>;
  TUTTI_ASSIGN_OR_RETURN(const Labels labels, ParseLabels(arguments.labels));
  request.mutable_labels()->insert(labels.begin(), labels.end());
  const int64_t now_ns = UnixNowNs();
  if (!arguments.since.empty()) {
    const absl::StatusOr<int64_t> since_ns = ParseInstant(arguments.since, now_ns);
    if (!since_ns.ok()) return Annotate(since_ns.status(), "--since");
    request.set_since_unix_ns(*since_ns);
  }
  if (!arguments.until.empty()) {
    const absl::StatusOr<int64_t> until_ns = ParseInstant(arguments.until, now_ns);
    if (!until_ns.ok()) return Annotate(until_ns.status(), "--until");
    request.set_until_unix_ns(*until_ns);
  }
  request.set_text(arguments.text);
  request.set_host(arguments.host);
  request.set_fingerprint(arguments.fingerprint);
  request.set_kernel(arguments.kernel);
  request.set_page_runs(arguments.limit);
  request.set_page_token(arguments.page);
  return request;
}

int ListResults(const ListArguments& arguments) {
  const absl::StatusOr<tutti::v1::ListRunsRequest> request = RequestOf(arguments);
  if (!request.ok()) return Complain(request.status(), kUsage);
  const absl::StatusOr<std::unique_ptr<CoordinatorClient>> client =
      MakeCoordinatorClient(arguments.coordinator);
  const absl::StatusOr<tutti::v1::ListRunsResponse> runs =
      client.ok() ? (*client)->ListRuns(*request) : client.status();
  if (!runs.ok()) return Complain(runs.status(), ExitCodeOfResult(runs.status()));
  std::cout << (arguments.output == Output::kTable
                    ? RenderRuns(*runs)
                    : RenderDocument(report::MessageDocument(*runs), arguments.output));
  return kPassed;
}

absl::StatusOr<tutti::v1::Result> GetStored(const RunArguments& arguments, bool without_intervals) {
  TUTTI_ASSIGN_OR_RETURN(const std::unique_ptr<CoordinatorClient> client,
                         MakeCoordinatorClient(arguments.coordinator));
  tutti::v1::GetResultRequest request;
  request.set_run_id(arguments.run_id);
  request.set_without_intervals(without_intervals);
  return client->GetResult(request);
}

int ShowResult(RunArguments& arguments) {
  const absl::StatusOr<tutti::v1::Result> result = GetStored(arguments, !ShowsIntervals(arguments.options));
  if (!result.ok()) return Complain(result.status(), ExitCodeOfResult(result.status()));
  arguments.options.color = OutputTakesEscapes();
  const absl::Status printed = PrintResult(*result, arguments.options, std::cout);
  if (!printed.ok()) return Complain(printed, absl::IsInvalidArgument(printed) ? kUsage : kInternal);
  return ExitCodeOfShown(*result);
}

int ShowEvents(const EventsArguments& arguments) {
  const absl::StatusOr<std::unique_ptr<CoordinatorClient>> client =
      MakeCoordinatorClient(arguments.coordinator);
  const absl::StatusOr<tutti::v1::ListEventsResponse> events =
      client.ok() ? (*client)->ListEvents(arguments.run_id) : client.status();
  if (!events.ok()) return Complain(events.status(), ExitCodeOfResult(events.status()));
  std::cout << (arguments.output == Output::kTable
                    ? RenderEvents(*events)
                    : RenderDocument(EventsDocument(arguments.run_id, *events), arguments.output));
  return kPassed;
}

int ExportResult(const RunArguments& arguments) {
  const bool to_output = arguments.path.empty() || arguments.path == "-";
  if (!to_output) {
    const absl::Status writable = CheckWritable(arguments.path, "--to");
    if (!writable.ok()) return Complain(writable, kUsage);
  }
  const absl::StatusOr<tutti::v1::Result> result = GetStored(arguments, false);
  if (!result.ok()) return Complain(result.status(), ExitCodeOfResult(result.status()));
  const std::string json = report::RenderJson(*result);
  if (to_output) {
    std::cout << json;
    return ExitCodeOfExported(*result);
  }
  const absl::Status written = WriteWhole(arguments.path, json);
  return written.ok() ? ExitCodeOfExported(*result) : Complain(written, kInternal);
}

int DeleteResults(const DeleteArguments& arguments) {
  const absl::StatusOr<std::unique_ptr<CoordinatorClient>> client =
      MakeCoordinatorClient(arguments.coordinator);
  if (!client.ok()) return Complain(client.status(), ExitCodeOfResult(client.status()));
  int exit_code = kPassed;
  for (const std::string& run_id : arguments.run_ids) {
    const absl::Status status = (*client)->DeleteRun(run_id);
    if (status.ok()) continue;
    const int code = Complain(status, ExitCodeOfResult(status));
    if (exit_code == kPassed) exit_code = code;
  }
  return exit_code;
}

void AddList(CLI::App& results, Chosen& chosen) {
  const auto arguments = std::make_shared<ListArguments>();
  CLI::App* command = results.add_subcommand("ls", "List the runs, the newest first");
  command
      ->add_option("--status", arguments->status, "Only runs with this status: running, passed, partial, ...")
      ->type_name("NAME");
  command->add_option("--plan", arguments->plan, "Only runs of the plan with this name")->type_name("NAME");
  AddLabelOption(*command, arguments->labels);
  command
      ->add_option(
          "--since", arguments->since,
          "Only runs submitted then or later: 24h (ago), 2026-11-30 or 2026-11-30T14:05:00 in local time, "
          "2026-11-30T14:05:00Z")
      ->type_name("WHEN");
  command->add_option("--until", arguments->until, "Only runs submitted before")->type_name("WHEN");
  command->add_option("--text", arguments->text, "Only runs with this in their id, plan's name or user")
      ->type_name("TEXT");
  command->add_option("--host", arguments->host, "Only runs on this host")->type_name("NAME");
  command
      ->add_option("--fingerprint", arguments->fingerprint,
                   "Only runs on a host with this fingerprint (tutti facts)")
      ->type_name("TEXT");
  command
      ->add_option("--kernel", arguments->kernel,
                   "Only runs on a host with this kernel: 6.18.4, 6.18*; with --host, on that one")
      ->type_name("RELEASE");
  command->add_option("--limit", arguments->limit, "At most this many")
      ->check(CLI::Range(1U, kMostRunsOfAPage))
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--page", arguments->page, "The page behind the one that ended with this")
      ->type_name("TOKEN");
  AddOutputOption(*command, arguments->output);
  AddCoordinatorOptions(*command, arguments->coordinator);
  command->callback([arguments, &chosen] { chosen = [arguments] { return ListResults(*arguments); }; });
}

}  // namespace

void AddResultsCommand(CLI::App& app, Chosen& chosen) {
  CLI::App* results = app.add_subcommand("results", "The runs that a coordinator keeps");
  results->require_subcommand(1);
  AddList(*results, chosen);
  const auto shown = std::make_shared<RunArguments>();
  CLI::App* show = results->add_subcommand("show", "Print the result of a run");
  AddRunIdArgument(*show, shown->run_id);
  AddCoordinatorOptions(*show, shown->coordinator);
  AddReportOptions(*show, shown->options);
  show->callback([shown, &chosen] { chosen = [shown] { return ShowResult(*shown); }; });
  const auto told = std::make_shared<EventsArguments>();
  CLI::App* events =
      results->add_subcommand("events", "Print what happened when: the wait, the start, each trial, the end");
  AddRunIdArgument(*events, told->run_id);
  AddCoordinatorOptions(*events, told->coordinator);
  AddOutputOption(*events, told->output);
  events->callback([told, &chosen] { chosen = [told] { return ShowEvents(*told); }; });
  const auto exported = std::make_shared<RunArguments>();
  CLI::App* exporting = results->add_subcommand("export", "Write the whole result of a run as JSON");
  AddRunIdArgument(*exporting, exported->run_id);
  AddCoordinatorOptions(*exporting, exported->coordinator);
  exporting
      ->add_option("--to", exported->path,
                   "Into this file, in place of what it holds; left out: to standard output")
      ->type_name("FILE");
  exporting->callback([exported, &chosen] { chosen = [exported] { return ExportResult(*exported); }; });
  const auto removed = std::make_shared<DeleteArguments>();
  CLI::App* removal = results->add_subcommand("delete", "Remove runs that have ended, for good");
  AddRunIdsArgument(*removal, removed->run_ids);
  AddCoordinatorOptions(*removal, removed->coordinator);
  removal->callback([removed, &chosen] { chosen = [removed] { return DeleteResults(*removed); }; });
}

}  // namespace tutti::cli
