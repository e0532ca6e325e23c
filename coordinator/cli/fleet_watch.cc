// tutti workers watch: every change of a worker's state, until Ctrl-C.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <stop_token>

#include "coordinator/cli/command_options.h"
#include "coordinator/cli/complaint.h"
#include "coordinator/cli/exit_codes.h"
#include "coordinator/cli/find_result.h"
#include "coordinator/cli/fleet_event_line.h"
#include "coordinator/cli/interrupts.h"
#include "coordinator/cli/output.h"
#include "coordinator/cli/resumed_watch.h"
#include "coordinator/cli/workers_command.h"

namespace tutti::cli {
namespace {

struct Arguments {
  CoordinatorAddress coordinator;
  Output output = Output::kTable;
};

int Watch(const Arguments& arguments) {
  const absl::StatusOr<std::unique_ptr<CoordinatorClient>> client =
      MakeCoordinatorClient(arguments.coordinator);
  if (!client.ok()) return Complain(client.status(), ExitCodeOfResult(client.status()));
  // A coordinator that is out of reach now is not waited for.
  tutti::v1::ListWorkersRequest request;
  request.set_without_facts(true);
  const absl::Status reached = (*client)->ListWorkers(request).status();
  if (!reached.ok()) return Complain(reached, ExitCodeOfResult(reached));
  std::stop_source stop;
  InterruptWatch interrupts([&stop] { stop.request_stop(); });
  const absl::Status watched = WatchFleet(
      **client,
      [&arguments](const tutti::v1::FleetEvent& event) {
        std::cout << RenderFleetEvent(event, arguments.output) << std::flush;
      },
      Patience(), std::cerr, stop.get_token());
  if (watched.ok() || stop.stop_requested()) return kPassed;
  return Complain(watched, ExitCodeOfResult(watched));
}

}  // namespace

void AddFleetWatch(CLI::App& workers, Chosen& chosen) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      workers.add_subcommand("watch", "Print every change of a worker's state from now on, until Ctrl-C");
  command->footer(
      "--output json prints each change as a line of JSON, yaml as a document of a stream.\n"
      "A broken connection is tried anew for 30 s, then the exit code is 9.");
  AddOutputOption(*command, arguments->output);
  AddCoordinatorOptions(*command, arguments->coordinator);
  command->callback([arguments, &chosen] { chosen = [arguments] { return Watch(*arguments); }; });
}

}  // namespace tutti::cli
