// tutti validate PLAN...: every error of every plan.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "coordinator/cli/command.h"
#include "coordinator/cli/command_options.h"
#include "coordinator/cli/complaint.h"
#include "coordinator/cli/exit_codes.h"
#include "coordinator/cli/plan_file.h"

namespace tutti::cli {
namespace {

struct Arguments {
  std::vector<std::string> paths;
  std::vector<std::string> overrides;
};

int Validate(const Arguments& arguments) {
  bool readable = true;
  bool valid = true;
  for (const std::string& path : arguments.paths) {
    const absl::StatusOr<PlanText> text = ReadPlanFile(path);
    if (!text.ok()) {
      Complain(text.status(), kUsage);
      readable = false;
      continue;
    }
    const std::optional<tutti::v1::Plan> plan = LoadOrPrintErrors(*text, arguments.overrides, std::cerr);
    if (plan) {
      std::cout << text->source_name << ": valid, " << plan->cases_size()
                << (plan->cases_size() == 1 ? " case\n" : " cases\n");
    }
    valid = valid && plan.has_value();
  }
  if (!readable) return kUsage;
  return valid ? kPassed : kInvalidPlan;
}

}  // namespace

void AddValidateCommand(CLI::App& app, Chosen& chosen) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("validate", "Check plans without running them");
  command->add_option("PLAN", arguments->paths, "Plans' files; - is standard input")
      ->required()
      ->type_name("FILE");
  AddSetOption(*command, arguments->overrides);
  command->callback([arguments, &chosen] { chosen = [arguments] { return Validate(*arguments); }; });
}

}  // namespace tutti::cli
