#include "common/stats/latency_histogram.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tutti {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

constexpr int64_t kHourNs = 3'600'000'000'000;

TEST(LatencyHistogram, AnEmptyOneHasNoFigure) {
  const LatencyHistogram histogram;
  EXPECT_EQ(histogram.count(), 0u);
  EXPECT_FALSE(histogram.min_ns());
  EXPECT_FALSE(histogram.max_ns());
  EXPECT_FALSE(histogram.mean_ns());
  EXPECT_FALSE(histogram.PercentileNs(500'000));
  EXPECT_TRUE(histogram.counts().empty());
}

TEST(LatencyHistogram, EachBucketBeginsWhereTheOneBeforeEnds) {
  for (size_t bucket = 0; bucket < LatencyHistogram::kBuckets; ++bucket) {
    const int64_t upper_ns = LatencyHistogram::UpperEdgeNs(bucket);
    ASSERT_EQ(LatencyHistogram::BucketOf(upper_ns), bucket);
    if (bucket + 1 < LatencyHistogram::kBuckets) {
      ASSERT_EQ(LatencyHistogram::BucketOf(upper_ns + 1), bucket + 1);
    }
  }
}

TEST(LatencyHistogram, NoBucketIsWiderThanOnePointSixPercentUpToAnHour) {
  int64_t lower_ns = 1;
  for (size_t bucket = 1; LatencyHistogram::UpperEdgeNs(bucket) < kHourNs; ++bucket) {
    const int64_t upper_ns = LatencyHistogram::UpperEdgeNs(bucket);
    ASSERT_LE(static_cast<double>(upper_ns - lower_ns), 0.016 * static_cast<double>(lower_ns)) << lower_ns;
    lower_ns = upper_ns + 1;
  }
  EXPECT_GT(lower_ns, kHourNs / 2);
}

TEST(LatencyHistogram, ShortValuesAreExact) {
  LatencyHistogram histogram;
  for (int64_t ns = 1; ns <= 100; ++ns) histogram.Record(ns);
  EXPECT_THAT(histogram.PercentileNs(500'000), Optional(50));
  EXPECT_THAT(histogram.PercentileNs(990'000), Optional(99));
  EXPECT_THAT(histogram.PercentileNs(999'999), Optional(100));
  EXPECT_THAT(histogram.PercentileNs(0), Optional(1));
  EXPECT_THAT(histogram.mean_ns(), Optional(50.5));
}

TEST(LatencyHistogram, APercentileIsTheUpperEdgeOfItsBucketButNeverAboveTheMaximum) {
  LatencyHistogram histogram;
  for (int i = 0; i < 99; ++i) histogram.Record(1000);  // the bucket of 1000 to 1007
  histogram.Record(1'000'001);
  EXPECT_THAT(histogram.PercentileNs(500'000), Optional(1007));
  EXPECT_THAT(histogram.PercentileNs(990'000), Optional(1007));
  EXPECT_THAT(histogram.PercentileNs(990'001), Optional(1'000'001));
  EXPECT_THAT(histogram.min_ns(), Optional(1000));
  EXPECT_THAT(histogram.max_ns(), Optional(1'000'001));
}

TEST(LatencyHistogram, BeyondTheLastBucketOnlyTheMaximumIsKnown) {
  LatencyHistogram histogram;
  histogram.Record(3 * kHourNs);
  histogram.Record(-5);  // two reads of a clock that stepped back
  EXPECT_EQ(histogram.count(), 2u);
  EXPECT_THAT(histogram.min_ns(), Optional(0));
  EXPECT_THAT(histogram.PercentileNs(999'900), Optional(3 * kHourNs));
  EXPECT_THAT(histogram.PercentileNs(500'000), Optional(0));
}

// Durations as networks have them: many decades, a long tail, ties.
std::vector<int64_t> Durations(std::mt19937_64& random, size_t count) {
  std::lognormal_distribution<double> usual(std::log(15'000), 0.2 + static_cast<double>(random() % 30) / 10);
  std::vector<int64_t> durations;
  for (size_t i = 0; i < count; ++i) {
    durations.push_back(
        std::clamp<int64_t>(static_cast<int64_t>(usual(random)), 0, LatencyHistogram::UpperEdgeNs(2000)));
  }
  return durations;
}

TEST(LatencyHistogram, PercentilesAreWithinABucketAboveTheSortedValues) {
  std::mt19937_64 random(20261130);
  for (int round = 0; round < 200; ++round) {
    std::vector<int64_t> values = Durations(random, 1 + random() % 3000);
    const auto histogram = std::make_unique<LatencyHistogram>();
    uint64_t sum_ns = 0;
    for (const int64_t ns : values) {
      histogram->Record(ns);
      sum_ns += static_cast<uint64_t>(ns);
    }
    std::sort(values.begin(), values.end());
    ASSERT_EQ(histogram->count(), values.size());
    ASSERT_EQ(histogram->sum_ns(), sum_ns);
    ASSERT_THAT(histogram->min_ns(), Optional(values.front()));
    ASSERT_THAT(histogram->max_ns(), Optional(values.back()));
    for (const uint32_t per_million :
         {1u, 10'000u, 500'000u, 900'000u, 990'000u, 999'000u, 999'900u, 1'000'000u}) {
      const size_t rank = (values.size() * per_million + 999'999) / 1'000'000;
      const int64_t true_ns = values[std::max<size_t>(rank, 1) - 1];
      const int64_t told_ns = *histogram->PercentileNs(per_million);
      ASSERT_GE(told_ns, true_ns) << per_million;
      ASSERT_LE(static_cast<double>(told_ns - true_ns), 0.016 * static_cast<double>(true_ns)) << per_million;
    }
  }
}

TEST(LatencyHistogram, AddingTwoGivesTheHistogramOfAllTheirValues) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 50; ++round) {
    LatencyHistogram one, other, all, told;
    for (const int64_t ns : Durations(random, random() % 500)) one.Record(ns), all.Record(ns);
    for (const int64_t ns : Durations(random, 1 + random() % 500)) other.Record(ns), all.Record(ns);
    for (const LatencyHistogram* part : {&one, &other}) {
      ASSERT_TRUE(told.AddCounts(part->first_bucket(), part->counts(), part->min_ns().value_or(0),
                                 part->max_ns().value_or(0), part->sum_ns()));
    }
    one.Add(other);
    for (const LatencyHistogram* sum : {&one, &told}) {
      ASSERT_EQ(sum->count(), all.count());
      ASSERT_EQ(sum->sum_ns(), all.sum_ns());
      ASSERT_EQ(sum->min_ns(), all.min_ns());
      ASSERT_EQ(sum->max_ns(), all.max_ns());
      ASSERT_TRUE(std::ranges::equal(sum->counts(), all.counts()));
      ASSERT_EQ(sum->PercentileNs(990'000), all.PercentileNs(990'000));
    }
  }
}

TEST(LatencyHistogram, RecordingManyTimesIsRecordingOnceEach) {
  LatencyHistogram histogram;
  histogram.RecordTimes(70, 3);
  histogram.RecordTimes(1, 0);
  histogram.Record(72);
  EXPECT_EQ(histogram.first_bucket(), 70u);
  EXPECT_THAT(histogram.counts(), ElementsAre(3, 0, 1));
  EXPECT_EQ(histogram.sum_ns(), 282u);
}

TEST(LatencyHistogram, CountsThatAreOfNoHistogramAreRefused) {
  LatencyHistogram histogram;
  const std::vector<uint64_t> two{1, 1};
  EXPECT_FALSE(histogram.AddCounts(LatencyHistogram::kBuckets - 1, two, 1, 2, 3));  // beyond the last bucket
  EXPECT_FALSE(histogram.AddCounts(70, two, 71, 71, 142));                          // another minimum
  EXPECT_FALSE(histogram.AddCounts(70, two, 70, 90, 160));                          // another maximum
  EXPECT_FALSE(histogram.AddCounts(70, two, 71, 70, 141));
  EXPECT_FALSE(histogram.AddCounts(70, std::vector<uint64_t>{1, 0}, 70, 71, 70));  // not trimmed
  EXPECT_EQ(histogram.count(), 0u);
  EXPECT_TRUE(histogram.AddCounts(70, two, 70, 71, 141));
  EXPECT_EQ(histogram.count(), 2u);
}

}  // namespace
}  // namespace tutti
