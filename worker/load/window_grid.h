// The slices of a trial: before the window, its intervals, after it. Pure arithmetic on ns since T0.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "worker/load/load_trial.h"

namespace tutti::load {

class WindowGrid {
 public:
  // Durations as Prepare accepts them: measure and interval above 0, none negative.
  explicit WindowGrid(const TrialTiming& timing)
      : begin_ns_(timing.warmup_ns),
        end_ns_(timing.warmup_ns + timing.measure_ns),
        interval_ns_(timing.interval_ns),
        stop_ns_(end_ns_ + timing.cooldown_ns),
        intervals_((timing.measure_ns - 1) / timing.interval_ns + 1) {}

  size_t intervals() const { return static_cast<size_t>(intervals_); }
  size_t cohorts() const { return intervals() + 2; }
  int64_t window_begin_ns() const { return begin_ns_; }
  int64_t window_end_ns() const { return end_ns_; }
  int64_t stop_ns() const { return stop_ns_; }  // the end of COOLDOWN

  // Edge k of 0..intervals(); the last is exactly the window's end, also after a shorter interval.
  int64_t EdgeNs(size_t k) const {
    return std::min(begin_ns_ + static_cast<int64_t>(k) * interval_ns_, end_ns_);
  }

  // 0 before the window, 1..intervals() in it, intervals() + 1 after it.
  size_t CohortOf(int64_t trial_ns) const {
    if (trial_ns < begin_ns_) return 0;
    if (trial_ns >= end_ns_) return intervals() + 1;
    return 1 + static_cast<size_t>((trial_ns - begin_ns_) / interval_ns_);
  }

 private:
  int64_t begin_ns_;
  int64_t end_ns_;
  int64_t interval_ns_;
  int64_t stop_ns_;
  int64_t intervals_;
};

// CohortOf without a division for the run of messages that fall into one slice. Used by one thread.
class CohortCursor {
 public:
  explicit CohortCursor(const WindowGrid& grid) : grid_(grid) {}

  size_t CohortOf(int64_t trial_ns) {
    if (trial_ns < from_ns_ || trial_ns >= to_ns_) [[unlikely]]
      Seek(trial_ns);
    return cohort_;
  }

 private:
  void Seek(int64_t trial_ns) {
    cohort_ = grid_.CohortOf(trial_ns);
    from_ns_ = cohort_ == 0 ? INT64_MIN : grid_.EdgeNs(cohort_ - 1);
    to_ns_ = cohort_ > grid_.intervals() ? INT64_MAX : grid_.EdgeNs(cohort_);
  }

  const WindowGrid grid_;
  size_t cohort_ = 0;
  int64_t from_ns_ = 0;
  int64_t to_ns_ = 0;  // empty until the first Seek
};

}  // namespace tutti::load
