// tutti validate PLAN...: every error of every plan.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "coordinator/cli/command.h"
#include "coordinator/cli/command_options.h"
#include "coordinator/cli/complaint.h"
#include "coordinator/cli/exit_codes.h"
#include "coordinator/cli/output.h"
#include "coordinator/cli/plan_document.h"
#include "coordinator/cli/plan_file.h"

namespace tutti::cli {
namespace {

struct Arguments {
  std::vector<std::string> paths;
  std::vector<std::string> overrides;
  Output output = Output::kTable;
};

// As a plan that could not even be read is listed.
plan::LoadedPlan Unreadable(const absl::Status& status) {
  plan::PlanError error;
  error.message = std::string(status.message());
  plan::LoadedPlan loaded;
  loaded.errors.push_back(std::move(error));
  return loaded;
}

int Validate(const Arguments& arguments) {
  bool readable = true;
  bool valid = true;
  report::Document checked = report::Document::List();
  for (const std::string& path : arguments.paths) {
    const absl::StatusOr<PlanText> text = ReadPlanFile(path);
    if (!text.ok()) {
      Complain(text.status(), kUsage);
      readable = false;
      checked.Add(CheckedPlan(path, Unreadable(text.status())));
      continue;
    }
    const plan::LoadedPlan loaded = LoadAndPrintErrors(*text, arguments.overrides, std::cerr);
    checked.Add(CheckedPlan(text->source_name, loaded));
    valid = valid && loaded.errors.empty();
    if (!loaded.errors.empty() || arguments.output != Output::kTable) continue;
    std::cout << text->source_name << ": valid, " << loaded.plan.cases_size()
              << (loaded.plan.cases_size() == 1 ? " case\n" : " cases\n");
  }
  if (arguments.output != Output::kTable) {
    std::cout << RenderDocument(report::Document::Map().Add("plans", std::move(checked)), arguments.output);
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
  AddOutputOption(*command, arguments->output);
  command->callback([arguments, &chosen] { chosen = [arguments] { return Validate(*arguments); }; });
}

}  // namespace tutti::cli
