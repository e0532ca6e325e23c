// A result by its file or its run's id, wherever it is.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "coordinator/cli/coordinator_client.h"
#include "coordinator/cli/exit_codes.h"
#include "tutti/v1/result.pb.h"

namespace tutti::cli {

// As ReadResult (result_files.h); where this machine has none of this name the coordinator is asked, if one
// is given, which may leave out the intervals (GetResultRequest). Errors of both; an id that neither has is
// NotFound and says where was looked.
absl::StatusOr<tutti::v1::Result> FindResult(const std::string& file_or_id,
                                             const CoordinatorAddress* coordinator,
                                             bool without_intervals = false);

// DataLoss where the result holds no plan that could be read again: says what is known of why.
absl::Status CheckHasPlan(const tutti::v1::Result& result);

// What to exit with where a stored result could not be got, listed or removed: what a plan would be to blame
// for is the command line's here, and what is damaged in the store is partial.
ExitCode ExitCodeOfResult(const absl::Status& status);

// What to exit with after a result was shown: what its run did. One that has not ended has no exit code:
// kPartial, and standard error is told why.
int ExitCodeOfShown(const tutti::v1::Result& result);

// What to exit with after a result was written for others to judge: kPassed, whatever its run did. One that
// has not ended as above.
int ExitCodeOfExported(const tutti::v1::Result& result);

}  // namespace tutti::cli
