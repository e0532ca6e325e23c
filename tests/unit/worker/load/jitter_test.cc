#include "worker/load/jitter.h"

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

}  // namespace
}  // namespace tutti::load
