// Estimates the mapping between one host's clock and the common timeline from four-timestamp exchanges.
//
// The coordinator sends a probe at t1, the host receives it at t2 and answers at t3, the answer arrives at
// t4. Whatever the path's asymmetry, the timeline at the host's (t2 + t3) / 2 lies within (t1 + t4) / 2 +-
// ((t4 - t1) - (t3 - t2)) / 2: that interval is the bound, no assumption is needed (RFC 5905 section 8 has
// the same four stamps).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/time/clock.h"
#include "common/time/clock_mapping.h"
#include "common/time/feasible_lines.h"

namespace tutti {

struct ClockExchange {
  TimelineTime probe_sent;      // t1
  HostTime probe_received;      // t2
  HostTime reply_sent;          // t3
  TimelineTime reply_received;  // t4
  // What the four may be wrong by in all, because they were converted from another clock.
  int64_t uncertainty_ns = 0;
};

// The door for better estimators: feed exchanges, ask for a mapping. Not thread-safe.
class ClockEstimator {
 public:
  virtual ~ClockEstimator() = default;

  // Exchanges may come late and out of order. Those that contradict themselves (t4 < t1, t3 < t2, negative
  // path) are dropped. Whether the exchange counts.
  virtual bool Add(const ClockExchange& exchange) = 0;

  // The mapping as known at `now`, with its reference at `now`; nullopt before the first exchange.
  virtual std::optional<ClockMapping> At(TimelineTime now) const = 0;

  // The least round trip in the window, in ns; nullopt before the first exchange.
  virtual std::optional<int64_t> best_round_trip_ns() const = 0;

  // How many times the history contradicted itself and was dropped: a step, a suspend, a jump.
  virtual uint64_t restarts() const = 0;

  // Forgets everything, restarts() too: a new incarnation of the host.
  virtual void Reset() = 0;
};

// Every line that goes through all exchanges' intervals is a possible clock; the mapping is the middle of
// them all, and its bound reaches the outermost (docs/decisions/0009-clock-fit.md).
//
// What must hold for the bound to hold: during the window, and until the instant that is asked for, the rate
// of the host's clock stays within `wander` of some one rate, and that rate within `max_drift` of the
// timeline's; and the clock does not step. Then the interval of an exchange, widened by wander x its age,
// holds the line through the present with that one rate, whatever the rate did in between.
//
// A step shows when an exchange's interval has nothing in common with what the history predicts for its
// instant. The history is dropped then, and the bound is that of one exchange with unknown drift. A step that
// hides within prediction and interval together cannot be told from delay, until a faster exchange
// contradicts it.
//
// Add takes 1 to 3 us (at most one exchange per slot and the newest are looked at) and allocates only until
// the window was full once; At takes a fraction of that.
class FeasibleLineEstimator final : public ClockEstimator {
 public:
  struct Options {
    int64_t window_ns = 16'000'000'000;  // exchanges older than this are forgotten
    int64_t slot_ns = 500'000'000;       // of each slot of the window only the fastest exchange is kept
    // How fast the clocks may drift apart: 500 ppm, what the kernel's clock discipline allows at most
    // (adjtimex(2), MAXFREQ).
    double max_drift = 500e-6;
    // Quartz moves by about 1e-6 with a degree or more of temperature, in seconds to minutes.
    double wander = 1e-6;
  };

  FeasibleLineEstimator() : FeasibleLineEstimator(Options()) {}
  explicit FeasibleLineEstimator(Options options);

  bool Add(const ClockExchange& exchange) override;
  std::optional<ClockMapping> At(TimelineTime now) const override;
  std::optional<int64_t> best_round_trip_ns() const override;
  uint64_t restarts() const override { return restarts_; }
  void Reset() override;

 private:
  // At `timeline` the host's clock shows `host` +- half_ns.
  struct Sample {
    TimelineTime timeline;
    HostTime host;
    double half_ns = 0;
    int64_t round_trip_ns = 0;
  };
  std::optional<Sample> Interval(const ClockExchange& exchange) const;
  int64_t SlotOf(const Sample& sample) const { return sample.timeline.ns / options_.slot_ns; }
  // The host's clock relative to the newest sample's line of rate 1, as the history has it.
  FeasibleLines::Range Predict(TimelineTime at) const;
  bool Contradicts(const Sample& sample) const;
  void StartFrom(const Sample& sample);
  void Keep(const Sample& sample);
  void Fit();

  Options options_;
  std::vector<Sample> samples_;  // by time, at most one per slot
  Sample newest_;                // unless samples_ is empty
  TimelineTime begin_;           // nothing older is taken: it may be from before a step
  // y: host ns gained on the timeline since newest_; x: timeline ns since newest_.
  FeasibleLines lines_;
  uint64_t restarts_ = 0;
};

}  // namespace tutti
