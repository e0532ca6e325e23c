// tutti plan PLAN: what would run, where, for how long; nothing is sent.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "common/status/printable.h"
#include "coordinator/cli/command.h"
#include "coordinator/cli/command_options.h"
#include "coordinator/cli/complaint.h"
#include "coordinator/cli/dry_run.h"
#include "coordinator/cli/exit_codes.h"
#include "coordinator/cli/fake_fleet.h"
#include "coordinator/cli/lab_preflight.h"
#include "coordinator/cli/output.h"
#include "coordinator/cli/plan_document.h"
#include "coordinator/cli/plan_file.h"
#include "coordinator/plan/placement.h"
#include "coordinator/plan/threshold_hosts.h"

namespace tutti::cli {
namespace {

struct Arguments {
  std::string path;
  std::vector<std::string> overrides;
  int hosts = 0;  // 0: as many as the plan needs
  CoordinatorAddress coordinator;
  bool ask_coordinator = false;
  Output output = Output::kTable;
};

absl::StatusOr<std::vector<plan::Candidate>> FleetOf(const CoordinatorAddress& address) {
  const absl::StatusOr<std::unique_ptr<CoordinatorClient>> client = MakeCoordinatorClient(address);
  if (!client.ok()) return client.status();
  const absl::StatusOr<tutti::v1::ListWorkersResponse> workers =
      (*client)->ListWorkers(tutti::v1::ListWorkersRequest());
  if (!workers.ok()) return workers.status();
  std::vector<plan::Candidate> fleet;
  for (const tutti::v1::WorkerInfo& worker : workers->workers()) {
    if (worker.state() == tutti::v1::WorkerInfo::STATE_LOST) continue;
    if (worker.has_drain()) {
      std::cerr << "warning: " << Printable(worker.name()) << " is draining and gets no new run\n";
      continue;
    }
    plan::Candidate candidate;
    candidate.name = worker.name();
    candidate.labels = {worker.labels().begin(), worker.labels().end()};
    candidate.facts = worker.facts();
    candidate.control_address = worker.control_address();
    fleet.push_back(std::move(candidate));
  }
  return fleet;
}

// As the coordinator does when the plan is submitted. A plan that cannot be placed is told of by Print.
absl::Status CheckJudgedHosts(const tutti::v1::Plan& plan, const std::vector<plan::Candidate>& fleet) {
  const absl::StatusOr<plan::Placement> placement = plan::Place(plan, fleet);
  return placement.ok() ? plan::CheckThresholdHosts(plan, *placement) : absl::OkStatus();
}

int Print(const tutti::v1::Plan& plan, const std::vector<plan::Candidate>& fleet, Output output) {
  if (output == Output::kTable) {
    const absl::StatusOr<std::string> description = DescribePlan(plan, fleet);
    if (!description.ok()) return Complain(description.status(), kInvalidPlan);
    std::cout << PrintableLines(*description);
    return kPassed;
  }
  const absl::StatusOr<report::Document> document = PlanDocument(plan, fleet);
  if (!document.ok()) return Complain(document.status(), kInvalidPlan);
  std::cout << RenderDocument(*document, output);
  return kPassed;
}

int DryRun(const Arguments& arguments) {
  const absl::StatusOr<PlanText> text = ReadPlanFile(arguments.path);
  if (!text.ok()) return Complain(text.status(), kUsage);
  const std::optional<tutti::v1::Plan> plan = LoadOrPrintErrors(*text, arguments.overrides, std::cerr);
  if (!plan) return kInvalidPlan;
  std::vector<plan::Candidate> fleet;
  if (arguments.ask_coordinator) {
    absl::StatusOr<std::vector<plan::Candidate>> asked = FleetOf(arguments.coordinator);
    if (!asked.ok()) return Complain(asked.status(), ExitCodeOfCall(asked.status()));
    fleet = std::move(*asked);
    const absl::Status judged = CheckJudgedHosts(*plan, fleet);
    if (!judged.ok()) return Complain(judged, kInvalidPlan);
  } else {
    const int hosts = arguments.hosts > 0 ? arguments.hosts : HostsNeeded(*plan);
    const absl::Status enough = arguments.hosts > 0 ? CheckHostCount(*plan, hosts) : absl::OkStatus();
    if (!enough.ok()) return Complain(enough, kInvalidPlan);
    fleet = FakeFleet(*plan, hosts);
  }
  return Print(*plan, fleet, arguments.output);
}

}  // namespace

void AddPlanCommand(CLI::App& app, Chosen& chosen) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "plan", "Show what a plan would do: every case, who sends to whom, streams, ports, duration");
  AddPlanArgument(*command, arguments->path);
  AddSetOption(*command, arguments->overrides);
  CLI::Option* hosts =
      command
          ->add_option("--hosts", arguments->hosts,
                       "Lab hosts to place the roles on (default: as many as the plan needs)")
          ->check(CLI::Range(1, 1000))
          ->type_name("N");
  CLI::Option* coordinator = command
                                 ->add_option("--coordinator", arguments->coordinator.address,
                                              "Place on the workers of this coordinator")
                                 ->type_name("ADDR")
                                 ->excludes(hosts)
                                 ->configurable(false);  // without it nobody is asked
  command->add_flag("--insecure", arguments->coordinator.insecure,
                    "Allow plain text to a coordinator on another host");
  AddOutputOption(*command, arguments->output);
  command->callback([arguments, coordinator, &chosen] {
    arguments->ask_coordinator = coordinator->count() > 0;
    chosen = [arguments] { return DryRun(*arguments); };
  });
}

}  // namespace tutti::cli
