// Everything a worker tells of its host when it registers.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "tutti/v1/host.pb.h"
#include "worker/observe/cpu_reader.h"
#include "worker/observe/ethtool.h"
#include "worker/observe/links.h"

namespace tutti::observe {

struct HostFactsOptions {
  KernelRoots roots;
  std::string boot_id;  // empty: the kernel's, from /proc/sys/kernel/random/boot_id
  std::string tutti_version;
};

// In the calling thread's network namespace; raises RLIMIT_NOFILE. Fails only where the network or the
// boot_id cannot be read; other facts that the kernel does not show stay empty.
absl::StatusOr<v1::HostFacts> GatherHostFacts(const HostFactsOptions& options);

// A device stands behind the interface. The kernel says so itself since 5.14 (IFLA_PARENT_DEV_NAME:
// netdev.dev.parent); before, the driver's bus_info does, except for kinds of links that rtnetlink makes
// (veth, bridge, vlan, ...). /sys/class/net/*/device is not asked: it shows the namespace in which sysfs was
// mounted.
bool HasHardware(const Link& link, const EthtoolFacts& ethtool);

}  // namespace tutti::observe
