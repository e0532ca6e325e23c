#include "common/time/followed_clock.h"

#include <algorithm>

namespace tutti {

void FollowedClock::Follow(const ClockMapping& fitted, HostTime now) {
  const int64_t before_ns = mapping_.BoundAt(now);
  mapping_.Follow(fitted, now);
  latest_ = fitted;
  largest_bound_ns_ = std::max({largest_bound_ns_, before_ns, mapping_.BoundAt(now)});
  ++follows_;
}

int64_t FollowedClock::LargestBoundUntil(HostTime host) const {
  return std::max(largest_bound_ns_, mapping_.BoundAt(host));
}

}  // namespace tutti
