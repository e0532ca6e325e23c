// tutti status [RUN]: where a run stands, or all that wait and run.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "coordinator/cli/command.h"
#include "coordinator/cli/command_options.h"
#include "coordinator/cli/complaint.h"
#include "coordinator/cli/exit_codes.h"
#include "coordinator/cli/find_result.h"
#include "coordinator/cli/output.h"
#include "coordinator/cli/run_id_argument.h"
#include "coordinator/cli/run_info_table.h"
#include "coordinator/cli/run_overview.h"

namespace tutti::cli {
namespace {

struct Arguments {
  std::string run_id;  // empty: all
  CoordinatorAddress coordinator;
  Output output = Output::kTable;
};

int ShowOne(CoordinatorClient& client, const Arguments& arguments) {
  const absl::StatusOr<tutti::v1::RunInfo> run = client.GetRun(arguments.run_id);
  if (!run.ok()) return Complain(run.status(), ExitCodeOfResult(run.status()));
  std::cout << (arguments.output == Output::kTable
                    ? RenderRunInfo(*run)
                    : RenderDocument(report::MessageDocument(*run), arguments.output));
  return kPassed;
}

int ShowAll(CoordinatorClient& client, const Arguments& arguments) {
  const absl::StatusOr<std::vector<tutti::v1::RunInfo>> runs = RunsThatMatter(client);
  if (!runs.ok()) return Complain(runs.status(), ExitCodeOfResult(runs.status()));
  std::cout << (arguments.output == Output::kTable
                    ? RenderRunInfos(*runs)
                    : RenderDocument(RunInfosDocument(*runs), arguments.output));
  return kPassed;
}

int Status(const Arguments& arguments) {
  const absl::StatusOr<std::unique_ptr<CoordinatorClient>> client =
      MakeCoordinatorClient(arguments.coordinator);
  if (!client.ok()) return Complain(client.status(), ExitCodeOfResult(client.status()));
  return arguments.run_id.empty() ? ShowAll(**client, arguments) : ShowOne(**client, arguments);
}

}  // namespace

void AddStatusCommand(CLI::App& app, Chosen& chosen) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "status",
      "Where a run stands; without RUN all that wait or run, and where none does the last that have ended");
  AddRunIdArgument(*command, arguments->run_id)->required(false);
  AddOutputOption(*command, arguments->output);
  AddCoordinatorOptions(*command, arguments->coordinator);
  command->callback([arguments, &chosen] { chosen = [arguments] { return Status(*arguments); }; });
}

}  // namespace tutti::cli
