#include "coordinator/api/http/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tutti::http {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(TargetTest, PathAndQueryAreDecodedApart) {
  const auto target = ParseTarget("/v1/a%2Fb%3F/c+d?k=1%262&l=a+b%2B&&m&n=a=b");
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_THAT(target->segments, ElementsAre("v1", "a/b?", "c+d"));
  EXPECT_THAT(target->query,
              ElementsAre(Pair("k", "1&2"), Pair("l", "a b+"), Pair("m", ""), Pair("n", "a=b")));
  EXPECT_EQ(target->authority, "");
}

TEST(TargetTest, TheAbsoluteFormHasAnAuthority) {
  const auto target = ParseTarget("http://localhost:7118/v1/runs?a=b");
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_EQ(target->authority, "localhost:7118");
  EXPECT_THAT(target->segments, ElementsAre("v1", "runs"));
  EXPECT_FALSE(ParseTarget("http://localhost").ok());
  EXPECT_FALSE(ParseTarget("http:///v1").ok());
  EXPECT_FALSE(ParseTarget("https://localhost/v1").ok());
}

TEST(TargetTest, WhatIsEncodedIsReadBack) {
  std::string text;
  for (char c = 0x20; c < 0x7F; ++c) text += c;
  text += "\xC3\xA9";
  const auto target = ParseTarget("/" + PercentEncode(text));
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_THAT(target->segments, ElementsAre(text));
  EXPECT_EQ(PercentEncode("run-7_a.b~c/d e"), "run-7_a.b~c%2Fd%20e");
}

}  // namespace
}  // namespace tutti::http
