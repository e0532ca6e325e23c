#include "coordinator/store/number_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace tutti::store {
namespace {

constexpr uint64_t kLargest = std::numeric_limits<uint64_t>::max();

std::string Encoded(const std::vector<uint64_t>& numbers) {
  std::string bytes;
  AppendRun(numbers, bytes);
  return bytes;
}

void ExpectRoundTrip(const std::vector<uint64_t>& numbers) {
  const std::string bytes = Encoded(numbers);
  ByteReader reader(bytes);
  std::vector<uint64_t> read;
  ASSERT_TRUE(reader.ReadRun(numbers.size(), read));
  EXPECT_EQ(read, numbers);
  EXPECT_TRUE(reader.empty());
}

TEST(NumberRunTest, EveryRunComesBackAsItWas) {
  ExpectRoundTrip({});
  ExpectRoundTrip({0});
  ExpectRoundTrip({kLargest});
  ExpectRoundTrip({5, 5, 5, 5});
  ExpectRoundTrip({0, kLargest, 0, kLargest});
  // Differences of 2^63, which no int64_t has as a magnitude.
  ExpectRoundTrip({0, uint64_t{1} << 63, 0});
  ExpectRoundTrip({static_cast<uint64_t>(int64_t{-3}), 0, 3, static_cast<uint64_t>(int64_t{-6})});
}

TEST(NumberRunTest, RandomRunsComeBackAsTheyWere) {
  std::mt19937_64 random(20261130);
  for (int round = 0; round < 500; ++round) {
    const uint64_t factor = 1 + random() % 3000;
    const int shift = static_cast<int>(random() % 64);
    std::vector<uint64_t> numbers(random() % 50);
    for (uint64_t& number : numbers) number = (random() >> shift) * factor;
    ExpectRoundTrip(numbers);
  }
}

// By hand: zigzag(1000) = 2000 = 0xd0 0x0f as a varint; all differences are +-100, so the divisor is 100 and
// they are +1 and -1, in zigzag 2 and 1.
TEST(NumberRunTest, DifferencesAreDividedByWhatDividesThemAll) {
  EXPECT_EQ(Encoded({1000, 1100, 1000, 1100}), std::string("\xd0\x0f\x64\x02\x01\x02", 6));
}

TEST(NumberRunTest, NumbersThatAreAllAlikeTakeNoMoreThanOne) {
  EXPECT_EQ(Encoded(std::vector<uint64_t>(6000, 1472)).size(),
            3u);  // two bytes of zigzag(1472), the divisor 0
}

TEST(NumberRunTest, BytesThatEndTooEarlyAreNoRun) {
  const std::string bytes = Encoded({1, 1000, 5, 70000});
  std::vector<uint64_t> numbers;
  for (size_t size = 0; size < bytes.size(); ++size) {
    ByteReader reader(std::string_view(bytes).substr(0, size));
    EXPECT_FALSE(reader.ReadRun(4, numbers)) << size;
  }
  // A count far beyond what is there takes no memory first.
  ByteReader reader(bytes);
  EXPECT_FALSE(reader.ReadRun(size_t{1} << 60, numbers));
}

TEST(NumberRunTest, AVarintOfMoreThanTenBytesIsNone) {
  const std::string bytes(11, '\x80');
  ByteReader reader(bytes);
  uint64_t value = 0;
  EXPECT_FALSE(reader.ReadVarint(value));
}

}  // namespace
}  // namespace tutti::store
