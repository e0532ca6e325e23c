// Which CPUs the kernel itself hands a device's packets to: RPS, RFS and XPS
// (Documentation/networking/scaling.rst). Only sysfs shows them.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "tutti/v1/host.pb.h"
#include "worker/observe/cpu_reader.h"
#include "worker/observe/links.h"

namespace tutti::observe {

// Ok: /sys/class/net is about the network namespace that `links` are all the devices of. It shows the one in
// which sysfs was mounted, which is another where a process was only moved; a device with the same index and
// hardware address in both decides. Loopback has the same in every namespace: NotFound where there is nothing
// else.
absl::Status CheckSysfsNamespace(const KernelRoots& roots, const std::vector<Link>& links);

// Fills `steering` of the device of this name with what its queues are set to, two files of each. What the
// kernel does not show of one queue is not known of the device, and in `missing` of `facts`.
void FillSteering(const KernelRoots& roots, v1::HostDevice* device, v1::HostFacts* facts);

}  // namespace tutti::observe
