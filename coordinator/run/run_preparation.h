// From a plan to all that is decided before its run starts. Thread-safe. A plan may have 10,000 cases or a
// million streams, which takes seconds: not for the thread of decisions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "coordinator/fleet/fleet.h"
#include "coordinator/run/run_execution.h"
#include "tutti/v1/plan.pb.h"
#include "tutti/v1/service.pb.h"

namespace tutti::run {

struct ResultMarks {
  bool lab = false;
  bool insecure = false;
};

// What a plan is placed by, as it was at one instant.
struct PreparationInput {
  std::vector<fleet::Member> members;
  ResultMarks marks;
  int64_t now_ns = 0;  // timeline
};

// Places the valid plan on those of the fleet that are neither lost nor drained. The head has no id, no user
// and no time of submission yet. FailedPrecondition where roles cannot be filled or hosts have no address for
// each other; an error of placement also names who is lost or drained, since when and why.
absl::StatusOr<RunSpec> PrepareRun(tutti::v1::Plan plan, const PreparationInput& input);

// What PrepareRun makes of the plan, to be told. Errors as there.
absl::StatusOr<tutti::v1::DryRunResponse> PrepareDryRun(tutti::v1::Plan plan, const PreparationInput& input);

}  // namespace tutti::run
