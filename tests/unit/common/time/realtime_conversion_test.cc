#include "common/time/realtime_conversion.h"

#include <gtest/gtest.h>
#include <time.h>

#include <cstdlib>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "tests/nanoseconds.h"

namespace tutti {
namespace {

constexpr int64_t kYear = 365 * 86'400 * kSecond;

// Both clocks of one host, set by the test. A bracket takes `width_ns`; REALTIME is read `lag_ns` into it.
class FakeHost final : public BracketReader {
 public:
  explicit FakeHost(int64_t monotonic_ns, int64_t realtime_minus_monotonic_ns)
      : monotonic_ns_(monotonic_ns), difference_ns_(realtime_minus_monotonic_ns) {}

  ClockBracket Read() const override {
    const ClockBracket bracket{
        {monotonic_ns_}, monotonic_ns_ + lag_ns + difference_ns_, {monotonic_ns_ + width_ns}};
    monotonic_ns_ += width_ns;
    return bracket;
  }
  HostTime Now() const { return {monotonic_ns_}; }
  KernelStamp Stamp() const { return KernelStamp::FromRealtimeNs(monotonic_ns_ + difference_ns_); }
  void Pass(int64_t ns) { monotonic_ns_ += ns; }
  void StepRealtime(int64_t ns) { difference_ns_ += ns; }

  int64_t width_ns = 80;
  int64_t lag_ns = 40;

