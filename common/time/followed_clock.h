// A trial's time and how it followed the fits of its host's clock: how often, and how far off it can have
// been. The host keeps one of the fits that reached it, the coordinator one of those that it sent.
#pragma once

#include <cstdint>

#include "common/time/clock.h"
#include "common/time/clock_mapping.h"
#include "common/time/slewed_mapping.h"

namespace tutti {

// Not thread-safe.
class FollowedClock {
 public:
  // `first`: that the trial began with.
  explicit FollowedClock(const ClockMapping& first) : mapping_(first), latest_(first) {}

  void Follow(const ClockMapping& fitted, HostTime now);

  const SlewedMapping& mapping() const { return mapping_; }
  const ClockMapping& latest() const { return latest_; }  // the fit that is approached, or reached
  uint32_t follows() const { return follows_; }
  // Until `host`, by the fits up to now: bounds grow until the next fit, and what is off when it comes counts
  // too.
  int64_t LargestBoundUntil(HostTime host) const;

 private:
  SlewedMapping mapping_;
  ClockMapping latest_;
  uint32_t follows_ = 0;
  int64_t largest_bound_ns_ = 0;  // right before and right after each fit
};

}  // namespace tutti
