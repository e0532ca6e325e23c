#include "coordinator/results/thresholds.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/stats/spread.h"
#include "coordinator/metrics/metric.h"
#include "coordinator/metrics/threshold_text.h"
#include "coordinator/results/interval_figures.h"

namespace tutti::results {
namespace {

namespace v1 = tutti::v1;

using metrics::Metric;
using metrics::Streams;

constexpr char kNobody[] = "";  // the member of the scopes total and role

// One entry in one direction, in one good trial.
struct Part {
  const v1::TrialResult* trial;
  const v1::EntryResult* entry;
  Streams streams;
};

std::vector<Part> GoodParts(const v1::CaseResult& result, const v1::Row& row) {
  std::vector<Part> parts;
  for (const v1::TrialResult& trial : result.trials()) {
    if (trial.status() != v1::TRIAL_STATUS_GOOD) continue;
    for (const v1::EntryResult& entry : trial.entries()) {
      if (entry.entry() != row.entry() || entry.reverse() != row.reverse()) continue;
      Part part{&trial, &entry, {}};
      for (const v1::StreamResult& stream : trial.streams()) {
        const v1::Flow& flow = stream.flow();
        if (flow.entry() == row.entry() && flow.reverse() == row.reverse()) part.streams.push_back(&stream);
      }
      parts.push_back(std::move(part));
    }
  }
  return parts;
}

std::string MemberOf(const v1::Flow& flow, v1::ThresholdScope scope, metrics::End end) {
  const auto pair = [&flow] { return absl::StrCat(flow.from_host(), " -> ", flow.to_host()); };
  switch (scope) {
    case v1::THRESHOLD_SCOPE_HOST:
      return end == metrics::End::kReceivers ? flow.to_host() : flow.from_host();
    case v1::THRESHOLD_SCOPE_PAIR:
      return pair();
    case v1::THRESHOLD_SCOPE_STREAM:
      return absl::StrCat("stream ", flow.stream_id(), " (", pair(), ")");
    default:
      return kNobody;
  }
}

// The part's streams by member; all of them under kNobody where the scope has no members.
std::map<std::string, Streams> MembersOf(const Part& part, const v1::Threshold& threshold,
                                         const Metric& metric) {
  std::map<std::string, Streams> members;
  for (const v1::StreamResult* stream : part.streams) {
    const std::string member = MemberOf(stream->flow(), threshold.scope(), metric.end);
    const bool one_host = threshold.scope() == v1::THRESHOLD_SCOPE_HOST && !threshold.member().empty();
    if (one_host && member != threshold.member()) continue;
    members[member].push_back(stream);
  }
  // A figure of the entry is there whether its streams are or not.
  if (members.empty() && MemberOf({}, threshold.scope(), metric.end) == kNobody) {
    members.try_emplace(kNobody);
  }
  return members;
}

double Worst(const std::vector<double>& values, v1::Comparison comparison) {
  return metrics::SmallestDecides(comparison) ? *std::min_element(values.begin(), values.end())
                                              : *std::max_element(values.begin(), values.end());
}

std::optional<double> FigureOf(const v1::Threshold& threshold, const Metric& metric, const Part& part,
                               const std::string& member, const Streams& streams) {
  if (threshold.window() == v1::THRESHOLD_WINDOW_WORST_INTERVAL) {
    const auto figures = IntervalFigures(metric.series, streams, *part.trial);
    if (!figures) return std::nullopt;
    return Worst(*figures, threshold.comparison());
  }
  if (member == kNobody && metric.of_entry != nullptr) return metric.of_entry(*part.entry);
  return metric.of_streams == nullptr ? std::nullopt : metric.of_streams(streams, *part.entry);
}

std::string WhyMissing(const v1::Threshold& threshold, const Metric& metric, const std::vector<Part>& parts) {
  if (metric.why_missing != nullptr) {
    for (const Part& part : parts) {
      if (std::string why = metric.why_missing(*part.entry); !why.empty()) return why;
    }
  }
  return threshold.window() == v1::THRESHOLD_WINDOW_WORST_INTERVAL ? "no good trial has all of its intervals"
                                                                   : "no good trial has the figure";
}

// Sets member, value, trials and reason.
void SetWorst(const v1::Threshold& threshold, const Metric& metric, const std::vector<Part>& parts,
              v1::ThresholdOutcome& outcome) {
  std::map<std::string, std::vector<double>> values_of_member;
  for (const Part& part : parts) {
    for (const auto& [member, streams] : MembersOf(part, threshold, metric)) {
      std::vector<double>& values = values_of_member[member];
      if (const auto value = FigureOf(threshold, metric, part, member, streams)) values.push_back(*value);
    }
  }
  if (values_of_member.empty()) {
    outcome.set_reason(parts.empty() ? "no trial of the case counts" : "no stream is of the scope");
    return;
  }
  const bool smallest = metrics::SmallestDecides(threshold.comparison());
  for (const auto& [member, values] : values_of_member) {
    const std::optional<SpreadOf> spread = Spread(values);
    if (!spread) {
      outcome.clear_value();
      outcome.set_trials(0);
      outcome.set_member(member);
      outcome.set_reason(WhyMissing(threshold, metric, parts));
      return;
    }
    const bool worse = !outcome.has_value() ||
                       (smallest ? spread->median < outcome.value() : spread->median > outcome.value());
    if (!worse) continue;
    outcome.set_member(member);
    outcome.set_value(spread->median);
    outcome.set_trials(static_cast<uint32_t>(spread->count));
  }
}

v1::ThresholdOutcome NewOutcome(const v1::Threshold& threshold, const Metric& metric) {
  v1::ThresholdOutcome outcome;
  *outcome.mutable_threshold() = threshold;
  outcome.set_text(metrics::ThresholdText(threshold));
  outcome.set_unit(metrics::UnitOf(metric.dimension));
  return outcome;
}

v1::ThresholdOutcome JudgeRow(const v1::Threshold& threshold, const Metric& metric,
                              const v1::CaseResult& result, const v1::Row& row) {
  v1::ThresholdOutcome outcome = NewOutcome(threshold, metric);
  outcome.set_entry(row.entry());
  outcome.set_reverse(row.reverse());
  SetWorst(threshold, metric, GoodParts(result, row), outcome);
  outcome.set_passed(outcome.has_value() &&
                     metrics::Holds(threshold.comparison(), outcome.value(), threshold.limit()));
  return outcome;
}

const v1::TrafficEntry* EntryOf(const v1::Case& plan_case, const std::string& name) {
  for (const v1::TrafficEntry& entry : plan_case.traffic()) {
    if (entry.name() == name) return &entry;
  }
  return nullptr;
}

// The host has the metric's end of a stream of the row, in any trial: elsewhere it has nothing to be judged.
bool HasHost(const v1::Threshold& threshold, const Metric& metric, const v1::CaseResult& result,
             const v1::Row& row) {
  if (threshold.scope() != v1::THRESHOLD_SCOPE_HOST || threshold.member().empty()) return true;
  for (const v1::TrialResult& trial : result.trials()) {
    for (const v1::StreamResult& stream : trial.streams()) {
      const v1::Flow& flow = stream.flow();
      if (flow.entry() != row.entry() || flow.reverse() != row.reverse()) continue;
      if (MemberOf(flow, threshold.scope(), metric.end) == threshold.member()) return true;
    }
  }
  return false;
}

std::string WhyNobody(const v1::Threshold& threshold, const Metric& metric, const v1::CaseResult& result) {
  if (result.rows_size() == 0) return "no trial of the case was run";
  if (threshold.scope() != v1::THRESHOLD_SCOPE_HOST) return "the case has no stream that it judges";
  return absl::StrCat("host ", threshold.member(),
                      metric.end == metrics::End::kReceivers ? " receives" : " sends",
                      " no stream that it judges");
}

void Judge(const v1::Case& plan_case, const v1::CaseResult& result, const v1::Threshold& threshold,
           std::vector<v1::ThresholdOutcome>& outcomes) {
  const Metric* metric = metrics::FindMetric(threshold.metric());
  if (metric == nullptr) return;  // the plan's loader lets none through
  bool asked = false;
  for (const v1::TrafficEntry& entry : plan_case.traffic()) {
    asked = asked || metrics::Judges(threshold, entry, false) || metrics::Judges(threshold, entry, true);
  }
  if (!asked) return;
  bool of_one_stream = false;
  const size_t before = outcomes.size();
  for (const v1::Row& row : result.rows()) {
    const v1::TrafficEntry* entry = EntryOf(plan_case, row.entry());
    if (entry == nullptr || !metrics::Judges(threshold, *entry, row.reverse())) continue;
    if (metric->needs_several && row.streams() < 2) {
      of_one_stream = true;
    } else if (HasHost(threshold, *metric, result, row)) {
      outcomes.push_back(JudgeRow(threshold, *metric, result, row));
    }
  }
  if (outcomes.size() > before || of_one_stream) return;
  outcomes.push_back(NewOutcome(threshold, *metric));
  outcomes.back().set_reason(WhyNobody(threshold, *metric, result));
}

}  // namespace

std::vector<v1::ThresholdOutcome> JudgeThresholds(const v1::Case& plan_case, const v1::CaseResult& result) {
  std::vector<v1::ThresholdOutcome> outcomes;
  for (const v1::Threshold& threshold : plan_case.thresholds()) {
    Judge(plan_case, result, threshold, outcomes);
  }
  return outcomes;
}

}  // namespace tutti::results
