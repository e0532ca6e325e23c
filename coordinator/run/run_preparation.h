// From a plan to all that is decided before its run starts. Thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "coordinator/fleet/fleet.h"
#include "coordinator/run/run_execution.h"
#include "tutti/v1/plan.pb.h"

namespace tutti::run {

struct ResultMarks {
  bool lab = false;
  bool insecure = false;
};

// Places the valid plan on those of the fleet that are neither lost nor drained. The head has no id, no user
// and no time of submission yet. FailedPrecondition where roles cannot be filled or hosts have no address for
// each other; an error of placement also names who is lost or drained, since when and why. `now_ns`:
// timeline.
absl::StatusOr<RunSpec> PrepareRun(tutti::v1::Plan plan, const std::vector<fleet::Member>& members,
                                   const ResultMarks& marks, int64_t now_ns);

}  // namespace tutti::run