 private:
  mutable int64_t monotonic_ns_;  // reading takes time
  int64_t difference_ns_;
};

std::optional<BoundedHostTime> ConfirmAndConvert(RealtimeConversion& conversion, KernelStamp stamp) {
  conversion.Confirm();
  return conversion.Convert(stamp);
}

TEST(KernelStampTest, IsTheSameFromATimespecAndFromNanoseconds) {
  EXPECT_EQ(KernelStamp(timespec{1'700'000'000, 5}), KernelStamp::FromRealtimeNs(1'700'000'000'000'000'005));
  EXPECT_FALSE(KernelStamp(timespec{1, 5}) == KernelStamp(timespec{1, 6}));
}

TEST(RealtimeConversionTest, AStampBecomesTheHostsOwnInstantWhateverItsWallClockSays) {
  for (const int64_t difference_ns : {int64_t{0}, 55 * kYear, -3 * kYear}) {
    FakeHost host(7 * kSecond, difference_ns);
    RealtimeConversion conversion(host);
    conversion.Observe();
    host.Pass(20 * kUs);
    const HostTime taken = host.Now();
    const KernelStamp stamp = host.Stamp();
    host.Pass(30 * kUs);
    const auto converted = ConfirmAndConvert(conversion, stamp);
    ASSERT_TRUE(converted.has_value()) << difference_ns;
    EXPECT_LE(std::llabs(converted->time - taken), 1);
    EXPECT_GE(converted->bound_ns, 40);  // half a bracket
    EXPECT_LE(converted->bound_ns, 43);
  }
}

TEST(RealtimeConversionTest, BracketsTogetherBoundCloserThanEachAlone) {
  FakeHost host(0, kYear);
  RealtimeConversion conversion(host);
  host.lag_ns = 5;  // REALTIME read at the bracket's very begin: the difference is at its upper end
  conversion.Observe();
  host.lag_ns = 75;
  conversion.Observe();
  const HostTime taken = host.Now();
  const KernelStamp stamp = host.Stamp();
  const auto converted = ConfirmAndConvert(conversion, stamp);
  ASSERT_TRUE(converted.has_value());
  EXPECT_LE(converted->bound_ns, 8);
  EXPECT_LE(std::llabs(converted->time - taken), converted->bound_ns);
}

TEST(RealtimeConversionTest, ABracketThatWasInterruptedDoesNotSpoilTheOthers) {
  FakeHost host(0, kYear);
  RealtimeConversion conversion(host);
  conversion.Observe();
  const HostTime taken = host.Now();
  const KernelStamp stamp = host.Stamp();
  host.width_ns = 4 * kMs;  // the thread lost its CPU in the middle
  host.lag_ns = 3 * kMs;
  const auto converted = ConfirmAndConvert(conversion, stamp);
  ASSERT_TRUE(converted.has_value());
  EXPECT_LE(converted->bound_ns, 43);
  EXPECT_LE(std::llabs(converted->time - taken), converted->bound_ns);
}

TEST(RealtimeConversionTest, NothingIsConvertedBeforeTheFirstObserve) {
  FakeHost host(kSecond, kYear);
  RealtimeConversion conversion(host);
  const KernelStamp stamp = host.Stamp();
  host.Pass(kUs);
  EXPECT_FALSE(ConfirmAndConvert(conversion, stamp).has_value());
}

TEST(RealtimeConversionTest, AStepBetweenTheBracketsDropsTheStamp) {
  for (const int64_t step_ns : {-kYear, -kMs, kUs, 37 * kSecond}) {
    FakeHost host(kSecond, 3 * kYear);
    RealtimeConversion conversion(host);
    conversion.Observe();
    host.Pass(5 * kUs);
    const KernelStamp stamp = host.Stamp();
    host.StepRealtime(step_ns);
    host.Pass(5 * kUs);
    EXPECT_FALSE(ConfirmAndConvert(conversion, stamp).has_value()) << step_ns;
    EXPECT_EQ(conversion.steps(), 1U);

    // The wall clock may go on from where it is.
    host.Pass(kSecond);
    conversion.Observe();
    host.Pass(5 * kUs);
    const HostTime taken = host.Now();
    const KernelStamp next = host.Stamp();
    host.Pass(5 * kUs);
    const auto converted = ConfirmAndConvert(conversion, next);
    ASSERT_TRUE(converted.has_value()) << step_ns;
    EXPECT_LE(std::llabs(converted->time - taken), converted->bound_ns);
    EXPECT_EQ(conversion.steps(), 1U);
  }
}

TEST(RealtimeConversionTest, OneConfirmIsEnoughForEverythingThatWasStampedBeforeIt) {
  FakeHost host(kSecond, 3 * kYear);
  RealtimeConversion conversion(host);
  conversion.Observe();
  std::vector<std::pair<HostTime, KernelStamp>> stamps;
  for (int i = 0; i < 20; ++i) {
    host.Pass(50 * kUs);
    stamps.emplace_back(host.Now(), host.Stamp());
  }
  EXPECT_FALSE(conversion.Convert(stamps.back().second).has_value());  // later than any bracket
  host.Pass(kUs);
  conversion.Confirm();
  for (const auto& [taken, stamp] : stamps) {
    const auto converted = conversion.Convert(stamp);
    ASSERT_TRUE(converted.has_value());
    EXPECT_LE(std::llabs(converted->time - taken), converted->bound_ns);
  }
  // One step in between spoils them all.
  host.StepRealtime(kSecond);
  conversion.Confirm();
  for (const auto& [taken, stamp] : stamps) EXPECT_FALSE(conversion.Convert(stamp).has_value());
}

TEST(RealtimeConversionTest, AStepSeenByObserveIsCountedToo) {
  FakeHost host(kSecond, kYear);
  RealtimeConversion conversion(host);
  conversion.Observe();
  host.StepRealtime(kSecond);
  conversion.Observe();
  host.StepRealtime(-kSecond);
  conversion.Observe();
  EXPECT_EQ(conversion.steps(), 2U);
}

TEST(RealtimeConversionTest, AStampThatWaitedInTheQueueAcrossAStepIsDropped) {
  FakeHost host(kSecond, kYear);
  RealtimeConversion conversion(host);
  conversion.Observe();
  host.Pass(30 * kUs);
  const KernelStamp first = host.Stamp();
  const KernelStamp second = host.Stamp();
  host.Pass(10 * kUs);
  host.StepRealtime(-50 * kUs);  // so that `second` would seem to have been taken after the step
  host.Pass(5 * kUs);
  EXPECT_FALSE(ConfirmAndConvert(conversion, first).has_value());
  host.Pass(50 * kUs);
  EXPECT_FALSE(ConfirmAndConvert(conversion, second).has_value());
  conversion.Observe();
  EXPECT_FALSE(ConfirmAndConvert(conversion, second).has_value());
}

TEST(RealtimeConversionTest, InstantsBeforeTheLastObserveOrInTheFutureAreDropped) {
  FakeHost host(100 * kSecond, kYear);
  RealtimeConversion conversion(host);
  conversion.Observe();
  const KernelStamp old = host.Stamp();
  host.Pass(RealtimeConversion::kSlackNs / 2);
  const KernelStamp queued = host.Stamp();
  host.Pass(RealtimeConversion::kSlackNs - kUs);
  conversion.Observe();
  EXPECT_TRUE(ConfirmAndConvert(conversion, queued).has_value());  // waited for less than the slack
  EXPECT_FALSE(ConfirmAndConvert(conversion, old).has_value());
  host.Pass(kSecond);
  const KernelStamp future = host.Stamp();
  host.Pass(-kSecond);
  EXPECT_FALSE(ConfirmAndConvert(conversion, future).has_value());
}

TEST(RealtimeConversionTest, ATinyDriftIsForgottenAndNotTakenForAStep) {
  FakeHost host(0, kYear);
  host.width_ns = 200;
  host.lag_ns = 100;
  RealtimeConversion conversion(host);
  for (int i = 0; i < 10'000; ++i) {
    host.StepRealtime(1);
    conversion.Observe();
    host.Pass(kMs);
  }
  EXPECT_EQ(conversion.steps(), 0U);
  const HostTime taken = host.Now();
  const KernelStamp stamp = host.Stamp();
  const auto converted = ConfirmAndConvert(conversion, stamp);
  ASSERT_TRUE(converted.has_value());
  EXPECT_LE(std::llabs(converted->time - taken), 64);  // the brackets that are remembered
}

TEST(RealtimeConversionTest, EveryConvertedInstantLiesInsideItsBoundThroughAllSteps) {
  std::mt19937_64 random(5);
  const auto below = [&](int64_t ns) { return static_cast<int64_t>(random() % static_cast<uint64_t>(ns)); };
  int converted = 0;
  int dropped = 0;
  for (int history = 0; history < 2'000; ++history) {
    FakeHost host(below(kYear), below(60 * kYear) - 5 * kYear);
    RealtimeConversion conversion(host);
    for (int i = 0; i < 60; ++i) {
      host.width_ns = random() % 20 == 0 ? 1 + below(kMs) : 30 + below(200);
      host.lag_ns = below(host.width_ns + 1);
      if (random() % 3 == 0) conversion.Observe();
      host.Pass(below(200 * kUs));
      const HostTime taken = host.Now();
      const KernelStamp stamp = host.Stamp();
      host.Pass(below(200 * kUs));
      if (random() % 15 == 0) {
        // Wider than any bracket; the short ones may place a stamp where it could have been.
        const int64_t size_ns = 2 * kMs + (random() % 2 == 0 ? below(5 * kMs) : below(kYear));
        host.StepRealtime(random() % 2 == 0 ? size_ns : -size_ns);
      }
      host.Pass(below(10 * kUs));
      const auto instant = ConfirmAndConvert(conversion, stamp);
      ++(instant.has_value() ? converted : dropped);
      if (!instant.has_value()) continue;
      ASSERT_LE(std::llabs(instant->time - taken), instant->bound_ns) << history << " " << i;
    }
  }
  EXPECT_GT(converted, 50'000);
  EXPECT_GT(dropped, 2'000);
}

TEST(RealtimeConversionTest, TheSystemsOwnClocksConvertToWithinAFewMicroseconds) {
  RealtimeConversion conversion(SystemBracketReader::Get());
  conversion.Observe();
  const int64_t before_ns = SystemClock::Get().Now().ns;
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  const int64_t after_ns = SystemClock::Get().Now().ns;
  const auto converted = ConfirmAndConvert(conversion, KernelStamp(now));
  if (conversion.steps() > 0) GTEST_SKIP() << "someone set the clock";
  ASSERT_TRUE(converted.has_value());
  EXPECT_GE(converted->time.ns + converted->bound_ns, before_ns);
  EXPECT_LE(converted->time.ns - converted->bound_ns, after_ns);
}

}  // namespace
}  // namespace tutti
