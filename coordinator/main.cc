// tutti-coordinator: the daemon that knows the workers, queues the runs and merges what the hosts report.
#include <signal.h>
#include <systemd/sd-daemon.h>
#include <time.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/completion/completion_flag.h"
#include "common/config/command_line.h"
#include "common/config/lease.h"
#include "common/log/log.h"
#include "common/status/errno_status.h"
#include "common/sync/control_priority.h"
#include "common/units/units.h"
#include "common/version/version.h"
#include "coordinator/api/coordinator_server.h"

namespace {

constexpr int kExitUsage = 2;
constexpr int kExitFailed = 1;
constexpr int64_t kDrainTimeoutNs = 4'000'000'000;
constexpr char kSystemStateDir[] = "/var/lib/tutti";
constexpr char kNone[] = "none";

// Their defaults are in common/config/setting.cc.
struct Flags {
  tutti::api::CoordinatorOptions server;
  tutti::LogOptions log;
  std::string lease;
  std::string state_dir;  // empty: not given
  std::string keep_age;
  std::string keep_size;
};

void Define(CLI::App& app, Flags& flags) {
  app.add_option("--listen", flags.server.listen,
                 "Address to listen on (repeatable): HOST:PORT, [IPV6]:PORT or unix:/PATH");
  app.add_option(
      "--http", flags.server.http,
      "Address for the HTTP/JSON API (repeatable), as --listen; without a port 7118. Not given: none");
  app.add_flag("--insecure", flags.server.insecure,
               "Allow plain text beyond loopback; every result will say that it was");
  app.add_flag("--lab", flags.server.lab, "The network is a lab's own: results are marked lab");
  app.add_option("--lease", flags.lease, "A worker that is silent for longer is lost");
  app.add_option("--state-dir", flags.state_dir,
                 "Keep the runs and their results in this folder; none: only in memory. Left out: "
                 "$STATE_DIRECTORY, else /var/lib/tutti where it may be written (not with --lab)")
      ->type_name("DIR");
  app.add_option("--keep-age", flags.keep_age,
                 "Remove kept runs that ended longer ago, as in 2160h; none: never")
      ->type_name("DURATION");
  app.add_option("--keep-size", flags.keep_size,
                 "Remove the oldest kept runs when all together are larger, as in 10GiB; none: never")
      ->type_name("SIZE");
  app.add_option("--log-level", flags.log.level, "trace, debug, info, warn, error or off");
  app.add_option("--log-file", flags.log.file, "Append the log to this file instead of standard error")
      ->type_name("FILE");
  app.set_version_flag("--version", std::string("tutti-coordinator ") + tutti::kVersion);
  tutti::DefineConfiguration(app, tutti::Program::kCoordinator);
  tutti::AddCompletionFlag(app);
}

int Complain(const absl::Status& status, int exit_code) {
  std::fprintf(stderr, "tutti-coordinator: %s\n", std::string(status.message()).c_str());
  return exit_code;
}

// Whether the configuration below the flags is right; says what is wrong.
bool TakeConfiguration(CLI::App& app) {
  tutti::Configuration configuration;
  const absl::Status status = tutti::Configure(app, tutti::Program::kCoordinator, configuration);
  for (const std::string& warning : configuration.warnings) {
    std::fprintf(stderr, "tutti-coordinator: warning: %s\n", warning.c_str());
  }
  if (!status.ok()) Complain(status, kExitUsage);
  return status.ok();
}

// Waits for a signal to end, and tells systemd's watchdog that the thread of decisions is alive.
void ServeUntilSignal(tutti::api::CoordinatorServer& server, const sigset_t& signals) {
  uint64_t watchdog_us = 0;
  const bool watched = sd_watchdog_enabled(0, &watchdog_us) > 0 && watchdog_us > 0;
  const uint64_t period_us = watched ? watchdog_us / 3 : 3'600'000'000;
  const timespec period{static_cast<time_t>(period_us / 1'000'000),
                        static_cast<long>(period_us % 1'000'000 * 1000)};
  while (true) {
    const int signal = sigtimedwait(&signals, nullptr, &period);
    if (signal > 0) {
      spdlog::info("signal {}: draining", signal);
      return;
    }
    if (watched) server.Post([] { sd_notify(0, "WATCHDOG=1"); });
  }
}

// Empty: runs are kept in memory only.
std::string StateDir(const Flags& flags) {
  if (flags.state_dir == kNone) return "";
  if (!flags.state_dir.empty()) return flags.state_dir;
  // systemd's StateDirectory=; of several folders the first one.
  if (const char* given = getenv("STATE_DIRECTORY"); given != nullptr && given[0] == '/') {
    const std::string folders = given;
    return folders.substr(0, folders.find(':'));
  }
  if (flags.server.lab) return "";
  if (access(kSystemStateDir, R_OK | W_OK | X_OK) == 0) return kSystemStateDir;
  spdlog::warn("runs are kept in memory only: {} cannot be written; name a folder with --state-dir",
               kSystemStateDir);
  return "";
}

absl::Status ReadKeepFlags(Flags& flags) {
  if (flags.keep_age != kNone) {
    const absl::StatusOr<int64_t> age_ns = tutti::ParseDurationNs(flags.keep_age);
    if (!age_ns.ok()) return tutti::Annotate(age_ns.status(), "--keep-age");
    flags.server.retention.max_age_ns = *age_ns;
  }
  if (flags.keep_size != kNone) {
    const absl::StatusOr<uint64_t> bytes = tutti::ParseSizeBytes(flags.keep_size);
    if (!bytes.ok()) return tutti::Annotate(bytes.status(), "--keep-size");
    flags.server.retention.max_bytes = *bytes;
  }
  return absl::OkStatus();
}

int Run(Flags& flags) {
  if (const absl::Status status = tutti::InitLog(flags.log); !status.ok())
    return Complain(status, kExitUsage);
  const absl::StatusOr<int64_t> lease_ns = tutti::ParseLeaseNs(flags.lease);
  if (!lease_ns.ok()) return Complain(tutti::Annotate(lease_ns.status(), "--lease"), kExitUsage);
  flags.server.fleet.lease_ns = *lease_ns;
  // Several probes per lease, since they keep it.
  flags.server.fleet.probes.interval_ns = std::min(flags.server.fleet.probes.interval_ns, *lease_ns / 5);
  flags.server.fleet.probes.datagram_interval_ns =
      std::min(flags.server.fleet.probes.datagram_interval_ns, *lease_ns / 4);
  if (const absl::Status status = ReadKeepFlags(flags); !status.ok()) return Complain(status, kExitUsage);
  flags.server.state_dir = StateDir(flags);
  // Before any thread exists: where workers share its CPUs their probes and answers must not wait for their
  // load.
  tutti::RaiseControlPriority();

  absl::StatusOr<std::unique_ptr<tutti::api::CoordinatorServer>> server =
      tutti::api::CoordinatorServer::Start(flags.server);
  if (!server.ok()) {
    const absl::StatusCode code = server.status().code();
    const bool usage =
        code == absl::StatusCode::kInvalidArgument || code == absl::StatusCode::kFailedPrecondition;
    return Complain(server.status(), usage ? kExitUsage : kExitFailed);
  }
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sd_notify(0, "READY=1");
  ServeUntilSignal(**server, signals);
  sd_notify(0, "STOPPING=1");
  if (!(*server)->Drain(kDrainTimeoutNs)) spdlog::warn("some runs did not end in time and are dropped");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  // Before any thread exists, so that every one inherits it.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);

  CLI::App app("Knows the workers, queues the runs, merges what the hosts report.", "tutti-coordinator");
  Flags flags;
  flags.log.program = "tutti-coordinator";
  Define(app, flags);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError&) {  // lists them from last to first
    app.exit(CLI::ExtrasError(app.remaining_for_passthrough(true)));
    return kExitUsage;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kExitUsage;
  }
  if (!TakeConfiguration(app)) return kExitUsage;
  return Run(flags);
}
