// tutti cancel RUN...: ends runs that wait or run, whoever submitted them.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "coordinator/cli/command.h"
#include "coordinator/cli/command_options.h"
#include "coordinator/cli/complaint.h"
#include "coordinator/cli/exit_codes.h"
#include "coordinator/cli/find_result.h"
#include "coordinator/cli/run_id_argument.h"

namespace tutti::cli {
namespace {

struct Arguments {
  std::vector<std::string> run_ids;
  CoordinatorAddress coordinator;
};

// Each is tried; the code is that of the first that failed.
int Cancel(const Arguments& arguments) {
  const absl::StatusOr<std::unique_ptr<CoordinatorClient>> client =
      MakeCoordinatorClient(arguments.coordinator);
  if (!client.ok()) return Complain(client.status(), ExitCodeOfResult(client.status()));
  int exit_code = kPassed;
  for (const std::string& run_id : arguments.run_ids) {
    const absl::Status status = (*client)->Cancel(run_id);
    if (status.ok()) continue;
    const int code = Complain(status, ExitCodeOfResult(status));
    if (exit_code == kPassed) exit_code = code;
  }
  return exit_code;
}

}  // namespace

void AddCancelCommand(CLI::App& app, Chosen& chosen) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "cancel",
      "Cancel runs that wait or run; what they have measured is kept. One that has ended stays as it is");
  AddRunIdsArgument(*command, arguments->run_ids);
  AddCoordinatorOptions(*command, arguments->coordinator);
  command->callback([arguments, &chosen] { chosen = [arguments] { return Cancel(*arguments); }; });
}

}  // namespace tutti::cli
