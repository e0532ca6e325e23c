#include "coordinator/results/abort_watch.h"

#include "absl/strings/str_cat.h"
#include "common/units/units.h"
#include "coordinator/metrics/metric.h"
#include "coordinator/metrics/threshold_text.h"

namespace tutti::results {
namespace {

double Seconds(int64_t ns) { return static_cast<double>(ns) / 1e9; }

}  // namespace

AbortWatch::AbortWatch(const tutti::v1::Case& plan_case) {
  for (const tutti::v1::Threshold& threshold : plan_case.thresholds()) {
    if (threshold.abort()) thresholds_.push_back(threshold);
  }
  if (thresholds_.empty()) return;
  for (const tutti::v1::TrafficEntry& entry : plan_case.traffic()) traffic_[entry.name()] = entry;
}

std::optional<std::string> AbortWatch::Add(const tutti::v1::LiveInterval& interval) {
  const int64_t interval_ns = interval.end_trial_ns() - interval.begin_trial_ns();
  if (told_ || interval_ns <= 0) return std::nullopt;
  for (size_t i = 0; i < thresholds_.size(); ++i) {
    for (const tutti::v1::LiveEntry& entry : interval.entries()) {
      const auto traffic = traffic_.find(entry.entry());
      if (traffic == traffic_.end()) continue;
      if (!metrics::Judges(thresholds_[i], traffic->second, entry.reverse())) continue;
      SoFar& so_far = so_far_[Key(i, entry.entry(), entry.reverse())];
      std::optional<std::string> missed = Judge(thresholds_[i], entry, interval_ns, so_far);
      if (!missed.has_value()) continue;
      told_ = true;
      return missed;
    }
  }
  return std::nullopt;
}

std::optional<std::string> AbortWatch::Judge(const tutti::v1::Threshold& threshold,
                                             const tutti::v1::LiveEntry& entry, int64_t interval_ns,
                                             SoFar& so_far) {
  const metrics::Metric* metric = metrics::FindMetric(threshold.metric());
  // The plan's loader lets none of these through.
  if (metric == nullptr || metric->of_live == nullptr) return std::nullopt;
  const std::optional<double> figure = metric->of_live(entry, Seconds(interval_ns));
  if (!figure.has_value()) return std::nullopt;
  so_far.figure_s += *figure * Seconds(interval_ns);
  so_far.known_ns += interval_ns;
  const double mean = so_far.figure_s / Seconds(so_far.known_ns);
  if (metrics::Holds(threshold.comparison(), mean, threshold.limit())) {
    so_far.missed_ns = 0;
    return std::nullopt;
  }
  so_far.missed_ns += interval_ns;
  if (so_far.missed_ns < threshold.abort_grace_ns()) return std::nullopt;
  return absl::StrCat(metric->name, " of entry ", entry.entry(), entry.reverse() ? " (reverse)" : "", " was ",
                      metrics::FigureTextBeside(metric->dimension, mean, threshold.limit()), " over ",
                      FormatDuration(so_far.known_ns), ", wanted ", metrics::LimitText(threshold),
                      " (missed for ", FormatDuration(so_far.missed_ns), ")");
}

}  // namespace tutti::results
