#include "common/time/clock_estimator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "tests/nanoseconds.h"

namespace tutti {
namespace {

// A host whose clock is known exactly: host = offset + timeline x (1 + rate).
struct TrueHost {
  int64_t offset_ns = 0;
  double rate = 0;

  HostTime At(TimelineTime t) const {
    return {offset_ns + t.ns + static_cast<int64_t>(std::llround(static_cast<double>(t.ns) * rate))};
  }
};

ClockExchange Exchange(const TrueHost& host, int64_t sent_ns, int64_t forth_ns, int64_t inside_ns,
                       int64_t back_ns) {
  return {{sent_ns},
          host.At({sent_ns + forth_ns}),
          host.At({sent_ns + forth_ns + inside_ns}),
          {sent_ns + forth_ns + inside_ns + back_ns}};
}

int64_t ErrorAt(const ClockMapping& mapping, const TrueHost& host, TimelineTime t) {
  return std::llabs(mapping.Convert(host.At(t)) - t);
}

// `seconds` of one exchange per 200 ms from `begin_ns` on, `delay_ns` each way.
void Feed(FeasibleLineEstimator& estimator, const TrueHost& host, int64_t begin_ns, int64_t seconds,
          int64_t delay_ns) {
  for (int64_t t = begin_ns; t < begin_ns + seconds * kSecond; t += 200 * kMs) {
    estimator.Add(Exchange(host, t, delay_ns, 500, delay_ns));
  }
}

TEST(FeasibleLineEstimatorTest, KnowsNothingBeforeTheFirstExchange) {
  const FeasibleLineEstimator estimator;
  EXPECT_FALSE(estimator.At({0}).has_value());
  EXPECT_FALSE(estimator.best_round_trip_ns().has_value());
}

TEST(FeasibleLineEstimatorTest, ASymmetricExchangeGivesTheExactOffset) {
  const TrueHost host{.offset_ns = -7'000'000'000'000};
  FeasibleLineEstimator estimator;
  estimator.Add(Exchange(host, 1 * kMs, 50 * kUs, 20 * kUs, 50 * kUs));
  const auto mapping = estimator.At({1 * kMs + 60 * kUs});  // the exchange's middle
  ASSERT_TRUE(mapping.has_value());
  EXPECT_EQ(mapping->reference_timeline().ns, 1 * kMs + 60 * kUs);
  EXPECT_LE(ErrorAt(*mapping, host, {1 * kMs + 60 * kUs}), 1);
  EXPECT_GE(mapping->bound_ns(), 50'000);  // half the path, whatever the symmetry was
  EXPECT_LE(mapping->bound_ns(), 50'150);
  EXPECT_EQ(*estimator.best_round_trip_ns(), 100'000);
}

TEST(FeasibleLineEstimatorTest, UncertaintyOfTheStampsWidensTheBound) {
  FeasibleLineEstimator estimator;
  ClockExchange exchange = Exchange({.offset_ns = 9}, 0, 10 * kUs, 0, 10 * kUs);
  exchange.uncertainty_ns = 300;
  estimator.Add(exchange);
  const int64_t bound_ns = estimator.At({10 * kUs})->bound_ns();
  EXPECT_GE(bound_ns, 10'300);
  EXPECT_LE(bound_ns, 10'330);
  EXPECT_EQ(*estimator.best_round_trip_ns(), 20'000);
}

TEST(FeasibleLineEstimatorTest, StampsThatOverlapWithinTheirUncertaintyAreTaken) {
  FeasibleLineEstimator estimator;
  // 100 ns longer inside the host than away from the coordinator: impossible, but for 150 ns of uncertainty.
  estimator.Add({{1'000}, {5'000}, {6'000}, {1'900}, 150});
  ASSERT_TRUE(estimator.At({1'450}).has_value());
  EXPECT_GE(estimator.At({1'450})->bound_ns(), 150);
  EXPECT_EQ(*estimator.best_round_trip_ns(), 0);
}

TEST(FeasibleLineEstimatorTest, TheFastestExchangeDecides) {
  const TrueHost host{.offset_ns = 123'456'789};
  FeasibleLineEstimator estimator;
  estimator.Add(Exchange(host, 0, 900 * kUs, 0, 100 * kUs));
  estimator.Add(Exchange(host, 10 * kMs, 10 * kUs, 0, 10 * kUs));
  estimator.Add(Exchange(host, 20 * kMs, 5 * kMs, 0, 0));
  const auto mapping = estimator.At({25 * kMs});
  ASSERT_TRUE(mapping.has_value());
  // 15 ms after the fastest, at 500 ppm.
  EXPECT_LE(mapping->bound_ns(), 10'000 + 7'520 + 100);
  EXPECT_LE(ErrorAt(*mapping, host, {25 * kMs}), mapping->bound_ns());
  EXPECT_EQ(*estimator.best_round_trip_ns(), 20'000);
}

TEST(FeasibleLineEstimatorTest, ExchangesDelayedOnOppositeWaysBoundEachOther) {
  const TrueHost host{.offset_ns = 3 * kDay};
  FeasibleLineEstimator estimator({.window_ns = 16 * kMs, .slot_ns = 500 * kUs});
  estimator.Add(Exchange(host, 0, 400 * kUs, 0, 0));        // timeline - host lies in [0, 400 us] + true
  estimator.Add(Exchange(host, 1 * kMs, 0, 0, 400 * kUs));  // ... in [-400 us, 0]
  const auto mapping = estimator.At({1 * kMs + 200 * kUs});
  ASSERT_TRUE(mapping.has_value());
  // Each alone leaves 200 us; together only what the clock may drift in the 1 ms between them.
  EXPECT_LE(mapping->bound_ns(), 600);
  EXPECT_LE(ErrorAt(*mapping, host, {1 * kMs + 200 * kUs}), mapping->bound_ns());
}

TEST(FeasibleLineEstimatorTest, DriftIsMeasuredOverTheWindow) {
  const TrueHost host{.offset_ns = 5, .rate = 120e-6};
  FeasibleLineEstimator estimator;
  Feed(estimator, host, 0, 20, 20 * kUs);
  const auto mapping = estimator.At({20 * kSecond});
  ASSERT_TRUE(mapping.has_value());
  // The host gains 120 ppm, so the timeline loses that against it.
  EXPECT_NEAR(mapping->drift(), -120e-6 / (1 + 120e-6), 1e-9);
  // Two delays of 20 us over 15.5 s, the wander of both ends' difference, and the wander to come.
  EXPECT_LE(mapping->drift_bound(), 2 * 20e-6 / 15.5 + 2.1e-6);
}

TEST(FeasibleLineEstimatorTest, TwoSecondsOfOneMicrosecondDelaysBoundTheOffsetByThree) {
  for (const double rate : {0.0, 480e-6, -480e-6}) {
    const TrueHost host{.offset_ns = -200 * kDay, .rate = rate};
    FeasibleLineEstimator estimator;
    Feed(estimator, host, 0, 2, 1 * kUs);
    // Just before the next exchange.
    const auto mapping = estimator.At({2 * kSecond});
    ASSERT_TRUE(mapping.has_value());
    EXPECT_LE(ErrorAt(*mapping, host, {2 * kSecond}), 10) << rate;
    EXPECT_LT(mapping->bound_ns(), 3'000) << rate;
  }
}

TEST(FeasibleLineEstimatorTest, LateExchangesCountAtTheirOwnInstant) {
  const TrueHost host{.offset_ns = kDay, .rate = 50e-6};
  FeasibleLineEstimator late;
  // A fast exchange becomes known only after the next, slow one: so it is where the kernel's stamp of a reply
  // travels with the reply after it.
  for (int64_t t = 0; t < 2 * kSecond; t += 200 * kMs) {
    late.Add(Exchange(host, t + 200 * kMs, 100 * kUs, 0, 150 * kUs));
    late.Add(Exchange(host, t, 1 * kUs, 500, 1 * kUs));
  }
  const auto mapping = late.At({2 * kSecond});
  ASSERT_TRUE(mapping.has_value());
  EXPECT_LT(mapping->bound_ns(), 3'000);
  EXPECT_LE(ErrorAt(*mapping, host, {2 * kSecond}), mapping->bound_ns());
  EXPECT_EQ(late.restarts(), 0U);
}

TEST(FeasibleLineEstimatorTest, ExchangesThatContradictThemselvesAreDropped) {
  FeasibleLineEstimator estimator;
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  estimator.Add({{100}, {50}, {40}, {200}});         // the reply left before the probe came
  estimator.Add({{200}, {50}, {60}, {100}});         // the reply came before the probe left
  estimator.Add({{0}, {0}, {1'000'000}, {10'000}});  // longer inside the host than away
  estimator.Add({{0}, {kMin}, {kMax}, {100}});
  estimator.Add({{kMin}, {kMin}, {kMin}, {kMax}});
  estimator.Add({{0}, {kMax - 1}, {kMax}, {100}});
  estimator.Add({{0}, {5}, {5}, {100}, -1});
  estimator.Add({{0}, {5}, {5}, {100}, kMax});
  EXPECT_FALSE(estimator.At({300}).has_value());
  EXPECT_EQ(estimator.restarts(), 0U);
}

TEST(FeasibleLineEstimatorTest, ResetForgetsTheFormerIncarnation) {
  FeasibleLineEstimator estimator;
  estimator.Add(Exchange({.offset_ns = 1}, 0, 10, 0, 10));
  estimator.Add(Exchange({.offset_ns = kSecond}, kMs, 10, 0, 10));
  EXPECT_EQ(estimator.restarts(), 1U);
  estimator.Reset();
  EXPECT_FALSE(estimator.At({2 * kMs}).has_value());
  EXPECT_EQ(estimator.restarts(), 0U);
  estimator.Add(Exchange({.offset_ns = kDay}, 3 * kMs, 10, 0, 10));
  EXPECT_EQ(estimator.restarts(), 0U);
}

TEST(FeasibleLineEstimatorTest, TheBoundWidensWhileNoExchangeArrives) {
  FeasibleLineEstimator estimator;
  estimator.Add(Exchange({.offset_ns = 1}, 0, 10 * kUs, 0, 10 * kUs));
  const int64_t fresh_ns = estimator.At({20 * kUs})->bound_ns();
  const int64_t old_ns = estimator.At({10 * kSecond})->bound_ns();
  // 500 ppm of drift that nobody has measured and 1 ppm of wander.
  EXPECT_NEAR(static_cast<double>(old_ns - fresh_ns), 10e9 * 501e-6, 10e9 * 2e-6);
}

TEST(FeasibleLineEstimatorTest, AStepDropsTheHistoryAndCounts) {
  TrueHost host{.offset_ns = kDay, .rate = 30e-6};
  FeasibleLineEstimator estimator;
  Feed(estimator, host, 0, 4, 5 * kUs);
  EXPECT_EQ(estimator.restarts(), 0U);
  EXPECT_LT(estimator.At({4 * kSecond})->drift_bound(), 6e-6);

  host.offset_ns -= 40 * kUs;
  estimator.Add(Exchange(host, 4 * kSecond, 5 * kUs, 500, 5 * kUs));
  EXPECT_EQ(estimator.restarts(), 1U);
  const TimelineTime now{4 * kSecond + 5'250};
  const auto mapping = estimator.At(now);
  EXPECT_LE(ErrorAt(*mapping, host, now), mapping->bound_ns());
  EXPECT_LE(mapping->bound_ns(), 5'100);
  EXPECT_GE(mapping->drift_bound(), 500e-6);  // all to be learned again

  Feed(estimator, host, 4 * kSecond + 200 * kMs, 4, 5 * kUs);
  EXPECT_EQ(estimator.restarts(), 1U);
  EXPECT_LT(estimator.At({8 * kSecond})->drift_bound(), 6e-6);
}

TEST(FeasibleLineEstimatorTest, LateExchangesFromBeforeAStepAreNotTaken) {
  const TrueHost before{.offset_ns = kDay};
  const TrueHost after{.offset_ns = kDay + 30 * kUs};
  FeasibleLineEstimator estimator;
  Feed(estimator, before, 0, 4, 1 * kUs);
  // Slow, but it cannot be explained without a step.
  estimator.Add(Exchange(after, 4 * kSecond, 10 * kUs, 0, 2 * kUs));
  ASSERT_EQ(estimator.restarts(), 1U);
  // With unknown drift this fits the new history well: 30 us in 200 ms are 150 ppm.
  estimator.Add(Exchange(before, 4 * kSecond - 200 * kMs, 1 * kUs, 0, 1 * kUs));
  const auto mapping = estimator.At({4 * kSecond + 20 * kUs});
  EXPECT_LE(ErrorAt(*mapping, after, {4 * kSecond + 20 * kUs}), mapping->bound_ns());
  EXPECT_NEAR(mapping->drift(), 0, mapping->drift_bound());
  EXPECT_EQ(estimator.restarts(), 1U);
}

TEST(FeasibleLineEstimatorTest, AContradictionByALateExchangeStartsFromTheNewest) {
  const TrueHost before{.offset_ns = kDay};
  const TrueHost after{.offset_ns = kDay + 300 * kUs};
  FeasibleLineEstimator estimator;
  Feed(estimator, before, 0, 4, 1 * kUs);
  // Slow on the way back: the step can hide in it.
  estimator.Add(Exchange(after, 4 * kSecond, 100 * kUs, 0, 900 * kUs));
  EXPECT_EQ(estimator.restarts(), 0U);
  // A fast one from just before the slow one's middle shows it.
  estimator.Add(Exchange(after, 4 * kSecond + 10 * kUs, 1 * kUs, 0, 1 * kUs));
  EXPECT_EQ(estimator.restarts(), 1U);
  const TimelineTime now{4 * kSecond + kMs};
  const auto mapping = estimator.At(now);
  EXPECT_LE(ErrorAt(*mapping, after, now), mapping->bound_ns());
}

TEST(FeasibleLineEstimatorTest, ASuspendOfHoursIsAStep) {
  TrueHost host{.offset_ns = 0};
  FeasibleLineEstimator estimator;
  Feed(estimator, host, 0, 4, 50 * kUs);
  host.offset_ns -= 3 * 3'600 * kSecond;  // the host's CLOCK_MONOTONIC stood still
  const int64_t woken_ns = 3 * 3'600 * kSecond + 5 * kSecond;
  estimator.Add(Exchange(host, woken_ns, 50 * kUs, 0, 50 * kUs));
  EXPECT_EQ(estimator.restarts(), 1U);
  EXPECT_LE(ErrorAt(*estimator.At({woken_ns + 50 * kUs}), host, {woken_ns + 50 * kUs}), 2);
}

TEST(FeasibleLineEstimatorTest, ExchangesOlderThanTheWindowAreForgotten) {
  const TrueHost host{.offset_ns = 77};
  FeasibleLineEstimator estimator;
  estimator.Add(Exchange(host, 0, 10, 0, 10));
  Feed(estimator, host, 17 * kSecond, 1, 40 * kUs);
  EXPECT_EQ(*estimator.best_round_trip_ns(), 80'000);
}

TEST(FeasibleLineEstimatorTest, ASlowChangeOfRateIsNotAStep) {
  // From -20 to +20 ppm in 400 s, 0.1 ppm each second: a machine that warms up.
  FeasibleLineEstimator estimator;
  const auto host_at = [](int64_t t) {
    const double s = static_cast<double>(t) / 1e9;
    return HostTime{kDay + t + std::llround((-20e-6 * s + 0.05e-6 * s * s) * 1e9)};
  };
  for (int64_t t = 0; t < 400 * kSecond; t += 200 * kMs) {
    estimator.Add({{t}, host_at(t + 2 * kUs), host_at(t + 2 * kUs), {t + 4 * kUs}});
    const TimelineTime later{t + 1'500 * kMs};
    const BoundedTimelineTime converted = estimator.At({t + 4 * kUs})->ToTimeline(host_at(later.ns));
    ASSERT_LE(std::llabs(converted.time - later), converted.bound_ns) << t;
  }
  EXPECT_EQ(estimator.restarts(), 0U);
}

}  // namespace
}  // namespace tutti
