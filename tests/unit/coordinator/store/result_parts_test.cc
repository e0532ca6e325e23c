#include "coordinator/store/result_parts.h"

#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "tests/unit/coordinator/store/random_message.h"

namespace tutti::store {
namespace {

using google::protobuf::util::MessageDifferencer;

TEST(ResultPartsTest, AHeadHasEverythingButTheCases) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    tutti::v1::Result result;
    RandomMessages(seed).Fill(result, 2);
    tutti::v1::Result expected = result;
    expected.clear_cases();
    EXPECT_TRUE(MessageDifferencer::Equals(HeadOf(result), expected)) << seed;
  }
}

TEST(ResultPartsTest, ASummaryHasEverythingButTheTrials) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    tutti::v1::CaseResult result;
    RandomMessages(seed).Fill(result, 2);
    tutti::v1::CaseResult expected = result;
    expected.clear_trials();
    EXPECT_TRUE(MessageDifferencer::Equals(SummaryOf(result), expected)) << seed;
  }
}

TEST(ResultPartsTest, LabelsOfHostsStay) {
  tutti::v1::Result result;
  (*result.add_hosts()->mutable_labels())["rack"] = "a";
  EXPECT_EQ(HeadOf(result).hosts(0).labels().at("rack"), "a");
}

}  // namespace
}  // namespace tutti::store
