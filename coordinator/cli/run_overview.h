// The runs that matter now.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "coordinator/cli/coordinator_client.h"
#include "tutti/v1/service.pb.h"

namespace tutti::cli {

// The runs that wait or run, those submitted first in front, of more than 100 the newest; where there is
// none, the last five that have ended, the newest first. FailedPrecondition from a coordinator that keeps no
// list says so and that one run can be asked for.
absl::StatusOr<std::vector<tutti::v1::RunInfo>> RunsThatMatter(CoordinatorClient& client);

}  // namespace tutti::cli
