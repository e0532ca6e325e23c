// A coordinator and N workers on this machine, each worker in a network namespace of its own (design: the lab).
//
// The namespaces are anonymous and held by the lab's processes only; nothing shows in the root namespace and nothing
// is left when the processes are gone, however they went.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tutti::lab {

struct LabOptions {
  int hosts = 2;
  bool ipv6 = false;           // also gives each host an IPv6 address (fd..); names and count stay
  bool clock_offsets = false;  // each worker in a time namespace of its own, days apart
  std::string name;            // of `lab up`; empty: "default"
  std::string worker_program;       // path of tutti-worker; empty: beside this program
  std::string coordinator_program;  // likewise
  std::vector<std::string> worker_args;  // further flags for every worker
  std::string log_dir;         // where the daemons' logs go; empty: a folder of the lab that dies with it
};

struct LabHost {
  std::string name;      // "host1", ...
  std::string address;   // of its veth
  int pid = 0;           // of its worker
  int64_t clock_offset_ns = 0;  // that its CLOCK_MONOTONIC was shifted by
};

// Running lab, owned by the calling process: it ends with this object or with the process.
class Lab {
 public:
  // Forks the lab's supervisor and returns once every worker is registered. On failure everything is taken down and
  // the error says which step failed and why. Call it from the main thread, before other threads exist.
  static absl::StatusOr<std::unique_ptr<Lab>> Start(const LabOptions& options);
  virtual ~Lab() = default;

  virtual std::string coordinator_address() const = 0;  // "unix:/proc/PID/root/..."
  virtual std::vector<LabHost> hosts() const = 0;
  virtual std::string kind() const = 0;  // "namespaces", "user namespaces", or "loopback addresses" and why
  virtual int supervisor_pid() const = 0;
  virtual absl::Status Stop() = 0;  // waits until all is gone; idempotent
};

}  // namespace tutti::lab
