#include "coordinator/plan/threshold_hosts.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/suggestion/suggestion.h"
#include "coordinator/metrics/metric.h"
#include "coordinator/plan/written_place.h"

namespace tutti::plan {
namespace {

using tutti::v1::Threshold;

// Of any case: the hosts that have the metric's end of an entry that the threshold judges. Which of a role's
// hosts have a stream is the pattern's matter; here all may.
std::set<std::string> JudgedHosts(const tutti::v1::Plan& plan, const Placement& placement,
                                  const Threshold& threshold, metrics::End end) {
  std::set<std::string> judged;
  for (size_t i = 0; i < placement.cases.size(); ++i) {
    for (const tutti::v1::TrafficEntry& entry : plan.cases(static_cast<int>(i)).traffic()) {
      for (const bool reverse : {false, true}) {
        if (!metrics::Judges(threshold, entry, reverse)) continue;
        const bool at_to = (end == metrics::End::kReceivers) != reverse;
        const auto role = placement.cases[i].find(at_to ? entry.to() : entry.from());
        if (role != placement.cases[i].end()) judged.insert(role->second.begin(), role->second.end());
      }
    }
  }
  return judged;
}

// Empty: the host has it.
std::string WhyNeverKnown(const tutti::v1::Plan& plan, const Placement& placement,
                          const Threshold& threshold) {
  const std::string& host = threshold.member();
  if (std::find(placement.hosts.begin(), placement.hosts.end(), host) == placement.hosts.end()) {
    return absl::StrCat("\"", host, "\" is a host of no role in this run", DidYouMean(host, placement.hosts));
  }
  const metrics::Metric* metric = metrics::FindMetric(threshold.metric());
  if (metric == nullptr) return "";
  const std::set<std::string> judged = JudgedHosts(plan, placement, threshold, metric->end);
  if (judged.count(host) > 0) return "";
  return absl::StrCat("\"", host, "\" ", metric->end == metrics::End::kReceivers ? "receives" : "sends",
                      " nothing in this run that ", metric->name,
                      " judges; write one of the hosts that do: ", absl::StrJoin(judged, ", "));
}

}  // namespace

absl::Status CheckThresholdHosts(const tutti::v1::Plan& plan, const Placement& placement) {
  for (int i = 0; i < plan.cases_size(); ++i) {
    const tutti::v1::Case& plan_case = plan.cases(i);
    for (int j = 0; j < plan_case.thresholds_size(); ++j) {
      const Threshold& threshold = plan_case.thresholds(j);
      if (threshold.scope() != tutti::v1::THRESHOLD_SCOPE_HOST || threshold.member().empty()) continue;
      const std::string wrong = WhyNeverKnown(plan, placement, threshold);
      if (wrong.empty()) continue;
      return WithPlace(plan, i,
                       InThreshold(absl::FailedPreconditionError(wrong), static_cast<size_t>(j), "scope"));
    }
  }
  return absl::OkStatus();
}

}  // namespace tutti::plan
