// The clocks of one host of a test, made from those of this machine: a CLOCK_MONOTONIC that lies anywhere,
// drifts and jumps, and a wall clock of its own that steps. What the kernel stamped is put into that wall
// clock.
#pragma once

#include <cstdint>
#include <vector>

#include "common/sync/thread_annotations.h"
#include "common/time/clock.h"
#include "common/time/realtime_conversion.h"

namespace tutti::integration {

// Thread-safe.
class HostClocks final : public Clock, public BracketReader {
 public:
  struct Options {
    int64_t shift_ns = 0;  // CLOCK_MONOTONIC against this machine's, at the start
    double drift = 0;      // what it gains
    int64_t wall_ns = 0;   // CLOCK_REALTIME - CLOCK_MONOTONIC, beside this machine's
  };
  explicit HostClocks(const Options& options)
      : options_(options), begin_ns_(SystemClock::Get().Now().ns), difference_ns_(Difference()) {}

  HostTime Now() const override { return At(SystemClock::Get().Now().ns); }
  ClockBracket Read() const override {
    const ClockBracket real = SystemBracketReader::Get().Read();
    return {At(real.before.ns), StampedNs(real.realtime_ns), At(real.after.ns)};
  }
  int64_t StampedNs(int64_t realtime_ns) const override {
    const int64_t machine_ns = realtime_ns - difference_ns_;
    return At(machine_ns).ns + difference_ns_ + options_.wall_ns + Sum(&Change::wall_ns, machine_ns);
  }

  // What this host's CLOCK_MONOTONIC shows when the machine's shows `machine_ns`: the truth.
  HostTime At(int64_t machine_ns) const {
    const auto gained_ns = static_cast<int64_t>(options_.drift * static_cast<double>(machine_ns - begin_ns_));
    return {machine_ns + options_.shift_ns + gained_ns + Sum(&Change::jump_ns, machine_ns)};
  }
  double drift() const { return options_.drift; }

  // In a moment; both clocks, as after a suspend, or the wall clock alone.
  void Jump(int64_t by_ns) { Add({.jump_ns = by_ns}); }
  void StepWall(int64_t by_ns) { Add({.wall_ns = by_ns}); }

 private:
  struct Change {
    int64_t from_ns = 0;  // the machine's CLOCK_MONOTONIC
    int64_t jump_ns = 0;
    int64_t wall_ns = 0;
  };
  static int64_t Difference() {
    const ClockBracket real = SystemBracketReader::Get().Read();
    return real.realtime_ns - (real.before.ns + (real.after - real.before) / 2);
  }
  int64_t Sum(int64_t Change::*what, int64_t machine_ns) const {
    MutexLock lock(mutex_);
    int64_t sum_ns = 0;
    for (const Change& change : changes_) {
      if (change.from_ns <= machine_ns) sum_ns += change.*what;
    }
    return sum_ns;
  }
  // A little ahead, so that no instant has been converted without it.
  void Add(Change change) {
    MutexLock lock(mutex_);
    change.from_ns = SystemClock::Get().Now().ns + 2'000'000;
    changes_.push_back(change);
  }

  const Options options_;
  const int64_t begin_ns_;
  const int64_t difference_ns_;  // CLOCK_REALTIME - CLOCK_MONOTONIC of this machine
  mutable Mutex mutex_;
  std::vector<Change> changes_ TUTTI_GUARDED_BY(mutex_);
};

}  // namespace tutti::integration
