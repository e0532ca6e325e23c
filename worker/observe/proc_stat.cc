#include "worker/observe/proc_stat.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/status/macros.h"
#include "common/time/nanoseconds.h"

namespace tutti::observe {
namespace {

constexpr size_t kColumns = 10;
constexpr size_t kNeededColumns = 4;

absl::Status BadLine(std::string_view line, const char* why) {
  return absl::InvalidArgumentError(
      absl::StrCat("/proc/stat: \"", std::string(line.substr(0, 120)), "\": ", why));
}

// Cuts the first word off `rest`.
std::string_view NextWord(std::string_view* rest) {
  const size_t begin = std::min(rest->find_first_not_of(' '), rest->size());
  const size_t end = std::min(rest->find(' ', begin), rest->size());
  const std::string_view word = rest->substr(begin, end - begin);
  *rest = rest->substr(end);
  return word;
}

template <typename Number>
bool ParseNumber(std::string_view word, Number* value) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), *value);
  return error == std::errc() && end == word.data() + word.size();
}

absl::StatusOr<v1::CpuTimes> ParseCpuLine(std::string_view line, int64_t ticks_per_second) {
  std::string_view rest = line;
  uint32_t cpu = 0;
  if (!ParseNumber(NextWord(&rest).substr(3), &cpu)) return BadLine(line, "the CPU's number cannot be read");
  std::array<uint64_t, kColumns> ns{};
  size_t columns = 0;
  for (; columns < kColumns; ++columns) {
    const std::string_view word = NextWord(&rest);
    if (word.empty()) break;
    uint64_t ticks = 0;
    if (!ParseNumber(word, &ticks)) return BadLine(line, "a column is not a whole number");
    // Whole seconds and their rest apart: ticks x 10^9 would overflow after 584 years of one CPU at 1 Hz
    // only, but a broken counter must not wrap into a plausible value.
    const uint64_t hz = static_cast<uint64_t>(ticks_per_second);
    ns[columns] = ticks / hz * kNsPerSecond + ticks % hz * kNsPerSecond / hz;
  }
  if (columns < kNeededColumns) return BadLine(line, "fewer than the columns user, nice, system and idle");
  v1::CpuTimes times;
  times.set_cpu(cpu);
  times.set_user_ns(ns[0]);
  times.set_nice_ns(ns[1]);
  times.set_system_ns(ns[2]);
  times.set_idle_ns(ns[3]);
  times.set_iowait_ns(ns[4]);
  times.set_irq_ns(ns[5]);
  times.set_softirq_ns(ns[6]);
  times.set_steal_ns(ns[7]);
  times.set_guest_ns(ns[8]);
  times.set_guest_nice_ns(ns[9]);
  return times;
}

bool IsCpuLine(std::string_view line) { return line.substr(0, 3) == "cpu"; }
bool IsSumLine(std::string_view line) { return line.substr(0, 4) == "cpu "; }

}  // namespace

bool HasAllCpuLines(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    const size_t end = text.find('\n', at);
    if (end == std::string_view::npos) return text.size() - at >= 3 && !IsCpuLine(text.substr(at));
    if (!IsCpuLine(text.substr(at, end - at))) return true;
    at = end + 1;
  }
  return false;
}

absl::StatusOr<v1::CpuReading> ParseProcStat(std::string_view text, int64_t ticks_per_second) {
  if (ticks_per_second <= 0) return absl::InvalidArgumentError("/proc/stat: USER_HZ is not positive");
  v1::CpuReading reading;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (!IsCpuLine(line)) break;
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (IsSumLine(line)) continue;
    TUTTI_ASSIGN_OR_RETURN(*reading.add_cpus(), ParseCpuLine(line, ticks_per_second));
  }
  auto* cpus = reading.mutable_cpus();
  if (cpus->empty())
    return absl::InvalidArgumentError("/proc/stat: no line of a CPU (\"cpu0 ...\") was found");
  const auto by_id = [](const v1::CpuTimes& a, const v1::CpuTimes& b) { return a.cpu() < b.cpu(); };
  if (!std::is_sorted(cpus->begin(), cpus->end(), by_id)) std::sort(cpus->begin(), cpus->end(), by_id);
  for (int i = 1; i < cpus->size(); ++i) {
    if (cpus->Get(i).cpu() == cpus->Get(i - 1).cpu()) {
      return absl::InvalidArgumentError(
          absl::StrCat("/proc/stat: cpu", cpus->Get(i).cpu(), " is listed twice"));
    }
  }
  return reading;
}

}  // namespace tutti::observe
