#include "worker/load/requests_under_way.h"

#include <map>
#include <random>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tutti::load {
namespace {

TEST(RequestsUnderWay, AreFoundInAnyOrderOnce) {
  RequestsUnderWay requests(3);
  for (uint64_t sequence : {10, 11, 12}) requests.Add({sequence, static_cast<int64_t>(sequence) * 100, 0});
  EXPECT_TRUE(requests.full());
  EXPECT_EQ(requests.Take(11)->sent_ns, 1100);
  EXPECT_FALSE(requests.Take(11));
  EXPECT_FALSE(requests.Take(13));
  EXPECT_EQ(requests.Take(12)->sent_ns, 1200);
  EXPECT_EQ(requests.Take(10)->sent_ns, 1000);
  EXPECT_EQ(requests.size(), 0u);
  EXPECT_FALSE(requests.Take(10));
}

TEST(RequestsUnderWay, TheOldestIsGivenUpFirst) {
  RequestsUnderWay requests(2);
  requests.Add({1, 100, 0});
  requests.Add({2, 200, 0});
  EXPECT_FALSE(requests.TakeSentUntil(99));
  EXPECT_EQ(requests.TakeSentUntil(150)->sequence, 1u);
  EXPECT_FALSE(requests.TakeSentUntil(150));
  EXPECT_EQ(requests.TakeSentUntil(200)->sequence, 2u);
  EXPECT_FALSE(requests.TakeSentUntil(INT64_MAX));
}

TEST(RequestsUnderWay, AgreeWithAMapWhateverHappens) {
  std::mt19937 random(5);
  RequestsUnderWay requests(7);
  std::map<uint64_t, int64_t> expected;
  uint64_t next = 0;
  for (int64_t now_ns = 0; now_ns < 100'000; ++now_ns) {
    if (!requests.full() && random() % 2 == 0) {
      requests.Add({next, now_ns, 0});
      expected[next++] = now_ns;
    }
    const uint64_t sequence = next - std::min<uint64_t>(next, random() % 12);
    const auto taken = requests.Take(sequence);
    ASSERT_EQ(taken.has_value(), expected.erase(sequence) == 1);
    if (const auto expired = requests.TakeSentUntil(now_ns - 40)) {
      ASSERT_EQ(expired->sequence, expected.begin()->first);
      expected.erase(expected.begin());
    } else {
      ASSERT_TRUE(expected.empty() || expected.begin()->second > now_ns - 40);
    }
    ASSERT_EQ(requests.size(), expected.size());
  }
}

}  // namespace
}  // namespace tutti::load
