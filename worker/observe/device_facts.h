// What a worker tells of each network device.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "tutti/v1/host.pb.h"
#include "worker/observe/cpu_reader.h"
#include "worker/observe/ethtool.h"
#include "worker/observe/ethtool_socket.h"
#include "worker/observe/links.h"

namespace tutti::observe {

// A device stands behind the interface. The kernel says so itself since 5.14 (IFLA_PARENT_DEV_NAME:
// netdev.dev.parent); before, the driver's bus_info does, except for kinds of links that rtnetlink makes
// (veth, bridge, vlan, ...). /sys/class/net/*/device is not asked: it shows the namespace in which sysfs was
// mounted.
bool HasHardware(const Link& link, const EthtoolFacts& ethtool);

// Fills qdisc and child_qdiscs of the device of this name. NotFound: there is no root. Pure.
absl::Status FillQdiscs(const std::vector<v1::QdiscCounters>& qdiscs, v1::HostDevice* device);

// Adds all `links` to `facts->devices`, whose addresses are there already, and what could not be read of
// them to `missing`. Seven ethtool calls per device that is described in full, one file per interrupt, two
// per queue.
void FillDevices(const KernelRoots& roots, const EthtoolSocket& socket, const std::vector<Link>& links,
                 v1::HostFacts* facts);

}  // namespace tutti::observe
