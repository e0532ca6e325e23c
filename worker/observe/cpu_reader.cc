#include "worker/observe/cpu_reader.h"

#include <unistd.h>

#include <charconv>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status/macros.h"
#include "common/time/nanoseconds.h"
#include "worker/observe/proc_stat.h"

namespace tutti::observe {
namespace {

// One open file per state and CPU: a machine with more CPUs than this is read without residency rather than
// with thousands of files, whose reading would itself load the machine.
constexpr size_t kMaxCpusWithResidency = 256;

std::optional<uint64_t> ReadUs(const FileReader& file, std::string* text) {
  if (!file.Read(text).ok()) return std::nullopt;
  uint64_t us = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), us);
  if (error != std::errc()) return std::nullopt;
  return us;
}

}  // namespace

CpuReader::CpuReader(FileReader stat, KernelRoots roots, const Clock& clock, int64_t ticks_per_second)
    : stat_(std::move(stat)), roots_(std::move(roots)), clock_(clock), ticks_per_second_(ticks_per_second) {}

absl::StatusOr<std::unique_ptr<CpuReader>> CpuReader::Open(const KernelRoots& roots, const Clock& clock) {
  TUTTI_ASSIGN_OR_RETURN(FileReader stat, FileReader::Open(absl::StrCat(roots.proc, "/stat")));
  return std::unique_ptr<CpuReader>(new CpuReader(std::move(stat), roots, clock, sysconf(_SC_CLK_TCK)));
}

absl::StatusOr<v1::CpuReading> CpuReader::Read(Idle idle) {
  MutexLock lock(mutex_);
  const HostTime begin = clock_.Now();
  TUTTI_RETURN_IF_ERROR(stat_.Read(&text_, HasAllCpuLines));
  HostTime end = clock_.Now();
  TUTTI_ASSIGN_OR_RETURN(v1::CpuReading reading, ParseProcStat(text_, ticks_per_second_));
  if (idle == Idle::kWithResidency && reading.cpus_size() <= static_cast<int>(kMaxCpusWithResidency)) {
    AddResidency(&reading);
    if (reading.cpus(0).has_cpuidle_ns()) end = clock_.Now();
  }
  reading.set_host_ns(begin.ns + (end - begin) / 2);
  reading.set_uncertainty_ns((end - begin + 1) / 2);
  return reading;
}

void CpuReader::AddResidency(v1::CpuReading* reading) {
  std::string text;
  for (v1::CpuTimes& times : *reading->mutable_cpus()) {
    const std::vector<FileReader>& states = IdleStatesOf(times.cpu());
    uint64_t sum_us = 0;
    bool complete = !states.empty();
    for (const FileReader& state : states) {
      const std::optional<uint64_t> us = ReadUs(state, &text);
      complete = complete && us.has_value();
      sum_us += us.value_or(0);
    }
    if (complete) times.set_cpuidle_ns(sum_us * kNsPerUs);
  }
}

const std::vector<FileReader>& CpuReader::IdleStatesOf(uint32_t cpu) {
  const auto found = idle_states_.find(cpu);
  if (found != idle_states_.end()) return found->second;
  std::vector<FileReader>& states = idle_states_[cpu];
  // States are numbered without gaps (cpuidle_add_state_sysfs in drivers/cpuidle/sysfs.c).
  for (int state = 0;; ++state) {
    auto file = FileReader::Open(
        absl::StrCat(roots_.sys, "/devices/system/cpu/cpu", cpu, "/cpuidle/state", state, "/time"));
    if (!file.ok()) break;
    states.push_back(std::move(*file));
  }
  return states;
}

}  // namespace tutti::observe
