// tutti run PLAN: on the workers of a coordinator.
#include <CLI/CLI.hpp>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "coordinator/cli/command.h"
#include "coordinator/cli/command_options.h"
#include "coordinator/cli/complaint.h"
#include "coordinator/cli/exit_codes.h"
#include "coordinator/cli/plan_file.h"
#include "coordinator/cli/run_flow.h"
#include "coordinator/cli/run_labels.h"
#include "coordinator/cli/terminal.h"

namespace tutti::cli {
namespace {

struct Arguments {
  std::string path;
  CoordinatorAddress coordinator;
  std::vector<std::string> labels;
  RunOptions options;
};

int Run(Arguments& arguments) {
  const absl::Status usage = CheckRunOptions(arguments.options);
  if (!usage.ok()) return Complain(usage, kUsage);
  absl::StatusOr<std::map<std::string, std::string>> labels = ParseLabels(arguments.labels);
  if (!labels.ok()) return Complain(labels.status(), kUsage);
  arguments.options.labels = *std::move(labels);
  const absl::StatusOr<PlanText> text = ReadPlanFile(arguments.path);
  if (!text.ok()) return Complain(text.status(), kUsage);
  if (!LoadOrPrintErrors(*text, arguments.options.overrides, std::cerr)) return kInvalidPlan;
  const absl::StatusOr<std::unique_ptr<CoordinatorClient>> client =
      MakeCoordinatorClient(arguments.coordinator);
  if (absl::IsInvalidArgument(client.status())) return Complain(client.status(), kUsage);
  if (!client.ok()) return Complain(client.status(), ExitCodeOfCall(client.status()));
  arguments.options.color = OutputTakesEscapes();
  const auto start = arguments.options.detach ? SubmitAndLeave : RunPlan;
  return start(**client, *text, arguments.options, Screens{.out = std::cout, .live = std::cerr});
}

}  // namespace

void AddRunCommand(CLI::App& app, Chosen& chosen) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("run", "Run a plan on the workers of a coordinator");
  AddPlanArgument(*command, arguments->path);
  AddCoordinatorOptions(*command, arguments->coordinator);
  AddLabelOption(*command, arguments->labels);
  AddRunOptions(*command, arguments->options);
  AddSubmitOptions(*command, arguments->options);
  command->callback([arguments, &chosen] { chosen = [arguments] { return Run(*arguments); }; });
}

}  // namespace tutti::cli
