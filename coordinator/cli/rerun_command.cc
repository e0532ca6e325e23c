// tutti rerun FILE|ID: the plan of an earlier run once more, exactly as its result embeds it.
#include <CLI/CLI.hpp>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/status/printable.h"
#include "coordinator/cli/command.h"
#include "coordinator/cli/command_options.h"
#include "coordinator/cli/complaint.h"
#include "coordinator/cli/exit_codes.h"
#include "coordinator/cli/find_result.h"
#include "coordinator/cli/plan_differences.h"
#include "coordinator/cli/plan_file.h"
#include "coordinator/cli/run_flow.h"
#include "coordinator/cli/run_labels.h"
#include "coordinator/cli/terminal.h"

namespace tutti::cli {
namespace {

struct Arguments {
  std::string file_or_id;
  CoordinatorAddress coordinator;
  std::vector<std::string> labels;
  RunOptions options;
};

void WarnOfDifferences(const tutti::v1::Result& earlier, const tutti::v1::Plan& plan) {
  const std::vector<std::string> differences = PlanDifferences(earlier.plan(), plan);
  if (differences.empty()) return;
  std::cerr << "warning: this tutti resolves the plan otherwise than " << Printable(earlier.tutti_version())
            << " did:\n";
  for (const std::string& line : differences) std::cerr << "  " << line << "\n";
}

int Rerun(Arguments& arguments) {
  const absl::Status usage = CheckRunOptions(arguments.options);
  if (!usage.ok()) return Complain(usage, kUsage);
  absl::StatusOr<std::map<std::string, std::string>> labels = ParseLabels(arguments.labels);
  if (!labels.ok()) return Complain(labels.status(), kUsage);
  arguments.options.labels = *std::move(labels);
  const absl::StatusOr<tutti::v1::Result> earlier = FindResult(arguments.file_or_id, &arguments.coordinator);
  if (!earlier.ok()) return Complain(earlier.status(), ExitCodeOfResult(earlier.status()));
  if (const absl::Status whole = CheckHasPlan(*earlier); !whole.ok()) {
    return Complain(whole, ExitCodeOfResult(whole));
  }
  const tutti::v1::Plan& embedded = earlier->plan();
  const PlanText text{.source_name = Printable(embedded.source_name()), .text = embedded.source()};
  arguments.options.overrides.assign(embedded.overrides().begin(), embedded.overrides().end());
  const std::optional<tutti::v1::Plan> plan = LoadOrPrintErrors(text, arguments.options.overrides, std::cerr);
  if (!plan) return kInvalidPlan;
  WarnOfDifferences(*earlier, *plan);
  const absl::StatusOr<std::unique_ptr<CoordinatorClient>> client =
      MakeCoordinatorClient(arguments.coordinator);
  if (!client.ok()) return Complain(client.status(), ExitCodeOfResult(client.status()));
  arguments.options.color = OutputTakesEscapes();
  const auto start = arguments.options.detach ? SubmitAndLeave : RunPlan;
  return start(**client, text, arguments.options, Screens{.out = std::cout, .live = std::cerr});
}

}  // namespace

void AddRerunCommand(CLI::App& app, Chosen& chosen) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "rerun",
      "Run the plan of an earlier run again, with its --set options, on the hosts that it finds now");
  command
      ->add_option("RESULT", arguments->file_or_id,
                   "A result's file, or the id of a run here or at the coordinator")
      ->required()
      ->type_name("FILE|ID");
  AddCoordinatorOptions(*command, arguments->coordinator);
  AddLabelOption(*command, arguments->labels);
  AddFollowOptions(*command, arguments->options);
  AddSubmitOptions(*command, arguments->options);
  command->callback([arguments, &chosen] { chosen = [arguments] { return Rerun(*arguments); }; });
}

}  // namespace tutti::cli
