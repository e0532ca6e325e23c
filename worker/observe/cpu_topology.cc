#include "worker/observe/cpu_topology.h"

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/status/macros.h"
#include "worker/observe/file_reader.h"
#include "worker/observe/missing_facts.h"

namespace tutti::observe {
namespace {

absl::StatusOr<uint32_t> ReadId(const std::string& path) {
  TUTTI_ASSIGN_OR_RETURN(const std::string text, ReadValue(path));
  uint32_t id = 0;
  // -1: the firmware told the kernel none.
  if (!absl::SimpleAtoi(text, &id)) return absl::NotFoundError(absl::StrCat(path, " says ", text));
  return id;
}

absl::StatusOr<std::map<uint32_t, v1::CpuPackage>> ReadPackages(const KernelRoots& roots,
                                                                const v1::HostFacts& facts) {
  std::map<uint32_t, v1::CpuPackage> packages;
  for (const uint32_t cpu : facts.online_cpus()) {
    const std::string folder = absl::StrCat(roots.sys, "/devices/system/cpu/cpu", cpu, "/topology");
    TUTTI_ASSIGN_OR_RETURN(const uint32_t id, ReadId(folder + "/physical_package_id"));
    TUTTI_ASSIGN_OR_RETURN(const uint32_t core, ReadId(folder + "/core_id"));
    v1::CpuPackage& package = packages[id];
    package.set_id(id);
    package.add_cpus(cpu);
    package.add_core_ids(core);
  }
  if (packages.empty()) return absl::NotFoundError("which CPUs are online is not known");
  return packages;
}

}  // namespace

void FillCpuTopology(const KernelRoots& roots, v1::HostFacts* facts) {
  const auto packages = ReadPackages(roots, *facts);
  if (!packages.ok()) return AddMissing("cpu_packages", packages.status(), facts);
  for (const auto& [id, package] : *packages) *facts->add_cpu_packages() = package;
}

}  // namespace tutti::observe
