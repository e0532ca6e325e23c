#include "common/time/clock_estimator.h"

#include <algorithm>
#include <cmath>

namespace tutti {
namespace {

// Rounding of two middles, and each clock shows its last full ns.
constexpr double kRoundingNs = 2;
// ToTimeline rounds, and so does the reference.
constexpr int64_t kMappingRoundingNs = 2;

}  // namespace

FeasibleLineEstimator::FeasibleLineEstimator(Options options) : options_(options) {
  samples_.reserve(static_cast<size_t>(options_.window_ns / options_.slot_ns) + 1);
}

std::optional<FeasibleLineEstimator::Sample> FeasibleLineEstimator::Interval(
    const ClockExchange& exchange) const {
  for (const int64_t ns : {exchange.probe_sent.ns, exchange.probe_received.ns, exchange.reply_sent.ns,
                           exchange.reply_received.ns, exchange.uncertainty_ns}) {
    if (!IsPlausibleNs(ns)) return std::nullopt;
  }
  const int64_t outer_ns = exchange.reply_received - exchange.probe_sent;
  const int64_t inner_ns = exchange.reply_sent - exchange.probe_received;
  if (outer_ns < 0 || inner_ns < 0 || exchange.uncertainty_ns < 0) return std::nullopt;
  // The two spans are measured by two clocks, so a difference of their rates must not drop a good exchange.
  const double rate_limit = options_.max_drift + options_.wander;
  const double rate_slack_ns = static_cast<double>(inner_ns) * rate_limit;
  const auto uncertainty_ns = static_cast<double>(exchange.uncertainty_ns);
  const double path_ns = static_cast<double>(outer_ns - inner_ns) + rate_slack_ns;
  if (path_ns + uncertainty_ns < 0) return std::nullopt;

  Sample sample;
  sample.timeline = exchange.probe_sent + outer_ns / 2;
  sample.host = exchange.probe_received + inner_ns / 2;
  // Known is the timeline at the host's middle; turned around, the interval is on the host's axis.
  sample.half_ns = (std::max(0.0, path_ns) / 2 + uncertainty_ns + kRoundingNs) *
                   (1 + rate_limit + rate_limit * rate_limit);
  sample.round_trip_ns = std::max<int64_t>(0, outer_ns - inner_ns);
  return sample;
}

FeasibleLines::Range FeasibleLineEstimator::Predict(TimelineTime at) const {
  const auto distance = static_cast<double>(at - newest_.timeline);
  FeasibleLines::Range range = lines_.At(distance);
  const double wander_ns = std::abs(distance) * options_.wander;
  range.low -= wander_ns;
  range.high += wander_ns;
  return range;
}

bool FeasibleLineEstimator::Contradicts(const Sample& sample) const {
  const FeasibleLines::Range range = Predict(sample.timeline);
  const auto gained_ns =
      static_cast<double>((sample.host - newest_.host) - (sample.timeline - newest_.timeline));
  return gained_ns - sample.half_ns > range.high || gained_ns + sample.half_ns < range.low;
}

void FeasibleLineEstimator::StartFrom(const Sample& sample) {
  samples_.assign(1, sample);
  newest_ = sample;
  begin_ = sample.timeline;
}

void FeasibleLineEstimator::Keep(const Sample& sample) {
  if (sample.timeline >= newest_.timeline) newest_ = sample;
  const int64_t oldest_slot = SlotOf(newest_) - options_.window_ns / options_.slot_ns;
  const auto fresh = [&](const Sample& each) { return SlotOf(each) > oldest_slot; };
  samples_.erase(samples_.begin(), std::find_if(samples_.begin(), samples_.end(), fresh));
  if (!fresh(sample)) return;
  const auto later = std::find_if(samples_.begin(), samples_.end(),
                                  [&](const Sample& each) { return SlotOf(each) >= SlotOf(sample); });
  if (later == samples_.end() || SlotOf(*later) != SlotOf(sample)) {
    samples_.insert(later, sample);
  } else if (sample.half_ns <= later->half_ns) {
    *later = sample;
  }
}

void FeasibleLineEstimator::Fit() {
  // What the timeline gains on the host, the host loses on the timeline: 1 / (1 + drift) - 1.
  const double limit = options_.max_drift;
  lines_.Start({-newest_.half_ns, newest_.half_ns}, {-limit / (1 + limit), limit / (1 - limit)});
  for (auto sample = samples_.rbegin(); sample != samples_.rend(); ++sample) {
    const auto age = static_cast<double>(newest_.timeline - sample->timeline);
    const auto gained_ns =
        static_cast<double>((sample->host - newest_.host) - (sample->timeline - newest_.timeline));
    if (lines_.Cut(-age, gained_ns, sample->half_ns + options_.wander * age)) continue;
    // The longest recent part of the history that a clock can have.
    samples_.erase(samples_.begin(), sample.base());
    begin_ = samples_.empty() ? newest_.timeline : samples_.front().timeline;
    if (samples_.empty()) samples_.push_back(newest_);
    ++restarts_;
    return;
  }
}

bool FeasibleLineEstimator::Add(const ClockExchange& exchange) {
  const std::optional<Sample> sample = Interval(exchange);
  if (!sample.has_value()) return false;
  if (samples_.empty()) {
    StartFrom(*sample);
    begin_ = {-kLatestNs};
  } else if (sample->timeline < begin_ || newest_.timeline - sample->timeline > options_.window_ns) {
    return false;
  } else if (Contradicts(*sample)) {
    ++restarts_;
    // A late exchange may itself be from before the step.
    StartFrom(sample->timeline >= newest_.timeline ? *sample : newest_);
  } else {
    Keep(*sample);
  }
  Fit();
  return true;
}

std::optional<ClockMapping> FeasibleLineEstimator::At(TimelineTime now) const {
  if (samples_.empty()) return std::nullopt;
  const FeasibleLines::Range range = Predict(now);
  const HostTime host =
      newest_.host + (now - newest_.timeline) + static_cast<int64_t>(std::llround(range.middle()));
  // Host ns per timeline ns, turned around into timeline ns per host ns.
  const FeasibleLines::Range slopes = lines_.Slopes();
  const FeasibleLines::Range drifts{-slopes.high / (1 + slopes.high), -slopes.low / (1 + slopes.low)};
  // Ranges in host ns become ranges in timeline ns; a rate's own change counts twice (it is 1 / (1 + drift)).
  const double scale = 1 + 3 * (options_.max_drift + options_.wander);
  const auto bound_ns = static_cast<int64_t>(std::ceil(range.half_width() * scale)) + kMappingRoundingNs;
  return ClockMapping(host, now, drifts.middle(), bound_ns, drifts.half_width() + options_.wander * scale);
}

std::optional<int64_t> FeasibleLineEstimator::best_round_trip_ns() const {
  if (samples_.empty()) return std::nullopt;
  int64_t least_ns = newest_.round_trip_ns;
  for (const Sample& sample : samples_) least_ns = std::min(least_ns, sample.round_trip_ns);
  return least_ns;
}

void FeasibleLineEstimator::Reset() {
  samples_.clear();
  restarts_ = 0;
}

}  // namespace tutti
