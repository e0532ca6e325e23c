// Puts the four instants of each clock probe together as they become known: when it left, when the worker got
// it, when the reply left (told by the next reply) and when it arrived.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "common/net/clock_datagram.h"
#include "common/time/clock.h"
#include "common/time/clock_estimator.h"

namespace tutti::fleet {

// How the instants of an exchange were taken, in the order of their worth.
enum class ProbeStamps { kKernel, kProgram };

struct ClockMeasurement {
  ClockExchange exchange;
  ProbeStamps stamps = ProbeStamps::kProgram;
};

// The probes of one session. Not thread-safe.
class ProbeLedger {
 public:
  // A probe is about to be sent, stamped by the program. Returns its sequence, from 1.
  uint64_t Begin(TimelineTime sent);
  // The kernel's stamp of the same probe, a little later than the program's: used if it comes before the
  // reply that completes the exchange.
  void OnSendStamp(uint64_t sequence, TimelineTime sent, int64_t bound_ns);
  // The exchange that this reply completes, if any: normally the one before, unless a follow-up did. Replies
  // that were never asked for, that come twice or too late (kKept probes after their own) count for nothing.
  std::optional<ClockMeasurement> OnReply(const net::ClockDatagram& reply, TimelineTime received,
                                          int64_t bound_ns);
  // The exchange that this follow-up completes, if its reply came before it.
  std::optional<ClockMeasurement> OnFollowUp(const net::ClockDatagram& follow_up);

 private:
  static constexpr size_t kKept = 32;
  struct Probe {
    uint64_t sequence = 0;  // 0: none
    TimelineTime sent;
    int64_t sent_bound_ns = 0;
    bool sent_by_kernel = false;
    bool answered = false;
    bool usable = false;  // the worker could place the arrival
    HostTime arrived;
    int64_t arrived_bound_ns = 0;
    TimelineTime reply_received;
    int64_t reply_received_bound_ns = 0;
  };
  Probe* Find(uint64_t sequence);
  std::optional<ClockMeasurement> Complete(const net::ClockDatagram& told);

  std::array<Probe, kKept> probes_;
  uint64_t next_sequence_ = 1;
};

}  // namespace tutti::fleet
