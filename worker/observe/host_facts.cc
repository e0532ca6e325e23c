#include "worker/observe/host_facts.h"

#include <errno.h>
#include <sys/utsname.h>

#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/facts/fingerprint.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"
#include "worker/observe/addresses.h"
#include "worker/observe/cpu_facts.h"
#include "worker/observe/cpu_frequency.h"
#include "worker/observe/cpu_topology.h"
#include "worker/observe/device_facts.h"
#include "worker/observe/ethtool_socket.h"
#include "worker/observe/file_reader.h"
#include "worker/observe/kernel_settings.h"
#include "worker/observe/links.h"
#include "worker/observe/socket_limits.h"
#include "worker/observe/sysctls.h"

namespace tutti::observe {
namespace {

absl::Status FillNetwork(const KernelRoots& roots, v1::HostFacts* facts) {
  TUTTI_ASSIGN_OR_RETURN(const std::vector<Link> links, ListLinks());
  TUTTI_ASSIGN_OR_RETURN(std::vector<v1::HostAddress> addresses, ListAddresses(links));
  for (v1::HostAddress& address : addresses) *facts->add_addresses() = std::move(address);
  TUTTI_ASSIGN_OR_RETURN(const EthtoolSocket ethtool, EthtoolSocket::Open());
  FillDevices(roots, ethtool, links, facts);
  TUTTI_ASSIGN_OR_RETURN(const SocketLimits limits, ReadSocketLimits());
  facts->set_rmem_max_bytes(limits.rmem_max_bytes);
  facts->set_wmem_max_bytes(limits.wmem_max_bytes);
  facts->set_may_force_buffers(limits.may_force_buffers);
  return absl::OkStatus();
}

absl::StatusOr<std::string> BootIdOf(const HostFactsOptions& options) {
  if (!options.boot_id.empty()) return options.boot_id;
  TUTTI_ASSIGN_OR_RETURN(const std::string text,
                         ReadFile(absl::StrCat(options.roots.proc, "/sys/kernel/random/boot_id")));
  return std::string(absl::StripAsciiWhitespace(text));
}

}  // namespace

absl::StatusOr<v1::HostFacts> GatherHostFacts(const HostFactsOptions& options) {
  v1::HostFacts facts;
  utsname name{};
  if (uname(&name) != 0) return ErrnoStatus(errno, "uname");
  facts.set_kernel_release(name.release);
  facts.set_kernel_version(name.version);
  facts.set_architecture(name.machine);
  FillCpuFacts(options.roots, &facts);
  FillCpuTopology(options.roots, &facts);
  FillCpuFrequency(options.roots, &facts);
  FillKernelSettings(options.roots, &facts);
  FillSysctls(options.roots, &facts);
  TUTTI_RETURN_IF_ERROR(FillNetwork(options.roots, &facts));
  TUTTI_ASSIGN_OR_RETURN(const uint64_t open_files, RaiseOpenFiles());
  facts.set_max_open_files(open_files);
  facts.set_tutti_version(options.tutti_version);
  TUTTI_ASSIGN_OR_RETURN(const std::string boot_id, BootIdOf(options));
  facts.set_boot_id(boot_id);
  facts.set_fingerprint(FingerprintOf(facts));
  return facts;
}

}  // namespace tutti::observe
