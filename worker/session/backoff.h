// How long to wait before the next attempt to reach the coordinator.
#pragma once

#include <cstdint>
#include <random>

namespace tutti::session {

// Doubles from 100 ms to 2 s. Each delay is drawn from the upper half of that value, so that a fleet which
// lost its coordinator does not come back in one instant. Not thread-safe.
class Backoff {
 public:
  static constexpr int64_t kFirstNs = 100'000'000;
  static constexpr int64_t kMaxNs = 2'000'000'000;

  explicit Backoff(uint64_t seed) : random_(seed) {}

  int64_t NextDelayNs();
  // After a session that registered.
  void Reset() { ceiling_ns_ = kFirstNs; }

 private:
  std::mt19937_64 random_;
  int64_t ceiling_ns_ = kFirstNs;
};

}  // namespace tutti::session
