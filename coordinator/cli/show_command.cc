// tutti show FILE|ID: a result again, in any format. The exit code is the run's.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "coordinator/cli/command.h"
#include "coordinator/cli/command_options.h"
#include "coordinator/cli/complaint.h"
#include "coordinator/cli/exit_codes.h"
#include "coordinator/cli/result_files.h"
#include "coordinator/cli/run_flow.h"
#include "coordinator/cli/terminal.h"

namespace tutti::cli {
namespace {

struct Arguments {
  std::string file_or_id;
  RunOptions options;
};

int Show(Arguments& arguments) {
  const absl::StatusOr<tutti::v1::Result> result = ReadResult(arguments.file_or_id);
  absl::Status status = result.status();
  if (result.ok()) {
    arguments.options.color = OutputTakesEscapes();
    status = PrintResult(*result, arguments.options, std::cout);
  }
  if (status.ok()) return result->exit_code();
  return Complain(status, absl::IsDataLoss(status) ? kInternal : kUsage);
}

}  // namespace

void AddShowCommand(CLI::App& app, Chosen& chosen) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("show", "Print a result that an earlier run left");
  command->add_option("RESULT", arguments->file_or_id, "A result's file, or the id of a run")
      ->required()
      ->type_name("FILE|ID");
  AddReportOptions(*command, arguments->options);
  command->callback([arguments, &chosen] { chosen = [arguments] { return Show(*arguments); }; });
}

}  // namespace tutti::cli
