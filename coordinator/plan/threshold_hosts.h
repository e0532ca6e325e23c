// Thresholds against the hosts that a run has got. Pure; thread-safe.
#pragma once

#include "absl/status/status.h"
#include "coordinator/plan/placement.h"
#include "tutti/v1/plan.pb.h"

namespace tutti::plan {

// FailedPrecondition, with its place in the plan, for the first threshold of a host that no role of the run
// has, or that in no case has the end of a stream which the metric is of (it only sends, and what is received
// is judged): its figure would never be known. Plans whose roles name every host are refused for the first
// when they are loaded.
absl::Status CheckThresholdHosts(const tutti::v1::Plan& plan, const Placement& placement);

}  // namespace tutti::plan
