#include "worker/load/pacer.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/worker/load/two_ends.h"

namespace tutti::load {
namespace {

constexpr int64_t kS = 1'000 * kMs;

TEST(Pacer, SpacesMessagesByTheRate) {
  Pacer pacer(8'000'000, 1000);  // 1000 messages a second
  EXPECT_EQ(pacer.NextDueNs(0), 0);
  pacer.Sent();
  EXPECT_EQ(pacer.NextDueNs(0), 1 * kMs);
  pacer.Sent();
  EXPECT_EQ(pacer.NextDueNs(1 * kMs), 2 * kMs);
}

// 3 bit/s with messages of 1 byte: 8/3 s apart, which no whole number of ns is.
TEST(Pacer, DoesNotDriftWhereTheGapIsNotWhole) {
  Pacer pacer(3, 1);
  int64_t due_ns = 0;
  for (int i = 0; i < 3'000'000; ++i) {
    due_ns = pacer.NextDueNs(due_ns);
    pacer.Sent();
  }
  EXPECT_EQ(pacer.NextDueNs(due_ns), 8'000'000 * kS);
}

TEST(Pacer, MakesUpForAHoldUpOfTenMillisecondsButNotMore) {
  Pacer pacer(8'000'000, 1000);
  pacer.Sent();
  EXPECT_EQ(pacer.NextDueNs(11 * kMs), 1 * kMs);  // exactly 10 ms behind: all of it is made up for
  EXPECT_EQ(pacer.NextDueNs(500 * kMs), 490 * kMs);
  int burst = 0;
  while (pacer.NextDueNs(500 * kMs) <= 500 * kMs) {
    pacer.Sent();
    ++burst;
  }
  EXPECT_EQ(burst, 11);  // due at 490, 491, ..., 500 ms
}

TEST(Pacer, OnAverageKeepsTheRateWithUnevenSleeps) {
  Pacer pacer(100'000'000, 1472);
  uint64_t messages = 0;
  int64_t now_ns = 0;
  int64_t jitter_ns = 0;
  while (now_ns < 10 * kS) {
    const int64_t due_ns = pacer.NextDueNs(now_ns);
    if (due_ns > now_ns) {
      jitter_ns = (jitter_ns * 31 + 977) % (9 * kMs);  // the sleep ends this much too late, under 10 ms
      now_ns = due_ns + jitter_ns;
      continue;
    }
    pacer.Sent();
    ++messages;
  }
  const double want = 10 * 100e6 / 8 / 1472;
  EXPECT_NEAR(static_cast<double>(messages), want, 100);
}

TEST(Pacer, TheHugestMessageAtTheLowestRateDoesNotOverflow) {
  Pacer pacer(1, uint64_t{1} << 62);
  pacer.Sent();
  EXPECT_GT(pacer.NextDueNs(0), 1'000'000 * kS);
}

TEST(RunningMessages, IsTheHundredthWithoutARate) { EXPECT_EQ(RunningMessages(0, 1472), 100u); }

TEST(RunningMessages, IsTenMillisecondsOfTheRateAndAtLeastOne) {
  EXPECT_EQ(RunningMessages(80'000'000, 1000), 100u);  // 800,000 bit in 10 ms
  EXPECT_EQ(RunningMessages(80'000'100, 1000), 101u);  // a little more needs one more message
  EXPECT_EQ(RunningMessages(1'000'000, 1472), 1u);     // 10,000 bit, a message has 11,776
  EXPECT_EQ(RunningMessages(50, 1472), 1u);
}

TEST(LowRateWarning, NamesAMessageThatTakesLongerThanTheWindow) {
  // 1472 B are 11776 bits.
  EXPECT_EQ(
      LowRateWarning(1, 1472, 2'000'000'000),
      "1 message of 1472B takes 11776s at 1bps: longer than the window of 2s; raise the rate or shorten "
      "message_size");
}

TEST(LowRateWarning, IsSilentWhereEachWindowHasAMessage) {
  EXPECT_EQ(LowRateWarning(5888, 1472, 2'000'000'000), "");  // exactly one a window
  EXPECT_NE(LowRateWarning(5887, 1472, 2'000'000'000), "");
  EXPECT_EQ(LowRateWarning(UINT64_MAX, 1, INT64_MAX), "");
  EXPECT_NE(LowRateWarning(1, 1 << 30, 1'000'000'000), "");
}

TEST(LowRateWarning, IsInTheReportOfTheSender) {
  StreamConfig config = End(1, Side::kSend, Protocol::kNull, 1472);
  config.rate_bps = 1;
  const auto trial = LoadTrial::Prepare({config}, kShort, SystemClock::Get());
  ASSERT_TRUE(trial.ok()) << trial.status();
  EXPECT_THAT(
      (*trial)->Report().streams[0].warnings,
      ::testing::ElementsAre(::testing::HasSubstr("takes 11776s at 1bps: longer than the window of 110ms")));
}

}  // namespace
}  // namespace tutti::load
