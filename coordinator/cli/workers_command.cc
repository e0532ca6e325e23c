// tutti workers: who is registered, what each is doing, how well its clock is known.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "coordinator/cli/command.h"
#include "coordinator/cli/command_options.h"
#include "coordinator/cli/complaint.h"
#include "coordinator/cli/exit_codes.h"
#include "coordinator/cli/worker_table.h"

namespace tutti::cli {
namespace {

int ListWorkers(const CoordinatorAddress& coordinator) {
  const absl::StatusOr<std::unique_ptr<CoordinatorClient>> client = MakeCoordinatorClient(coordinator);
  const absl::StatusOr<tutti::v1::ListWorkersResponse> workers =
      client.ok() ? (*client)->ListWorkers() : client.status();
  if (!workers.ok()) {
    return Complain(workers.status(),
                    absl::IsInvalidArgument(client.status()) ? kUsage : ExitCodeOfCall(workers.status()));
  }
  std::cout << RenderWorkers(*workers);
  return kPassed;
}

}  // namespace

void AddWorkersCommand(CLI::App& app, Chosen& chosen) {
  const auto coordinator = std::make_shared<CoordinatorAddress>();
  CLI::App* command = app.add_subcommand("workers", "List the workers of a coordinator");
  AddCoordinatorOptions(*command, *coordinator);
  command->callback([coordinator, &chosen] { chosen = [coordinator] { return ListWorkers(*coordinator); }; });
}

}  // namespace tutti::cli
