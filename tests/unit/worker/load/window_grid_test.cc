#include "worker/load/window_grid.h"

#include "gtest/gtest.h"

namespace tutti::load {
namespace {

// 100 ns warm-up, 250 ns window in 100 ns intervals (the third is shorter), 50 ns cool-down.
constexpr TrialTiming kTiming{.warmup_ns = 100, .measure_ns = 250, .cooldown_ns = 50, .interval_ns = 100};

TEST(WindowGrid, TheLastEdgeIsTheWindowsEndAfterAShorterInterval) {
  const WindowGrid grid(kTiming);
  EXPECT_EQ(grid.intervals(), 3u);
  EXPECT_EQ(grid.cohorts(), 5u);
  EXPECT_EQ(grid.EdgeNs(0), 100);
  EXPECT_EQ(grid.EdgeNs(1), 200);
  EXPECT_EQ(grid.EdgeNs(2), 300);
  EXPECT_EQ(grid.EdgeNs(3), 350);
  EXPECT_EQ(grid.stop_ns(), 400);
}

TEST(WindowGrid, AWindowThatIsAMultipleHasNoEmptyInterval) {
  const WindowGrid grid({.warmup_ns = 0, .measure_ns = 300, .cooldown_ns = 0, .interval_ns = 100});
  EXPECT_EQ(grid.intervals(), 3u);
  EXPECT_EQ(grid.EdgeNs(3), 300);
}

TEST(WindowGrid, AnIntervalLongerThanTheWindowIsTheWindow) {
  const WindowGrid grid({.warmup_ns = 10, .measure_ns = 300, .cooldown_ns = 0, .interval_ns = 1000});
  EXPECT_EQ(grid.intervals(), 1u);
  EXPECT_EQ(grid.EdgeNs(1), 310);
}

TEST(WindowGrid, CohortsAreHalfOpenSlices) {
  const WindowGrid grid(kTiming);
  EXPECT_EQ(grid.CohortOf(-5), 0u);
  EXPECT_EQ(grid.CohortOf(99), 0u);
  EXPECT_EQ(grid.CohortOf(100), 1u);
  EXPECT_EQ(grid.CohortOf(199), 1u);
  EXPECT_EQ(grid.CohortOf(200), 2u);
  EXPECT_EQ(grid.CohortOf(349), 3u);
  EXPECT_EQ(grid.CohortOf(350), 4u);
  EXPECT_EQ(grid.CohortOf(INT64_MAX), 4u);
  EXPECT_EQ(grid.CohortOf(INT64_MIN), 0u);
}

TEST(CohortCursor, AgreesWithTheGridInAnyOrder) {
  const WindowGrid grid(kTiming);
  CohortCursor cursor(grid);
  for (const int64_t step : {1, 7, 101, 211}) {
    for (int64_t i = 0; i < 1000; ++i) {
      const int64_t t = (i * step) % 450 - 20;
      ASSERT_EQ(cursor.CohortOf(t), grid.CohortOf(t)) << t;
    }
  }
}

}  // namespace
}  // namespace tutti::load
