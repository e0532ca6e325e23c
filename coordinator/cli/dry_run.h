// What a plan would do, in words. Pure; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "coordinator/plan/placement.h"
#include "tutti/v1/plan.pb.h"

namespace tutti::cli {

// Every case with its values, who sends to whom from which address, streams, ports, duration and
// thresholds; totals at the end. The error of placement or of a case's flows, with the case named.
absl::StatusOr<std::string> DescribePlan(const tutti::v1::Plan& plan,
                                         const std::vector<plan::Candidate>& fleet);

}  // namespace tutti::cli
