#include "coordinator/lab/host_labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::lab {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

std::string Refused(const std::vector<std::string>& texts) {
  const absl::Status status = ParseHostLabels(texts).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  return std::string(status.message());
}

TEST(HostLabelsTest, AreReadByHost) {
  const absl::StatusOr<HostLabels> labels =
      ParseHostLabels({"host1:rack=a", "host12:rack=b", "host1:url=x:y=z", "host1:empty="});
  ASSERT_TRUE(labels.ok()) << labels.status();
  EXPECT_THAT(labels->at("host1"), ElementsAre(Pair("empty", ""), Pair("rack", "a"), Pair("url", "x:y=z")));
  EXPECT_THAT(labels->at("host12"), ElementsAre(Pair("rack", "b")));
  EXPECT_THAT(*ParseHostLabels({}), IsEmpty());
}

TEST(HostLabelsTest, OtherFormsAreRefused) {
  for (const char* text : {"", "rack=a", "host1", "host1:rack", "host1:=a", ":rack=a", "rack=a:b"}) {
    EXPECT_THAT(Refused({text}), HasSubstr("HOST:KEY=VALUE")) << text;
  }
  EXPECT_THAT(Refused({"host1:rack=\x1b[2J"}), HasSubstr("control character"));
  EXPECT_THAT(Refused({"host1:rack=a", "host1:rack=b"}), HasSubstr("a second time"));
  EXPECT_THAT(Refused({"alpha:rack=a"}),
              HasSubstr("a label is for alpha, and the lab has host1 to host1000"));
  EXPECT_THAT(Refused({"host01:rack=a"}), HasSubstr("a label is for host01"));
}

TEST(HostLabelsTest, AreForHostsThatTheLabHas) {
  const HostLabels labels = {{"host3", {{"rack", "a"}}}};
  EXPECT_TRUE(CheckHostLabels(labels, 3).ok());
  EXPECT_THAT(std::string(CheckHostLabels(labels, 2).message()), HasSubstr("has host1 to host2"));
  EXPECT_THAT(std::string(CheckHostLabels(labels, 1).message()), HasSubstr("has host1 only"));
}

TEST(HostLabelsTest, EachHostHasItsNameUnlessItIsToldOtherwise) {
  const HostLabels labels = {{"host1", {{"rack", "a"}}}, {"host2", {{"host", "x"}}}};
  EXPECT_THAT(LabelsOf(labels, "host1"), ElementsAre(Pair("host", "host1"), Pair("rack", "a")));
  EXPECT_THAT(LabelsOf(labels, "host2"), ElementsAre(Pair("host", "x")));
  EXPECT_THAT(LabelsOf(labels, "host3"), ElementsAre(Pair("host", "host3")));
}

}  // namespace
}  // namespace tutti::lab
