#include "coordinator/results/skew.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/coordinator/results/raw_trial.h"

namespace tutti::results {
namespace {

namespace v1 = tutti::v1;
using testing::Contains;
using testing::HasSubstr;

// Two senders on hosts of their own; their clocks are known to within 30 and 50 us.
RawTrial TwoSenders() {
  RawTrial trial;
  trial.AddHost("a", "m1").mapping = ClockMapping(HostTime{0}, TimelineTime{0}, 0, 30'000, 0);
  trial.AddHost("b", "m2").mapping = ClockMapping(HostTime{0}, TimelineTime{0}, 0, 50'000, 0);
  trial.AddHost("c", "m3").mapping = ClockMapping(HostTime{0}, TimelineTime{0}, 0, 900'000, 0);
  RawTrial::Fill(trial.AddStream("a", "c"), 1 * kMs, 2'500 * kMs, kMs, 1000);
  RawTrial::Fill(trial.AddStream("b", "c"), 4 * kMs, 2'500 * kMs, kMs, 1000);
  return trial;
}

v1::StreamReport& Sender(TrialInput& input, const std::string& host) {
  return *FindInput(input, host).report->mutable_streams(0);
}

void SetRunning(v1::StreamReport& report, int64_t before_ns, int64_t after_ns) {
  report.set_running_before_trial_ns(before_ns);
  report.set_running_trial_ns(after_ns);
}

TEST(SkewTest, IsTheSpreadOfTheStreamsStarts) {
  TrialInput input = TwoSenders().Build();
  SetRunning(Sender(input, "a"), 10 * kMs, 10 * kMs);
  SetRunning(Sender(input, "b"), 17 * kMs, 17 * kMs);
  const v1::EntryResult entry = OnlyEntry(MergeTrial(input));
  EXPECT_EQ(entry.first_send_skew_ns(), 3 * kMs);
  EXPECT_EQ(entry.running_skew_ns(), 7 * kMs);
}

TEST(SkewTest, BoundIsThatOfTheSendersTwoWorstClocksAndOfTheirSendCalls) {
  TrialInput input = TwoSenders().Build();
  EXPECT_EQ(OnlyEntry(MergeTrial(input)).skew_bound_ns(), 80'000);  // the receiver's clock is not in it
  Sender(input, "a").set_first_send_after_trial_ns(1 * kMs + 6'000);
  Sender(input, "b").set_first_send_after_trial_ns(4 * kMs + 2'000);
  const v1::EntryResult entry = OnlyEntry(MergeTrial(input));
  EXPECT_EQ(entry.skew_bound_ns(), 84'000);
  EXPECT_EQ(entry.first_send_skew_ns(), 3 * kMs - 2'000);  // the middles of the calls
}

TEST(SkewTest, ASteadyStartIsKnownToTheLengthOfItsSendCallOnly) {
  TrialInput input = TwoSenders().Build();
  SetRunning(Sender(input, "a"), 10 * kMs, 10 * kMs + 8'000);
  // Its thread lost the CPU inside the call.
  SetRunning(Sender(input, "b"), 17 * kMs, 23 * kMs);
  const v1::EntryResult entry = OnlyEntry(MergeTrial(input));
  EXPECT_EQ(entry.running_skew_ns(), 10 * kMs - 4'000);
  EXPECT_EQ(entry.skew_bound_ns(), 3 * kMs + 4'000 + 80'000);
}

TEST(SkewTest, OffsetOfOneClockCancelsOutAndItsDriftStays) {
  RawTrial trial;
  trial.AddHost("a", "m1").mapping = ClockMapping(HostTime{0}, TimelineTime{0}, 0, 500'000, 100e-6);
  trial.AddHost("c", "m3");
  RawTrial::Fill(trial.AddStream("a", "c"), 0, 2'500 * kMs, kMs, 1000);
  RawTrial::Fill(trial.AddStream("a", "c"), 20 * kMs, 2'500 * kMs, kMs, 1000);
  EXPECT_EQ(OnlyEntry(trial.Merge()).skew_bound_ns(), 2'000);  // 20 ms x 100 ppm
}

TEST(SkewTest, IsNotKnownWhereAStreamDidNotReportItsStart) {
  TrialInput input = TwoSenders().Build();
  Sender(input, "b").clear_running_trial_ns();
  const v1::EntryResult entry = OnlyEntry(MergeTrial(input));
  EXPECT_FALSE(entry.has_running_skew_ns());
  EXPECT_TRUE(entry.has_first_send_skew_ns());
}

TEST(SkewTest, OneStreamHasNothingToBeApartFrom) {
  const v1::EntryResult entry = OnlyEntry(RawTrial::Pair().Merge());
  EXPECT_FALSE(entry.has_first_send_skew_ns());
  EXPECT_FALSE(entry.has_running_skew_ns());
  EXPECT_FALSE(entry.has_skew_bound_ns());
  EXPECT_TRUE(entry.has_overlap_ratio());
}

TEST(SkewTest, OverlapIsThePartOfTheWindowInWhichEveryStreamSends) {
  TrialInput input = TwoSenders().Build();
  Sender(input, "a").set_first_send_before_trial_ns(1'100 * kMs);
  Sender(input, "b").set_last_send_trial_ns(1'700 * kMs);
  EXPECT_DOUBLE_EQ(OnlyEntry(MergeTrial(input)).overlap_ratio(), 0.6);
}

TEST(SkewTest, AStreamThatNeverSentOverlapsWithNothing) {
  TrialInput input = TwoSenders().Build();
  Sender(input, "b").clear_first_send_before_trial_ns();
  Sender(input, "b").clear_last_send_trial_ns();
  EXPECT_EQ(OnlyEntry(MergeTrial(input)).overlap_ratio(), 0);
}

TEST(SkewTest, AWarmUpThatIsTooShortIsSaidSo) {
  RawTrial trial = TwoSenders();
  trial.plan_case.mutable_timing()->set_warmup_ns(2 * kMs);
  EXPECT_THAT(trial.Merge().warnings(), Contains(HasSubstr("lengthen timing.warmup")));
}

TEST(SkewTest, WhereStreamsOutnumberTheCpusTheSchedulerIsNamed) {
  RawTrial trial = TwoSenders();
  trial.plan_case.mutable_timing()->set_warmup_ns(2 * kMs);
  v1::Host host;
  host.set_name("b");
  host.mutable_facts()->add_online_cpus(0);
  trial.all_hosts.push_back(host);
  EXPECT_THAT(trial.Merge().warnings(), testing::Not(Contains(HasSubstr("the scheduler decides"))));
  RawTrial::Fill(trial.AddStream("b", "c"), 4 * kMs, 2'500 * kMs, kMs, 1000);
  EXPECT_THAT(trial.Merge().warnings(), Contains(HasSubstr("the scheduler decides")));
}

}  // namespace
}  // namespace tutti::results
