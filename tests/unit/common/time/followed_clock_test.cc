#include "common/time/followed_clock.h"

#include <gtest/gtest.h>

#include "tests/nanoseconds.h"

namespace tutti {
namespace {

// The host's clock is `offset_ns` behind the timeline, known to within `bound_ns` and `drift_bound`.
ClockMapping At(int64_t timeline_ns, int64_t offset_ns, int64_t bound_ns, double drift_bound = 0) {
  return ClockMapping(HostTime{timeline_ns - offset_ns}, TimelineTime{timeline_ns}, 0, bound_ns, drift_bound);
}

TEST(FollowedClock, WithoutAFitTheBoundIsThatOfTheFirstMappingAsItGrows) {
  const FollowedClock clock(At(0, 0, 10, 1e-6));
  EXPECT_EQ(clock.follows(), 0u);
  EXPECT_NEAR(static_cast<double>(clock.LargestBoundUntil(HostTime{3 * kSecond})), 3'010, 2);
}

TEST(FollowedClock, AFitThatComesLateCountsForAsLongAsItWasMissing) {
  // The clock loses 5 ms at once at 1 s; told at 1 s, or at 4 s.
  FollowedClock prompt(At(0, 0, 10, 1e-6));
  prompt.Follow(At(kSecond, 5'000'000, 20, 1e-6), HostTime{kSecond - 5'000'000});
  FollowedClock late(At(0, 0, 10, 1e-6));
  late.Follow(At(kSecond, 5'000'000, 20, 1e-6), HostTime{4 * kSecond - 5'000'000});
  EXPECT_NEAR(static_cast<double>(prompt.LargestBoundUntil(HostTime{5 * kSecond})), 5'000'020, 5'000);
  // The fit itself is 3 s old by then.
  EXPECT_NEAR(static_cast<double>(late.LargestBoundUntil(HostTime{5 * kSecond})), 5'003'020, 5);
  // 500 ppm of a second have been made up for, or none.
  const HostTime at_two{2 * kSecond};
  EXPECT_NEAR(static_cast<double>(prompt.mapping().Convert(at_two) - TimelineTime{at_two.ns}), 502'500, 10);
  EXPECT_EQ(late.mapping().Convert(at_two) - TimelineTime{at_two.ns}, 0);
  EXPECT_EQ(prompt.follows(), 1u);
}

}  // namespace
}  // namespace tutti
