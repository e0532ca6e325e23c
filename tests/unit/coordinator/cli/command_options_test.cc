#include "coordinator/cli/command_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <string>

namespace tutti::cli {
namespace {

using ::testing::HasSubstr;

class MaxWaitTest : public ::testing::Test {
 protected:
  MaxWaitTest() {
    AddRunOptions(app_, options_);
    AddSubmitOptions(app_, options_);
  }
  // What the command line is refused with; empty if it is taken.
  std::string Refusal(const std::string& wait) {
    try {
      app_.parse("--max-wait " + wait);
    } catch (const CLI::ValidationError& error) {
      return error.what();
    }
    return "";
  }

  RunOptions options_;
  CLI::App app_{"a tool"};
};

TEST_F(MaxWaitTest, FromASecondToThirtyDaysItIsTaken) {
  EXPECT_EQ(Refusal("1s"), "");
  EXPECT_EQ(options_.max_wait_ns, 1'000'000'000);
  EXPECT_EQ(Refusal("720h"), "");
  EXPECT_EQ(options_.max_wait_ns, 30 * 86'400 * 1'000'000'000LL);
}

TEST_F(MaxWaitTest, WhatTheCoordinatorWouldRefuseIsAWrongOption) {
  EXPECT_THAT(Refusal("0s"), HasSubstr("--max-wait: a run cannot wait 0s for its hosts; give it 1s to 720h"));
  EXPECT_THAT(Refusal("999ms"), HasSubstr("cannot wait 999ms"));
  EXPECT_THAT(Refusal("721h"), HasSubstr("cannot wait 721h"));
  EXPECT_THAT(Refusal("5"), HasSubstr("--max-wait"));
  EXPECT_FALSE(options_.max_wait_ns.has_value());
}

}  // namespace
}  // namespace tutti::cli
