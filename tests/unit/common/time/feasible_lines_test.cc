#include "common/time/feasible_lines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace tutti {
namespace {

constexpr FeasibleLines::Range kSlopes{-1, 1};

TEST(FeasibleLinesTest, StartsWithEveryOffsetAndSlope) {
  FeasibleLines lines;
  lines.Start({-3, 5}, kSlopes);
  EXPECT_DOUBLE_EQ(lines.At(0).low, -3);
  EXPECT_DOUBLE_EQ(lines.At(0).high, 5);
  EXPECT_DOUBLE_EQ(lines.At(10).low, -13);
  EXPECT_DOUBLE_EQ(lines.At(10).high, 15);
  EXPECT_DOUBLE_EQ(lines.Slopes().low, -1);
  EXPECT_DOUBLE_EQ(lines.Slopes().high, 1);
}

TEST(FeasibleLinesTest, TwoIntervalsLeaveTheLinesThroughBoth) {
  FeasibleLines lines;
  lines.Start({-1, 1}, kSlopes);
  ASSERT_TRUE(lines.Cut(-10, -2, 1));  // from y in [-3, -1] at -10 to y in [-1, 1] at 0
  EXPECT_NEAR(lines.Slopes().low, 0.0, 1e-12);
  EXPECT_NEAR(lines.Slopes().high, 0.4, 1e-12);
  EXPECT_NEAR(lines.At(-5).low, -2, 1e-12);
  EXPECT_NEAR(lines.At(-5).high, 0, 1e-12);
  // Beyond: the steepest line ends at (0, 1), the flattest at (0, -1).
  EXPECT_NEAR(lines.At(10).low, -1, 1e-12);
  EXPECT_NEAR(lines.At(10).high, 5, 1e-12);
}

TEST(FeasibleLinesTest, AnIntervalThatAllLinesPassChangesNothing) {
  FeasibleLines lines;
  lines.Start({-1, 1}, {-0.1, 0.1});
  ASSERT_TRUE(lines.Cut(-10, 0, 2));
  EXPECT_DOUBLE_EQ(lines.At(0).low, -1);
  EXPECT_DOUBLE_EQ(lines.At(0).high, 1);
  EXPECT_DOUBLE_EQ(lines.Slopes().high, 0.1);
}

TEST(FeasibleLinesTest, AnIntervalThatNoLinePassesIsRefusedAndChangesNothing) {
  FeasibleLines lines;
  lines.Start({-1, 1}, {-0.1, 0.1});
  EXPECT_FALSE(lines.Cut(-10, 5, 1));
  EXPECT_FALSE(lines.Cut(-10, -5, 1));
  EXPECT_DOUBLE_EQ(lines.At(0).low, -1);
  EXPECT_DOUBLE_EQ(lines.At(0).high, 1);
}

TEST(FeasibleLinesTest, TheLineThroughManyPointsIsTheOnlyOneLeft) {
  FeasibleLines lines;
  lines.Start({-100, 100}, kSlopes);
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(lines.Cut(-i, 7 - 0.25 * i, 1e-9)) << i;
  EXPECT_NEAR(lines.At(0).low, 7, 1e-8);
  EXPECT_NEAR(lines.At(0).high, 7, 1e-8);
  EXPECT_NEAR(lines.Slopes().middle(), 0.25, 1e-9);
}

// Independent of the polygon: a fine grid of lines, each tried against each interval.
TEST(FeasibleLinesTest, RangesAgreeWithTryingEveryLine) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int round = 0; round < 40; ++round) {
    const double offset = unit(random);
    const double slope = unit(random);
    struct Interval {
      double x, y, half;
    };
    std::vector<Interval> intervals;
    FeasibleLines lines;
    lines.Start({-2, 2}, {-2, 2});
    for (int i = 0; i < 6; ++i) {
      const double x = 3 * unit(random);
      const double half = 0.2 + (1 + unit(random));
      intervals.push_back({x, offset + slope * x + half * unit(random), half});
      ASSERT_TRUE(lines.Cut(x, intervals.back().y, half));
    }
    constexpr int kSteps = 200;
    FeasibleLines::Range tried{1e9, -1e9};
    for (int i = 0; i <= kSteps; ++i) {
      for (int k = 0; k <= kSteps; ++k) {
        const double a = -2 + 4.0 * i / kSteps;
        const double b = -2 + 4.0 * k / kSteps;
        const bool through = std::all_of(intervals.begin(), intervals.end(), [&](const Interval& each) {
          return std::abs(a + b * each.x - each.y) <= each.half;
        });
        if (!through) continue;
        tried.low = std::min(tried.low, a + b * 1.5);
        tried.high = std::max(tried.high, a + b * 1.5);
      }
    }
    const FeasibleLines::Range range = lines.At(1.5);
    EXPECT_LE(range.low, offset + slope * 1.5 + 1e-9);
    EXPECT_GE(range.high, offset + slope * 1.5 - 1e-9);
    if (tried.low > tried.high) continue;  // smaller than the grid
    EXPECT_LE(range.low, tried.low + 1e-9);
    EXPECT_GE(range.high, tried.high - 1e-9);
    // A corner of the set lies less than some steps of the grid beyond what the grid found.
    EXPECT_GE(range.low, tried.low - 0.35);
    EXPECT_LE(range.high, tried.high + 0.35);
  }
}

}  // namespace
}  // namespace tutti
