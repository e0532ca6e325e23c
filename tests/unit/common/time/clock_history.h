// Random histories of one host's clock and the exchanges that try to measure it, for property tests.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "common/time/clock.h"
#include "common/time/clock_estimator.h"

namespace tutti {

// The truth: a clock whose rate moves, and that steps.
class TrueClock {
 public:
  TrueClock(TimelineTime begin, HostTime host) : pieces_{{begin.ns, host.ns, 0, 0}} {}

  // From `at` on, host ns gained per timeline ns. Calls come in the order of `at`.
  void SetRate(TimelineTime at, double rate);
  void Step(TimelineTime at, int64_t step_ns);

  // The last full ns, as a clock shows it.
  HostTime At(TimelineTime t) const;
  double RateAt(TimelineTime t) const { return PieceAt(t).rate; }

 private:
  struct Piece {
    int64_t from_ns;
    int64_t host_ns;  // whole and
    double part_ns;   // fraction of the host's clock at from_ns
    double rate;
  };
  const Piece& PieceAt(TimelineTime t) const;
  Piece Continue(TimelineTime at) const;

  std::vector<Piece> pieces_;
};

struct ClockHistory {
  struct Delivery {
    TimelineTime at;    // when the estimator gets it
    TimelineTime sent;  // the true t1
    ClockExchange exchange;
    bool garbage = false;  // contradicts itself
  };
  struct Step {
    TimelineTime at;
    int64_t step_ns = 0;
  };

  TrueClock clock;
  std::vector<Delivery> deliveries;  // in the order of `at`
  std::vector<Step> steps;           // none while an exchange is under way
  double drift = 0;                  // timeline ns gained per host ns: the rate that the clock stays near
  bool trend = false;                // `drift` moves too
};

// Drift up to +-500 ppm, wander up to the budget of FeasibleLineEstimator's default options, heavy-tailed and
// asymmetric delays, late, lost and garbled exchanges, uncertain stamps, steps from 10 us to a day.
ClockHistory MakeClockHistory(std::mt19937_64& random);

}  // namespace tutti
