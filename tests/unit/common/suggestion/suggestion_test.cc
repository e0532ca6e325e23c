#include "common/suggestion/suggestion.h"

#include <gtest/gtest.h>

namespace tutti {
namespace {

TEST(Suggestion, FindsTheNearestWord) {
  const std::vector<std::string> known = {"count", "hosts", "labels", "same_as", "ipv4", "ipv6"};
  EXPECT_EQ(Nearest("cuont", known), "count");
  EXPECT_EQ(Nearest("host", known), "hosts");
  EXPECT_EQ(Nearest("same-as", known), "same_as");
  EXPECT_EQ(Nearest("Labels", known), "labels");
  EXPECT_EQ(Nearest("v6", known), "ipv6");
  EXPECT_EQ(Nearest("qqqqq", known), "");
  EXPECT_EQ(Nearest("", known), "");
  EXPECT_EQ(EditDistance("", "abc"), 3u);
  EXPECT_EQ(EditDistance("ab", "ba"), 1u);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3u);
  EXPECT_EQ(DidYouMean("x", {}), "");
}

}  // namespace
}  // namespace tutti
