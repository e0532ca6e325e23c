#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/units/units.h"

namespace tutti {
namespace {

using ::testing::HasSubstr;

std::string SizeError(std::string_view text) {
  auto size = ParseSizeBytes(text);
  return size.ok() ? "accepted" : std::string(size.status().message());
}
std::string RateError(std::string_view text) {
  auto rate = ParseRateBps(text);
  return rate.ok() ? "accepted" : std::string(rate.status().message());
}
std::string DurationError(std::string_view text) {
  auto duration = ParseDurationNs(text);
  return duration.ok() ? "accepted" : std::string(duration.status().message());
}

TEST(ParseSize, TakesEveryUnit) {
  EXPECT_EQ(ParseSizeBytes("1472B").value(), 1472u);
  EXPECT_EQ(ParseSizeBytes("128KiB").value(), 131072u);
  EXPECT_EQ(ParseSizeBytes("1MiB").value(), 1048576u);
  EXPECT_EQ(ParseSizeBytes("2GiB").value(), 2147483648u);
  EXPECT_EQ(ParseSizeBytes("3TiB").value(), 3'298'534'883'328u);
  EXPECT_EQ(ParseSizeBytes("1.5PiB").value(), 1'688'849'860'263'936u);
  EXPECT_EQ(ParseSizeBytes("0B").value(), 0u);
}

TEST(ParseSize, TakesDecimalsThatAreWholeBytes) {
  EXPECT_EQ(ParseSizeBytes("1.5KiB").value(), 1536u);
  EXPECT_EQ(ParseSizeBytes("0.0009765625KiB").value(), 1u);
  EXPECT_EQ(ParseSizeBytes("1.50000000000000000000000KiB").value(), 1536u);
  EXPECT_THAT(SizeError("1.5B"), HasSubstr("not a whole number of B"));
  EXPECT_THAT(SizeError("0.1KiB"), HasSubstr("not a whole number of B"));
}

TEST(ParseSize, BareAndAmbiguousNumbersNameBothReadings) {
  EXPECT_THAT(SizeError("1472"), HasSubstr("1472B or 1472KiB"));
  EXPECT_THAT(SizeError("64k"), HasSubstr("write 64KiB or 64000B"));
  EXPECT_THAT(SizeError("64K"), HasSubstr("write 64KiB or 64000B"));
  EXPECT_THAT(SizeError("1m"), HasSubstr("write 1MiB or 1000000B"));
  EXPECT_THAT(SizeError("1M"), HasSubstr("write 1MiB or 1000000B"));
  EXPECT_THAT(SizeError("2GB"), HasSubstr("write 2GiB or 2000000000B"));
  EXPECT_THAT(SizeError("1.5k"), HasSubstr("write 1.5KiB or 1500B"));
  EXPECT_THAT(SizeError("2TB"), HasSubstr("(in powers of 1024 or of 1000): write 2TiB or 2000000000000B"));
  EXPECT_THAT(SizeError("1P"), HasSubstr("write 1PiB or 1000000000000000B"));
}

TEST(ParseSize, RefusesWhatIsNoSize) {
  EXPECT_THAT(SizeError("100Mbps"), HasSubstr("is a rate where a size is due"));
  EXPECT_THAT(SizeError("10s"), HasSubstr("is a duration where a size is due"));
  EXPECT_THAT(SizeError("64kib"), HasSubstr("write 64KiB"));
  EXPECT_THAT(SizeError("1tib"), HasSubstr("write 1TiB"));
  EXPECT_THAT(SizeError("-1B"), HasSubstr("negative"));
  EXPECT_THAT(SizeError(""), HasSubstr("is not a size"));
  EXPECT_THAT(SizeError("KiB"), HasSubstr("is not a size"));
  EXPECT_THAT(SizeError("1.2.3B"), HasSubstr("is not a size"));
  EXPECT_THAT(SizeError(".5KiB"), HasSubstr("is not a size"));
  EXPECT_THAT(SizeError("0x10B"), HasSubstr("unknown unit"));
  EXPECT_THAT(SizeError("10 KiB"), HasSubstr("space"));
  EXPECT_THAT(SizeError("1e3B"), HasSubstr("unknown unit"));
}

TEST(ParseSize, RefusesOverflowAndKeepsTheLargestValue) {
  EXPECT_EQ(ParseSizeBytes("18446744073709551615B").value(), 18446744073709551615u);
  EXPECT_THAT(SizeError("18446744073709551616B"), HasSubstr("too large"));
  EXPECT_THAT(SizeError("17179869184GiB"), HasSubstr("too large"));  // 2^34 GiB = 2^64 B
  EXPECT_EQ(ParseSizeBytes("16383PiB").value(), 16383ull << 50);
  EXPECT_THAT(SizeError("16384PiB"), HasSubstr("too large"));  // 2^14 PiB = 2^64 B
  EXPECT_THAT(SizeError("16777216TiB"), HasSubstr("too large"));
  EXPECT_THAT(SizeError("99999999999999999999999999999999999999999999999999GiB"), HasSubstr("too large"));
}

TEST(ParseRate, TakesPowersOfThousand) {
  EXPECT_EQ(ParseRateBps("1bps").value(), 1u);
  EXPECT_EQ(ParseRateBps("9.6Kbps").value(), 9600u);
  EXPECT_EQ(ParseRateBps("100Mbps").value(), 100'000'000u);
  EXPECT_EQ(ParseRateBps("2.5Gbps").value(), 2'500'000'000u);
}

TEST(ParseMessageRate, TakesPowersOfThousandAndIsToldApartByItsUnit) {
  EXPECT_EQ(ParseMessageRate("5000pps").value(), 5000u);
  EXPECT_EQ(ParseMessageRate("1.5Mpps").value(), 1'500'000u);
  EXPECT_TRUE(IsMessageRate("5kpps"));
  EXPECT_FALSE(IsMessageRate("5Kbps"));
  EXPECT_FALSE(IsMessageRate("pps"));
  EXPECT_FALSE(IsMessageRate("5"));
  EXPECT_THAT(std::string(ParseMessageRate("5kpps").status().message()), HasSubstr("in pps, Kpps or Mpps"));
}

TEST(ParseRate, RefusesWithAdvice) {
  EXPECT_THAT(RateError("100"), HasSubstr("100bps or 100Mbps"));
  EXPECT_THAT(RateError("10M"), HasSubstr("write 10Mbps, which counts in 1000, or 10485760bps"));
  EXPECT_THAT(RateError("10m"), HasSubstr("write 10Mbps"));
  EXPECT_THAT(RateError("10MiB"), HasSubstr("is a size where a rate is due"));
  EXPECT_THAT(RateError("10ms"), HasSubstr("is a duration where a rate is due"));
  EXPECT_THAT(RateError("10MBps"), HasSubstr("rates count bits"));
  EXPECT_THAT(RateError("10mbps"), HasSubstr("write 10Mbps"));
  EXPECT_THAT(RateError("1Gbit"), HasSubstr("write 1Gbps"));
  EXPECT_THAT(RateError("1Gbit/s"), HasSubstr("write 1Gbps"));
}

TEST(ParseDuration, TakesEveryUnit) {
  EXPECT_EQ(ParseDurationNs("5us").value(), 5'000);
  EXPECT_EQ(ParseDurationNs("100ms").value(), 100'000'000);
  EXPECT_EQ(ParseDurationNs("0.5s").value(), 500'000'000);
  EXPECT_EQ(ParseDurationNs("2m").value(), 120'000'000'000);
  EXPECT_EQ(ParseDurationNs("1h").value(), 3'600'000'000'000);
  EXPECT_EQ(ParseDurationNs("1.234567s").value(), 1'234'567'000);
}

TEST(ParseDuration, RefusesWithAdvice) {
  EXPECT_THAT(DurationError("10"), HasSubstr("10s or 10ms"));
  EXPECT_THAT(DurationError("10sec"), HasSubstr("write 10s"));
  EXPECT_THAT(DurationError("10M"), HasSubstr("10m (minutes) or 10ms"));
  EXPECT_THAT(DurationError("10ns"), HasSubstr("finer than a plan can say"));
  EXPECT_THAT(DurationError("0.0001us"), HasSubstr("not a whole number of ns"));
  EXPECT_THAT(DurationError("10MiB"), HasSubstr("is no duration"));
  EXPECT_THAT(DurationError("-1s"), HasSubstr("negative"));
  EXPECT_THAT(DurationError("2562048h"), HasSubstr("too large"));  // 2^63 ns = 2562047.78 h
  EXPECT_TRUE(ParseDurationNs("2562047h").ok());
}

TEST(ParsePercent, TakesZeroToHundred) {
  EXPECT_DOUBLE_EQ(ParsePercent("99%").value(), 0.99);
  EXPECT_DOUBLE_EQ(ParsePercent("0.5%").value(), 0.005);
  EXPECT_DOUBLE_EQ(ParsePercent("100%").value(), 1.0);
  EXPECT_FALSE(ParsePercent("100.1%").ok());
  EXPECT_FALSE(ParsePercent("-1%").ok());
  EXPECT_FALSE(ParsePercent("%").ok());
  EXPECT_THAT(std::string(ParsePercent("0.99").status().message()), HasSubstr("99% or 0.99%"));
  EXPECT_THAT(std::string(ParsePercent("99").status().message()), HasSubstr("write 99%"));
}

TEST(ParseWithUnit, TakesTheUnitThatIsAskedForAndNoOther) {
  const auto error = [](std::string_view text, std::string_view unit) {
    const auto value = ParseWithUnit(text, unit);
    return value.ok() ? std::string("accepted") : std::string(value.status().message());
  };
  EXPECT_DOUBLE_EQ(ParseWithUnit("0.6us/KB", "us/KB").value(), 0.6);
  EXPECT_DOUBLE_EQ(ParseWithUnit("50000/s", "/s").value(), 50000);
  EXPECT_DOUBLE_EQ(ParseWithUnit("0.95", "").value(), 0.95);
  EXPECT_DOUBLE_EQ(ParseWithUnit("0/s", "/s").value(), 0);
  EXPECT_THAT(error("0.6", "us/KB"), HasSubstr("has no unit: write 0.6us/KB"));
  EXPECT_THAT(error("0.6us", "us/KB"), HasSubstr("has a wrong unit: write 0.6us/KB"));
  EXPECT_THAT(error("5 /s", "/s"), HasSubstr("has a space between number and unit: write 5/s"));
  EXPECT_THAT(error("95%", ""), HasSubstr("has a unit where none is due: write 95"));
  EXPECT_THAT(error("-1/s", "/s"), HasSubstr("is negative"));
  EXPECT_THAT(error("", "/s"), HasSubstr("is no number with its unit: write 5/s or 0.5/s"));
  EXPECT_THAT(error("1e9/s", "/s"), HasSubstr("has a wrong unit"));
  EXPECT_THAT(error("1.2.3", ""), HasSubstr("is no number: write 5 or 0.5"));
}

}  // namespace
}  // namespace tutti
