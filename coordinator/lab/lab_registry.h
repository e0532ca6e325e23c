// Labs that outlive the command that started them: `tutti lab up`, found again by name.
//
// Each has a record NAME.lab in the user's runtime folder ($XDG_RUNTIME_DIR/tutti, else /run/user/UID/tutti,
// else /tmp/tutti-UID; mode 0700), which its supervisor keeps locked (flock) as long as it lives. A record
// whose lock is free or whose supervisor (pid and start time) is gone is stale; whoever meets it removes it.
//
// All functions are to be called from the main thread of a process without other threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "coordinator/lab/lab.h"

namespace tutti::lab {

inline constexpr char kDefaultLabName[] = "default";

struct LabRecord {
  std::string name;
  std::string kind;                 // Lab::kind()
  std::string coordinator_address;  // for `tutti run --coordinator`
  std::string log_dir;
  int supervisor_pid = 0;
  int64_t supervisor_start_ticks = 0;  // field 22 of /proc/PID/stat: a reused pid differs here
  int coordinator_pid = 0;
  int64_t started_unix_ns = 0;
  std::vector<LabHost> hosts;
};

// Starts a lab that lives on after this process. AlreadyExists if `options.name` is up. The lab ends with
// Down(), with SIGTERM to its supervisor, or when any of its processes ends.
absl::StatusOr<LabRecord> Up(const LabOptions& options);

// A lab that is up; empty: "default". NotFound names those that are up.
absl::StatusOr<LabRecord> Find(const std::string& name);

// All that are up, by name.
absl::StatusOr<std::vector<LabRecord>> List();

// Ends a lab and waits until its processes are gone (2 s at most, then by force). NotFound as Find.
absl::Status Down(const std::string& name);

struct ExecEnd {
  int exit_status = 0;  // the command's; 128 + signal if one ended it
  absl::Status
      started;  // why there was no command: then the status is 127 (not found) or 126 (not executable)
};

// Runs a command inside a host of the lab ("host1"; "coordinator": where the bridge is), with this process's
// standard streams and working directory. SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1 and SIGUSR2 to this
// process are the command's, unless this process ignores them: then both do. The command ends with the lab
// and with this process. NotFound for an unknown host.
absl::StatusOr<ExecEnd> Exec(const LabRecord& lab, const std::string& host,
                             const std::vector<std::string>& command);

}  // namespace tutti::lab
