#include "coordinator/cli/find_result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>

#include "coordinator/cli/result_files.h"
#include "tests/unit/temporary_folder.h"

namespace tutti::cli {
namespace {

using ::testing::HasSubstr;

class FindResultTest : public ::testing::Test {
 protected:
  FindResultTest() {
    setenv("XDG_STATE_HOME", folder_.path().c_str(), 1);
    nobody_.address = "unix:" + (folder_ / "nobody").string();
  }
  ~FindResultTest() override { unsetenv("XDG_STATE_HOME"); }

  const TemporaryFolder folder_;
  CoordinatorAddress nobody_;  // where nobody listens
};

TEST_F(FindResultTest, AResultOfThisMachineIsFoundWithoutAskingAnybody) {
  tutti::v1::Result result;
  result.set_schema_version(1);
  result.set_run_id("run-7");
  result.set_status(tutti::v1::RUN_STATUS_PASSED);
  ASSERT_TRUE(LeaveResult(result).ok());
  const absl::StatusOr<tutti::v1::Result> found = FindResult("run-7", &nobody_);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->run_id(), "run-7");
}

TEST_F(FindResultTest, WithoutACoordinatorOnlyThisMachineIsAsked) {
  EXPECT_EQ(FindResult("run-8", nullptr).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(FindResultTest, AnotherResultIsAskedForAtTheCoordinator) {
  const absl::Status status = FindResult("run-8", &nobody_).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("nobody"));
}

TEST(CheckHasPlanTest, ALostPlanSaysOfWhichRunAndWhy) {
  tutti::v1::Result result;
  result.set_run_id("run-9");
  result.mutable_plan()->set_source("version: 1");
  EXPECT_TRUE(CheckHasPlan(result).ok());
  result.clear_plan();
  result.add_reasons("the head is damaged in the store and left out: checksum");
  const absl::Status status = CheckHasPlan(result);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(status.message(),
            "the result of run-9 holds no plan (the head is damaged in the store and left out: checksum); "
            "`tutti results show run-9` shows what is left of it");
  EXPECT_EQ(ExitCodeOfResult(status), kPartial);
}

TEST(ExitCodeOfResultTest, NoPlanIsToBlame) {
  EXPECT_EQ(ExitCodeOfResult(absl::FailedPreconditionError("")), kUsage);
  EXPECT_EQ(ExitCodeOfResult(absl::InvalidArgumentError("")), kUsage);
  EXPECT_EQ(ExitCodeOfResult(absl::NotFoundError("")), kUsage);
  EXPECT_EQ(ExitCodeOfResult(absl::UnavailableError("")), kUnreachable);
}

TEST(ExitCodeOfShownTest, IsTheRunsAndARunThatHasNotEndedIsNotPassed) {
  tutti::v1::Result result;
  result.set_run_id("run-7");
  result.set_status(tutti::v1::RUN_STATUS_LIMIT_FAILED);
  result.set_exit_code(4);
  EXPECT_EQ(ExitCodeOfShown(result), 4);
  result.set_status(tutti::v1::RUN_STATUS_RUNNING);
  result.set_exit_code(0);
  ::testing::internal::CaptureStderr();
  const int exit_code = ExitCodeOfShown(result);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("run run-7 has not ended"));
  EXPECT_EQ(exit_code, 7);
}

TEST(ExitCodeOfExportedTest, IsPassedWhateverTheRunDidButForOneThatHasNotEnded) {
  tutti::v1::Result result;
  result.set_run_id("run-7");
  result.set_status(tutti::v1::RUN_STATUS_LIMIT_FAILED);
  result.set_exit_code(4);
  EXPECT_EQ(ExitCodeOfExported(result), 0);
  result.set_status(tutti::v1::RUN_STATUS_RUNNING);
  result.set_exit_code(0);
  ::testing::internal::CaptureStderr();
  const int exit_code = ExitCodeOfExported(result);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("run run-7 has not ended"));
  EXPECT_EQ(exit_code, 7);
}

}  // namespace
}  // namespace tutti::cli
