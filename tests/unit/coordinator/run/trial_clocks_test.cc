#include "coordinator/run/trial_clocks.h"

#include <gtest/gtest.h>

#include "tests/nanoseconds.h"

namespace tutti::run {
namespace {

// The host's clock is `offset_ns` behind the timeline, known to within `bound_ns` and `drift_bound`.
ClockMapping At(int64_t timeline_ns, int64_t offset_ns, int64_t bound_ns, double drift_bound = 0) {
  return ClockMapping(HostTime{timeline_ns - offset_ns}, TimelineTime{timeline_ns}, 0, bound_ns, drift_bound);
}

TEST(TrialClocks, WithoutANewFitNothingIsToBeSaid) {
  TrialClocks clocks;
  clocks.Arm("a", At(0, 100, 10));
  results::HostInput input;
  clocks.Describe("a", TimelineTime{kSecond}, input);
  clocks.Describe("stranger", TimelineTime{kSecond}, input);
  EXPECT_EQ(input.refits, 0u);
  EXPECT_FALSE(input.mapping_at_end);
}

TEST(TrialClocks, TheMappingAtTheEndIsTheFitOnceItsGapIsClosed) {
  TrialClocks clocks;
  clocks.Arm("a", At(0, 1000, 10));
  // 40 us apart: closed after 80 ms at 500 ppm.
  clocks.Follow("a", At(kSecond, 41'000, 20), TimelineTime{kSecond});
  results::HostInput input;
  clocks.Describe("a", TimelineTime{2 * kSecond}, input);
  EXPECT_EQ(input.refits, 1u);
  ASSERT_TRUE(input.mapping_at_end);
  const HostTime end{2 * kSecond - 41'000};
  EXPECT_NEAR(static_cast<double>(input.mapping_at_end->Convert(end).ns), 2.0 * kSecond, 2);
  EXPECT_NEAR(static_cast<double>(input.mapping_at_end->BoundAt(end)), 20, 2);
}

TEST(TrialClocks, TheLargestBoundHasTheGapAtTheFitAndTheGrowthBeforeIt) {
  TrialClocks clocks;
  // 10 ns, and 1 us more after a second.
  clocks.Arm("a", At(0, 0, 10, 1e-6));
  clocks.Follow("a", At(kSecond, 300, 20), TimelineTime{kSecond});
  results::HostInput grown;
  clocks.Describe("a", TimelineTime{2 * kSecond}, grown);
  EXPECT_NEAR(static_cast<double>(grown.largest_bound_ns), 1'010, 2);
  clocks.Follow("a", At(2 * kSecond, 5'300, 20), TimelineTime{2 * kSecond});
  results::HostInput jumped;
  clocks.Describe("a", TimelineTime{3 * kSecond}, jumped);
  EXPECT_NEAR(static_cast<double>(jumped.largest_bound_ns), 5'020, 3);
  EXPECT_EQ(jumped.refits, 2u);
}

// What a host says that followed `follows` fits and whose window ended at `end` by its own clock.
results::HostInput Reporting(uint32_t follows, int64_t largest_bound_ns, HostTime end) {
  results::HostInput input;
  input.report.emplace();
  input.report->mutable_clock()->set_follows(follows);
  input.report->mutable_clock()->set_largest_bound_ns(largest_bound_ns);
  input.report->mutable_clock()->set_window_end_host_ns(end.ns);
  return input;
}

TEST(TrialClocks, AHostThatFollowedEverythingIsTakenAtItsWord) {
  TrialClocks clocks;
  clocks.Arm("a", At(0, 0, 10));
  clocks.Follow("a", At(kSecond, 1'000, 20), TimelineTime{kSecond});
  results::HostInput input = Reporting(1, 1'400, HostTime{2 * kSecond - 1'000});
  clocks.Describe("a", TimelineTime{2 * kSecond}, input);
  EXPECT_EQ(input.refits, 1u);
  EXPECT_EQ(input.refits_sent, 1u);
  EXPECT_EQ(input.largest_bound_ns, 1'400);  // the fit came late
  ASSERT_TRUE(input.mapping_at_end);
  EXPECT_EQ(input.mapping_at_end->bound_ns(), 20);
}

TEST(TrialClocks, AHostThatFollowedNothingIsOffByAllThatTheFitsShow) {
  TrialClocks clocks;
  clocks.Arm("a", At(0, 0, 10));
  // The clock lost 3 ms; by 2 s a host that followed would be 0.5 ms nearer, and on its fit in the end.
  clocks.Follow("a", At(kSecond, 3 * kMs, 20), TimelineTime{kSecond});
  results::HostInput input = Reporting(0, 10, HostTime{20 * kSecond});
  clocks.Describe("a", TimelineTime{20 * kSecond}, input);
  EXPECT_EQ(input.refits, 0u);
  EXPECT_EQ(input.refits_sent, 1u);
  EXPECT_EQ(input.largest_bound_ns, 3 * kMs + 20);
  ASSERT_TRUE(input.mapping_at_end);
  EXPECT_EQ(input.mapping_at_end->Convert(HostTime{20 * kSecond}).ns, 20 * kSecond);
  EXPECT_EQ(input.mapping_at_end->bound_ns(), 3 * kMs + 20);
}

TEST(TrialClocks, WhatTheHostSaysNeverMakesTheBoundBetterThanWhatWasSent) {
  TrialClocks clocks;
  clocks.Arm("a", At(0, 0, 10, 1e-6));
  clocks.Follow("a", At(kSecond, 0, 20), TimelineTime{kSecond});
  results::HostInput input = Reporting(1, 1, HostTime{2 * kSecond});
  clocks.Describe("a", TimelineTime{2 * kSecond}, input);
  EXPECT_NEAR(static_cast<double>(input.largest_bound_ns), 1'010, 2);
}

TEST(TrialClocks, AFitOfAHostThatWasNeverArmedIsIgnored) {
  TrialClocks clocks;
  clocks.Follow("a", At(0, 0, 10), TimelineTime{0});
  results::HostInput input;
  clocks.Describe("a", TimelineTime{kSecond}, input);
  EXPECT_EQ(input.refits, 0u);
}

}  // namespace
}  // namespace tutti::run
