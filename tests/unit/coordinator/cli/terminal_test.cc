#include "coordinator/cli/terminal.h"

#include <gtest/gtest.h>

namespace tutti::cli {
namespace {

TEST(MayUseEscapesTest, OnlyOnATerminalThatCanAndWasNotForbidden) {
  EXPECT_TRUE(MayUseEscapes(true, nullptr, "xterm-256color"));
  EXPECT_FALSE(MayUseEscapes(false, nullptr, "xterm-256color"));
  EXPECT_FALSE(MayUseEscapes(true, "1", "xterm"));
  EXPECT_FALSE(MayUseEscapes(true, "0", "xterm"));  // its value says nothing
  EXPECT_TRUE(MayUseEscapes(true, "", "xterm"));
  EXPECT_FALSE(MayUseEscapes(true, nullptr, "dumb"));
  EXPECT_FALSE(MayUseEscapes(true, nullptr, ""));
  EXPECT_FALSE(MayUseEscapes(true, nullptr, nullptr));
}

}  // namespace
}  // namespace tutti::cli
