#include "coordinator/run/trial_clocks.h"

#include <gtest/gtest.h>

namespace tutti::run {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kSecond = 1'000 * kMs;

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

TEST(TrialClocks, AFitOfAHostThatWasNeverArmedIsIgnored) {
  TrialClocks clocks;
  clocks.Follow("a", At(0, 0, 10), TimelineTime{0});
  results::HostInput input;
  clocks.Describe("a", TimelineTime{kSecond}, input);
  EXPECT_EQ(input.refits, 0u);
}

}  // namespace
}  // namespace tutti::run
