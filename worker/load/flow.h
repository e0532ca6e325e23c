// A stream that is served in turn with others by one thread (`threads: per_cpu`), see flow_loop.h.
#pragma once

#include <cstdint>

#include "worker/load/trial_clock.h"

namespace tutti::load {

// What a flow waits for after its turn.
struct Turn {
  enum class Then {
    kAgain,   // nothing but its next turn
    kSocket,  // its socket has to become ready
    kAt,      // `at_ns` of trial time
    kOver,    // it is over
  };
  Then then = Then::kAgain;
  int64_t at_ns = 0;
};

// The most that one turn moves, so that no flow keeps the others waiting: it ends with the call that reaches
// either. All flows of a thread are within a round of turns of each other, and a call takes up to 20 us
// (docs/decisions/0015-threads-per-cpu.md).
inline constexpr uint64_t kBytesPerTurn = 64 << 10;
inline constexpr uint32_t kCallsPerTurn = 4;

// Everything is called on the loop's thread.
class Flow {
 public:
  virtual ~Flow() = default;

  // Ready when the peer is connected.
  virtual int watched_fd() const = 0;
  // A flow that sends is told when its socket has room again, after a call that found none; one that receives
  // whenever there is something to read.
  virtual bool is_sender() const = 0;
  // What a first turn sends at most; 0 of a receiver.
  virtual uint64_t first_turn_bytes() const = 0;

  // Moves what can be moved without waiting, within the bounds above. Called when what the last turn waited
  // for has come, and at the end of COOLDOWN and in DRAIN whatever it was.
  virtual Turn TakeTurn(const TrialClock& clock, int64_t now_ns) = 0;

  // Once, when the flow is over or the trial has stopped in an orderly way.
  virtual void EndTurns(const TrialClock& clock) = 0;
};

}  // namespace tutti::load
