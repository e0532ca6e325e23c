// The wait of a sender between two bursts.
#pragma once

#include <cstdint>

#include "worker/load/stream_config.h"
#include "worker/load/trial_clock.h"
#include "worker/load/trial_control.h"

namespace tutti::load {

// Returns at `due_ns` of trial time, or early when the trial stops: asleep, or with a busy CPU that no
// wake-up makes late.
inline void WaitUntilDue(const Pacing& pacing, const TrialClock& clock, const TrialControl& control,
                         int64_t due_ns) {
  if (pacing.keeper != PaceKeeper::kSpin) {
    control.SleepUntil(clock.ToMonotonicNs(due_ns));
    return;
  }
  while (clock.NowNs() < due_ns && !control.stopping()) {
  }
}

}  // namespace tutti::load
