#include "coordinator/run/trial_clocks.h"

#include <algorithm>
#include <memory>
#include <string>

namespace tutti::run {

tutti::v1::ClockMappingProto ToProto(const ClockMapping& mapping) {
  tutti::v1::ClockMappingProto proto;
  proto.set_reference_host_ns(mapping.reference_host().ns);
  proto.set_reference_timeline_ns(mapping.reference_timeline().ns);
  proto.set_drift(mapping.drift());
  proto.set_bound_ns(mapping.bound_ns());
  proto.set_drift_bound(mapping.drift_bound());
  return proto;
}

void TrialClocks::Arm(const std::string& host, const ClockMapping& mapping) {
  hosts_[host] = {std::make_unique<SlewedMapping>(mapping), mapping, 0, 0};
}

void TrialClocks::Follow(const std::string& host, const ClockMapping& fitted, TimelineTime now) {
  const auto found = hosts_.find(host);
  if (found == hosts_.end()) return;
  HostClock& clock = found->second;
  const HostTime at = fitted.ToHost(now);
  // A bound grows until the next fit and changes there.
  const int64_t before_ns = clock.mapping->BoundAt(at);
  clock.mapping->Follow(fitted, at);
  clock.latest = fitted;
  clock.largest_bound_ns = std::max({clock.largest_bound_ns, before_ns, clock.mapping->BoundAt(at)});
  ++clock.refits;
}

void TrialClocks::Describe(const std::string& host, TimelineTime window_end,
                           results::HostInput& input) const {
  const auto found = hosts_.find(host);
  if (found == hosts_.end() || found->second.refits == 0) return;
  const HostClock& clock = found->second;
  const HostTime end = clock.mapping->ToHost(window_end);
  const int64_t bound_ns = clock.mapping->BoundAt(end);
  input.mapping_at_end = ClockMapping(end, clock.mapping->Convert(end), clock.latest.drift(), bound_ns,
                                      clock.latest.drift_bound());
  input.largest_bound_ns = std::max(clock.largest_bound_ns, bound_ns);
  input.refits = clock.refits;
}

}  // namespace tutti::run
