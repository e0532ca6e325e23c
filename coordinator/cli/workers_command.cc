// tutti workers [ls|show|drain|undrain|forget|watch]: who is registered, what each is doing, how well its
// clock is known; who gets no further run.
#include "coordinator/cli/workers_command.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/status/macros.h"
#include "coordinator/cli/command_options.h"
#include "coordinator/cli/complaint.h"
#include "coordinator/cli/exit_codes.h"
#include "coordinator/cli/find_result.h"
#include "coordinator/cli/output.h"
#include "coordinator/cli/printable_message.h"
#include "coordinator/cli/worker_detail.h"
#include "coordinator/cli/worker_table.h"
#include "coordinator/report/host_facts.h"

namespace tutti::cli {
namespace {

struct ListArguments {
  CoordinatorAddress coordinator;
  Output output = Output::kTable;
};

struct WorkerArguments {
  CoordinatorAddress coordinator;
  std::string name;
  Output output = Output::kTable;
};

int ListWorkers(const ListArguments& arguments) {
  const absl::StatusOr<std::unique_ptr<CoordinatorClient>> client =
      MakeCoordinatorClient(arguments.coordinator);
  // With the facts, which have the addresses, CPUs and kernel of the table.
  const absl::StatusOr<tutti::v1::ListWorkersResponse> workers =
      client.ok() ? (*client)->ListWorkers(tutti::v1::ListWorkersRequest()) : client.status();
  if (!workers.ok()) return Complain(workers.status(), ExitCodeOfResult(workers.status()));
  std::cout << (arguments.output == Output::kTable
                    ? RenderWorkers(*workers)
                    : RenderDocument(report::MessageDocument(*workers), arguments.output));
  return kPassed;
}

absl::StatusOr<tutti::v1::WorkerInfo> GetWorker(const WorkerArguments& arguments) {
  TUTTI_ASSIGN_OR_RETURN(const std::unique_ptr<CoordinatorClient> client,
                         MakeCoordinatorClient(arguments.coordinator));
  absl::StatusOr<tutti::v1::WorkerInfo> worker = client->GetWorker(arguments.name);
  if (!absl::IsNotFound(worker.status())) return worker;
  return absl::NotFoundError(
      absl::StrCat(worker.status().message(), "; `tutti workers` lists those that there are"));
}

int ShowFacts(const WorkerArguments& arguments) {
  absl::StatusOr<tutti::v1::WorkerInfo> worker = GetWorker(arguments);
  if (!worker.ok()) return Complain(worker.status(), ExitCodeOfResult(worker.status()));
  if (arguments.output != Output::kTable) {
    std::cout << RenderDocument(report::MessageDocument(worker->facts()), arguments.output);
    return kPassed;
  }
  MakePrintable(*worker);
  std::cout << report::RenderHostFacts(worker->name(), worker->facts());
  return kPassed;
}

int ShowWorker(const WorkerArguments& arguments) {
  const absl::StatusOr<tutti::v1::WorkerInfo> worker = GetWorker(arguments);
  if (!worker.ok()) return Complain(worker.status(), ExitCodeOfResult(worker.status()));
  std::cout << (arguments.output == Output::kTable
                    ? RenderWorker(*worker)
                    : RenderDocument(report::MessageDocument(*worker), arguments.output));
  return kPassed;
}

void AddList(CLI::App& workers, Chosen& chosen) {
  const auto arguments = std::make_shared<ListArguments>();
  CLI::App* command = workers.add_subcommand("ls", "List the workers, as `tutti workers` does");
  AddOutputOption(*command, arguments->output);
  AddCoordinatorOptions(*command, arguments->coordinator);
  command->callback([arguments, &chosen] { chosen = [arguments] { return ListWorkers(*arguments); }; });
}

void AddShow(CLI::App& workers, Chosen& chosen) {
  const auto arguments = std::make_shared<WorkerArguments>();
  CLI::App* command = workers.add_subcommand(
      "show", "One worker: state, drain, session, clock, CPUs, NUMA nodes, network devices");
  command->add_option("NAME", arguments->name, "Name of a worker")->required()->type_name("NAME");
  AddOutputOption(*command, arguments->output);
  AddCoordinatorOptions(*command, arguments->coordinator);
  command->callback([arguments, &chosen] { chosen = [arguments] { return ShowWorker(*arguments); }; });
}

// An option in front of the word belongs to the list and would be without effect.
void RefuseOptionsInFront(const CLI::App& workers) {
  const std::string word = workers.get_subcommands().front()->get_name();
  for (const CLI::Option* option : workers.get_options()) {
    if (option->count() == 0) continue;
    throw CLI::ValidationError(option->get_name(), absl::StrCat("write it behind ", word));
  }
}

}  // namespace

void AddWorkersCommand(CLI::App& app, Chosen& chosen) {
  const auto arguments = std::make_shared<WorkerArguments>();
  CLI::App* command =
      app.add_subcommand("workers", "List the workers of a coordinator; show, drain or forget some of them");
  command->require_subcommand(0, 1);
  command->add_option("--facts", arguments->name, "Print the facts of this worker's host instead")
      ->type_name("NAME");
  AddOutputOption(*command, arguments->output);
  AddCoordinatorOptions(*command, arguments->coordinator);
  AddList(*command, chosen);
  AddShow(*command, chosen);
  AddWorkerOrders(*command, chosen);
  AddFleetWatch(*command, chosen);
  // Called after that of a command below.
  command->callback([arguments, command, &chosen] {
    if (!command->get_subcommands().empty()) {
      RefuseOptionsInFront(*command);
    } else if (command->count("--facts") > 0) {
      chosen = [arguments] { return ShowFacts(*arguments); };
    } else {
      chosen = [arguments] { return ListWorkers({arguments->coordinator, arguments->output}); };
    }
  });
}

}  // namespace tutti::cli
