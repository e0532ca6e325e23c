// Trial time, ns on the common timeline since T0, read straight from this host's CLOCK_MONOTONIC.
#pragma once

#include <time.h>

#include <cstdint>

#include "common/time/clock.h"
#include "common/time/slewed_mapping.h"

namespace tutti::load {

inline int64_t MonotonicNowNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

// What must be added to CLOCK_MONOTONIC to get `clock`'s time: exactly 0 if it is CLOCK_MONOTONIC, otherwise
// known to within the time of two clock reads. `clock` must run at the speed of CLOCK_MONOTONIC.
int64_t ShiftFromMonotonicNs(const Clock& clock);

// A value, immutable: read by every thread of the trial without a lock, while the mapping follows new fits.
// The injected Clock is not called here, since a virtual call per message would be paid on the hot path.
class TrialClock {
 public:
  TrialClock() = default;
  // `mapping` outlives the clock.
  TrialClock(const SlewedMapping& mapping, TimelineTime t0, int64_t shift_from_monotonic_ns)
      : mapping_(&mapping), t0_(t0), shift_ns_(shift_from_monotonic_ns) {}

  int64_t NowNs() const { return FromMonotonicNs(MonotonicNowNs()); }
  int64_t FromMonotonicNs(int64_t monotonic_ns) const {
    return mapping_->Convert({monotonic_ns + shift_ns_}) - t0_;
  }
  int64_t ToMonotonicNs(int64_t trial_ns) const { return mapping_->ToHost(t0_ + trial_ns).ns - shift_ns_; }

 private:
  const SlewedMapping* mapping_ = nullptr;
  TimelineTime t0_;
  int64_t shift_ns_ = 0;
};

}  // namespace tutti::load
