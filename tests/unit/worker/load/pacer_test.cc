#include "worker/load/pacer.h"

#include <algorithm>
#include <vector>

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

// 1000 messages a second; the thread is away from 20 to 25.5 ms.
TEST(Pacer, WithoutCatchUpSendsOnlyTheNewestOfWhatWasMissed) {
  Pacer pacer(8'000'000, 1000, {.catch_up_ns = 0});
  for (int i = 0; i < 20; ++i) pacer.Sent();
  EXPECT_EQ(pacer.NextDueNs(25'500'000), 25 * kMs);  // those of 20 to 24 ms are given up
  pacer.Sent();
  EXPECT_EQ(pacer.NextDueNs(25'500'000), 26 * kMs);  // the schedule has not moved
}

TEST(Pacer, WithoutCatchUpAWaitThatEndsLateCostsNothingOfTheRate) {
  Pacer pacer(8'000'000, 1000, {.catch_up_ns = 0});
  int64_t now_ns = 0;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(pacer.NextDueNs(now_ns), i * kMs);
    now_ns = i * kMs + 900'000;
    pacer.Sent();
  }
}

// 3 bit/s with messages of 1 byte: 8/3 s apart. 300 messages are given up at once, exactly 800 s of them.
TEST(Pacer, GivesUpWholeMessagesWithoutDrift) {
  Pacer pacer(3, 1, {.catch_up_ns = 0});
  EXPECT_EQ(pacer.NextDueNs(800 * kS), 800 * kS);
  for (int i = 0; i < 3; ++i) pacer.Sent();
  EXPECT_EQ(pacer.NextDueNs(0), 808 * kS);
}

TEST(Pacer, BurstsKeepTheAverageRate) {
  Pacer pacer(8'000'000, 1000, {.burst = 4});
  std::vector<int64_t> due_ns;
  int64_t now_ns = 0;
  for (int i = 0; i < 9; ++i) {
    now_ns = std::max(now_ns, pacer.NextDueNs(now_ns));
    due_ns.push_back(now_ns);
    pacer.Sent();
  }
  EXPECT_THAT(due_ns, ::testing::ElementsAre(0, 0, 0, 0, 4 * kMs, 4 * kMs, 4 * kMs, 4 * kMs, 8 * kMs));
}

TEST(Pacer, ABurstThatHasBegunIsFinishedHoweverLate) {
  Pacer pacer(8'000'000, 1000, {.catch_up_ns = 0, .burst = 4});
  pacer.Sent(2);
  EXPECT_EQ(pacer.Due(100 * kMs, 2), 2u);
  pacer.Sent(2);
  EXPECT_EQ(pacer.NextDueNs(101 * kMs), 100 * kMs);
}

TEST(Pacer, ABatchHoldsNoMoreThanWhatIsDue) {
  Pacer pacer(8'000'000, 1000);
  EXPECT_EQ(pacer.Due(0, 64), 1u);
  EXPECT_EQ(pacer.Due(2'999'999, 64), 3u);  // 0, 1 and 2 ms
  EXPECT_EQ(pacer.Due(3 * kMs, 64), 4u);
  EXPECT_EQ(pacer.Due(3 * kMs, 2), 2u);
  pacer.Sent(4);
  EXPECT_EQ(pacer.Due(3 * kMs, 64), 0u);
  EXPECT_EQ(pacer.NextDueNs(3 * kMs), 4 * kMs);
}

TEST(Pacer, ABatchMayHoldSeveralBursts) {
  Pacer pacer(8'000'000, 1000, {.burst = 4});
  EXPECT_EQ(pacer.Due(0, 64), 4u);
  pacer.Sent(1);
  EXPECT_EQ(pacer.Due(0, 64), 3u);
  EXPECT_EQ(pacer.Due(8 * kMs, 64), 11u);  // those of 0, 4 and 8 ms, less one
  pacer.Sent(11);
  EXPECT_EQ(pacer.Due(8 * kMs, 64), 0u);
  EXPECT_EQ(pacer.NextDueNs(8 * kMs), 12 * kMs);
}

// Whatever lateness the waits end with, as long as it stays below what is made up for.
void ExpectEverySecondWithinOnePercent(uint64_t rate_bps, uint64_t size_bytes, uint32_t most,
                                       const Pacing& pacing) {
  Pacer pacer(rate_bps, size_bytes, pacing);
  std::vector<double> per_second(5);
  int64_t now_ns = 0;
  int64_t late_ns = 0;
  while (now_ns < 5 * kS) {
    if (const uint32_t due = pacer.Due(now_ns, most); due > 0) {
      per_second[static_cast<size_t>(now_ns / kS)] += due;
      pacer.Sent(due);
      continue;
    }
    late_ns = (late_ns * 31 + 977) % (200'000);
    now_ns = pacer.NextDueNs(now_ns) + late_ns;
  }
  const double want = static_cast<double>(rate_bps) / 8 / static_cast<double>(size_bytes);
  for (const double messages : per_second) {
    EXPECT_NEAR(messages, want, std::max(want / 100, 1.0 * pacing.burst)) << rate_bps;
  }
}

TEST(Pacer, EverySecondIsWithinOnePercentOrOneBurstFrom1MbpsTo10Gbps) {
  for (const uint64_t rate_bps :
       {uint64_t{1'000'000}, uint64_t{100'000'000}, uint64_t{1'000'000'000}, uint64_t{10'000'000'000}}) {
    ExpectEverySecondWithinOnePercent(rate_bps, 1472, 1, {});
    ExpectEverySecondWithinOnePercent(rate_bps, 1472, 64, {});
    ExpectEverySecondWithinOnePercent(rate_bps, 1472, 44, {.burst = 44});
    ExpectEverySecondWithinOnePercent(rate_bps, 131'072, 1, {});
  }
}

TEST(Pacer, TellsHowLateTheWorstBurstOfTheWindowWas) {
  Pacer pacer(8'000'000, 1000);
  pacer.Watch(WindowGrid({.warmup_ns = 100 * kMs, .measure_ns = 100 * kMs, .interval_ns = 100 * kMs}));
  pacer.NextDueNs(90 * kMs);  // 90 ms late, but in the warm-up; 80 of them are given up
  for (int i = 0; i < 21; ++i) pacer.Sent();
  EXPECT_EQ(pacer.NextDueNs(101 * kMs), 101 * kMs);
  pacer.Sent();
  EXPECT_EQ(pacer.NextDueNs(105 * kMs), 102 * kMs);  // 3 ms
  for (int i = 0; i < 100; ++i) pacer.Sent();
  pacer.NextDueNs(290 * kMs);  // due at 202 ms: after the window
  EXPECT_EQ(pacer.WorstBehindNs(300 * kMs), 3 * kMs);
}

TEST(Pacer, ABurstThatNeverBeganIsLateUntilTheWindowEnds) {
  Pacer pacer(8'000'000, 1000);
  pacer.Watch(WindowGrid({.warmup_ns = 0, .measure_ns = 100 * kMs, .interval_ns = 100 * kMs}));
  for (int i = 0; i < 60; ++i) pacer.Sent();
  EXPECT_EQ(pacer.WorstBehindNs(120 * kMs), 40 * kMs);
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
