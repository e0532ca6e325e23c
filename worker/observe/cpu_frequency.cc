#include "worker/observe/cpu_frequency.h"

#include <errno.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"
#include "worker/observe/file_reader.h"
#include "worker/observe/missing_facts.h"

namespace tutti::observe {
namespace {

namespace fs = std::filesystem;

absl::StatusOr<std::set<std::string>> ListPolicies(const std::string& folder) {
  std::set<std::string> policies;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().filename().string().rfind("policy", 0) == 0) policies.insert(at->path().string());
  }
  if (error) return ErrnoStatus(error.value(), absl::StrCat("list ", folder));
  if (policies.empty()) {
    return absl::NotFoundError(
        absl::StrCat(folder, " has no policy: the kernel does not set frequencies here"));
  }
  return policies;
}

absl::Status FillGovernors(const std::set<std::string>& policies, v1::HostFacts* facts) {
  std::map<std::string, std::set<uint32_t>> cpus_by_governor;
  for (const std::string& policy : policies) {
    // Blanks between the numbers, unlike the kernel's other lists.
    const auto text = ReadValue(absl::StrCat(policy, "/affected_cpus"));
    // All its CPUs are offline (show() in drivers/cpufreq/cpufreq.c).
    if (ErrnoOf(text.status()) == EBUSY) continue;
    if (!text.ok()) return text.status();
    TUTTI_ASSIGN_OR_RETURN(const std::string governor, ReadValue(absl::StrCat(policy, "/scaling_governor")));
    const std::vector<std::string> words = absl::StrSplit(*text, ' ');
    for (const std::string& word : words) {
      uint32_t cpu = 0;
      if (!absl::SimpleAtoi(word, &cpu)) {
        return absl::NotFoundError(absl::StrCat(policy, "/affected_cpus says \"", *text, "\""));
      }
      cpus_by_governor[governor].insert(cpu);
    }
  }
  if (cpus_by_governor.empty()) return absl::NotFoundError("no CPU's policy is active");
  for (const auto& [governor, cpus] : cpus_by_governor) {
    v1::CpuGovernor* added = facts->add_governors();
    added->set_governor(governor);
    for (const uint32_t cpu : cpus) added->add_cpus(cpu);
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> ReadSwitch(const std::string& path) {
  const auto text = ReadValue(path);
  if (!text.ok()) return text.status();
  if (*text == "0") return false;
  if (*text == "1") return true;
  return absl::NotFoundError(absl::StrCat(path, " says \"", *text, "\""));
}

absl::StatusOr<bool> ReadTurbo(const std::string& cpu_folder) {
  const auto no_turbo = ReadSwitch(absl::StrCat(cpu_folder, "/intel_pstate/no_turbo"));
  if (no_turbo.ok()) return !*no_turbo;
  auto boost = ReadSwitch(absl::StrCat(cpu_folder, "/cpufreq/boost"));
  if (boost.ok()) return boost;
  return absl::NotFoundError(absl::StrCat(no_turbo.status().message(), "; ", boost.status().message()));
}

}  // namespace

void FillCpuFrequency(const KernelRoots& roots, v1::HostFacts* facts) {
  const std::string cpu_folder = absl::StrCat(roots.sys, "/devices/system/cpu");
  const auto policies = ListPolicies(absl::StrCat(cpu_folder, "/cpufreq"));
  if (policies.ok()) {
    const auto driver = ReadValue(absl::StrCat(*policies->begin(), "/scaling_driver"));
    if (driver.ok()) facts->set_frequency_driver(*driver);
    AddMissing("frequency_driver", driver.status(), facts);
    AddMissing("governors", FillGovernors(*policies, facts), facts);
  } else {
    AddMissing("frequency_driver", policies.status(), facts);
    AddMissing("governors", policies.status(), facts);
  }
  const auto turbo = ReadTurbo(cpu_folder);
  if (turbo.ok()) facts->set_turbo(*turbo);
  AddMissing("turbo", turbo.status(), facts);
}

}  // namespace tutti::observe
