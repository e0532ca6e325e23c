#include "worker/observe/kernel_settings.h"

#include <filesystem>
#include <set>
#include <system_error>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"
#include "worker/observe/file_reader.h"
#include "worker/observe/missing_facts.h"

namespace tutti::observe {
namespace {

namespace fs = std::filesystem;

void FillMitigations(const KernelRoots& roots, v1::HostFacts* facts) {
  const std::string folder = roots.sys + "/devices/system/cpu/vulnerabilities";
  std::set<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    names.insert(at->path().filename().string());
  }
  if (error) {
    AddMissing("mitigations", ErrnoStatus(error.value(), absl::StrCat("list ", folder)), facts);
    return;
  }
  for (const std::string& name : names) {
    const auto value = ReadValue(absl::StrCat(folder, "/", name));
    AddMissing(absl::StrCat("mitigations[", name, "]"), value.status(), facts);
    if (!value.ok()) continue;
    v1::NamedValue* added = facts->add_mitigations();
    added->set_name(name);
    added->set_value(*value);
  }
}

void FillClockSources(const KernelRoots& roots, v1::HostFacts* facts) {
  const std::string folder = roots.sys + "/devices/system/clocksource/clocksource0";
  const auto current = ReadValue(folder + "/current_clocksource");
  if (current.ok()) facts->set_clock_source(*current);
  AddMissing("clock_source", current.status(), facts);
  const auto available = ReadValue(folder + "/available_clocksource");
  AddMissing("available_clock_sources", available.status(), facts);
  if (!available.ok()) return;
  const std::vector<std::string> names = absl::StrSplit(*available, ' ');
  for (const std::string& name : names) facts->add_available_clock_sources(name);
}

absl::StatusOr<std::string> ReadHugepages(const KernelRoots& roots) {
  const std::string path = roots.sys + "/kernel/mm/transparent_hugepage/enabled";
  TUTTI_ASSIGN_OR_RETURN(const std::string text, ReadValue(path));
  if (const auto chosen = ChosenOf(text)) return *chosen;
  return absl::NotFoundError(absl::StrCat(path, " says \"", text, "\""));
}

}  // namespace

std::optional<std::string> ChosenOf(std::string_view text) {
  const size_t open = text.find('[');
  if (open == std::string_view::npos) return std::nullopt;
  const size_t close = text.find(']', open);
  if (close == std::string_view::npos) return std::nullopt;
  return std::string(text.substr(open + 1, close - open - 1));
}

void FillKernelSettings(const KernelRoots& roots, v1::HostFacts* facts) {
  const auto command_line = ReadValue(roots.proc + "/cmdline");
  if (command_line.ok()) facts->set_kernel_command_line(*command_line);
  AddMissing("kernel_command_line", command_line.status(), facts);
  FillMitigations(roots, facts);
  FillClockSources(roots, facts);
  const auto hugepages = ReadHugepages(roots);
  if (hugepages.ok()) facts->set_transparent_hugepages(*hugepages);
  AddMissing("transparent_hugepages", hugepages.status(), facts);
}

}  // namespace tutti::observe
