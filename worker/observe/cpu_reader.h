// Reads the machine's CPU times: /proc/stat, and cpuidle residency where the kernel has it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/sync/thread_annotations.h"
#include "common/time/clock.h"
#include "tutti/v1/host.pb.h"
#include "worker/observe/file_reader.h"

namespace tutti::observe {

// Where the kernel's files are: a test gives each "machine" a /proc/stat of its own.
struct KernelRoots {
  std::string proc = "/proc";
  std::string sys = "/sys";
};

// Keeps its files open: a reading costs one read call, plus one per idle state where cpuidle is asked for.
//
// cpuidle residency (/sys/devices/system/cpu/cpuN/cpuidle/stateM/time, in us,
// Documentation/admin-guide/pm/cpuidle.rst) is updated only when a CPU leaves idle, so it can lag on a CPU
// that sleeps now; who uses it compares it with the idle column. Thread-safe: readings of several threads are
// taken one after another.
class CpuReader {
 public:
  enum class Idle { kWithResidency, kStatOnly };

  static absl::StatusOr<std::unique_ptr<CpuReader>> Open(const KernelRoots& roots, const Clock& clock);

  // host_ns is the middle of the reading, uncertainty_ns half of the time it took.
  absl::StatusOr<v1::CpuReading> Read(Idle idle = Idle::kWithResidency) TUTTI_EXCLUDES(mutex_);

 private:
  CpuReader(FileReader stat, KernelRoots roots, const Clock& clock, int64_t ticks_per_second);

  void AddResidency(v1::CpuReading* reading) TUTTI_REQUIRES(mutex_);
  const std::vector<FileReader>& IdleStatesOf(uint32_t cpu) TUTTI_REQUIRES(mutex_);

  const FileReader stat_;
  const KernelRoots roots_;
  const Clock& clock_;
  const int64_t ticks_per_second_;
  Mutex mutex_;
  std::string text_ TUTTI_GUARDED_BY(mutex_);
  // Opened when a CPU is first seen; empty for a CPU without cpuidle.
  std::map<uint32_t, std::vector<FileReader>> idle_states_ TUTTI_GUARDED_BY(mutex_);
};

}  // namespace tutti::observe
