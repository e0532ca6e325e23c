// Everything a worker tells of its host when it registers.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "tutti/v1/host.pb.h"
#include "worker/observe/cpu_reader.h"

namespace tutti::observe {

struct HostFactsOptions {
  KernelRoots roots;
  std::string boot_id;  // empty: the kernel's, from /proc/sys/kernel/random/boot_id
  std::string tutti_version;
};

// In the calling thread's network namespace; raises RLIMIT_NOFILE. Fails only where the network or the
// boot_id cannot be read; whatever else the kernel does not show is unset, and `missing` says why.
//
// Made for once per session and for no moment at which load runs: it reads about 110 small files, 4 more per
// CPU, one per interrupt and two per queue of a device, with three system calls each, asks 7 times per device
// over ethtool, and lists links, addresses and queueing disciplines over netlink.
absl::StatusOr<v1::HostFacts> GatherHostFacts(const HostFactsOptions& options);

}  // namespace tutti::observe
