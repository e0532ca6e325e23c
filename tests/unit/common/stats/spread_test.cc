#include "common/stats/spread.h"

#include <gtest/gtest.h>

#include <limits>

namespace tutti {
namespace {

TEST(SpreadTest, OfNothingDoesNotExist) { EXPECT_FALSE(Spread({}).has_value()); }

TEST(SpreadTest, OfOneValueIsThatValue) {
  const SpreadOf spread = Spread({7.5}).value();
  EXPECT_EQ(spread.median, 7.5);
  EXPECT_EQ(spread.min, 7.5);
  EXPECT_EQ(spread.max, 7.5);
  EXPECT_EQ(spread.count, 1u);
}

TEST(SpreadTest, OddCountHasItsMiddleValueAsMedianWhateverTheOrder) {
  const SpreadOf spread = Spread({9, 1, 4}).value();
  EXPECT_EQ(spread.median, 4);
  EXPECT_EQ(spread.min, 1);
  EXPECT_EQ(spread.max, 9);
  EXPECT_EQ(spread.count, 3u);
}

TEST(SpreadTest, EvenCountHasTheMeanOfTheMiddleTwo) { EXPECT_EQ(Spread({10, 1, 4, 5}).value().median, 4.5); }

TEST(SpreadTest, MedianOfHugeValuesDoesNotOverflow) {
  const double huge = std::numeric_limits<double>::max();
  EXPECT_EQ(Spread({huge, huge}).value().median, huge);
}

}  // namespace
}  // namespace tutti
