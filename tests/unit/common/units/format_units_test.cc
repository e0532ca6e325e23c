#include <gtest/gtest.h>

#include <limits>

#include "common/units/units.h"

namespace tutti {
namespace {

TEST(FormatSize, UsesTheLargestUnitThatIsExact) {
  EXPECT_EQ(FormatSize(0), "0B");
  EXPECT_EQ(FormatSize(1472), "1472B");
  EXPECT_EQ(FormatSize(1048576), "1MiB");
  EXPECT_EQ(FormatSize(1572864), "1536KiB");
  EXPECT_EQ(FormatSize(3ull << 40), "3TiB");
  EXPECT_EQ(FormatSize(5ull << 50), "5PiB");
  EXPECT_EQ(FormatSize(1ull << 60), "1024PiB");
}

TEST(FormatSize, ParsesBack) {
  for (uint64_t bytes : {0ull, 1ull, 1023ull, 1024ull, 65507ull, 1ull << 20, 1ull << 63, ~0ull}) {
    EXPECT_EQ(ParseSizeBytes(FormatSize(bytes)).value(), bytes);
  }
}

TEST(FormatRate, HasThreeToFourDigits) {
  EXPECT_EQ(FormatRate(0), "0 bps");
  EXPECT_EQ(FormatRate(4.2e9), "4.20 Gbps");
  EXPECT_EQ(FormatRate(941.5e6), "941.5 Mbps");
  EXPECT_EQ(FormatRate(41.95e3), "42.0 Kbps");
  EXPECT_EQ(FormatRate(12e9), "12.0 Gbps");
  EXPECT_EQ(FormatRate(1e13), "10000.0 Gbps");
}

TEST(FormatRate, RoundsUpIntoTheNextUnit) {
  EXPECT_EQ(FormatRate(999.96e6), "1.00 Gbps");
  EXPECT_EQ(FormatRate(999.94e6), "999.9 Mbps");
  EXPECT_EQ(FormatRate(9.996e6), "10.0 Mbps");
}

TEST(FormatRate, NotANumberIsADash) { EXPECT_EQ(FormatRate(std::numeric_limits<double>::quiet_NaN()), "-"); }

TEST(FormatDuration, IsExactWhereShort) {
  EXPECT_EQ(FormatDuration(0), "0s");
  EXPECT_EQ(FormatDuration(10'000'000'000), "10s");
  EXPECT_EQ(FormatDuration(1'500'000'000), "1.5s");
  EXPECT_EQ(FormatDuration(100'000'000), "100ms");
  EXPECT_EQ(FormatDuration(12'300), "12.3us");
  EXPECT_EQ(FormatDuration(500), "0.5us");
  EXPECT_EQ(FormatDuration(1), "0.001us");
  EXPECT_EQ(FormatDuration(120'000'000'000), "2m");
  EXPECT_EQ(FormatDuration(7'200'000'000'000), "2h");
  EXPECT_EQ(FormatDuration(125'000'000'000), "125s");
  EXPECT_EQ(FormatDuration(-1'500'000), "-1.5ms");
}

TEST(FormatDuration, RoundsUpIntoTheNextUnit) {
  EXPECT_EQ(FormatDuration(999'960'000), "1s");
  EXPECT_EQ(FormatDuration(999'970), "1ms");
}

TEST(FormatTimeLeft, IsRoundedAsCoarselyAsItIsKnown) {
  constexpr int64_t kSecond = 1'000'000'000;
  EXPECT_EQ(FormatTimeLeft(-1), "past its expected end");
  EXPECT_EQ(FormatTimeLeft(0), "past its expected end");
  EXPECT_EQ(FormatTimeLeft(1), "less than 1s left");
  EXPECT_EQ(FormatTimeLeft(999'999'999), "less than 1s left");
  EXPECT_EQ(FormatTimeLeft(1'499'999'999), "about 1s left");
  EXPECT_EQ(FormatTimeLeft(1'500'000'000), "about 2s left");
  EXPECT_EQ(FormatTimeLeft(5'190'000'000), "about 5s left");
  EXPECT_EQ(FormatTimeLeft(119 * kSecond), "about 119s left");
  EXPECT_EQ(FormatTimeLeft(120 * kSecond), "about 2m left");
  EXPECT_EQ(FormatTimeLeft(269 * kSecond), "about 4m left");
  EXPECT_EQ(FormatTimeLeft(270 * kSecond), "about 5m left");
  EXPECT_EQ(FormatTimeLeft(7199 * kSecond), "about 120m left");
  EXPECT_EQ(FormatTimeLeft(7200 * kSecond), "about 2h left");
  EXPECT_EQ(FormatTimeLeft(9000 * kSecond), "about 3h left");
  // 2^63 ns are 2562047.8 h.
  EXPECT_EQ(FormatTimeLeft(std::numeric_limits<int64_t>::max()), "about 2562048h left");
}

TEST(FormatPercent, TrimsAndNeverRoundsToAllOrNothing) {
  EXPECT_EQ(FormatPercent(0.0123), "1.23%");
  EXPECT_EQ(FormatPercent(0), "0%");
  EXPECT_EQ(FormatPercent(1), "100%");
  EXPECT_EQ(FormatPercent(0.99), "99%");
  EXPECT_EQ(FormatPercent(0.999999), "99.99+%");
  EXPECT_EQ(FormatPercent(0.000001), "<0.01%");
}

}  // namespace
}  // namespace tutti
