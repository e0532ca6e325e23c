// Turns the kernel's stamps (CLOCK_REALTIME) into instants of this host's CLOCK_MONOTONIC.
//
// REALTIME - MONOTONIC is constant on Linux but for steps (settimeofday, a leap second, a suspend): both
// clocks run on the same counter with the same rate, whatever slews them (kernel/time/timekeeping.c). A
// bracket MONOTONIC, REALTIME, MONOTONIC bounds the difference by its width; the brackets of the last while
// must agree, and what they have in common bounds it closer. A stamp is converted only if the brackets before
// and after it agree.
//
// What cannot be seen: a step of less than the width of a bracket (about 0.1 us). Until the brackets from
// before it are forgotten, the stated bound can be too small by no more than that step.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "common/time/clock.h"
#include "common/time/kernel_stamp.h"

namespace tutti {

// CLOCK_REALTIME read between two reads of CLOCK_MONOTONIC.
struct ClockBracket {
  HostTime before;
  int64_t realtime_ns = 0;
  HostTime after;
};

// The clocks of one host, injected wherever stamps are converted. Thread-safe.
class BracketReader {
 public:
  virtual ~BracketReader() = default;
  virtual ClockBracket Read() const = 0;
  // What this host's CLOCK_REALTIME showed when the machine's kernel stamped a packet with `realtime_ns`: the
  // same, but for hosts of a test that share one machine and have wall clocks of their own.
  virtual int64_t StampedNs(int64_t realtime_ns) const { return realtime_ns; }
};

// The clocks of this process. A read takes a handful of brackets, about 0.5 us in all, and gives the
// narrowest.
class SystemBracketReader final : public BracketReader {
 public:
  ClockBracket Read() const override;
  static const SystemBracketReader& Get();
};

struct BoundedHostTime {
  HostTime time;
  int64_t bound_ns = 0;
};

// Not thread-safe: one per thread that takes stamps.
class RealtimeConversion {
 public:
  // `reader` outlives the conversion.
  explicit RealtimeConversion(const BracketReader& reader) : reader_(reader) {}

  // Reads a bracket: call before the stamps that are to be converted can be taken, and again now and then
  // (before each wait for packets, say). A step of REALTIME since the last bracket shows here.
  void Observe();

  // Reads another bracket: call after the stamps were taken. Once for many of them is enough.
  void Confirm();

  // Of a stamp that was taken before the last Confirm. nullopt: REALTIME moved against MONOTONIC between the
  // last two brackets, so nobody knows on which side of the step the stamp was taken; or the instant does not
  // lie between the last Observe (less kSlackNs, for packets that waited in a queue) and the last bracket; or
  // it could as well be from before a step that was seen in between.
  std::optional<BoundedHostTime> Convert(KernelStamp stamp) const;

  // How many steps were seen.
  uint64_t steps() const { return steps_; }

  static constexpr int64_t kSlackNs = 100'000'000;

 private:
  // REALTIME - MONOTONIC lies within [low_ns, high_ns].
  struct Difference {
    int64_t low_ns = 0;
    int64_t high_ns = 0;
    int64_t middle_ns() const { return low_ns + (high_ns - low_ns) / 2; }
  };
  // The difference that a step ended, and when stamps may have been taken with it and not been read yet.
  struct Former {
    Difference difference;
    HostTime since;
    HostTime until;
  };
  // After a step the history begins anew.
  void Take(const ClockBracket& bracket);
  Difference Common() const;
  bool MayBeFromBeforeTheStep(int64_t realtime_ns) const;

  // Trust is bounded: if the difference did creep, brackets of long ago would forbid the truth.
  static constexpr size_t kRemembered = 64;

  const BracketReader& reader_;
  std::array<Difference, kRemembered> brackets_{};  // a ring
  size_t taken_ = 0;                                // since the last step
  Difference common_;                               // of the ring
  HostTime begin_;                                  // of the first bracket since the last step
  HostTime observed_;                               // of the last Observe
  ClockBracket last_;
  bool moved_ = true;  // the last bracket showed a step, or there is none
  std::optional<Former> former_;
  uint64_t steps_ = 0;
};

}  // namespace tutti
