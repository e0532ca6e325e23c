// The instant at which the kernel handled a packet, as SO_TIMESTAMPING gives it: CLOCK_REALTIME in software
// stamps (Documentation/networking/timestamping.rst).
//
// A type without arithmetic: wall clocks step, and two hosts' wall clocks have nothing in common. Only
// RealtimeConversion opens it, on the host that took it.
#pragma once

#include <time.h>

#include <cstdint>

namespace tutti {

class KernelStamp {
 public:
  explicit constexpr KernelStamp(timespec stamp)
      : realtime_ns_(static_cast<int64_t>(stamp.tv_sec) * 1'000'000'000 + stamp.tv_nsec) {}
  static constexpr KernelStamp FromRealtimeNs(int64_t ns) {
    return KernelStamp(
        timespec{static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)});
  }

  friend constexpr bool operator==(const KernelStamp&, const KernelStamp&) = default;

 private:
  friend class RealtimeConversion;

  int64_t realtime_ns_;
};

}  // namespace tutti
