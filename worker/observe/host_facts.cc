#include "worker/observe/host_facts.h"

#include <errno.h>
#include <sys/utsname.h>

#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"
#include "worker/observe/addresses.h"
#include "worker/observe/cpu_facts.h"
#include "worker/observe/file_reader.h"
#include "worker/observe/socket_limits.h"

namespace tutti::observe {
namespace {

v1::HostDevice DescribeDevice(const KernelRoots& roots, const Link& link) {
  const EthtoolFacts ethtool = ReadEthtool(link.name);
  v1::HostDevice device;
  device.set_name(link.name);
  device.set_mtu_bytes(link.mtu_bytes);
  if (ethtool.speed_bps) device.set_speed_bps(*ethtool.speed_bps);
  device.set_has_hardware(HasHardware(link, ethtool));
  device.set_driver(ethtool.driver.empty() ? link.kind : ethtool.driver);
  for (const uint32_t cpu : LocalCpusOf(roots, link.parent_bus, link.parent_name)) device.add_local_cpus(cpu);
  return device;
}

absl::Status FillNetwork(const KernelRoots& roots, v1::HostFacts* facts) {
  TUTTI_ASSIGN_OR_RETURN(const std::vector<Link> links, ListLinks());
  TUTTI_ASSIGN_OR_RETURN(std::vector<v1::HostAddress> addresses, ListAddresses(links));
  for (v1::HostAddress& address : addresses) *facts->add_addresses() = std::move(address);
  for (const Link& link : links) *facts->add_devices() = DescribeDevice(roots, link);
  TUTTI_ASSIGN_OR_RETURN(const SocketLimits limits, ReadSocketLimits());
  facts->set_rmem_max_bytes(limits.rmem_max_bytes);
  facts->set_wmem_max_bytes(limits.wmem_max_bytes);
  facts->set_may_force_buffers(limits.may_force_buffers);
  return absl::OkStatus();
}

}  // namespace

bool HasHardware(const Link& link, const EthtoolFacts& ethtool) {
  if (!link.parent_name.empty()) return true;
  return link.kind.empty() && !ethtool.bus_info.empty() && ethtool.bus_info != "N/A" &&
         ethtool.driver != "tun";
}

absl::StatusOr<v1::HostFacts> GatherHostFacts(const HostFactsOptions& options) {
  v1::HostFacts facts;
  utsname name{};
  if (uname(&name) != 0) return ErrnoStatus(errno, "uname");
  facts.set_kernel_release(name.release);
  facts.set_kernel_version(name.version);
  facts.set_architecture(name.machine);
  FillCpuFacts(options.roots, &facts);
  TUTTI_RETURN_IF_ERROR(FillNetwork(options.roots, &facts));
  TUTTI_ASSIGN_OR_RETURN(const uint64_t open_files, RaiseOpenFiles());
  facts.set_max_open_files(open_files);
  facts.set_tutti_version(options.tutti_version);
  if (!options.boot_id.empty()) {
    facts.set_boot_id(options.boot_id);
    return facts;
  }
  TUTTI_ASSIGN_OR_RETURN(const std::string boot_id,
                         ReadFile(absl::StrCat(options.roots.proc, "/sys/kernel/random/boot_id")));
  facts.set_boot_id(std::string(absl::StripAsciiWhitespace(boot_id)));
  return facts;
}

}  // namespace tutti::observe
