// tutti lab run|up|down|exec: hosts made of namespaces on this machine.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "coordinator/cli/command.h"
#include "coordinator/cli/command_options.h"
#include "coordinator/cli/exit_codes.h"
#include "coordinator/cli/fake_fleet.h"
#include "coordinator/cli/interrupts.h"
#include "coordinator/cli/lab_preflight.h"
#include "coordinator/cli/plan_file.h"
#include "coordinator/cli/run_flow.h"
#include "coordinator/lab/lab.h"
#include "coordinator/lab/lab_limits.h"
#include "coordinator/lab/lab_registry.h"

namespace tutti::cli {
namespace {

constexpr int kMostHosts = 1000;

int Fail(const absl::Status& status, ExitCode code) {
  std::cerr << "tutti: " << status.message() << "\n";
  return code;
}

// --- run
// -------------------------------------------------------------------------------------------------------

struct RunArguments {
  std::string path;
  lab::LabOptions lab{.hosts = 0};  // 0: as many as the plan needs
  RunOptions options;
};

// Tells the start of a lab how many workers are there. One client for all its questions: to start and end
// gRPC for each would take longer than the workers need.
std::function<absl::StatusOr<int>(const std::string&)> IdleWorkerCounter() {
  const auto client = std::make_shared<std::unique_ptr<CoordinatorClient>>();
  return [client](const std::string& coordinator_address) -> absl::StatusOr<int> {
    if (*client == nullptr) {
      absl::StatusOr<std::unique_ptr<CoordinatorClient>> made =
          MakeCoordinatorClient({.address = coordinator_address});
      if (!made.ok()) return made.status();
      *client = *std::move(made);
    }
    const auto workers = (*client)->ListWorkers();
    if (!workers.ok()) return workers.status();
    return static_cast<int>(std::count_if(workers->workers().begin(), workers->workers().end(),
                                          [](const tutti::v1::WorkerInfo& worker) {
                                            return worker.state() == tutti::v1::WorkerInfo::STATE_IDLE;
                                          }));
  };
}

void SayWhatIsForbidden(const tutti::v1::Plan& plan) {
  const absl::StatusOr<lab::BufferLimits> limits = lab::ReadBufferLimits();
  if (!limits.ok()) {
    std::cerr << "warning: the limits of socket buffers are not known: " << limits.status().message() << "\n";
    return;
  }
  for (const std::string& message : ForbiddenBuffers(plan, *limits))
    std::cerr << "warning: " << message << "\n";
}

bool AsksForIpv6(const tutti::v1::Plan& plan) {
  for (const tutti::v1::Case& plan_case : plan.cases()) {
    for (const tutti::v1::TrafficEntry& entry : plan_case.traffic()) {
      if (entry.ip_family() == tutti::v1::IP_FAMILY_V6) return true;
      if (entry.network().find(':') != std::string::npos) return true;
    }
  }
  return false;
}

int LabRun(RunArguments& arguments) {
  const absl::Status usage = CheckRunOptions(arguments.options);
  if (!usage.ok()) return Fail(usage, kUsage);
  const absl::StatusOr<PlanText> text = ReadPlanFile(arguments.path);
  if (!text.ok()) return Fail(text.status(), kUsage);
  const std::optional<tutti::v1::Plan> plan =
      LoadOrPrintErrors(*text, arguments.options.overrides, std::cerr);
  if (!plan) return kInvalidPlan;
  SayWhatIsForbidden(*plan);

  if (arguments.lab.hosts == 0) arguments.lab.hosts = HostsNeeded(*plan);
  arguments.lab.ipv6 = arguments.lab.ipv6 || AsksForIpv6(*plan);
  QuitWhenInterrupted();
  // Before the client: gRPC has threads, and the lab's processes must be forked by a program that has none.
  arguments.lab.registered_workers = IdleWorkerCounter();
  const absl::StatusOr<std::unique_ptr<lab::Lab>> running = lab::Lab::Start(arguments.lab);
  if (!running.ok()) return Fail(running.status(), kInternal);
  if (!arguments.options.quiet) {
    std::cerr << "lab: " << (*running)->hosts().size() << " hosts (" << (*running)->kind() << ")\n";
  }
  int exit_code = kInternal;
  {
    const absl::StatusOr<std::unique_ptr<CoordinatorClient>> client =
        MakeCoordinatorClient({.address = (*running)->coordinator_address()});
    if (!client.ok()) return Fail(client.status(), kInternal);
    arguments.options.color = isatty(STDOUT_FILENO) != 0;
    exit_code = RunPlan(**client, *text, arguments.options, Screens{.out = std::cout, .live = std::cerr});
  }
  const absl::Status stopped = (*running)->Stop();
  if (!stopped.ok()) std::cerr << "tutti: the lab was not taken down cleanly: " << stopped.message() << "\n";
  return exit_code;
}

void AddLabOptions(CLI::App& command, lab::LabOptions& options) {
  command.add_flag("--ipv6", options.ipv6,
                   "Give each host an IPv6 address too (`lab run` does so for a plan that asks for IPv6)");
  command.add_flag("--clock-offsets", options.clock_offsets,
                   "Give each host a monotonic clock of its own, days apart from the others");
  command.add_option("--log-dir", options.log_dir, "Keep the daemons' logs in this folder")->type_name("DIR");
}

void AddLabRun(CLI::App& lab_command, Chosen& chosen) {
  const auto arguments = std::make_shared<RunArguments>();
  CLI::App* command =
      lab_command.add_subcommand("run", "Run a plan on lab hosts that live as long as the run");
  AddPlanArgument(*command, arguments->path);
  command
      ->add_option("--hosts", arguments->lab.hosts, "How many lab hosts (default: as many as the plan needs)")
      ->check(CLI::Range(1, kMostHosts))
      ->type_name("N");
  AddLabOptions(*command, arguments->lab);
  AddRunOptions(*command, arguments->options);
  command->callback([arguments, &chosen] { chosen = [arguments] { return LabRun(*arguments); }; });
}

// --- up, down, exec
// ----------------------------------------------------------------------------------------------

int LabUp(lab::LabOptions& options) {
  options.registered_workers = IdleWorkerCounter();
  const absl::StatusOr<lab::LabRecord> record = lab::Up(options);
  if (!record.ok()) return Fail(record.status(), absl::IsAlreadyExists(record.status()) ? kUsage : kInternal);
  std::cout << "lab " << record->name << " is up (" << record->kind << ")\n";
  for (const lab::LabHost& host : record->hosts)
    std::cout << "  " << host.name << "  " << host.address << "\n";
  const std::string name_option = options.name.empty() ? "" : " --name " + record->name;
  std::cout << "run a plan:  tutti run PLAN --coordinator " << record->coordinator_address << "\n"
            << "enter one:   tutti lab exec" << name_option << " "
            << (record->hosts.empty() ? "HOST" : record->hosts.front().name) << " COMMAND\n"
            << "end it:      tutti lab down" << name_option << "\n";
  return kPassed;
}

void AddLabUp(CLI::App& lab_command, Chosen& chosen) {
  const auto options = std::make_shared<lab::LabOptions>();
  CLI::App* command = lab_command.add_subcommand("up", "Start a lab that stays until `tutti lab down`");
  command->add_option("--hosts", options->hosts, "How many lab hosts")
      ->check(CLI::Range(1, kMostHosts))
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--name", options->name, "Name of the lab (default: default)")->type_name("NAME");
  AddLabOptions(*command, *options);
  command->callback([options, &chosen] { chosen = [options] { return LabUp(*options); }; });
}

void AddLabDown(CLI::App& lab_command, Chosen& chosen) {
  const auto name = std::make_shared<std::string>();
  CLI::App* command = lab_command.add_subcommand("down", "End a lab and everything in it");
  command->add_option("--name", *name, "Name of the lab (default: default)")->type_name("NAME");
  command->callback([name, &chosen] {
    chosen = [name] {
      const absl::Status status = lab::Down(*name);
      if (status.ok()) return static_cast<int>(kPassed);
      return Fail(status, absl::IsNotFound(status) ? kUsage : kInternal);
    };
  });
}

struct ExecArguments {
  std::string lab;
  std::string host;
  std::vector<std::string> command;
};

int LabExec(const ExecArguments& arguments) {
  const absl::StatusOr<lab::LabRecord> record = lab::Find(arguments.lab);
  if (!record.ok()) return Fail(record.status(), absl::IsNotFound(record.status()) ? kUsage : kInternal);
  const absl::StatusOr<int> exit_status = lab::Exec(*record, arguments.host, arguments.command);
  if (!exit_status.ok()) {
    return Fail(exit_status.status(), absl::IsNotFound(exit_status.status()) ? kUsage : kInternal);
  }
  return *exit_status;
}

void AddLabExec(CLI::App& lab_command, Chosen& chosen) {
  const auto arguments = std::make_shared<ExecArguments>();
  CLI::App* command = lab_command.add_subcommand(
      "exec",
      "exec HOST COMMAND [ARGUMENTS...]: run a command inside a host of a lab; exits as the command does");
  command->add_option("--name", arguments->lab, "Name of the lab (default: default)")->type_name("NAME");
  command->add_option("HOST", arguments->host, "host1, host2, ...; coordinator: where the bridge is")
      ->required();
  // Everything behind HOST is the command's, also options that this command has: it is not an option of ours.
  command->prefix_command();
  command->footer("HOST is followed by the command and its arguments: tutti lab exec host1 ip -br address");
  command->callback([arguments, command, &chosen] {
    arguments->command = command->remaining();
    if (arguments->command.empty()) throw CLI::RequiredError("COMMAND");
    chosen = [arguments] { return LabExec(*arguments); };
  });
}

}  // namespace

void AddLabCommand(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("lab", "Hosts made of network namespaces on this machine");
  command->require_subcommand(1);
  AddLabRun(*command, chosen);
  AddLabUp(*command, chosen);
  AddLabDown(*command, chosen);
  AddLabExec(*command, chosen);
}

}  // namespace tutti::cli
