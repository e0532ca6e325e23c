#include "worker/observe/interrupts.h"

#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/status/macros.h"
#include "worker/observe/cpu_list.h"
#include "worker/observe/file_reader.h"

namespace tutti::observe {
namespace {

namespace fs = std::filesystem;

// "virtio2" lies in its PCI device, a USB adapter some hubs deeper.
constexpr int kMostParents = 8;

std::set<uint32_t> InterruptsOf(const fs::path& device) {
  std::set<uint32_t> interrupts;
  std::error_code error;
  for (fs::directory_iterator at(device / "msi_irqs", error), end; !error && at != end; at.increment(error)) {
    uint32_t number = 0;
    if (absl::SimpleAtoi(at->path().filename().string(), &number)) interrupts.insert(number);
  }
  if (!interrupts.empty()) return interrupts;
  const auto text = ReadFile((device / "irq").string());
  uint32_t number = 0;
  // 0: it has no interrupt of the old kind.
  if (text.ok() && absl::SimpleAtoi(*text, &number) && number > 0) interrupts.insert(number);
  return interrupts;
}

absl::StatusOr<std::vector<uint32_t>> CpusOfInterrupt(const KernelRoots& roots, uint32_t interrupt) {
  const std::string folder = absl::StrCat(roots.proc, "/irq/", interrupt);
  for (const char* file : {"/effective_affinity_list", "/smp_affinity_list"}) {
    const auto text = ReadFile(folder + file);
    if (!text.ok()) continue;
    auto cpus = ParseCpuList(*text);
    // An interrupt that nobody has asked for yet is effective nowhere.
    if (!cpus.ok() || !cpus->empty()) return cpus;
  }
  return std::vector<uint32_t>();
}

}  // namespace

absl::StatusOr<std::vector<std::vector<uint32_t>>> InterruptAffinitiesOf(const KernelRoots& roots,
                                                                         const std::string& bus,
                                                                         const std::string& name) {
  const auto unknown = [&](const std::string& why) {
    return absl::NotFoundError(absl::StrCat("which CPUs serve its interrupts is not known: ", why));
  };
  if (bus.empty() || name.empty()) return unknown("no hardware stands behind it");
  std::error_code error;
  fs::path path = fs::canonical(absl::StrCat(roots.sys, "/bus/", bus, "/devices/", name), error);
  std::set<uint32_t> interrupts;
  for (int level = 0; !error && interrupts.empty() && level < kMostParents && path.has_relative_path();
       ++level, path = path.parent_path()) {
    interrupts = InterruptsOf(path);
  }
  std::vector<std::vector<uint32_t>> affinities;
  for (const uint32_t interrupt : interrupts) {
    auto cpus = CpusOfInterrupt(roots, interrupt);
    if (cpus.ok() && !cpus->empty()) affinities.push_back(std::move(*cpus));
  }
  if (!affinities.empty()) return affinities;
  return unknown(interrupts.empty()
                     ? absl::StrCat(roots.sys, "/bus/", bus, "/devices/", name, " lists no interrupts")
                     : absl::StrCat(roots.proc, "/irq/", *interrupts.begin(), " shows no CPUs"));
}

absl::StatusOr<std::vector<uint32_t>> InterruptCpusOf(const KernelRoots& roots, const std::string& bus,
                                                      const std::string& name) {
  TUTTI_ASSIGN_OR_RETURN(const auto affinities, InterruptAffinitiesOf(roots, bus, name));
  std::set<uint32_t> cpus;
  for (const std::vector<uint32_t>& each : affinities) cpus.insert(each.begin(), each.end());
  return std::vector<uint32_t>(cpus.begin(), cpus.end());
}

}  // namespace tutti::observe
