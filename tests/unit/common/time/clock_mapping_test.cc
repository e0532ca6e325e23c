#include "common/time/clock_mapping.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/nanoseconds.h"

namespace tutti {
namespace {

TEST(ClockMappingTest, DefaultIsTheIdentityWithoutError) {
  const ClockMapping identity;
  EXPECT_EQ(identity.Convert({123}).ns, 123);
  EXPECT_EQ(identity.BoundAt({kDay}), 0);
}

TEST(ClockMappingTest, AHostDaysAheadIsShiftedBack) {
  const ClockMapping mapping({3 * kDay + 5}, {7}, 0.0, 100, 0.0);
  EXPECT_EQ(mapping.Convert({3 * kDay + 5 + 1'000}).ns, 1'007);
  EXPECT_EQ(mapping.ToHost({1'007}).ns, 3 * kDay + 1'005);
}

TEST(ClockMappingTest, DriftOf100PpmGains100MicrosecondsASecond) {
  const ClockMapping mapping({0}, {0}, 100e-6, 0, 0.0);
  EXPECT_EQ(mapping.Convert({1'000'000'000}).ns, 1'000'100'000);
  EXPECT_EQ(mapping.Convert({-1'000'000'000}).ns, -1'000'100'000);
}

TEST(ClockMappingTest, BoundGrowsWithTheDistanceInBothDirections) {
  const ClockMapping mapping({1'000'000'000}, {0}, 0.0, 250, 2e-6);
  EXPECT_EQ(mapping.BoundAt({1'000'000'000}), 250);
  EXPECT_EQ(mapping.BoundAt({2'000'000'000}), 2'250);
  EXPECT_EQ(mapping.BoundAt({0}), 2'250);
}

TEST(ClockMappingTest, ToHostInvertsConvertToTheNanosecond) {
  for (const double drift : {0.0, 500e-6, -500e-6, 37.123e-6, -1e-3}) {
    const ClockMapping mapping({5 * kDay}, {11}, drift, 0, 0);
    for (int64_t distance = -kDay; distance <= kDay; distance += 3'599'123'456'789) {
      const HostTime host = HostTime{5 * kDay} + distance;
      EXPECT_LE(std::llabs(mapping.ToHost(mapping.Convert(host)) - host), 1) << drift << " " << distance;
    }
  }
}

}  // namespace
}  // namespace tutti
