// tutti workers drain|undrain|forget NAME...: who gets no further run, and who is no longer known.
#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "coordinator/cli/command_options.h"
#include "coordinator/cli/complaint.h"
#include "coordinator/cli/exit_codes.h"
#include "coordinator/cli/find_result.h"
#include "coordinator/cli/user_name.h"
#include "coordinator/cli/workers_command.h"

namespace tutti::cli {
namespace {

constexpr int kMostWorkers = 1000;

struct Arguments {
  CoordinatorAddress coordinator;
  std::vector<std::string> names;
  std::string reason;  // of drain
};

using Order = std::function<absl::Status(CoordinatorClient& client, const Arguments& arguments,
                                         const std::string& name)>;

// Each worker is tried; the code is that of the first that failed.
int Give(const Order& order, const Arguments& arguments) {
  const absl::StatusOr<std::unique_ptr<CoordinatorClient>> client =
      MakeCoordinatorClient(arguments.coordinator);
  if (!client.ok()) return Complain(client.status(), ExitCodeOfResult(client.status()));
  int exit_code = kPassed;
  for (const std::string& name : arguments.names) {
    const absl::Status status = order(**client, arguments, name);
    if (status.ok()) continue;
    const int code = Complain(status, ExitCodeOfResult(status));
    if (exit_code == kPassed) exit_code = code;
  }
  return exit_code;
}

absl::Status Drain(CoordinatorClient& client, const Arguments& arguments, const std::string& name) {
  tutti::v1::DrainWorkerRequest request;
  request.set_name(name);
  request.set_reason(arguments.reason);
  request.set_user(UserName());
  return client.DrainWorker(request);
}

absl::Status Undrain(CoordinatorClient& client, const Arguments& arguments, const std::string& name) {
  return client.UndrainWorker(name);
}

absl::Status Forget(CoordinatorClient& client, const Arguments& arguments, const std::string& name) {
  return client.ForgetWorker(name);
}

CLI::App* AddOrder(CLI::App& workers, const std::string& word, const std::string& what, const Order& order,
                   const std::shared_ptr<Arguments>& arguments, Chosen& chosen) {
  CLI::App* command = workers.add_subcommand(word, what);
  command->add_option("NAME", arguments->names, "Names of workers")
      ->required()
      ->expected(1, kMostWorkers)
      ->type_name("NAME");
  AddCoordinatorOptions(*command, arguments->coordinator);
  command->callback(
      [order, arguments, &chosen] { chosen = [order, arguments] { return Give(order, *arguments); }; });
  return command;
}

}  // namespace

void AddWorkerOrders(CLI::App& workers, Chosen& chosen) {
  const auto drained = std::make_shared<Arguments>();
  CLI::App* drain = AddOrder(workers, "drain",
                             "Give workers to no run that is submitted from now on; those that have them or "
                             "wait for them go on",
                             Drain, drained, chosen);
  drain->add_option("--reason", drained->reason, "Shown to those who look for the worker")->type_name("TEXT");
  AddOrder(workers, "undrain", "Give workers to runs again", Undrain, std::make_shared<Arguments>(), chosen);
  AddOrder(workers, "forget", "Strike workers that are lost from the list", Forget,
           std::make_shared<Arguments>(), chosen);
}

}  // namespace tutti::cli
