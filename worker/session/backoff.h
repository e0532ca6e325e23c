// How long to wait before the next attempt to reach the coordinator.
#pragma once

#include <cstdint>
#include <random>

namespace tutti::session {

// Doubles from 100 ms to 2 s, or between the bounds that are given. Each delay is drawn from the upper half
// of that value, so that a fleet which lost its coordinator does not come back in one instant. Not
// thread-safe.
class Backoff {
 public:
  static constexpr int64_t kFirstNs = 100'000'000;
  static constexpr int64_t kMaxNs = 2'000'000'000;

  explicit Backoff(uint64_t seed, int64_t first_ns = kFirstNs, int64_t max_ns = kMaxNs)
      : first_ns_(first_ns), max_ns_(max_ns), random_(seed), ceiling_ns_(first_ns) {}

  int64_t NextDelayNs();
  // After a session that registered.
  void Reset() { ceiling_ns_ = first_ns_; }

 private:
  const int64_t first_ns_;
  const int64_t max_ns_;
  std::mt19937_64 random_;
  int64_t ceiling_ns_;
};

}  // namespace tutti::session
