#include "common/stats/latency_histogram.h"

namespace tutti {
namespace {

constexpr uint64_t kMillion = 1'000'000;

}  // namespace

int64_t LatencyHistogram::UpperEdgeNs(size_t bucket) {
  // The buckets of the first power of two above 2^(kSubBucketBits + 1) are 2 ns wide, and so on.
  const size_t shift = std::max<size_t>(bucket >> kSubBucketBits, 1) - 1;
  const uint64_t lower = static_cast<uint64_t>(bucket - (shift << kSubBucketBits)) << shift;
  return static_cast<int64_t>(lower + (uint64_t{1} << shift) - 1);
}

void LatencyHistogram::Add(const LatencyHistogram& other) {
  for (size_t i = 0; i < kBuckets; ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  sum_ns_ += other.sum_ns_;
  min_ns_ = std::min(min_ns_, other.min_ns_);
  max_ns_ = std::max(max_ns_, other.max_ns_);
}

bool LatencyHistogram::AddCounts(size_t first_bucket, std::span<const uint64_t> counts, int64_t min_ns,
                                 int64_t max_ns, uint64_t sum_ns) {
  if (counts.empty()) return true;
  if (first_bucket >= kBuckets || counts.size() > kBuckets - first_bucket) return false;
  const size_t last_bucket = first_bucket + counts.size() - 1;
  if (min_ns < 0 || max_ns < min_ns || BucketOf(min_ns) != first_bucket || BucketOf(max_ns) != last_bucket) {
    return false;
  }
  if (counts.front() == 0 || counts.back() == 0) return false;
  for (size_t i = 0; i < counts.size(); ++i) {
    buckets_[first_bucket + i] += counts[i];
    count_ += counts[i];
  }
  sum_ns_ += sum_ns;
  min_ns_ = std::min(min_ns_, min_ns);
  max_ns_ = std::max(max_ns_, max_ns);
  return true;
}

std::optional<int64_t> LatencyHistogram::min_ns() const {
  if (count_ == 0) return std::nullopt;
  return min_ns_;
}

std::optional<int64_t> LatencyHistogram::max_ns() const {
  if (count_ == 0) return std::nullopt;
  return max_ns_;
}

std::optional<double> LatencyHistogram::mean_ns() const {
  if (count_ == 0) return std::nullopt;
  return static_cast<double>(sum_ns_) / static_cast<double>(count_);
}

std::optional<int64_t> LatencyHistogram::PercentileNs(uint32_t per_million) const {
  if (count_ == 0) return std::nullopt;
  const unsigned __int128 scaled = static_cast<unsigned __int128>(count_) * per_million;
  const auto rank =
      std::clamp<uint64_t>(static_cast<uint64_t>((scaled + kMillion - 1) / kMillion), 1, count_);
  uint64_t below = 0;
  for (size_t i = first_bucket(); i < kBuckets; ++i) {
    below += buckets_[i];
    // What is longer than the last bucket's edge is only known by the maximum.
    if (below >= rank) return i + 1 == kBuckets ? max_ns_ : std::min(UpperEdgeNs(i), max_ns_);
  }
  return max_ns_;
}

std::span<const uint64_t> LatencyHistogram::counts() const {
  if (count_ == 0) return {};
  const size_t first = first_bucket();
  return std::span(buckets_).subspan(first, BucketOf(max_ns_) - first + 1);
}

}  // namespace tutti
