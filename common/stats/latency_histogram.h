// A histogram of durations in ns that keeps percentiles to within 1.6% from 1 ns to over an hour.
//
// Log-linear: below 128 ns each value has a bucket of its own; above, each power of two is cut into 64 equal
// buckets, so that a bucket is at most 1/64 of its lower edge wide. Longer durations than the last bucket's
// lower edge (about 73 minutes) are counted in it; minimum, maximum and sum are exact whatever the value. The
// memory, 19 KB, is part of the object: recording allocates nothing, takes no lock and has no loop.
// Histograms of several streams add up by adding their counts (docs/decisions/0014-latency-histogram.md). One
// writer; readers only after it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace tutti {

class LatencyHistogram {
 public:
  static constexpr int kSubBucketBits = 6;  // 64 buckets for each power of two
  static constexpr int kLongestBits = 42;   // durations below 2^42 ns have a bucket to themselves
  static constexpr size_t kBuckets = size_t{kLongestBits - kSubBucketBits + 1} << kSubBucketBits;

  static size_t BucketOf(int64_t ns) {
    const uint64_t value = static_cast<uint64_t>(std::clamp<int64_t>(ns, 0, kLongestNs));
    const int shift = std::max(0, static_cast<int>(std::bit_width(value)) - kSubBucketBits - 1);
    return (static_cast<size_t>(shift) << kSubBucketBits) + static_cast<size_t>(value >> shift);
  }
  // The longest duration that belongs to the bucket.
  static int64_t UpperEdgeNs(size_t bucket);

  // A duration below 0 counts as 0.
  void Record(int64_t ns) { RecordTimes(ns, 1); }
  void RecordTimes(int64_t ns, uint64_t times);

  void Add(const LatencyHistogram& other);

  // Adds what another process counted: `counts` of the buckets from `first_bucket` on, with their minimum,
  // maximum and sum. False, and nothing is added, if these cannot be of one histogram.
  bool AddCounts(size_t first_bucket, std::span<const uint64_t> counts, int64_t min_ns, int64_t max_ns,
                 uint64_t sum_ns);

  uint64_t count() const { return count_; }
  uint64_t sum_ns() const { return sum_ns_; }
  // Unset while nothing is recorded, like all that follows.
  std::optional<int64_t> min_ns() const;
  std::optional<int64_t> max_ns() const;
  std::optional<double> mean_ns() const;
  // The value of rank ceil(count x per_million / 1,000,000), counted from the shortest and at least 1:
  // rounded up to its bucket's upper edge, and down to the maximum where that is shorter. Never below the
  // true value, and less than 1/64 above it.
  std::optional<int64_t> PercentileNs(uint32_t per_million) const;

  // The buckets from the first to the last that is not empty.
  size_t first_bucket() const { return count_ == 0 ? 0 : BucketOf(min_ns_); }
  std::span<const uint64_t> counts() const;

 private:
  static constexpr int64_t kLongestNs = (int64_t{1} << kLongestBits) - 1;

  std::array<uint64_t, kBuckets> buckets_{};
  uint64_t count_ = 0;
  uint64_t sum_ns_ = 0;
  int64_t min_ns_ = INT64_MAX;
  int64_t max_ns_ = 0;
};

inline void LatencyHistogram::RecordTimes(int64_t ns, uint64_t times) {
  if (times == 0) return;
  const int64_t value_ns = std::max<int64_t>(ns, 0);
  buckets_[BucketOf(value_ns)] += times;
  count_ += times;
  sum_ns_ += static_cast<uint64_t>(value_ns) * times;
  min_ns_ = std::min(min_ns_, value_ns);
  max_ns_ = std::max(max_ns_, value_ns);
}

}  // namespace tutti
