// The clock of one host, injected wherever time is read.
//
// HostTime and TimelineTime are types apart, so that the clocks of two hosts cannot be subtracted by
// accident: only ClockMapping turns one into the other.
#pragma once

#include <compare>
#include <cstdint>

namespace tutti {

// An instant of CLOCK_MONOTONIC of one host.
struct HostTime {
  int64_t ns = 0;
  auto operator<=>(const HostTime&) const = default;
};

// An instant of the common timeline: CLOCK_MONOTONIC of the coordinator.
struct TimelineTime {
  int64_t ns = 0;
  auto operator<=>(const TimelineTime&) const = default;
};

// Differences within one clock, in ns.
inline int64_t operator-(HostTime a, HostTime b) { return a.ns - b.ns; }
inline int64_t operator-(TimelineTime a, TimelineTime b) { return a.ns - b.ns; }
inline HostTime operator+(HostTime t, int64_t ns) { return {t.ns + ns}; }
inline TimelineTime operator+(TimelineTime t, int64_t ns) { return {t.ns + ns}; }

// What somebody else says of an instant or a span. 36 years of uptime: what is beyond is garbage, and a few
// that are within can be added up in an int64_t.
inline constexpr int64_t kLatestNs = int64_t{1} << 60;
inline constexpr bool IsPlausibleNs(int64_t ns) { return -kLatestNs < ns && ns < kLatestNs; }

// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual HostTime Now() const = 0;
};

// CLOCK_MONOTONIC of this process (its time namespace's).
class SystemClock final : public Clock {
 public:
  HostTime Now() const override;
  static const SystemClock& Get();
};

// CLOCK_REALTIME in ns since 1970: for labels in reports, never for arithmetic.
int64_t UnixNowNs();

}  // namespace tutti
