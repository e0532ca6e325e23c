// The exit codes of `tutti`: an API for scripts. README.md has the same table; a rules test compares them.
#pragma once

#include "absl/status/status.h"

namespace tutti::cli {

enum ExitCode : int {
  kPassed = 0,
  kInternal = 1,
  kUsage = 2,
  kInvalidPlan = 3,
  kLimitFailed = 4,
  kRegressed = 5,
  kInconclusive = 6,
  kPartial = 7,  // or suspect
  kCancelled = 8,
  kUnreachable = 9,
  kRefused = 10,  // by policy
  kTrialFailed = 11,
};

// Of a call to the coordinator that did not succeed. InvalidArgument is a bad plan, Unavailable and
// DeadlineExceeded are an unreachable coordinator, PermissionDenied and Unauthenticated a refusal; what is
// not listed is internal.
ExitCode ExitCodeOfCall(const absl::Status& status);

}  // namespace tutti::cli
