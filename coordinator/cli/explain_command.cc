// tutti explain RESULT|PLAN: every value of every case, and where it came from.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/status/macros.h"
#include "common/status/printable.h"
#include "coordinator/cli/command.h"
#include "coordinator/cli/command_options.h"
#include "coordinator/cli/complaint.h"
#include "coordinator/cli/exit_codes.h"
#include "coordinator/cli/explanation_table.h"
#include "coordinator/cli/find_result.h"
#include "coordinator/cli/output.h"
#include "coordinator/cli/plan_differences.h"
#include "coordinator/cli/plan_file.h"
#include "coordinator/plan/explanation.h"

namespace tutti::cli {
namespace {

constexpr char kAllCases[] = "all";

struct Arguments {
  std::string subject;
  CoordinatorAddress coordinator;
  bool ask_coordinator = false;
  std::vector<std::string> overrides;
  std::string chosen_case = kAllCases;
  Output output = Output::kTable;
};

// A plan's text, with what a run has made of it if it is a run's.
struct Subject {
  PlanText text;
  std::vector<std::string> overrides;
  std::optional<tutti::v1::Result> run;
};

// A result has this key; a plan that is written as JSON has not.
bool LooksLikeAResult(const std::string& text) {
  return text.find("\"schema_version\"") != std::string::npos;
}

absl::StatusOr<Subject> OfRun(tutti::v1::Result run) {
  TUTTI_RETURN_IF_ERROR(CheckHasPlan(run));
  Subject subject;
  subject.text = {.source_name = Printable(run.plan().source_name()), .text = run.plan().source()};
  subject.overrides.assign(run.plan().overrides().begin(), run.plan().overrides().end());
  subject.run = std::move(run);
  return subject;
}

// A file that is no result is a plan's.
absl::StatusOr<Subject> FindSubject(const Arguments& arguments) {
  absl::Status no_result;
  if (arguments.subject != "-") {
    absl::StatusOr<tutti::v1::Result> run =
        FindResult(arguments.subject, arguments.ask_coordinator ? &arguments.coordinator : nullptr);
    if (run.ok() && !arguments.overrides.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--set changes a plan; ", arguments.subject, " is a run, which has been"));
    }
    if (run.ok()) return OfRun(*std::move(run));
    if (!absl::IsInvalidArgument(run.status())) return run.status();
    no_result = run.status();
  }
  TUTTI_ASSIGN_OR_RETURN(PlanText text, ReadPlanFile(arguments.subject));
  if (!no_result.ok() && LooksLikeAResult(text.text)) return no_result;
  return Subject{.text = std::move(text), .overrides = arguments.overrides, .run = std::nullopt};
}

// All of them, or the one that is asked for.
absl::StatusOr<std::vector<plan::ExplainedCase>> ChosenCases(const std::string& chosen,
                                                             std::vector<plan::ExplainedCase> cases) {
  if (chosen == kAllCases) return cases;
  size_t number = 0;
  if (!absl::SimpleAtoi(chosen, &number) || number == 0 || number > cases.size()) {
    return absl::InvalidArgumentError(absl::StrCat("--case ", chosen, ": the plan has ", cases.size(),
                                                   cases.size() == 1 ? " case" : " cases",
                                                   "; write a number from 1, or all"));
  }
  return std::vector<plan::ExplainedCase>{std::move(cases[number - 1])};
}

// What stands below is of this reading of the plan, whatever ran.
void WarnOfAnotherReading(const Subject& subject, const std::vector<std::string>& differences) {
  if (differences.empty()) return;
  std::cerr << "warning: " << Printable(subject.run->tutti_version())
            << " has read this plan otherwise; what is explained is what this tutti makes of it:\n";
  for (const std::string& line : differences) std::cerr << "  " << line << "\n";
}

int Explain(const Arguments& arguments) {
  const absl::StatusOr<Subject> subject = FindSubject(arguments);
  if (!subject.ok()) {
    const absl::Status& status = subject.status();
    const bool damaged = absl::IsDataLoss(status);
    return Complain(status, arguments.ask_coordinator || damaged ? ExitCodeOfResult(status) : kUsage);
  }
  const std::optional<tutti::v1::Plan> plan = LoadOrPrintErrors(subject->text, subject->overrides, std::cerr);
  if (!plan) return kInvalidPlan;
  std::vector<std::string> differences;
  if (subject->run) differences = PlanDifferences(subject->run->plan(), *plan);
  WarnOfAnotherReading(*subject, differences);
  const absl::StatusOr<std::vector<plan::ExplainedCase>> cases =
      ChosenCases(arguments.chosen_case, plan::ExplainPlan(*plan));
  if (!cases.ok()) return Complain(cases.status(), kUsage);
  if (arguments.output == Output::kTable) {
    std::cout << RenderExplanation(*plan, *cases);
    return kPassed;
  }
  report::Document document = ExplanationDocument(*plan, *cases);
  document.Add("run_id",
               subject->run ? report::Document::Text(subject->run->run_id()) : report::Document::Null());
  document.Add("differences", report::Document::Texts(differences));
  std::cout << RenderDocument(document, arguments.output);
  return kPassed;
}

}  // namespace

void AddExplainCommand(CLI::App& app, Chosen& chosen) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "explain", "List each value of each case, and where it came from: plan, matrix, --set, default");
  command
      ->add_option("SUBJECT", arguments->subject,
                   "A result's file, the id of a run, or a plan's file; - is a plan on standard input")
      ->required()
      ->type_name("FILE|ID");
  AddSetOption(*command, arguments->overrides);
  command->add_option("--case", arguments->chosen_case, "Only this case, from 1")
      ->type_name("N|all")
      ->capture_default_str();
  AddOutputOption(*command, arguments->output);
  AddCoordinatorOptions(*command, arguments->coordinator);
  // Without it only this machine is asked, whatever is configured.
  command->get_option("--coordinator")->configurable(false);
  command->callback([arguments, command, &chosen] {
    arguments->ask_coordinator = CoordinatorGiven(*command);
    chosen = [arguments] { return Explain(*arguments); };
  });
}

}  // namespace tutti::cli
