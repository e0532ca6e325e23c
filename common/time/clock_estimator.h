// Estimates the mapping between one host's clock and the common timeline from four-timestamp exchanges.
//
// The coordinator sends a probe at t1, the host receives it at t2 and answers at t3, the answer arrives at
// t4. Whatever the path's asymmetry, the timeline at the host's (t2 + t3) / 2 lies within (t1 + t4) / 2 +-
// ((t4 - t1) - (t3 - t2)) / 2: that interval is the bound, no assumption is needed (RFC 5905 section 8 has
// the same four stamps; minimum-delay filtering follows its clock filter).
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "common/time/clock.h"
#include "common/time/clock_mapping.h"

namespace tutti {

struct ClockExchange {
  TimelineTime probe_sent;      // t1
  HostTime probe_received;      // t2
  HostTime reply_sent;          // t3
  TimelineTime reply_received;  // t4
};

// The door for better estimators: feed exchanges, ask for a mapping. Not thread-safe.
class ClockEstimator {
 public:
  virtual ~ClockEstimator() = default;

  // Exchanges that contradict themselves (t4 < t1, t3 < t2, negative path) are dropped.
  virtual void Add(const ClockExchange& exchange) = 0;

  // The mapping as known at `now`, with its reference at `now`; nullopt before the first exchange.
  virtual std::optional<ClockMapping> At(TimelineTime now) const = 0;

  // The least round trip in the window, in ns; nullopt before the first exchange.
  virtual std::optional<int64_t> best_round_trip_ns() const = 0;

  // Forgets everything: a new incarnation of the host.
  virtual void Reset() = 0;
};

// Minimum-delay filtering over a sliding window, drift from the best exchanges of its two halves.
class MinimumDelayEstimator final : public ClockEstimator {
 public:
  struct Options {
    int64_t window_ns = 60'000'000'000;  // exchanges older than this are forgotten
    // What two clocks may drift apart before any drift was measured: 500 ppm, what the kernel's clock
    // discipline allows at most (adjtimex(2), MAXFREQ).
    double unknown_drift_bound = 500e-6;
  };

  MinimumDelayEstimator() : MinimumDelayEstimator(Options()) {}
  explicit MinimumDelayEstimator(Options options) : options_(options) {}

  void Add(const ClockExchange& exchange) override;
  std::optional<ClockMapping> At(TimelineTime now) const override;
  std::optional<int64_t> best_round_trip_ns() const override;
  void Reset() override { samples_.clear(); }

 private:
  struct Sample {
    HostTime host;          // the middle of the host's two stamps
    TimelineTime timeline;  // the middle of the coordinator's
    int64_t half_delay_ns;  // the bound of their equality
  };
  struct Drift {
    double value;
    double bound;
  };
  Drift EstimateDrift() const;

  Options options_;
  std::deque<Sample> samples_;  // by time
};

}  // namespace tutti
