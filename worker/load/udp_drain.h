// When a UDP socket has nothing more to wait for, if the other end's last count is not reached.
#pragma once

#include <algorithm>
#include <cstdint>

#include "worker/load/stream.h"

namespace tutti::load {

// Datagrams that were lost never come: silence for this long ends the wait,
inline constexpr int64_t kUdpSilenceNs = 200'000'000;
// and so does this, whatever still arrives.
inline constexpr int64_t kLongestUdpDrainNs = 2'000'000'000;

// `last_monotonic_ns`: when the last datagram came.
inline bool UdpDrainIsOver(const DrainOrder& order, int64_t last_monotonic_ns, int64_t now_monotonic_ns) {
  const int64_t quiet_since_ns = std::max(order.begin_monotonic_ns, last_monotonic_ns);
  return now_monotonic_ns - quiet_since_ns >= kUdpSilenceNs ||
         now_monotonic_ns - order.begin_monotonic_ns >= kLongestUdpDrainNs ||
         now_monotonic_ns >= order.deadline_monotonic_ns;
}

}  // namespace tutti::load
