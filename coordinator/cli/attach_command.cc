// tutti attach RUN: a run that somebody submitted, as if `tutti run` had been started for it.
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
#include "coordinator/cli/run_id_argument.h"
#include "coordinator/cli/terminal.h"

namespace tutti::cli {
namespace {

struct Arguments {
  std::string run_id;
  CoordinatorAddress coordinator;
  RunOptions options;
};

int Attach(Arguments& arguments) {
  const absl::Status usage = CheckRunOptions(arguments.options);
  if (!usage.ok()) return Complain(usage, kUsage);
  const absl::StatusOr<std::unique_ptr<CoordinatorClient>> client =
      MakeCoordinatorClient(arguments.coordinator);
  if (!client.ok()) return Complain(client.status(), ExitCodeOfResult(client.status()));
  arguments.options.color = OutputTakesEscapes();
  return AttachToRun(**client, arguments.run_id, arguments.options,
                     Screens{.out = std::cout, .live = std::cerr});
}

}  // namespace

void AddAttachCommand(CLI::App& app, Chosen& chosen) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "attach", "Follow a run as if it had been started here: its events, then report, files and exit code");
  command->footer(
      "Begins with the run's first event; live lines of trials that are over are not kept.\n"
      "Ctrl-C leaves the run alone and ends with 8; `tutti cancel RUN` cancels it.\n"
      "A broken connection is tried anew for 30 s, and no event is shown twice.");
  AddRunIdArgument(*command, arguments->run_id);
  AddCoordinatorOptions(*command, arguments->coordinator);
  AddFollowOptions(*command, arguments->options);
  command->callback([arguments, &chosen] { chosen = [arguments] { return Attach(*arguments); }; });
}

}  // namespace tutti::cli
