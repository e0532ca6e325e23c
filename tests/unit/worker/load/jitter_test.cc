#include "worker/load/jitter.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace tutti::load {
namespace {

TEST(Jitter, NeedsTwoDatagrams) {
  Jitter jitter;
  EXPECT_FALSE(jitter.ns());
  jitter.Add(1000);
  EXPECT_FALSE(jitter.ns());
  jitter.Add(1000);
  EXPECT_EQ(jitter.ns(), 0u);
}

// RFC 3550 6.4.1: J += (|D| - J) / 16. After one difference of 1600: 100; after another: 100 + 1500/16 =
// 193.75.
TEST(Jitter, FollowsTheFilterOfTheRfc) {
  Jitter jitter;
  jitter.Add(0);
  jitter.Add(1600);
  EXPECT_EQ(jitter.ns(), 100u);
  jitter.Add(0);
  EXPECT_EQ(jitter.ns(), 193u);
}

TEST(Jitter, IsTheSameWhateverTheClocksOffset) {
  Jitter near, far;
  for (const int64_t transit : {500, 900, 100, 7000, 400, 400}) {
    near.Add(transit);
    far.Add(transit - 432'000'000'000'000);
  }
  EXPECT_EQ(near.ns(), far.ns());
}

TEST(Jitter, ConvergesToASteadyDifferenceAndBackToNearZero) {
  Jitter jitter;
  for (int i = 0; i < 1000; ++i) jitter.Add(i % 2 == 0 ? 0 : 50'000);
  EXPECT_NEAR(static_cast<double>(*jitter.ns()), 50'000, 10);
  for (int i = 0; i < 1000; ++i) jitter.Add(0);
  EXPECT_LT(*jitter.ns(), 10u);
}

TEST(Jitter, DatagramsThatCameTogetherCountAsIfOneByOne) {
  Jitter together, one_by_one;
  const std::vector<std::pair<int64_t, uint32_t>> calls = {{500, 3},  {90'000, 44}, {100, 1}, {100, 44},
                                                           {7000, 2}, {-400, 700},  {60, 1}};
  for (const auto& [transit_ns, datagrams] : calls) {
    together.Add(transit_ns, datagrams);
    for (uint32_t i = 0; i < datagrams; ++i) one_by_one.Add(transit_ns);
    EXPECT_EQ(together.ns(), one_by_one.ns()) << transit_ns;
  }
}

}  // namespace
}  // namespace tutti::load
