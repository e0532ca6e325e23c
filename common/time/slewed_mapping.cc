#include "common/time/slewed_mapping.h"

#include <algorithm>
#include <cmath>

namespace tutti {
namespace {

constexpr double kSlew = SlewedMapping::kSlewPpm * 1e-6;
// The lines meet a few ns of rounding later than computed; at kSlew that is some us.
constexpr int64_t kMeetingMarginNs = 20'000;
// Days of gap would take longer than an int64 has ns.
constexpr double kLongestSlewNs = 1e18;

}  // namespace

SlewedMapping::SlewedMapping(const ClockMapping& first) {
  segments_.push_back({.begin = {INT64_MIN}, .on_fit = {INT64_MIN}, .fitted = first, .slewed = first});
  newest_.store(&segments_.back(), std::memory_order_release);
}

void SlewedMapping::Follow(const ClockMapping& fitted, HostTime now) {
  const TimelineTime value = Convert(now);
  const int64_t gap_ns = value - fitted.Convert(now);
  const bool ahead = gap_ns > 0;
  const double rate = fitted.drift() + (ahead ? -kSlew : kSlew);
  const double slew_ns = std::min(std::ceil(std::abs(static_cast<double>(gap_ns)) / kSlew), kLongestSlewNs);
  const HostTime on_fit = gap_ns == 0 ? now : now + (static_cast<int64_t>(slew_ns) + kMeetingMarginNs);
  segments_.push_back({.begin = now,
                       .on_fit = on_fit,
                       .fitted = fitted,
                       .slewed = ClockMapping(now, value, rate, 0, 0),
                       .ahead = ahead,
                       .before = newest_.load(std::memory_order_relaxed)});
  newest_.store(&segments_.back(), std::memory_order_release);
}

HostTime SlewedMapping::ToHost(TimelineTime timeline) const {
  const Segment* segment = newest_.load(std::memory_order_acquire);
  while (segment->before != nullptr && timeline < segment->slewed.reference_timeline())
    segment = segment->before;
  const HostTime fit = segment->fitted.ToHost(timeline);
  if (fit >= segment->on_fit) return fit;
  const HostTime slew = segment->slewed.ToHost(timeline);
  return segment->ahead ? std::min(fit, slew) : std::max(fit, slew);
}

int64_t SlewedMapping::BoundAt(HostTime host) const {
  const Segment& segment = At(host);
  const int64_t to_slew_ns = segment.Convert(host) - segment.fitted.Convert(host);
  return segment.fitted.BoundAt(host) + std::abs(to_slew_ns);
}

}  // namespace tutti
