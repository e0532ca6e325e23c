#include "coordinator/cli/exit_codes.h"

#include <gtest/gtest.h>

namespace tutti::cli {
namespace {

TEST(ExitCodeOfCallTest, TellsAnInvalidPlanFromAnUnreachableCoordinatorAndARefusal) {
  EXPECT_EQ(ExitCodeOfCall(absl::OkStatus()), 0);
  EXPECT_EQ(ExitCodeOfCall(absl::InvalidArgumentError("")), 3);
  EXPECT_EQ(ExitCodeOfCall(absl::FailedPreconditionError("")), 3);
  EXPECT_EQ(ExitCodeOfCall(absl::CancelledError("")), 8);
  EXPECT_EQ(ExitCodeOfCall(absl::UnavailableError("")), 9);
  EXPECT_EQ(ExitCodeOfCall(absl::DeadlineExceededError("")), 9);
  EXPECT_EQ(ExitCodeOfCall(absl::PermissionDeniedError("")), 10);
  EXPECT_EQ(ExitCodeOfCall(absl::UnauthenticatedError("")), 10);
}

TEST(ExitCodeOfCallTest, EverythingElseIsInternal) {
  EXPECT_EQ(ExitCodeOfCall(absl::InternalError("")), 1);
  EXPECT_EQ(ExitCodeOfCall(absl::UnknownError("")), 1);
  EXPECT_EQ(ExitCodeOfCall(absl::ResourceExhaustedError("")), 1);
}

}  // namespace
}  // namespace tutti::cli
