#include "coordinator/results/loss.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/coordinator/results/raw_trial.h"

namespace tutti::results {
namespace {

namespace v1 = tutti::v1;
using testing::ElementsAre;
using testing::HasSubstr;

// The cohort of the window's first interval: 250 datagrams sent from 1.0 to 1.25 s.
v1::ReceivedCohort& FirstCohort(TrialInput& input) {
  return *FindInput(input, "b").report->mutable_streams(0)->mutable_received_cohorts(1);
}

TEST(LossTest, CountsAreDisjointAndAddUpToWhatWasSent) {
  RawTrial trial = RawTrial::Pair();
  for (RawMessage& message : trial.streams[0].messages) {
    const int64_t number = message.sent_ns / kMs;
    if (number == 999 || number == 1100 || number == 1600 || number == 2000) message.fate = Fate::kLost;
    if (number == 1200) message.fate = Fate::kReordered;
    if (number == 1300) message.fate = Fate::kLate;
    if (number == 1400) message.duplicates = 2;
  }
  const v1::TrialResult result = trial.Merge();
  const v1::LossCounts& loss = OnlyEntry(result).loss();
  EXPECT_EQ(loss.sent(), 1000u);
  EXPECT_EQ(loss.lost(), 2u);  // 999 and 2000 are not of the window
  EXPECT_EQ(loss.reordered(), 1u);
  EXPECT_EQ(loss.late(), 1u);
  EXPECT_EQ(loss.in_order(), 996u);
  EXPECT_EQ(loss.duplicates(), 2u);
  EXPECT_EQ(loss.lost_ratio(), 0.002);
  EXPECT_THAT(OnlyEntry(result).lost_intervals(), ElementsAre(1, 0, 1, 0));
  EXPECT_EQ(result.status(), v1::TRIAL_STATUS_GOOD);
}

TEST(LossTest, LateIsCappedAtWhatIsUnaccountedForAndTheSurplusIsDuplicates) {
  TrialInput input = RawTrial::Pair().Build();
  FirstCohort(input).set_in_order(240);
  FirstCohort(input).set_late(15);
  FirstCohort(input).set_duplicates(3);
  const v1::LossCounts loss = OnlyEntry(MergeTrial(input)).loss();
  EXPECT_EQ(loss.late(), 10u);
  EXPECT_EQ(loss.lost(), 0u);
  EXPECT_EQ(loss.duplicates(), 8u);
}

TEST(LossTest, LateOfOneCohortDoesNotHideTheLossOfAnother) {
  TrialInput input = RawTrial::Pair().Build();
  FirstCohort(input).set_late(50);  // nothing is unaccounted for there
  FindInput(input, "b").report->mutable_streams(0)->mutable_received_cohorts(2)->set_in_order(200);
  const v1::LossCounts loss = OnlyEntry(MergeTrial(input)).loss();
  EXPECT_EQ(loss.lost(), 50u);
  EXPECT_EQ(loss.late(), 0u);
  EXPECT_EQ(loss.duplicates(), 50u);
}

TEST(LossTest, MoreFirstArrivalsThanWereSentIsAContradictionAndNotANegativeLoss) {
  TrialInput input = RawTrial::Pair().Build();
  FirstCohort(input).set_in_order(251);
  const v1::TrialResult result = MergeTrial(input);
  EXPECT_EQ(result.status(), v1::TRIAL_STATUS_SUSPECT);
  EXPECT_FALSE(OnlyEntry(result).loss().has_lost());
  EXPECT_THAT(result.reasons(0), HasSubstr("of the 250 datagrams of cohort 1, 251 arrived"));
}

TEST(LossTest, MessagesWithoutRoomForTheHeaderHaveNoLossAndSaySo) {
  RawTrial trial = RawTrial::Pair();
  trial.traffic().set_message_size_bytes(23);
  const v1::LossCounts loss = OnlyEntry(trial.Merge()).loss();
  EXPECT_FALSE(loss.has_sent());
  EXPECT_FALSE(loss.has_lost_ratio());
  EXPECT_THAT(loss.note(), HasSubstr("23 B"));
  trial.traffic().set_message_size_bytes(24);
  EXPECT_TRUE(OnlyEntry(trial.Merge()).loss().has_sent());
}

TEST(LossTest, NothingSentInTheWindowHasNoRatio) {
  RawTrial trial;
  trial.AddHost("a", "m1");
  trial.AddHost("b", "m2");
  RawTrial::Fill(trial.AddStream("a", "b"), 0, 500 * kMs, kMs, 1000);
  const v1::LossCounts loss = OnlyEntry(trial.Merge()).loss();
  EXPECT_EQ(loss.sent(), 0u);
  EXPECT_EQ(loss.lost(), 0u);
  EXPECT_FALSE(loss.has_lost_ratio());
}

TEST(LossTest, ShortCohortListsAreNotTrusted) {
  TrialInput input = RawTrial::Pair().Build();
  FindInput(input, "a").report->mutable_streams(0)->mutable_sent_cohorts()->RemoveLast();
  const v1::LossCounts loss = OnlyEntry(MergeTrial(input)).loss();
  EXPECT_FALSE(loss.has_sent());
  EXPECT_THAT(loss.note(), HasSubstr("5 cohorts of 6"));
}

}  // namespace
}  // namespace tutti::results
