#include "coordinator/plan/threshold_hosts.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/suggestion/suggestion.h"
#include "coordinator/plan/written_place.h"

namespace tutti::plan {

absl::Status CheckThresholdHosts(const tutti::v1::Plan& plan, const Placement& placement) {
  for (int i = 0; i < plan.cases_size(); ++i) {
    const tutti::v1::Case& plan_case = plan.cases(i);
    for (int j = 0; j < plan_case.thresholds_size(); ++j) {
      const tutti::v1::Threshold& threshold = plan_case.thresholds(j);
      if (threshold.scope() != tutti::v1::THRESHOLD_SCOPE_HOST || threshold.member().empty()) continue;
      const bool placed = std::find(placement.hosts.begin(), placement.hosts.end(), threshold.member()) !=
                          placement.hosts.end();
      if (placed) continue;
      const std::string wrong = absl::StrCat("\"", threshold.member(), "\" is a host of no role in this run",
                                             DidYouMean(threshold.member(), placement.hosts));
      return WithPlace(plan, i,
                       InThreshold(absl::FailedPreconditionError(wrong), static_cast<size_t>(j), "scope"));
    }
  }
  return absl::OkStatus();
}

}  // namespace tutti::plan
