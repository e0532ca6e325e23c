#include "common/time/slewed_mapping.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

#include "tests/nanoseconds.h"

namespace tutti {
namespace {

// The host is 3 days ahead of the timeline.
ClockMapping Mapping(int64_t offset_ns, double drift = 0, int64_t bound_ns = 100, double drift_bound = 1e-6) {
  return ClockMapping({3 * kDay}, {offset_ns}, drift, bound_ns, drift_bound);
}
HostTime Host(int64_t ns) { return {3 * kDay + ns}; }

TEST(SlewedMappingTest, IsTheFirstMappingUntilItFollowsAnother) {
  const ClockMapping first = Mapping(7, 40e-6);
  const SlewedMapping mapping(first);
  for (const int64_t ns : {-kDay, int64_t{0}, kMs, kDay}) {
    EXPECT_EQ(mapping.Convert(Host(ns)), first.Convert(Host(ns)));
    EXPECT_EQ(mapping.BoundAt(Host(ns)), first.BoundAt(Host(ns)));
    EXPECT_LE(std::llabs(mapping.ToHost(first.Convert(Host(ns))) - Host(ns)), 1);
  }
}

TEST(SlewedMappingTest, ClosesAGapOf10MicrosecondsIn20Milliseconds) {
  for (const int64_t gap_ns : {10 * kUs, -10 * kUs}) {
    SlewedMapping mapping(Mapping(gap_ns));
    mapping.Follow(Mapping(0), Host(0));
    EXPECT_EQ(mapping.Convert(Host(0)).ns, gap_ns);  // continuous
    EXPECT_NEAR(static_cast<double>(mapping.Convert(Host(10 * kMs)).ns), 10e6 + gap_ns / 2.0, 1.5);
    EXPECT_NEAR(static_cast<double>(mapping.Convert(Host(20 * kMs)).ns), 20e6, 1.5);
    EXPECT_EQ(mapping.Convert(Host(21 * kMs)).ns, 21 * kMs);
    EXPECT_EQ(mapping.Convert(Host(kDay)).ns, kDay);
  }
}

TEST(SlewedMappingTest, TheBoundHoldsWhatIsStillToBeSlewed) {
  SlewedMapping mapping(Mapping(10 * kUs));
  mapping.Follow(Mapping(0, 0, 100, 0), Host(0));
  EXPECT_EQ(mapping.BoundAt(Host(0)), 100 + 10 * kUs);
  EXPECT_NEAR(static_cast<double>(mapping.BoundAt(Host(10 * kMs))), 100 + 5e3, 1.5);
  EXPECT_EQ(mapping.BoundAt(Host(21 * kMs)), 100);
}

TEST(SlewedMappingTest, WhatIsPastKeepsItsValueAndItsBound) {
  SlewedMapping mapping(Mapping(10 * kUs, 20e-6));
  const TimelineTime value = mapping.Convert(Host(-5 * kMs));
  const int64_t bound_ns = mapping.BoundAt(Host(-5 * kMs));
  mapping.Follow(Mapping(0), Host(0));
  mapping.Follow(Mapping(3 * kUs), Host(kMs));
  mapping.Follow(Mapping(-8 * kUs), Host(2 * kMs));
  EXPECT_EQ(mapping.Convert(Host(-5 * kMs)), value);
  EXPECT_EQ(mapping.BoundAt(Host(-5 * kMs)), bound_ns);
  EXPECT_LE(std::llabs(mapping.ToHost(value) - Host(-5 * kMs)), 1);
}

TEST(SlewedMappingTest, AFitWithoutAGapIsInForceAtOnce) {
  SlewedMapping mapping(Mapping(0));
  mapping.Follow(Mapping(0, 50e-6), Host(0));
  EXPECT_EQ(mapping.Convert(Host(kSecond)).ns, kSecond + 50 * kUs);
  EXPECT_EQ(mapping.BoundAt(Host(0)), 100);
}

TEST(SlewedMappingTest, AStepOfASecondIsWorkedOffAndNotHidden) {
  SlewedMapping mapping(Mapping(0));
  mapping.Follow(Mapping(kSecond, 0, 100, 0), Host(0));
  EXPECT_EQ(mapping.Convert(Host(0)).ns, 0);
  // 500 us in each second.
  EXPECT_NEAR(static_cast<double>(mapping.BoundAt(Host(1'000 * kSecond))), 0.5e9 + 100, 2);
  EXPECT_EQ(mapping.Convert(Host(2'001 * kSecond)).ns, 2'002 * kSecond);
  // Centuries of gap do not overflow.
  mapping.Follow(ClockMapping({0}, {4'000'000'000'000'000'000}, 0, 0, 0), Host(2'002 * kSecond));
  EXPECT_EQ(mapping.Convert(Host(2'002 * kSecond)).ns, 2'003 * kSecond);
}

TEST(SlewedMappingTest, AFollowThatBeginsLaterLeavesTheTimeUntilThenAlone) {
  SlewedMapping mapping(Mapping(10 * kUs));
  mapping.Follow(Mapping(0), Host(10 * kMs));
  EXPECT_EQ(mapping.Convert(Host(9 * kMs)).ns, 9 * kMs + 10 * kUs);
  mapping.Follow(Mapping(2 * kUs), Host(5 * kMs));  // before the former has begun
  EXPECT_EQ(mapping.Convert(Host(5 * kMs)).ns, 5 * kMs + 10 * kUs);
  EXPECT_EQ(mapping.Convert(Host(kSecond)).ns, kSecond + 2 * kUs);
}

// Fits that wander as an estimator's do, each followed before the last gap is closed or long after.
struct Walk {
  std::mt19937_64 random{11};
  SlewedMapping mapping{Mapping(0)};
  int64_t now_ns = 0;
  ClockMapping fitted;

  void Step() {
    std::uniform_real_distribution<double> unit(-1, 1);
    now_ns += 1 + static_cast<int64_t>(random() % static_cast<uint64_t>(200 * kMs));
    const TimelineTime about = mapping.Convert(Host(now_ns));
    fitted = ClockMapping(Host(now_ns), about + static_cast<int64_t>(unit(random) * 20e3),
                          unit(random) * 500e-6, 1'000, 2e-6);
    mapping.Follow(fitted, Host(now_ns));
  }
};

TEST(SlewedMappingTest, TimeIsContinuousAndMonotoneAndNeverMoreThan500PpmOffTheFit) {
  Walk walk;
  for (int i = 0; i < 300; ++i) {
    walk.Step();
    // Every ns around the beginning and around the end of the slew, and a coarse grid between.
    const int64_t gap_ns =
        std::llabs(walk.mapping.Convert(Host(walk.now_ns)) - walk.fitted.Convert(Host(walk.now_ns)));
    const int64_t end_ns = walk.now_ns + gap_ns * 2'000;
    for (const int64_t around_ns : {walk.now_ns, end_ns, end_ns + 20 * kUs}) {
      TimelineTime last = walk.mapping.Convert(Host(around_ns - 300));
      for (int64_t ns = around_ns - 299; ns < around_ns + 300; ++ns) {
        const TimelineTime here = walk.mapping.Convert(Host(ns));
        ASSERT_GE(here.ns, last.ns) << i << " " << ns - walk.now_ns;
        ASSERT_LE(here.ns, last.ns + 2);
        last = here;
      }
    }
    int64_t last_off_ns = walk.mapping.Convert(Host(walk.now_ns)) - walk.fitted.Convert(Host(walk.now_ns));
    for (int64_t ns = walk.now_ns + kMs; ns < walk.now_ns + 60 * kMs; ns += kMs) {
      const int64_t off_ns = walk.mapping.Convert(Host(ns)) - walk.fitted.Convert(Host(ns));
      ASSERT_LE(std::llabs(off_ns - last_off_ns), 503);  // 500 ns in each ms
      ASSERT_LE(std::llabs(off_ns), std::llabs(last_off_ns) + 2);
      last_off_ns = off_ns;
    }
    ASSERT_EQ(last_off_ns, 0);  // 20 us take 40 ms
  }
}

TEST(SlewedMappingTest, ToHostIsTheInverseEverywhere) {
  Walk walk;
  for (int i = 0; i < 300; ++i) walk.Step();
  for (int64_t ns = -kSecond; ns < walk.now_ns + kSecond; ns += 1'234'567) {
    const TimelineTime timeline = walk.mapping.Convert(Host(ns));
    ASSERT_LE(std::llabs(walk.mapping.ToHost(timeline) - Host(ns)), 2) << ns;
    ASSERT_LE(std::llabs(walk.mapping.Convert(walk.mapping.ToHost(timeline)) - timeline), 2) << ns;
  }
}

TEST(SlewedMappingTest, ReadersOnOtherThreadsSeeOneMonotoneTime) {
  SlewedMapping mapping(Mapping(0));
  std::atomic<int64_t> clock_ns{0};
  std::atomic<bool> done{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> readers;
  for (int r = 0; r < 2; ++r) {
    readers.emplace_back([&] {
      int64_t last_ns = 0;
      TimelineTime last = mapping.Convert(Host(0));
      while (!done.load(std::memory_order_relaxed)) {
        const int64_t now_ns = clock_ns.load(std::memory_order_acquire);
        const TimelineTime here = mapping.Convert(Host(now_ns));
        const int64_t passed_ns = now_ns - last_ns;
        // Rates within 500 ppm, slewed by at most 500 more.
        const bool sound = here >= last && std::llabs((here - last) - passed_ns) <= passed_ns / 1'000 + 4;
        if (!sound) wrong.fetch_add(1);
        last = here;
        last_ns = now_ns;
      }
    });
  }
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int i = 0; i < 3'000; ++i) {
    const int64_t now_ns = clock_ns.load(std::memory_order_relaxed);
    const TimelineTime about = mapping.Convert(Host(now_ns));
    mapping.Follow(ClockMapping(Host(now_ns), about + static_cast<int64_t>(unit(random) * 20e3),
                                unit(random) * 490e-6, 1'000, 1e-6),
                   Host(now_ns));
    for (int k = 0; k < 20; ++k) clock_ns.fetch_add(kMs / 2, std::memory_order_release);
  }
  done.store(true);
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong.load(), 0);
}

}  // namespace
}  // namespace tutti
