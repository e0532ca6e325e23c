// A coordinator and N workers on this machine, each worker in a network namespace of its own (docs/lab.md).
//
// The namespaces are anonymous and held by the lab's processes only; nothing shows in the root namespace and
// nothing is left when the processes are gone, however they went.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "coordinator/lab/host_labels.h"

namespace tutti::lab {

struct LabOptions {
  int hosts = 2;                    // 1 to 1000
  bool ipv6 = false;                // also gives each host an IPv6 address (fd..); names and count stay
  bool clock_offsets = false;       // each worker in a time namespace of its own, days apart (ClockOffsetNs)
  std::string name;                 // of `lab up` (letters, digits, '-', '_', '.'); empty: "default"
  std::string worker_program;       // path of tutti-worker; empty: beside this program
  std::string coordinator_program;  // likewise
  std::vector<std::string> worker_args;       // further flags for every worker
  std::vector<std::string> coordinator_args;  // further flags for the coordinator
  HostLabels labels;                          // of the workers, beside "host", which is each one's own name
  // Folder for the daemons' logs, made with those above it where it is missing; empty: one of the lab's own,
  // which dies with it.
  std::string log_dir;

  // How Start learns that the workers are there: called again and again with coordinator_address() until it
  // returns at least `hosts`. An error counts as 0 and is quoted if time runs out. Empty: a daemon that runs
  // counts as there.
  std::function<absl::StatusOr<int>(const std::string& coordinator_address)> registered_workers;
  int64_t start_timeout_ns = 0;  // for the whole start; 0: 30 s (a loaded machine) and 200 ms for each host

  // What becomes of the lab when a worker ends by itself. Kept: the run goes on and says what it lost (`lab
  // run`). When the coordinator or the supervisor ends, the lab always ends.
  bool end_with_worker = false;
};

struct LabHost {
  std::string name;             // "host1", ...
  std::string address;          // of its veth, IPv4
  std::string address6;         // of its veth, IPv6; empty without `ipv6`
  int pid = 0;                  // of its worker
  int64_t clock_offset_ns = 0;  // that its CLOCK_MONOTONIC was shifted by
};

// What host `index` (from 1) has added to its CLOCK_MONOTONIC and CLOCK_BOOTTIME with clock_offsets:
// index x (2 days + 1.234567891 s).
int64_t ClockOffsetNs(int index);

// Running lab, owned by the calling process: it ends with this object or with the process. Not thread-safe.
class Lab {
 public:
  // Forks the lab's supervisor and returns once every worker is registered. On failure everything is taken
  // down and the error says which step failed and why. Call it from the main thread (its end would end the
  // lab), before other threads exist. InvalidArgument: the options, found before anything was started.
  static absl::StatusOr<std::unique_ptr<Lab>> Start(const LabOptions& options);
  virtual ~Lab() = default;  // stops the lab, unless detached

  virtual std::string coordinator_address() const = 0;  // "unix:/proc/PID/root/..."
  virtual std::vector<LabHost> hosts() const = 0;       // in order
  virtual std::string kind() const = 0;  // "namespaces", "user namespaces", or "loopback addresses" and why
  virtual int supervisor_pid() const = 0;
  virtual int coordinator_pid() const = 0;
  virtual std::string log_dir() const = 0;  // as this process can read it while the lab lives

  // What ended by itself since the start, one sentence each: "host2: tutti-worker (pid 7) was ended by signal
  // 9 (Killed)". Does not wait.
  virtual std::vector<std::string> deaths() = 0;

  virtual absl::Status Stop() = 0;  // waits until all is gone; idempotent

  // From here on the lab lives without this process, until its supervisor gets SIGTERM or one of its
  // processes ends.
  virtual absl::Status Detach() = 0;
};

}  // namespace tutti::lab
