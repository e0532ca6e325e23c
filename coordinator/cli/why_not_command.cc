// tutti why-not RUN: what keeps a run from starting.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "coordinator/cli/command.h"
#include "coordinator/cli/command_options.h"
#include "coordinator/cli/complaint.h"
#include "coordinator/cli/exit_codes.h"
#include "coordinator/cli/find_result.h"
#include "coordinator/cli/obstacle_lines.h"
#include "coordinator/cli/output.h"
#include "coordinator/cli/run_id_argument.h"

namespace tutti::cli {
namespace {

struct Arguments {
  std::string run_id;
  CoordinatorAddress coordinator;
  Output output = Output::kTable;
};

int WhyNot(const Arguments& arguments) {
  const absl::StatusOr<std::unique_ptr<CoordinatorClient>> client =
      MakeCoordinatorClient(arguments.coordinator);
  const absl::StatusOr<tutti::v1::WhyNotResponse> why =
      client.ok() ? (*client)->WhyNot(arguments.run_id) : client.status();
  if (!why.ok()) return Complain(why.status(), ExitCodeOfResult(why.status()));
  std::cout << (arguments.output == Output::kTable
                    ? RenderWhyNot(arguments.run_id, *why)
                    : RenderDocument(report::MessageDocument(*why), arguments.output));
  return kPassed;
}

}  // namespace

void AddWhyNotCommand(CLI::App& app, Chosen& chosen) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "why-not", "What keeps a run from starting: which host, whose run has it, how much longer");
  AddRunIdArgument(*command, arguments->run_id);
  AddOutputOption(*command, arguments->output);
  AddCoordinatorOptions(*command, arguments->coordinator);
  command->callback([arguments, &chosen] { chosen = [arguments] { return WhyNot(*arguments); }; });
}

}  // namespace tutti::cli
