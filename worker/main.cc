// tutti-worker: generates and receives load on this host, at its coordinator's command. It has no control
// port of its own: it dials.
//
// Exit codes: 0 stopped (SIGTERM, SIGINT); 1 internal; 2 usage; 10 refused by the coordinator or by policy.

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <future>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "common/completion/completion_flag.h"
#include "common/config/command_line.h"
#include "common/config/setting.h"
#include "common/log/log.h"
#include "common/net/channels.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"
#include "common/sync/control_priority.h"
#include "common/sync/executor.h"
#include "common/time/clock.h"
#include "common/version/version.h"
#include "worker/observe/host_facts.h"
#include "worker/session/grpc_session.h"
#include "worker/session/trial_kernel.h"
#include "worker/session/worker.h"

namespace {

using tutti::Executor;

constexpr int kExitInternal = 1;
constexpr int kExitUsage = 2;
constexpr int kExitRefused = 10;
constexpr auto kStopLimit = std::chrono::milliseconds(900);

// Their defaults are in common/config/setting.cc.
struct Flags {
  std::string coordinator;
  std::string name;
  std::vector<std::string> labels;
  std::string address;
  bool insecure = false;
  std::string log_level;
  std::string log_file;
};

std::string HostName() {
  char name[256] = "";
  if (gethostname(name, sizeof(name) - 1) != 0 || name[0] == '\0') return "worker";
  return name;
}

std::map<std::string, std::string> ParseLabels(const std::vector<std::string>& texts) {
  std::map<std::string, std::string> labels;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    labels[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return labels;
}

// A key that several labels have; empty: none.
std::string RepeatedKey(const std::vector<std::string>& labels) {
  std::set<std::string> keys;
  for (const std::string& text : labels) {
    const auto [key, added] = keys.insert(text.substr(0, text.find('=')));
    if (!added) return *key;
  }
  return "";
}

// The same check as in a configuration file.
std::string CheckAs(const char* key, const std::string& text) {
  const tutti::Setting* setting = tutti::FindSetting(key);
  return setting == nullptr ? "" : tutti::CheckSetting(*setting, text);
}

void DefineFlags(CLI::App& app, Flags& flags) {
  app.add_option("--coordinator", flags.coordinator, "Its address: HOST[:PORT], [V6]:PORT or unix:/PATH");
  app.add_option("--name", flags.name, "This host's name in plans and reports (default: the host name)");
  app.add_option("--label", flags.labels, "KEY=VALUE, for roles that choose hosts by label; may be repeated")
      ->check([](const std::string& text) { return CheckAs("label", text); })
      ->allow_extra_args(false);
  app.add_option("--address", flags.address,
                 "Numeric address by which other hosts reach this one (default: the one that reaches the "
                 "coordinator)")
      ->check([](const std::string& text) { return CheckAs("address", text); });
  app.add_flag("--insecure", flags.insecure,
               "Allow plain text to a coordinator beyond loopback and Unix sockets");
  app.add_option("--log-level", flags.log_level, "trace, debug, info, warn, error or off");
  app.add_option("--log-file", flags.log_file, "Append the log to this file instead of standard error")
      ->type_name("FILE");
  app.set_version_flag("--version", std::string("tutti-worker ") + tutti::kVersion);
  tutti::DefineConfiguration(app, tutti::Program::kWorker);
  tutti::AddCompletionFlag(app);
}

// Whether the configuration below the flags is right; says what is wrong.
bool TakeConfiguration(CLI::App& app) {
  tutti::Configuration configuration;
  const absl::Status status = tutti::Configure(app, tutti::Program::kWorker, configuration);
  for (const std::string& warning : configuration.warnings) {
    fprintf(stderr, "tutti-worker: warning: %s\n", warning.c_str());
  }
  if (!status.ok()) fprintf(stderr, "tutti-worker: %s\n", std::string(status.message()).c_str());
  return status.ok();
}

uint64_t RandomIncarnation() {
  std::random_device device;
  return (static_cast<uint64_t>(device()) << 32) | device();
}

// Tells systemd that the executor still turns, if the unit asks for that (WatchdogSec=).
void PingWatchdog(Executor& executor, int64_t period_ns) {
  sd_notify(0, "WATCHDOG=1");
  executor.PostAfter(period_ns, [&executor, period_ns] { PingWatchdog(executor, period_ns); });
}

void StartWatchdog(Executor& executor) {
  uint64_t limit_us = 0;
  if (sd_watchdog_enabled(0, &limit_us) <= 0) return;
  const int64_t period_ns = static_cast<int64_t>(limit_us) * 1000 / 3;
  executor.Post([&executor, period_ns] { PingWatchdog(executor, period_ns); });
}

tutti::session::WorkerOptions MakeOptions(const Flags& flags) {
  tutti::session::WorkerOptions options;
  options.name = flags.name.empty() ? HostName() : flags.name;
  options.labels = ParseLabels(flags.labels);
  options.incarnation = RandomIncarnation();
  options.address = flags.address;
  options.gather_facts = [] {
    tutti::observe::HostFactsOptions facts;
    facts.tutti_version = tutti::kVersion;
    return tutti::observe::GatherHostFacts(facts);
  };
  return options;
}

// Runs until a signal or a refusal; the exit code.
absl::StatusOr<int> Run(const Flags& flags, const sigset_t& signals) {
  const tutti::Clock& clock = tutti::SystemClock::Get();
  TUTTI_ASSIGN_OR_RETURN(const tutti::net::Endpoint endpoint, tutti::net::ParseEndpoint(flags.coordinator));
  TUTTI_ASSIGN_OR_RETURN(auto kernel, tutti::session::SystemTrialKernel::Open({}, clock));
  // The trial's thread, which makes those of the load, comes before the others are raised above it: they
  // answer the coordinator, and the load must not starve them.
  auto trial_thread = std::make_unique<tutti::ThreadExecutor>("tutti-trial");
  if (!tutti::RaiseControlPriority()) {
    spdlog::info("without CAP_SYS_NICE a load of hundreds of threads may delay answers to the coordinator");
  }
  auto executor = std::make_unique<tutti::ThreadExecutor>("tutti-worker");
  auto dialer = std::make_unique<tutti::session::GrpcSessionDialer>(
      endpoint, tutti::net::ChannelOptions{flags.insecure}, *executor, clock);

  std::atomic<bool> refused = false;
  tutti::session::WorkerEvents events;
  events.on_registered = [name = flags.coordinator] {
    sd_notifyf(0, "READY=1\nSTATUS=Registered with %s", name.c_str());
  };
  events.on_refused = [&refused, to_file = !flags.log_file.empty()](const std::string& reason) {
    spdlog::error("refused: {}", reason);
    // Whoever started it by hand looks at the terminal, not into the log file.
    if (to_file) fprintf(stderr, "tutti-worker: refused: %s\n", reason.c_str());
    refused = true;
    // The main thread waits for signals only.
    kill(getpid(), SIGTERM);
  };
  auto worker = std::make_unique<tutti::session::Worker>(MakeOptions(flags), *executor, *trial_thread, clock,
                                                         *dialer, *kernel, std::move(events));
  StartWatchdog(*executor);
  worker->Start();

  int signal = 0;
  while (sigwait(&signals, &signal) != 0) {
  }
  sd_notify(0, "STOPPING=1");
  if (!refused) spdlog::info("stopping on {}", sigabbrev_np(signal));
  auto stopped = std::make_shared<std::promise<void>>();
  worker->Stop([stopped] { stopped->set_value(); });
  if (stopped->get_future().wait_for(kStopLimit) != std::future_status::ready) {
    // Some call of the kernel or of a name server hangs; everything that is left dies with the process.
    spdlog::warn("not everything ended in time, leaving");
    _exit(refused ? kExitRefused : 0);
  }
  trial_thread.reset();
  // On the executor's thread, behind everything that was posted for the worker.
  auto destroyed = std::make_shared<std::promise<void>>();
  executor->Post([&worker, destroyed] {
    worker.reset();
    destroyed->set_value();
  });
  destroyed->get_future().wait();
  dialer.reset();
  executor.reset();
  return refused ? kExitRefused : 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Generates and receives load on this host for a tutti coordinator.", "tutti-worker");
  Flags flags;
  DefineFlags(app, flags);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError&) {  // lists them from last to first
    app.exit(CLI::ExtrasError(app.remaining_for_passthrough(true)));
    return kExitUsage;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kExitUsage;
  }
  if (!TakeConfiguration(app)) return kExitUsage;
  if (const std::string key = RepeatedKey(flags.labels); !key.empty()) {
    fprintf(stderr, "tutti-worker: --label %s=...: this key is there twice; leave one of them out\n",
            key.c_str());
    return kExitUsage;
  }
  const absl::Status log = tutti::InitLog({"tutti-worker", flags.log_level, flags.log_file});
  if (!log.ok()) {
    fprintf(stderr, "tutti-worker: %s\n", std::string(log.message()).c_str());
    return kExitUsage;
  }
  // Before any thread starts, so that all of them inherit it: signals are taken by sigwait alone.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  ::signal(SIGPIPE, SIG_IGN);

  const absl::StatusOr<int> code = Run(flags, signals);
  if (code.ok()) return *code;
  fprintf(stderr, "tutti-worker: %s\n", std::string(code.status().message()).c_str());
  return code.status().code() == absl::StatusCode::kInvalidArgument ? kExitUsage : kExitInternal;
}
