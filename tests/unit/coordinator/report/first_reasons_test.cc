#include "coordinator/report/first_reasons.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "coordinator/report/report.h"

namespace tutti::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

google::protobuf::RepeatedPtrField<std::string> Reasons(int count) {
  google::protobuf::RepeatedPtrField<std::string> reasons;
  for (int i = 1; i <= count; ++i) *reasons.Add() = "case " + std::to_string(i);
  return reasons;
}

TEST(FirstReasonsTest, AFewAreAllThere) {
  EXPECT_THAT(FirstReasons(Reasons(0)), IsEmpty());
  EXPECT_THAT(FirstReasons(Reasons(2)), ElementsAre("case 1", "case 2"));
  EXPECT_EQ(FirstReasons(Reasons(20)).back(), "case 20");
}

TEST(FirstReasonsTest, OfManyTheFirstAreThereAndTheOthersAreCounted) {
  const std::vector<std::string> first = FirstReasons(Reasons(10'000));
  ASSERT_EQ(first.size(), 21u);
  EXPECT_EQ(first[19], "case 20");
  EXPECT_EQ(first[20], "and 9980 more; JSON has them all");
}

TEST(FirstReasonsTest, TheTableHasThemAndTheJsonHasAll) {
  tutti::v1::Result result;
  result.set_status(tutti::v1::RUN_STATUS_CANCELLED);
  *result.mutable_reasons() = Reasons(23);
  const std::string table = RenderTable(result, {});
  EXPECT_THAT(table, HasSubstr("  case 20\n  and 3 more; JSON has them all\n"));
  EXPECT_THAT(table, Not(HasSubstr("case 21")));
  EXPECT_THAT(RenderJson(result), HasSubstr("case 23"));
}

}  // namespace
}  // namespace tutti::report
