// The one place where a host's clock and the common timeline meet.
//
//   timeline = reference_timeline + (host - reference_host) x (1 + drift)
//
// Every conversion has a bound: |true - converted| <= bound(at), which grows with the distance from the
// reference by the drift's own uncertainty. A value; immutable after construction, thread-safe.
#pragma once

#include <cstdint>

#include "common/time/clock.h"

namespace tutti {

struct BoundedTimelineTime {
  TimelineTime time;
  int64_t bound_ns = 0;
};

class ClockMapping {
 public:
  // The identity, with bound 0: the coordinator's own clock.
  ClockMapping() = default;

  // `drift`: timeline ns gained per host ns, |drift| < 0.01. Bounds are not negative.
  ClockMapping(HostTime reference_host, TimelineTime reference_timeline, double drift, int64_t bound_ns,
               double drift_bound);

  BoundedTimelineTime ToTimeline(HostTime host) const { return {Convert(host), BoundAt(host)}; }
  // ToTimeline without the bound, for the data plane: one multiplication.
  TimelineTime Convert(HostTime host) const {
    const int64_t distance = host.ns - reference_host_.ns;
    return {reference_timeline_.ns + distance + static_cast<int64_t>(static_cast<double>(distance) * drift_)};
  }
  // The inverse of Convert, to within 1 ns.
  HostTime ToHost(TimelineTime timeline) const;
  int64_t BoundAt(HostTime host) const;

  HostTime reference_host() const { return reference_host_; }
  TimelineTime reference_timeline() const { return reference_timeline_; }
  double drift() const { return drift_; }
  int64_t bound_ns() const { return bound_ns_; }
  double drift_bound() const { return drift_bound_; }

 private:
  HostTime reference_host_;
  TimelineTime reference_timeline_;
  double drift_ = 0;
  int64_t bound_ns_ = 0;
  double drift_bound_ = 0;
};

}  // namespace tutti
