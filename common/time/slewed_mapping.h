// The mapping that a trial follows: re-fitted again and again, and yet one continuous, monotone time.
//
// Where the mapping in force and the new fit differ by a gap, time runs kSlewPpm faster or slower than the
// fit until the gap is closed, and on the fit from then on. kSlewPpm is what adjtimex(2) slews at most: an
// interval's length, and with it every rate, is off by at most 0.05% meanwhile. A gap of 10 us is closed in
// 20 ms. One that would take hours (the clock was stepped, the machine suspended) stays for hours, and
// BoundAt says so.
//
// Follow: one thread at a time. Everything else: any thread, without a lock; Convert costs one acquire load,
// two comparisons and one multiplication (two while a gap is closed). Each Follow keeps about 120 bytes until
// the mapping is destroyed, so that past instants keep the value that they had: 10 MB for a day of one a
// second.
//
// A trial's clock holds a pointer to one of these in place of a ClockMapping: trial time at CLOCK_MONOTONIC m
// is Convert({m + shift}) - t0, and the instant to sleep until is ToHost(t0 + trial_ns) - shift, asked for
// anew for each sleep; whoever receives the fits calls Follow.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>

#include "common/time/clock.h"
#include "common/time/clock_mapping.h"

namespace tutti {

class SlewedMapping {
 public:
  static constexpr double kSlewPpm = 500;

  // In force for all time, until Follow.
  explicit SlewedMapping(const ClockMapping& first);
  SlewedMapping(const SlewedMapping&) = delete;
  SlewedMapping& operator=(const SlewedMapping&) = delete;

  // From `now` on towards `fitted`; what lies before `now` stays as it is. A thread that has already
  // converted an instant beyond `now` sees time jump by at most 0.1% of how far beyond: where that matters,
  // `now` lies a little ahead.
  void Follow(const ClockMapping& fitted, HostTime now);

  TimelineTime Convert(HostTime host) const { return At(host).Convert(host); }
  // The inverse of Convert, to within 2 ns.
  HostTime ToHost(TimelineTime timeline) const;
  // |true - converted| at `host`: the bound of the fit and what is still to be slewed.
  int64_t BoundAt(HostTime host) const;

 private:
  // One Follow; immutable once it is published.
  struct Segment {
    HostTime begin;
    HostTime on_fit;  // from here on the gap is closed
    ClockMapping fitted;
    ClockMapping slewed;  // with its reference at `begin`: closes the gap
    bool ahead = false;   // slewed is later than fitted until they meet
    const Segment* before = nullptr;

    TimelineTime Convert(HostTime host) const {
      const TimelineTime fit = fitted.Convert(host);
      if (host >= on_fit) return fit;
      // Whichever comes first, so that rounding cannot make time step back where they meet.
      const TimelineTime slew = slewed.Convert(host);
      return ahead == (slew > fit) ? slew : fit;
    }
  };
  // The segment in force at `host`. Goes back as many segments as there were Follows since.
  const Segment& At(HostTime host) const {
    const Segment* segment = newest_.load(std::memory_order_acquire);
    while (host < segment->begin && segment->before != nullptr) segment = segment->before;
    return *segment;
  }

  std::deque<Segment> segments_;  // the writer's; its elements never move
  std::atomic<const Segment*> newest_;
};

}  // namespace tutti
