// tutti workers: who is registered, what each is doing, how well its clock is known; the facts of one of
// them.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "coordinator/cli/command.h"
#include "coordinator/cli/command_options.h"
#include "coordinator/cli/complaint.h"
#include "coordinator/cli/exit_codes.h"
#include "coordinator/cli/output.h"
#include "coordinator/cli/printable_message.h"
#include "coordinator/cli/worker_table.h"
#include "coordinator/report/host_facts.h"

namespace tutti::cli {
namespace {

struct WorkersOptions {
  CoordinatorAddress coordinator;
  std::string facts_of;  // a worker's name; empty: the table of all
  Output output = Output::kTable;
};

int ShowFactsOf(const WorkersOptions& options, const tutti::v1::ListWorkersResponse& workers) {
  const std::string& name = options.facts_of;
  for (const tutti::v1::WorkerInfo& worker : workers.workers()) {
    if (worker.name() != name) continue;
    if (options.output != Output::kTable) {
      std::cout << RenderDocument(report::MessageDocument(worker.facts()), options.output);
      return kPassed;
    }
    tutti::v1::WorkerInfo shown = worker;
    MakePrintable(shown);
    std::cout << report::RenderHostFacts(shown.name(), shown.facts());
    return kPassed;
  }
  return Complain(absl::NotFoundError(absl::StrCat("--facts ", name,
                                                   ": there is no such worker; `tutti workers` lists them")),
                  kUsage);
}

int ListWorkers(const WorkersOptions& options) {
  const absl::StatusOr<std::unique_ptr<CoordinatorClient>> client =
      MakeCoordinatorClient(options.coordinator);
  const absl::StatusOr<tutti::v1::ListWorkersResponse> workers =
      client.ok() ? (*client)->ListWorkers() : client.status();
  if (!workers.ok()) {
    return Complain(workers.status(),
                    absl::IsInvalidArgument(client.status()) ? kUsage : ExitCodeOfCall(workers.status()));
  }
  if (!options.facts_of.empty()) return ShowFactsOf(options, *workers);
  std::cout << (options.output == Output::kTable
                    ? RenderWorkers(*workers)
                    : RenderDocument(report::MessageDocument(*workers), options.output));
  return kPassed;
}

}  // namespace

void AddWorkersCommand(CLI::App& app, Chosen& chosen) {
  const auto options = std::make_shared<WorkersOptions>();
  CLI::App* command = app.add_subcommand("workers", "List the workers of a coordinator");
  command->add_option("--facts", options->facts_of, "Print the facts of this worker's host instead")
      ->type_name("NAME");
  AddOutputOption(*command, options->output);
  AddCoordinatorOptions(*command, options->coordinator);
  command->callback([options, &chosen] { chosen = [options] { return ListWorkers(*options); }; });
}

}  // namespace tutti::cli
