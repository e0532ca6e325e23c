// tutti watch RUN: what happens in a run, for who wants no report.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "coordinator/cli/command.h"
#include "coordinator/cli/command_options.h"
#include "coordinator/cli/complaint.h"
#include "coordinator/cli/event_stream.h"
#include "coordinator/cli/exit_codes.h"
#include "coordinator/cli/find_result.h"
#include "coordinator/cli/output.h"
#include "coordinator/cli/result_files.h"
#include "coordinator/cli/run_flow.h"
#include "coordinator/cli/run_id_argument.h"

namespace tutti::cli {
namespace {

struct Arguments {
  std::string run_id;
  CoordinatorAddress coordinator;
  Output output = Output::kTable;
  RunOptions options;
};

absl::Status CheckOptions(const RunOptions& options) {
  if (options.jsonl_path.empty()) return absl::OkStatus();
  if (options.jsonl_path == "-") {
    return absl::InvalidArgumentError("--jsonl -: --output json writes the events to standard output");
  }
  return CheckWritable(options.jsonl_path, "--jsonl");
}

int Watch(const Arguments& arguments) {
  const absl::Status usage = CheckOptions(arguments.options);
  if (!usage.ok()) return Complain(usage, kUsage);
  const absl::StatusOr<std::unique_ptr<CoordinatorClient>> client =
      MakeCoordinatorClient(arguments.coordinator);
  if (!client.ok()) return Complain(client.status(), ExitCodeOfResult(client.status()));
  return ShowEvents(**client, arguments.run_id, arguments.output, arguments.options,
                    Screens{.out = std::cout, .live = std::cerr});
}

}  // namespace

void AddWatchCommand(CLI::App& app, Chosen& chosen) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("watch", "Print what happens in a run until it ends; no report, no verdict");
  command->footer(
      "--output json prints each event as a line of JSON, yaml as a document of a stream.\n"
      "Begins with the run's first event; live lines of trials that are over are not kept.\n"
      "Exits with 0 once the run has ended, however it did. Ctrl-C leaves the run alone and ends with 8.\n"
      "A broken connection is tried anew for 30 s, then the exit code is 9; no event is shown twice.");
  AddRunIdArgument(*command, arguments->run_id);
  AddOutputOption(*command, arguments->output);
  AddEventFileOption(*command, arguments->options);
  command->add_flag("--quiet,-q", arguments->options.quiet, "No line per interval while it runs");
  AddCoordinatorOptions(*command, arguments->coordinator);
  command->callback([arguments, &chosen] { chosen = [arguments] { return Watch(*arguments); }; });
}

}  // namespace tutti::cli
