#include "common/time/clock_mapping.h"

#include <cmath>
#include <cstdlib>

namespace tutti {

ClockMapping::ClockMapping(HostTime reference_host, TimelineTime reference_timeline, double drift,
                           int64_t bound_ns, double drift_bound)
    : reference_host_(reference_host),
      reference_timeline_(reference_timeline),
      drift_(drift),
      bound_ns_(bound_ns),
      drift_bound_(drift_bound) {}

HostTime ClockMapping::ToHost(TimelineTime timeline) const {
  // d = distance / (1 + drift), written so that a double's 53 bits are spent on the small correction only.
  const int64_t distance = timeline.ns - reference_timeline_.ns;
  const double correction = static_cast<double>(distance) * (drift_ / (1.0 + drift_));
  return {reference_host_.ns + distance - static_cast<int64_t>(correction)};
}

int64_t ClockMapping::BoundAt(HostTime host) const {
  const double distance = std::abs(static_cast<double>(host.ns - reference_host_.ns));
  return bound_ns_ + static_cast<int64_t>(std::ceil(distance * drift_bound_));
}

}  // namespace tutti
