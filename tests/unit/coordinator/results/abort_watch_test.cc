// When a running trial is ended for a threshold, and when it is not.
#include "coordinator/results/abort_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/nanoseconds.h"

namespace tutti::results {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

namespace v1 = tutti::v1;

constexpr double kUnknown = -1;

// An entry "bulk" over TCP with a warm-up of 1 s and intervals of 100 ms, which has to receive 100 bps; half
// a second of grace.
class AbortWatchTest : public testing::Test {
 protected:
  AbortWatchTest() {
    case_.mutable_timing()->set_warmup_ns(1000 * kMs);
    case_.add_traffic()->set_name("bulk");
    case_.mutable_traffic(0)->set_protocol(v1::PROTOCOL_TCP);
    case_.mutable_traffic(0)->set_both_ways(true);
    Add("throughput.received", v1::COMPARISON_AT_LEAST, 100);
  }
  v1::Threshold& Add(const std::string& metric, v1::Comparison comparison, double limit) {
    v1::Threshold& threshold = *case_.add_thresholds();
    threshold.set_metric(metric);
    threshold.set_comparison(comparison);
    threshold.set_limit(limit);
    threshold.set_scope(v1::THRESHOLD_SCOPE_TOTAL);
    threshold.set_window(v1::THRESHOLD_WINDOW_MEASURE);
    threshold.set_severity(v1::SEVERITY_FAIL);
    threshold.set_abort(true);
    threshold.set_abort_grace_ns(500 * kMs);
    return threshold;
  }
  v1::LiveInterval Next(double received_bps, bool reverse = false) {
    v1::LiveInterval interval;
    interval.set_interval(index_);
    interval.set_begin_trial_ns(1000 * kMs + index_ * 100 * kMs);
    interval.set_end_trial_ns(interval.begin_trial_ns() + 100 * kMs);
    ++index_;
    v1::LiveEntry& entry = *interval.add_entries();
    entry.set_entry("bulk");
    entry.set_reverse(reverse);
    if (received_bps != kUnknown) entry.set_received_bps(received_bps);
    return interval;
  }
  // After how many intervals of these rates the trial is ended; 0: it is not.
  size_t EndedAfter(const std::vector<double>& rates_bps) {
    AbortWatch watch(case_);
    index_ = 0;
    for (size_t i = 0; i < rates_bps.size(); ++i) {
      why_ = watch.Add(Next(rates_bps[i]));
      if (why_.has_value()) return i + 1;
    }
    return 0;
  }

  v1::Case case_;
  uint32_t index_ = 0;
  std::optional<std::string> why_;
};

TEST_F(AbortWatchTest, NotBeforeTheGracePeriodOfTheWindowHasPassed) {
  EXPECT_EQ(EndedAfter({0, 0, 0, 0}), 0u);
  EXPECT_EQ(EndedAfter({0, 0, 0, 0, 0, 0}), 5u);
}

TEST_F(AbortWatchTest, SaysWhatWasMissedByHowMuchAndForHowLong) {
  ASSERT_EQ(EndedAfter({90, 90, 30, 60, 30}), 5u);
  EXPECT_EQ(*why_,
            "throughput.received of entry bulk was 60bps over 500ms, wanted >= 100bps (missed for 500ms)");
}

TEST_F(AbortWatchTest, OneBadIntervalIsNotEnough) {
  // Means: 120, 120, 120, 120, 98 and then 102, 104, ...
  EXPECT_EQ(EndedAfter({120, 120, 120, 120, 10, 120, 120, 120, 120, 120}), 0u);
}

TEST_F(AbortWatchTest, WhatWasKeptInBetweenBeginsThePeriodAnew) {
  // Means: 50, 75, 150, 112, 102, and then 85, 73, 64, 57, 51.
  EXPECT_EQ(EndedAfter({50, 100, 300, 0, 60, 0, 0, 0, 0}), 0u);
  EXPECT_EQ(EndedAfter({50, 100, 300, 0, 60, 0, 0, 0, 0, 0}), 10u);
}

TEST_F(AbortWatchTest, AnIntervalThatIsNotKnownIsNeitherKeptNorMissed) {
  EXPECT_EQ(EndedAfter({kUnknown, kUnknown, kUnknown, kUnknown, kUnknown, kUnknown}), 0u);
  // It does not break the period and is not part of it.
  EXPECT_EQ(EndedAfter({0, 0, kUnknown, 0, kUnknown, 0, 0}), 7u);
  EXPECT_THAT(why_, testing::Optional(HasSubstr("over 500ms")));
}

TEST_F(AbortWatchTest, ItIsToldOnce) {
  AbortWatch watch(case_);
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(watch.Add(Next(0)).has_value());
  EXPECT_TRUE(watch.Add(Next(0)).has_value());
  EXPECT_FALSE(watch.Add(Next(0)).has_value());
}

TEST_F(AbortWatchTest, EachDirectionHasAPeriodOfItsOwn) {
  AbortWatch watch(case_);
  for (int i = 0; i < 4; ++i) {
    EXPECT_FALSE(watch.Add(Next(0)).has_value());
    EXPECT_FALSE(watch.Add(Next(0, true)).has_value());
  }
  EXPECT_THAT(watch.Add(Next(0, true)), testing::Optional(HasSubstr("of entry bulk (reverse) was 0bps")));
}

TEST_F(AbortWatchTest, AThresholdWithoutAbortEndsNothing) {
  case_.mutable_thresholds(0)->set_abort(false);
  EXPECT_EQ(EndedAfter({0, 0, 0, 0, 0, 0, 0}), 0u);
}

TEST_F(AbortWatchTest, AnotherEntryIsNotItsConcern) {
  case_.mutable_thresholds(0)->set_entry("other");
  EXPECT_EQ(EndedAfter({0, 0, 0, 0, 0, 0, 0}), 0u);
}

TEST_F(AbortWatchTest, RetransmitsArePerSecond) {
  case_.clear_thresholds();
  Add("retransmits", v1::COMPARISON_AT_MOST, 60).set_abort_grace_ns(200 * kMs);
  AbortWatch watch(case_);
  for (const uint64_t retransmits : {5u, 5u}) {  // 50 a second
    v1::LiveInterval interval = Next(kUnknown);
    interval.mutable_entries(0)->set_retransmits(retransmits);
    EXPECT_FALSE(watch.Add(interval).has_value());
  }
  v1::LiveInterval interval = Next(kUnknown);
  interval.mutable_entries(0)->set_retransmits(20);  // 30 in 300 ms
  EXPECT_FALSE(watch.Add(interval).has_value());
  interval = Next(kUnknown);
  interval.mutable_entries(0)->set_retransmits(10);  // 40 in 400 ms
  EXPECT_THAT(watch.Add(interval), testing::Optional(AllOf(StartsWith("retransmits of entry bulk was 100/s"),
                                                           HasSubstr("wanted <= 60/s (missed for 200ms)"))));
}

}  // namespace
}  // namespace tutti::results
