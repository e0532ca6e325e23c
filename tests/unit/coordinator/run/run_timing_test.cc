#include "coordinator/run/run_timing.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "tests/nanoseconds.h"

namespace tutti::run {
namespace {

// Cases of 100 ms warm-up, 400 ms window and 50 ms cool-down.
tutti::v1::Plan PlanOf(int cases, uint32_t repeat) {
  tutti::v1::Plan plan;
  for (int i = 0; i < cases; ++i) {
    tutti::v1::Case& each = *plan.add_cases();
    each.set_repeat(repeat);
    each.mutable_timing()->set_warmup_ns(100 * kMs);
    each.mutable_timing()->set_measure_ns(400 * kMs);
    each.mutable_timing()->set_cooldown_ns(50 * kMs);
  }
  return plan;
}

TEST(ExpectedLeftTest, CountsDownOverBackgroundAndTrials) {
  const tutti::v1::Plan plan = PlanOf(2, 3);
  // A case: 1 s and three times 550 ms.
  RunPosition at{.in_background = true};
  EXPECT_EQ(ExpectedLeftNs(plan, at), 5'300 * kMs);
  at.in_step_ns = 300 * kMs;
  EXPECT_EQ(ExpectedLeftNs(plan, at), 5'000 * kMs);
  at = {.trials_over = 1};
  EXPECT_EQ(ExpectedLeftNs(plan, at), 3'750 * kMs);
  at = {.case_index = 1, .trials_over = 2, .phase = Phase::kPrepare, .in_step_ns = 7 * kSecond};
  EXPECT_EQ(ExpectedLeftNs(plan, at), 550 * kMs);
  at = {.case_index = 1, .trials_over = 2, .phase = Phase::kWarmup, .in_step_ns = 40 * kMs};
  EXPECT_EQ(ExpectedLeftNs(plan, at), 510 * kMs);
  at = {.case_index = 1, .trials_over = 2, .phase = Phase::kMeasure, .in_step_ns = 100 * kMs};
  EXPECT_EQ(ExpectedLeftNs(plan, at), 350 * kMs);
  at = {.case_index = 1, .trials_over = 2, .phase = Phase::kReport};
  EXPECT_EQ(ExpectedLeftNs(plan, at), 0);
  at = {.case_index = 2};
  EXPECT_EQ(ExpectedLeftNs(plan, at), 0);
}

TEST(ExpectedLeftTest, IsNeverNegativeWhenAStepTakesLongerThanItsPlan) {
  const tutti::v1::Plan plan = PlanOf(1, 1);
  EXPECT_EQ(ExpectedLeftNs(plan, {.in_background = true, .in_step_ns = 9 * kSecond}), 550 * kMs);
  EXPECT_EQ(ExpectedLeftNs(plan, {.phase = Phase::kCooldown, .in_step_ns = 9 * kSecond}), 0);
  EXPECT_EQ(ExpectedLeftNs(plan, {.trials_over = 5}), 0);
}

TEST(LongestTrialTest, IsTheSumOfWhatThePhasesMayTake) {
  TrialDeadlines deadlines;
  deadlines.prepare_ns = 1;
  deadlines.connect_ns = 10;
  deadlines.answer_ns = 100;  // of PREPARE, CONNECT and DRAIN
  deadlines.clocks_ns = 1'000;
  deadlines.senders_stop_ns = 10'000;
  deadlines.drain_max_ns = 100'000;
  deadlines.report_ns = 1'000'000;
  deadlines.abort_ns = 10'000'000;
  const tutti::v1::Timing timing = PlanOf(1, 1).cases(0).timing();
  // The lead of T0 is at most 1 s + 2 s + 20 us per host; the last look at the clocks takes half a second.
  EXPECT_EQ(LongestTrialNs(timing, deadlines, 5), 11'111'311 + 3 * kSecond + 100'000 + 500 * kMs + 550 * kMs);
}

TEST(LongestRunTest, HasEveryTrialTheBackgroundAndTheWaitForLostHosts) {
  const tutti::v1::Plan plan = PlanOf(2, 3);
  const std::vector<std::vector<tutti::v1::Flow>> flows(2, std::vector<tutti::v1::Flow>(4));
  const int64_t trial_ns = LongestTrialNs(plan.cases(0).timing(), DeadlinesOf(4), 2);
  EXPECT_EQ(LongestRunNs(plan, flows, 2), 2 * 2 * kSecond + 6 * (trial_ns + 10 * kSecond));
  EXPECT_EQ(DeadlinesOf(4).prepare_ns, 10 * kSecond + 8 * kMs);
}

TEST(LongestRunTest, APlanOfCenturiesDoesNotOverflow) {
  tutti::v1::Plan plan = PlanOf(2, 4'000'000'000);
  plan.mutable_cases(0)->mutable_timing()->set_measure_ns(100'000 * kSecond);
  plan.mutable_cases(1)->mutable_timing()->set_measure_ns(100'000 * kSecond);
  const std::vector<std::vector<tutti::v1::Flow>> flows(2);
  EXPECT_EQ(LongestRunNs(plan, flows, 2), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(ExpectedLeftNs(plan, {}), std::numeric_limits<int64_t>::max());
}

}  // namespace
}  // namespace tutti::run
