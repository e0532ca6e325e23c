// tutti lab run|up|list|exec|down: hosts made of namespaces on this machine.
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
#include "coordinator/cli/complaint.h"
#include "coordinator/cli/exit_codes.h"
#include "coordinator/cli/fake_fleet.h"
#include "coordinator/cli/interrupts.h"
#include "coordinator/cli/lab_preflight.h"
#include "coordinator/cli/lab_table.h"
#include "coordinator/cli/output.h"
#include "coordinator/cli/plan_file.h"
#include "coordinator/cli/run_flow.h"
#include "coordinator/cli/terminal.h"
#include "coordinator/lab/addressing.h"
#include "coordinator/lab/lab.h"
#include "coordinator/lab/lab_limits.h"
#include "coordinator/lab/lab_record.h"
#include "coordinator/lab/lab_registry.h"

namespace tutti::cli {
namespace {

// Of what a lab's functions refuse: their arguments are the user's.
ExitCode ExitCodeOfLab(const absl::Status& status) {
  const bool usage =
      absl::IsInvalidArgument(status) || absl::IsAlreadyExists(status) || absl::IsNotFound(status);
  return usage ? kUsage : kInternal;
}

// Options that `lab run` and `lab up` share, and what is made of them.
struct LabArguments {
  lab::LabOptions options;
  std::vector<std::string> labels;  // HOST:KEY=VALUE
};

// --- run
// -------------------------------------------------------------------------------------------------------

struct RunArguments {
  std::string path;
  LabArguments lab{.options = {.hosts = 0}, .labels = {}};  // 0: as many as the plan needs
  RunOptions options;
};

// Tells the start of a lab how many workers are there. One client for all its questions: to start and end
// gRPC for each would take longer than the workers need.
std::function<absl::StatusOr<int>(const std::string&)> IdleWorkerCounter() {
  const auto client = std::make_shared<std::unique_ptr<CoordinatorClient>>();
  return [client](const std::string& coordinator_address) -> absl::StatusOr<int> {
    if (*client == nullptr) {
      absl::StatusOr<std::unique_ptr<CoordinatorClient>> made =
          MakeCoordinatorClient({.address = coordinator_address, .own_lab = true});
      if (!made.ok()) return made.status();
      *client = *std::move(made);
    }
    tutti::v1::ListWorkersRequest request;
    request.set_without_facts(true);
    const auto workers = (*client)->ListWorkers(request);
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
    std::cerr << "warning: the limits of socket buffers are not known: " << Readable(limits.status()) << "\n";
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

// Runs the plan in the lab that was started for it.
int RunIn(lab::Lab& running, const PlanText& text, RunOptions& options) {
  if (!options.quiet) {
    const size_t hosts = running.hosts().size();
    std::cerr << "lab: " << hosts << (hosts == 1 ? " host (" : " hosts (") << running.kind() << ")\n";
  }
  const absl::StatusOr<std::unique_ptr<CoordinatorClient>> client =
      MakeCoordinatorClient({.address = running.coordinator_address(), .own_lab = true});
  if (!client.ok()) return Complain(client.status(), kInternal);
  options.color = OutputTakesEscapes();
  options.patience.most_ns = 0;  // the coordinator of this lab does not come back
  return RunPlan(**client, text, options, Screens{.out = std::cout, .live = std::cerr});
}

int LabRun(RunArguments& arguments) {
  const absl::Status usage = CheckRunOptions(arguments.options);
  if (!usage.ok()) return Complain(usage, kUsage);
  lab::LabOptions& lab_options = arguments.lab.options;
  const absl::StatusOr<lab::HostLabels> labels = lab::ParseHostLabels(arguments.lab.labels);
  if (!labels.ok()) return Complain(labels.status(), kUsage);
  const absl::StatusOr<PlanText> text = ReadPlanFile(arguments.path);
  if (!text.ok()) return Complain(text.status(), kUsage);
  const std::optional<tutti::v1::Plan> plan =
      LoadOrPrintErrors(*text, arguments.options.overrides, std::cerr);
  if (!plan) return kInvalidPlan;
  if (lab_options.hosts == 0) lab_options.hosts = HostsNeeded(*plan);
  const absl::Status fits = CheckFitsLab(*plan, lab_options.hosts, *labels);
  if (!fits.ok()) return Complain(fits, kInvalidPlan);
  SayWhatIsForbidden(*plan);

  lab_options.labels = *labels;
  lab_options.ipv6 = lab_options.ipv6 || AsksForIpv6(*plan);
  QuitWhenInterrupted();
  // Before the client: gRPC has threads, and the lab's processes must be forked by a program that has none.
  lab_options.registered_workers = IdleWorkerCounter();
  const absl::StatusOr<std::unique_ptr<lab::Lab>> running = lab::Lab::Start(lab_options);
  if (!running.ok()) {
    return Complain(running.status(), absl::IsInvalidArgument(running.status()) ? kUsage : kInternal);
  }
  const int exit_code = RunIn(**running, *text, arguments.options);
  const absl::Status stopped = (*running)->Stop();
  if (!stopped.ok()) std::cerr << "tutti: the lab was not taken down cleanly: " << Readable(stopped) << "\n";
  return exit_code;
}

void AddLabOptions(CLI::App& command, LabArguments& arguments) {
  command.add_flag("--ipv6", arguments.options.ipv6,
                   "Give each host an IPv6 address too (`lab run` does so for a plan that asks for IPv6)");
  command.add_flag("--clock-offsets", arguments.options.clock_offsets,
                   "Give each host a monotonic clock of its own, days apart from the others");
  command
      .add_option("--log-dir", arguments.options.log_dir,
                  "Keep the daemons' logs in this folder, which is made where it is missing")
      ->type_name("DIR");
  command
      .add_option("--label", arguments.labels,
                  "Label of a host, for roles that choose hosts by label, as in host2:rack=a; may be "
                  "repeated. Each host "
                  "has the label host, its own name")
      ->type_name("HOST:KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void AddLabRun(CLI::App& lab_command, Chosen& chosen) {
  const auto arguments = std::make_shared<RunArguments>();
  CLI::App* command =
      lab_command.add_subcommand("run", "Run a plan on lab hosts that live as long as the run");
  AddPlanArgument(*command, arguments->path);
  command
      ->add_option("--hosts", arguments->lab.options.hosts,
                   "How many lab hosts (default: as many as the plan needs)")
      ->check(CLI::Range(1, lab::kMaxHosts))
      ->type_name("N");
  AddLabOptions(*command, arguments->lab);
  AddRunOptions(*command, arguments->options);
  command->callback([arguments, &chosen] { chosen = [arguments] { return LabRun(*arguments); }; });
}

// --- up, list, down, exec
// ----------------------------------------------------------------------------------------------

// Left out it is the default lab; an empty one is a variable that was not set.
CLI::Option& AddLabName(CLI::App& command, std::string& name) {
  return *command.add_option("--name", name, "Name of the lab (default: default)")
              ->type_name("LAB")
              ->check(
                  [](const std::string& given) { return std::string(lab::CheckLabName(given).message()); });
}

struct UpArguments {
  LabArguments lab;
  Output output = Output::kTable;
};

int LabUp(UpArguments& up) {
  LabArguments& arguments = up.lab;
  absl::StatusOr<lab::HostLabels> labels = lab::ParseHostLabels(arguments.labels);
  if (!labels.ok()) return Complain(labels.status(), kUsage);
  arguments.options.labels = *std::move(labels);
  arguments.options.registered_workers = IdleWorkerCounter();
  const absl::StatusOr<lab::LabRecord> record = lab::Up(arguments.options);
  if (!record.ok()) {
    const bool usage = absl::IsAlreadyExists(record.status()) || absl::IsInvalidArgument(record.status());
    return Complain(record.status(), usage ? kUsage : kInternal);
  }
  std::cout << (up.output == Output::kTable ? DescribeLab(*record)
                                            : RenderDocument(LabDocument(*record), up.output));
  return kPassed;
}

void AddLabUp(CLI::App& lab_command, Chosen& chosen) {
  const auto arguments = std::make_shared<UpArguments>();
  CLI::App* command = lab_command.add_subcommand("up", "Start a lab that stays until `tutti lab down`");
  command->add_option("--hosts", arguments->lab.options.hosts, "How many lab hosts")
      ->check(CLI::Range(1, lab::kMaxHosts))
      ->type_name("N")
      ->capture_default_str();
  AddLabName(*command, arguments->lab.options.name).type_name("NAME");  // not one that is up
  AddLabOptions(*command, arguments->lab);
  AddOutputOption(*command, arguments->output);
  command->callback([arguments, &chosen] { chosen = [arguments] { return LabUp(*arguments); }; });
}

void AddLabList(CLI::App& lab_command, Chosen& chosen) {
  const auto output = std::make_shared<Output>(Output::kTable);
  CLI::App* command = lab_command.add_subcommand("list", "List the labs that are up");
  AddOutputOption(*command, *output);
  command->callback([output, &chosen] {
    chosen = [output] {
      const absl::StatusOr<std::vector<lab::LabRecord>> labs = lab::List();
      if (!labs.ok()) return Complain(labs.status(), kInternal);
      std::cout << (*output == Output::kTable ? RenderLabs(*labs)
                                              : RenderDocument(LabsDocument(*labs), *output));
      return static_cast<int>(kPassed);
    };
  });
}

void AddLabDown(CLI::App& lab_command, Chosen& chosen) {
  const auto name = std::make_shared<std::string>();
  CLI::App* command = lab_command.add_subcommand("down", "End a lab and everything in it");
  AddLabName(*command, *name);
  command->callback([name, &chosen] {
    chosen = [name] {
      const absl::Status status = lab::Down(*name);
      if (status.ok()) return static_cast<int>(kPassed);
      return Complain(status, ExitCodeOfLab(status));
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
  if (!record.ok()) return Complain(record.status(), ExitCodeOfLab(record.status()));
  const absl::StatusOr<lab::ExecEnd> end = lab::Exec(*record, arguments.host, arguments.command);
  if (!end.ok()) return Complain(end.status(), absl::IsNotFound(end.status()) ? kUsage : kInternal);
  if (!end->started.ok()) std::cerr << "tutti: " << Readable(end->started) << "\n";
  return end->exit_status;
}

// The words behind HOST, without a `--` in front of them. Those behind `HOST --` are `above`'s.
std::vector<std::string> CommandOf(std::vector<std::string> own, const std::vector<std::string>& above) {
  own.insert(own.end(), above.begin(), above.end());
  const auto first =
      std::find_if(own.begin(), own.end(), [](const std::string& word) { return word != "--"; });
  own.erase(own.begin(), first);
  return own;
}

void AddLabExec(CLI::App& lab_command, Chosen& chosen) {
  const auto arguments = std::make_shared<ExecArguments>();
  CLI::App* command = lab_command.add_subcommand(
      "exec",
      "exec HOST COMMAND [ARGUMENTS...]: run a command inside a host of a lab; exits as the command does");
  AddLabName(*command, arguments->lab);
  command->add_option("HOST", arguments->host, "host1, host2, ...; coordinator: where the bridge is")
      ->required();
  // Everything behind HOST is the command's, also options that this command has: it is not an option of ours.
  command->prefix_command();
  // CLI11 hands what stands behind `--` to the command above, which must leave it alone too.
  CLI::App* above = &lab_command;
  command->preparse_callback([above](size_t) { above->prefix_command(); });
  command->footer("HOST is followed by the command and its arguments: tutti lab exec host1 ip -br address");
  command->callback([arguments, command, above, &chosen] {
    arguments->command = CommandOf(command->remaining(), above->remaining());
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
  AddLabList(*command, chosen);
  AddLabDown(*command, chosen);
  AddLabExec(*command, chosen);
}

}  // namespace tutti::cli
