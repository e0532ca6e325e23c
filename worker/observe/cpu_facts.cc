#include "worker/observe/cpu_facts.h"

#include <errno.h>
#include <sched.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/status/macros.h"
#include "common/status/printable.h"
#include "worker/observe/cpu_list.h"
#include "worker/observe/file_reader.h"
#include "worker/observe/missing_facts.h"
#include "worker/observe/proc_stat.h"

namespace tutti::observe {
namespace {

namespace fs = std::filesystem;

std::vector<uint32_t> ReadCpuList(const std::string& path) {
  const auto text = ReadFile(path);
  if (!text.ok()) return {};
  return ParseCpuList(*text).value_or(std::vector<uint32_t>());
}

std::vector<uint32_t> OnlineCpus(const KernelRoots& roots) {
  std::vector<uint32_t> cpus = ReadCpuList(absl::StrCat(roots.sys, "/devices/system/cpu/online"));
  if (!cpus.empty()) return cpus;
  const auto text = ReadFile(absl::StrCat(roots.proc, "/stat"));
  if (!text.ok()) return {};
  const auto reading = ParseProcStat(*text, 100);
  if (!reading.ok()) return {};
  for (const v1::CpuTimes& times : reading->cpus()) cpus.push_back(times.cpu());
  return cpus;
}

std::vector<uint32_t> AllowedCpus() {
  // The kernel refuses a set smaller than its own, whose size it does not tell (sched_getaffinity(2)).
  for (size_t count = 1024; count <= (1u << 20); count *= 2) {
    std::vector<uint8_t> memory(CPU_ALLOC_SIZE(count));
    auto* set = reinterpret_cast<cpu_set_t*>(memory.data());
    if (sched_getaffinity(0, memory.size(), set) != 0) {
      if (errno == EINVAL) continue;
      return {};
    }
    std::vector<uint32_t> cpus;
    for (size_t cpu = 0; cpu < count; ++cpu) {
      if (CPU_ISSET_S(cpu, memory.size(), set)) cpus.push_back(static_cast<uint32_t>(cpu));
    }
    return cpus;
  }
  return {};
}

absl::StatusOr<std::string> ReadModel(const KernelRoots& roots) {
  const std::string path = roots.proc + "/cpuinfo";
  TUTTI_ASSIGN_OR_RETURN(const std::string cpuinfo, ReadFile(path));
  const std::string model = CpuModelOf(cpuinfo);
  if (model.empty()) return absl::NotFoundError(absl::StrCat(path, " names no model"));
  return Printable(model);
}

std::map<uint32_t, std::vector<uint32_t>> NumaNodes(const KernelRoots& roots) {
  std::map<uint32_t, std::vector<uint32_t>> nodes;
  std::error_code error;
  for (fs::directory_iterator at(absl::StrCat(roots.sys, "/devices/system/node"), error), end;
       !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    uint32_t id = 0;
    if (name.rfind("node", 0) != 0 || !absl::SimpleAtoi(name.substr(4), &id)) continue;
    nodes[id] = ReadCpuList((at->path() / "cpulist").string());
  }
  return nodes;
}

}  // namespace

std::string CpuModelOf(std::string_view cpuinfo) {
  std::map<std::string, std::string> first;
  const std::vector<std::string> lines =
      absl::StrSplit(absl::string_view(cpuinfo.data(), cpuinfo.size()), '\n');
  for (const std::string& line : lines) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    first.emplace(std::string(absl::StripAsciiWhitespace(line.substr(0, colon))),
                  std::string(absl::StripAsciiWhitespace(line.substr(colon + 1))));
  }
  // x86, then POWER, RISC-V and s390.
  for (const char* key : {"model name", "cpu", "uarch", "vendor_id"}) {
    const auto found = first.find(key);
    if (found != first.end() && !found->second.empty()) return found->second;
  }
  const auto implementer = first.find("CPU implementer");
  const auto part = first.find("CPU part");
  if (implementer == first.end() || part == first.end()) return "";
  return absl::StrCat("ARM implementer ", implementer->second, " part ", part->second);
}

void FillCpuFacts(const KernelRoots& roots, v1::HostFacts* facts) {
  const auto model = ReadModel(roots);
  if (model.ok()) facts->set_cpu_model(*model);
  AddMissing("cpu_model", model.status(), facts);
  for (const uint32_t cpu : OnlineCpus(roots)) facts->add_online_cpus(cpu);
  if (facts->online_cpus().empty()) {
    AddMissing("online_cpus", absl::NotFoundError("neither /sys nor /proc/stat shows them"), facts);
  }
  for (const uint32_t cpu : AllowedCpus()) facts->add_allowed_cpus(cpu);
  if (facts->allowed_cpus().empty()) {
    AddMissing("allowed_cpus", absl::NotFoundError("sched_getaffinity does not tell them"), facts);
  }
  for (const auto& [id, cpus] : NumaNodes(roots)) {
    v1::NumaNode* node = facts->add_numa_nodes();
    node->set_id(id);
    for (const uint32_t cpu : cpus) node->add_cpus(cpu);
  }
  if (facts->numa_nodes().empty()) {
    AddMissing("numa_nodes", absl::NotFoundError(roots.sys + "/devices/system/node shows none"), facts);
  }
}

std::vector<uint32_t> LocalCpusOf(const KernelRoots& roots, const std::string& bus, const std::string& name) {
  if (bus.empty() || name.empty()) return {};
  std::error_code error;
  fs::path path = fs::canonical(absl::StrCat(roots.sys, "/bus/", bus, "/devices/", name), error);
  // A virtio device's parent is the PCI device, a USB one's some hubs higher.
  for (int level = 0; !error && level < 8 && path.has_relative_path(); ++level, path = path.parent_path()) {
    std::vector<uint32_t> cpus = ReadCpuList((path / "local_cpulist").string());
    if (!cpus.empty()) return cpus;
  }
  return {};
}

}  // namespace tutti::observe
