#include "coordinator/run/trial_clocks.h"

#include <algorithm>
#include <cstdlib>
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
  hosts_[host] = std::make_unique<FollowedClock>(mapping);
}

void TrialClocks::Follow(const std::string& host, const ClockMapping& fitted, TimelineTime now) {
  const auto found = hosts_.find(host);
  if (found != hosts_.end()) found->second->Follow(fitted, fitted.ToHost(now));
}

void TrialClocks::Describe(const std::string& host, TimelineTime window_end,
                           results::HostInput& input) const {
  const auto found = hosts_.find(host);
  if (found == hosts_.end() || found->second->follows() == 0) return;
  const FollowedClock& sent = *found->second;
  HostTime end = sent.mapping().ToHost(window_end);
  input.refits_sent = sent.follows();
  input.refits = sent.follows();
  input.largest_bound_ns = sent.LargestBoundUntil(end);
  int64_t bound_ns = sent.mapping().BoundAt(end);
  if (input.report && input.report->has_clock()) {
    const tutti::v1::FollowedClock& followed = input.report->clock();
    end = HostTime{followed.window_end_host_ns()};
    // What the host's time was at the end, judged by the last fit, whether that reached it or not.
    bound_ns = sent.latest().BoundAt(end) + std::abs(sent.latest().Convert(end) - window_end);
    input.refits = followed.follows();
    input.largest_bound_ns = std::max({input.largest_bound_ns, followed.largest_bound_ns(), bound_ns});
  }
  input.mapping_at_end =
      ClockMapping(end, window_end, sent.latest().drift(), bound_ns, sent.latest().drift_bound());
}

}  // namespace tutti::run
