#include "common/log/log.h"

#include <gmock/gmock.h>
#include <grpc/support/log.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace tutti {
namespace {

using testing::HasSubstr;
using testing::Not;

class LogTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/tutti-log-XXXXXX";
    const int fd = mkstemp(name);
    ASSERT_GE(fd, 0);
    close(fd);
    file_ = name;
  }
  void TearDown() override {
    ASSERT_TRUE(InitLog({.program = "test", .level = "off"}).ok());
    unlink(file_.c_str());
  }
  std::string Text() const {
    std::ifstream stream(file_);
    std::stringstream text;
    text << stream.rdbuf();
    return text.str();
  }
  std::string file_;
};

TEST_F(LogTest, WritesLinesOfTheLevelAndAboveWithTheProgramsName) {
  ASSERT_TRUE(InitLog({.program = "prog", .level = "info", .file = file_}).ok());
  spdlog::info("worker {} registered", "a");
  spdlog::debug("too fine");
  EXPECT_THAT(Text(), testing::AllOf(HasSubstr("prog["), HasSubstr("info: worker a registered\n"),
                                     Not(HasSubstr("too fine"))));
}

TEST_F(LogTest, GrpcsLinesAreInTheLog) {
  ASSERT_TRUE(InitLog({.program = "prog", .level = "info", .file = file_}).ok());
  gpr_log(GPR_ERROR, "no address of %s", "host");
  gpr_log(GPR_INFO, "chatter");
  EXPECT_THAT(Text(), testing::AllOf(HasSubstr("warn"), HasSubstr("grpc log_test.cc:"),
                                     HasSubstr("no address of host"), Not(HasSubstr("chatter"))));
}

TEST_F(LogTest, AnUnknownLevelIsRefusedWithTheKnownOnes) {
  const absl::Status status = InitLog({.program = "prog", .level = "loud"});
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              testing::AllOf(HasSubstr("loud"), HasSubstr("trace, debug, info")));
}

TEST_F(LogTest, AFileThatCannotBeOpenedIsNamed) {
  const absl::Status status = InitLog({.program = "prog", .file = "/proc/none/log"});
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.message()), HasSubstr("/proc/none/log"));
}

TEST_F(LogTest, AMissingFolderOfTheFileIsAnErrorAndIsNotMade) {
  const std::string folder = file_ + ".d";
  const absl::Status status = InitLog({.program = "prog", .file = folder + "/log"});
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("open log file \"" + folder + "/log\": No such file or directory (ENOENT)"));
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST_F(LogTest, AFolderIsNoLogFile) {
  const absl::Status status = InitLog({.program = "prog", .file = "/tmp"});
  EXPECT_THAT(std::string(status.message()), HasSubstr("\"/tmp\": Is a directory (EISDIR)"));
}

TEST_F(LogTest, WhatIsInTheFileStays) {
  std::ofstream(file_) << "before\n";
  ASSERT_TRUE(InitLog({.program = "prog", .file = file_}).ok());
  spdlog::info("after");
  EXPECT_THAT(Text(), testing::AllOf(testing::StartsWith("before\n"), HasSubstr("info: after\n")));
}

}  // namespace
}  // namespace tutti
