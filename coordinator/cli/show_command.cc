// tutti show FILE|ID: a result again, in any format, of this machine or of a coordinator. The exit code is
// the run's, and 7 while it has not ended.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "coordinator/cli/command.h"
#include "coordinator/cli/command_options.h"
#include "coordinator/cli/complaint.h"
#include "coordinator/cli/exit_codes.h"
#include "coordinator/cli/find_result.h"
#include "coordinator/cli/run_flow.h"
#include "coordinator/cli/terminal.h"

namespace tutti::cli {
namespace {

struct Arguments {
  std::string file_or_id;
  CoordinatorAddress coordinator;
  bool ask_coordinator = false;
  RunOptions options;
};

int Show(Arguments& arguments) {
  const absl::StatusOr<tutti::v1::Result> result =
      FindResult(arguments.file_or_id, arguments.ask_coordinator ? &arguments.coordinator : nullptr,
                 !ShowsIntervals(arguments.options));
  absl::Status status = result.status();
  if (result.ok()) {
    arguments.options.color = OutputTakesEscapes();
    status = PrintResult(*result, arguments.options, std::cout);
  }
  if (status.ok()) return ExitCodeOfShown(*result);
  if (absl::IsDataLoss(status)) return Complain(status, kInternal);
  return Complain(status, arguments.ask_coordinator ? ExitCodeOfResult(status) : kUsage);
}

}  // namespace

void AddShowCommand(CLI::App& app, Chosen& chosen) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("show", "Print a result that an earlier run left here, or that a coordinator keeps");
  command->add_option("RESULT", arguments->file_or_id, "A result's file, or the id of a run")
      ->required()
      ->type_name("FILE|ID");
  AddCoordinatorOptions(*command, arguments->coordinator);
  // Without it only this machine is asked, whatever is configured.
  command->get_option("--coordinator")->configurable(false);
  AddReportOptions(*command, arguments->options);
  command->callback([arguments, command, &chosen] {
    arguments->ask_coordinator = CoordinatorGiven(*command);
    chosen = [arguments] { return Show(*arguments); };
  });
}

}  // namespace tutti::cli
