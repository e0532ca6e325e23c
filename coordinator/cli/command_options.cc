#include "coordinator/cli/command_options.h"

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "common/units/units.h"
#include "coordinator/lab/lab_registry.h"
#include "coordinator/plan/wait_bounds.h"
#include "coordinator/report/report.h"

namespace tutti::cli {
namespace {

// `live` where there are events to be written.
void AddReportOptionsOf(CLI::App& command, RunOptions& options, bool live) {
  std::string formats;
  for (const report::Exporter& exporter : report::Exporters()) absl::StrAppend(&formats, exporter.name, "|");
  absl::StrAppend(&formats, live ? absl::StrCat(kEventsFormat, "|") : "", "csv");  // short for csv:case
  command
      .add_option(
          "--format,--output", options.format,
          live ? "How the report is printed; jsonl is no report: every event as a line of JSON when it "
                 "happens"
               : "How the report is printed")
      ->type_name(formats)
      ->check([live](const std::string& name) {
        if (name == kEventsFormat) return std::string(live ? "" : kNoEvents);
        return std::string(report::FindExporter(name).status().message());
      });
  command.add_flag("--detail", options.detail, "Also machines, hosts and streams");
  command.add_flag("--timeline", options.timeline, "Also the intervals of all hosts on one time axis");
}

}  // namespace

void AddCoordinatorOptions(CLI::App& command, CoordinatorAddress& address) {
  command
      .add_option("--coordinator", address.address,
                  "Where the coordinator listens: HOST[:PORT], [IPV6]:PORT or unix:/PATH")
      ->type_name("ADDR");
  command
      .add_option_function<std::string>(
          "--lab",
          [&address](const std::string& name) {
            const absl::StatusOr<lab::LabRecord> found = lab::Find(name);
            if (!found.ok()) throw CLI::ValidationError("--lab", std::string(found.status().message()));
            address.address = found->coordinator_address;
          },
          "The coordinator of a lab that is up (tutti lab list)")
      ->type_name("LAB")
      ->excludes("--coordinator");
  command.add_flag("--insecure", address.insecure, "Allow plain text to a coordinator on another host");
}

bool CoordinatorGiven(const CLI::App& command) {
  return command.count("--coordinator") > 0 || command.count("--lab") > 0;
}

void AddPlanArgument(CLI::App& command, std::string& path) {
  command.add_option("PLAN", path, "A plan's file; - is standard input")->required()->type_name("FILE");
}

void AddSetOption(CLI::App& command, std::vector<std::string>& overrides) {
  command
      .add_option(
          "--set", overrides,
          "Override a value of the plan: timing.measure=2s, traffic.bulk.protocol=tcp, matrix.streams=[4]")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void AddLabelOption(CLI::App& command, std::vector<std::string>& labels) {
  command
      .add_option("--label", labels,
                  "A label by which the run is found again, as in commit=3fa1; may be repeated")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void AddReportOptions(CLI::App& command, RunOptions& options) {
  AddReportOptionsOf(command, options, /*live=*/false);
}

void AddEventFileOption(CLI::App& command, RunOptions& options) {
  command
      .add_option(
          "--jsonl", options.jsonl_path,
          "Also write every event of the run to this file when it happens, a line of JSON each, in place "
          "of what it holds")
      ->type_name("FILE");
}

void AddFollowOptions(CLI::App& command, RunOptions& options) {
  AddReportOptionsOf(command, options, /*live=*/true);
  command
      .add_option("--json", options.json_path,
                  "Also write the whole result to this file, as JSON, in place of what it holds")
      ->type_name("FILE");
  AddEventFileOption(command, options);
  command.add_flag("--quiet,-q", options.quiet, "No line per interval while it runs");
}

void AddRunOptions(CLI::App& command, RunOptions& options) {
  AddSetOption(command, options.overrides);
  AddFollowOptions(command, options);
}

void AddSubmitOptions(CLI::App& command, RunOptions& options) {
  command
      .add_flag("--detach", options.detach,
                "Submit and do not wait: print the run's id alone (--output json: an object) once the "
                "coordinator keeps the run")
      ->excludes("--json")
      ->excludes("--jsonl");
  command
      .add_option("--idempotency-key", options.idempotency_key,
                  "A second submission with this key is the first one's run, so that a script may try again")
      ->type_name("KEY")
      ->check([](const std::string& key) {
        return std::string(key.empty() ? "it is empty; name one key for each submission" : "");
      });
  command
      .add_option_function<std::string>(
          "--max-wait",
          [&options](const std::string& text) {
            const absl::StatusOr<int64_t> parsed = ParseDurationNs(text);
            if (!parsed.ok())
              throw CLI::ValidationError("--max-wait", std::string(parsed.status().message()));
            if (*parsed < plan::kLeastWaitNs || *parsed > plan::kMostWaitNs) {
              throw CLI::ValidationError(
                  "--max-wait", absl::StrCat("a run cannot wait ", FormatDuration(*parsed),
                                             " for its hosts; give it ", FormatDuration(plan::kLeastWaitNs),
                                             " to ", FormatDuration(plan::kMostWaitNs)));
            }
            options.max_wait_ns = *parsed;
          },
          "End the run without a trial when it has waited for its hosts this long: 10m (left out: 24h)")
      ->type_name("DURATION");
}

}  // namespace tutti::cli
