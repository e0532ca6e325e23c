#include "coordinator/cli/plan_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <ostream>

#include "absl/strings/str_cat.h"
#include "common/status/errno_status.h"
#include "common/status/printable.h"
#include "coordinator/plan/plan_loader.h"

namespace tutti::cli {
namespace {

constexpr size_t kReadAtMostBytes = (1u << 20) + 4096;  // a plan has at most 1 MiB

}  // namespace

absl::StatusOr<PlanText> ReadPlanFile(const std::string& path) {
  const bool standard_input = path == "-";
  const int fd = standard_input ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return ErrnoStatus(errno, absl::StrCat("open plan ", path));
  PlanText plan{.source_name = standard_input ? "<stdin>" : Printable(path), .text = {}};
  char buffer[65536];
  absl::Status status;
  while (plan.text.size() < kReadAtMostBytes) {
    const ssize_t got = read(fd, buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) status = ErrnoStatus(errno, absl::StrCat("read plan ", path));
    if (got <= 0) break;
    plan.text.append(buffer, static_cast<size_t>(got));
  }
  if (!standard_input) close(fd);
  if (!status.ok()) return status;
  return plan;
}

plan::LoadedPlan LoadAndPrintErrors(const PlanText& text, const std::vector<std::string>& overrides,
                                    std::ostream& errors) {
  plan::LoadedPlan loaded = plan::LoadPlan(text.text, text.source_name, overrides);
  for (const std::string& warning : loaded.warnings) errors << "warning: " << warning << "\n";
  for (const plan::PlanError& error : loaded.errors) errors << plan::Format(text.source_name, error) << "\n";
  if (!loaded.errors.empty()) {
    errors << text.source_name << ": " << loaded.errors.size()
           << (loaded.errors.size() == 1 ? " error" : " errors") << ", nothing was run\n";
  }
  return loaded;
}

std::optional<tutti::v1::Plan> LoadOrPrintErrors(const PlanText& text,
                                                 const std::vector<std::string>& overrides,
                                                 std::ostream& errors) {
  plan::LoadedPlan loaded = LoadAndPrintErrors(text, overrides, errors);
  if (!loaded.errors.empty()) return std::nullopt;
  return std::move(loaded.plan);
}

}  // namespace tutti::cli
