#include "coordinator/cli/exit_codes.h"

namespace tutti::cli {

ExitCode ExitCodeOfCall(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return kPassed;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kFailedPrecondition:  // the fleet cannot fill the plan's roles
      return kInvalidPlan;
    case absl::StatusCode::kNotFound:
      return kUsage;
    case absl::StatusCode::kCancelled:
      return kCancelled;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
      return kUnreachable;
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kUnauthenticated:
      return kRefused;
    default:
      return kInternal;
  }
}

}  // namespace tutti::cli
