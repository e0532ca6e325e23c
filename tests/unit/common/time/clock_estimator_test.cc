#include "common/time/clock_estimator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>

namespace tutti {
namespace {

// A host whose clock is known exactly: host = offset + timeline x (1 + rate).
struct TrueHost {
  int64_t offset_ns = 0;
  double rate = 0;

  HostTime At(TimelineTime t) const {
    return {offset_ns + t.ns + static_cast<int64_t>(std::llround(t.ns * rate))};
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

TEST(MinimumDelayEstimatorTest, KnowsNothingBeforeTheFirstExchange) {
  const MinimumDelayEstimator estimator;
  EXPECT_FALSE(estimator.At({0}).has_value());
  EXPECT_FALSE(estimator.best_round_trip_ns().has_value());
}

TEST(MinimumDelayEstimatorTest, ASymmetricExchangeGivesTheExactOffset) {
  const TrueHost host{.offset_ns = -7'000'000'000'000};
  MinimumDelayEstimator estimator;
  estimator.Add(Exchange(host, 1'000'000, 50'000, 20'000, 50'000));
  const auto mapping = estimator.At({1'120'000});
  ASSERT_TRUE(mapping.has_value());
  EXPECT_LE(ErrorAt(*mapping, host, {1'120'000}), 1);
  EXPECT_GE(mapping->bound_ns(), 50'000);  // half the path, whatever the symmetry was
  EXPECT_LE(mapping->bound_ns(), 50'100);
}

TEST(MinimumDelayEstimatorTest, TheFastestExchangeDecides) {
  const TrueHost host{.offset_ns = 123'456'789};
  MinimumDelayEstimator estimator;
  estimator.Add(Exchange(host, 0, 900'000, 0, 100'000));
  estimator.Add(Exchange(host, 10'000'000, 10'000, 0, 10'000));
  estimator.Add(Exchange(host, 20'000'000, 5'000'000, 0, 0));
  const auto mapping = estimator.At({25'000'000});
  ASSERT_TRUE(mapping.has_value());
  EXPECT_LE(ErrorAt(*mapping, host, {25'000'000}), 10'000);
  EXPECT_LE(*estimator.best_round_trip_ns(), 20'010);
}

TEST(MinimumDelayEstimatorTest, DriftIsMeasuredOverTheWindow) {
  const TrueHost host{.offset_ns = 5, .rate = 120e-6};
  MinimumDelayEstimator estimator;
  for (int i = 0; i < 200; ++i) estimator.Add(Exchange(host, i * 100'000'000LL, 20'000, 1'000, 20'000));
  const auto mapping = estimator.At({20'000'000'000});
  ASSERT_TRUE(mapping.has_value());
  // The host gains 120 ppm, so the timeline loses that against it.
  EXPECT_NEAR(mapping->drift(), -120e-6, mapping->drift_bound());
  EXPECT_LT(mapping->drift_bound(), 10e-6);
}

TEST(MinimumDelayEstimatorTest, ExchangesThatContradictThemselvesAreDropped) {
  MinimumDelayEstimator estimator;
  estimator.Add({{100}, {50}, {40}, {200}});         // the reply left before the probe came
  estimator.Add({{200}, {50}, {60}, {100}});         // the reply came before the probe left
  estimator.Add({{0}, {0}, {1'000'000}, {10'000}});  // longer inside the host than away
  EXPECT_FALSE(estimator.At({300}).has_value());
}

TEST(MinimumDelayEstimatorTest, ResetForgetsTheFormerIncarnation) {
  MinimumDelayEstimator estimator;
  estimator.Add(Exchange({.offset_ns = 1}, 0, 10, 0, 10));
  estimator.Reset();
  EXPECT_FALSE(estimator.At({100}).has_value());
}

TEST(MinimumDelayEstimatorTest, TheBoundWidensWhileNoExchangeArrives) {
  MinimumDelayEstimator estimator;
  estimator.Add(Exchange({.offset_ns = 1}, 0, 10'000, 0, 10'000));
  const int64_t fresh_ns = estimator.At({20'000})->bound_ns();
  const int64_t old_ns = estimator.At({10'000'000'000})->bound_ns();
  EXPECT_NEAR(static_cast<double>(old_ns - fresh_ns), 10e9 * 500e-6, 100.0);
}

// The promise of the header: whatever the delays, the true instant lies inside the bound.
TEST(MinimumDelayEstimatorTest, TheTruthLiesInsideTheBoundInEveryHistory) {
  std::mt19937_64 random(20261130);
  for (int history = 0; history < 10'000; ++history) {
    const TrueHost host{.offset_ns = std::uniform_int_distribution<int64_t>(-400'000'000'000'000,
                                                                            400'000'000'000'000)(random),
                        .rate = std::uniform_real_distribution<double>(-499e-6, 499e-6)(random)};
    MinimumDelayEstimator estimator;
    std::lognormal_distribution<double> delay_us(std::uniform_real_distribution<double>(1, 6)(random), 1.5);
    const bool one_way = history % 3 == 0;  // all of the delay on one side
    const int probes = 1 + static_cast<int>(random() % 60);
    int64_t now_ns = static_cast<int64_t>(random() % 1'000'000'000'000);
    for (int i = 0; i < probes; ++i) {
      now_ns += 1'000'000 + static_cast<int64_t>(random() % 400'000'000);
      const auto forth_ns = static_cast<int64_t>(delay_us(random) * 1e3);
      const auto back_ns = one_way ? 0 : static_cast<int64_t>(delay_us(random) * 1e3);
      const auto inside_ns = static_cast<int64_t>(random() % 1'000'000);
      if (random() % 10 == 0) continue;  // lost
      estimator.Add(Exchange(host, now_ns, forth_ns, inside_ns, back_ns));
    }
    now_ns += static_cast<int64_t>(random() % 20'000'000'000);
    const auto mapping = estimator.At({now_ns});
    if (!mapping.has_value()) continue;
    for (const int64_t later_ns : {int64_t{0}, int64_t{10'000'000'000}}) {
      const TimelineTime at{now_ns + later_ns};
      const BoundedTimelineTime converted = mapping->ToTimeline(host.At(at));
      // 2 ns for the rounding of this test's own host clock.
      ASSERT_LE(std::llabs(converted.time - at), converted.bound_ns + 2) << "history " << history;
    }
  }
}

}  // namespace
}  // namespace tutti
