#include "coordinator/lab/process_identity.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace tutti::lab {
namespace {

TEST(ProcessIdentity, TakesField22WhateverTheNameHolds) {
  EXPECT_EQ(ParseStartTicks("7 (a b) S 1 7 7 0 -1 4194560 1 0 0 0 5 6 0 0 20 0 1 0 98765 100 0"), 98765);
  EXPECT_EQ(ParseStartTicks("7 (x) S 1) R 1 7 7 0 -1 4194560 1 0 0 0 5 6 0 0 20 0 1 0 42 100"), 42);
}

TEST(ProcessIdentity, CountsZombiesAsGone) {
  EXPECT_EQ(ParseStartTicks("7 (a) Z 1 7 7 0 -1 4194560 1 0 0 0 5 6 0 0 20 0 1 0 98765 0 0"), std::nullopt);
  EXPECT_EQ(ParseStartTicks("7 (a) X 1 7 7 0 -1 4194560 1 0 0 0 5 6 0 0 20 0 1 0 98765 0 0"), std::nullopt);
}

TEST(ProcessIdentity, RefusesOtherLines) {
  for (const char* line : {"", ")", "7 (a)", "7 (a) ", "7 (a) S 1 2 3", "no parenthesis",
                           "7 (a) S 1 7 7 0 -1 4194560 1 0 0 0 5 6 0 0 20 0 1 0 x 0"}) {
    EXPECT_EQ(ParseStartTicks(line), std::nullopt) << line;
  }
}

TEST(ProcessIdentity, KnowsThisProcessAndNoOtherStart) {
  const auto ticks = StartTicks(getpid());
  ASSERT_TRUE(ticks.has_value());
  EXPECT_TRUE(IsAlive(getpid(), *ticks));
  EXPECT_FALSE(IsAlive(getpid(), *ticks + 1));
  EXPECT_FALSE(IsAlive(0));
  EXPECT_FALSE(IsAlive(-1));
}

}  // namespace
}  // namespace tutti::lab
