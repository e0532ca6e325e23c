#include "common/time/clock_estimator.h"

#include <algorithm>
#include <cmath>

namespace tutti {
namespace {

// How far an oscillator's rate may wander within the window, beyond what two exchanges can show.
constexpr double kWander = 1e-6;

}  // namespace

void MinimumDelayEstimator::Add(const ClockExchange& exchange) {
  const int64_t outer_ns = exchange.reply_received - exchange.probe_sent;
  const int64_t inner_ns = exchange.reply_sent - exchange.probe_received;
  // The two spans are measured by two clocks, so a difference of their rates must not drop a good exchange.
  const auto rate_slack_ns = static_cast<int64_t>(std::ceil(inner_ns * options_.unknown_drift_bound));
  if (outer_ns < 0 || inner_ns < 0 || outer_ns + rate_slack_ns < inner_ns) return;
  const int64_t path_ns = std::max<int64_t>(0, outer_ns - inner_ns) + rate_slack_ns;

  const Sample sample{exchange.probe_received + inner_ns / 2, exchange.probe_sent + outer_ns / 2,
                      path_ns / 2 + 1};
  if (!samples_.empty() && sample.timeline < samples_.back().timeline) return;
  samples_.push_back(sample);
  while (sample.timeline - samples_.front().timeline > options_.window_ns) samples_.pop_front();
}

MinimumDelayEstimator::Drift MinimumDelayEstimator::EstimateDrift() const {
  const Drift unknown{0.0, options_.unknown_drift_bound};
  if (samples_.size() < 2) return unknown;
  const TimelineTime middle =
      samples_.front().timeline + (samples_.back().timeline - samples_.front().timeline) / 2;
  const auto less_delay = [](const Sample& a, const Sample& b) { return a.half_delay_ns < b.half_delay_ns; };
  const auto split = std::find_if(samples_.begin(), samples_.end(),
                                  [&](const Sample& sample) { return sample.timeline > middle; });
  if (split == samples_.begin() || split == samples_.end()) return unknown;
  const Sample& early = *std::min_element(samples_.begin(), split, less_delay);
  const Sample& recent = *std::min_element(split, samples_.end(), less_delay);
  const auto host_span = static_cast<double>(recent.host - early.host);
  if (host_span <= 0) return unknown;
  const double value = (static_cast<double>(recent.timeline - early.timeline) - host_span) / host_span;
  const double bound = static_cast<double>(early.half_delay_ns + recent.half_delay_ns) / host_span + kWander;
  // A measurement wider than what is known beforehand teaches nothing.
  if (bound >= unknown.bound) return unknown;
  return {value, bound};
}

std::optional<ClockMapping> MinimumDelayEstimator::At(TimelineTime now) const {
  if (samples_.empty()) return std::nullopt;
  const Drift drift = EstimateDrift();
  const auto bound_now = [&](const Sample& sample) {
    return sample.half_delay_ns + static_cast<int64_t>(std::ceil(
                                      std::abs(static_cast<double>(now - sample.timeline)) * drift.bound));
  };
  const Sample& best =
      *std::min_element(samples_.begin(), samples_.end(),
                        [&](const Sample& a, const Sample& b) { return bound_now(a) < bound_now(b); });
  const ClockMapping at_sample(best.host, best.timeline, drift.value, best.half_delay_ns, drift.bound);
  return ClockMapping(at_sample.ToHost(now), now, drift.value, bound_now(best), drift.bound);
}

std::optional<int64_t> MinimumDelayEstimator::best_round_trip_ns() const {
  if (samples_.empty()) return std::nullopt;
  int64_t least_ns = samples_.front().half_delay_ns;
  for (const Sample& sample : samples_) least_ns = std::min(least_ns, sample.half_delay_ns);
  return 2 * least_ns;
}

}  // namespace tutti
