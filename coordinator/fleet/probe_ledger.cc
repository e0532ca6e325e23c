#include "coordinator/fleet/probe_ledger.h"

#include <algorithm>

namespace tutti::fleet {

uint64_t ProbeLedger::Begin(TimelineTime sent) {
  const uint64_t sequence = next_sequence_++;
  probes_[sequence % kKept] = Probe{.sequence = sequence, .sent = sent};
  return sequence;
}

ProbeLedger::Probe* ProbeLedger::Find(uint64_t sequence) {
  Probe& probe = probes_[sequence % kKept];
  return sequence != 0 && probe.sequence == sequence ? &probe : nullptr;
}

void ProbeLedger::OnSendStamp(uint64_t sequence, TimelineTime sent, int64_t bound_ns) {
  Probe* probe = Find(sequence);
  // The kernel stamps inside the call: an instant before it is not of this probe.
  if (probe == nullptr || probe->sent_by_kernel || sent.ns + bound_ns < probe->sent.ns) return;
  probe->sent = sent;
  probe->sent_bound_ns = bound_ns;
  probe->sent_by_kernel = true;
}

std::optional<ClockMeasurement> ProbeLedger::OnReply(const net::ClockDatagram& reply, TimelineTime received,
                                                     int64_t bound_ns) {
  Probe* answered = Find(reply.sequence);
  if (answered == nullptr || answered->answered) return std::nullopt;
  answered->answered = true;
  answered->usable = reply.has_received;
  answered->arrived = reply.received;
  answered->arrived_bound_ns = reply.received_bound_ns;
  answered->reply_received = received;
  answered->reply_received_bound_ns = bound_ns;
  return reply.sent_sequence == reply.sequence ? std::nullopt : Complete(reply);
}

std::optional<ClockMeasurement> ProbeLedger::OnFollowUp(const net::ClockDatagram& follow_up) {
  return Complete(follow_up);
}

std::optional<ClockMeasurement> ProbeLedger::Complete(const net::ClockDatagram& told) {
  Probe* complete = told.has_sent ? Find(told.sent_sequence) : nullptr;
  if (complete == nullptr || !complete->usable) return std::nullopt;
  complete->usable = false;
  ClockMeasurement measurement;
  measurement.exchange = {.probe_sent = complete->sent,
                          .probe_received = complete->arrived,
                          .reply_sent = told.sent,
                          .reply_received = complete->reply_received};
  // Each way's limit moves by the bounds of its own two stamps.
  measurement.exchange.uncertainty_ns =
      std::max(complete->sent_bound_ns + complete->arrived_bound_ns,
               int64_t{told.sent_bound_ns} + complete->reply_received_bound_ns);
  measurement.stamps =
      complete->sent_by_kernel && told.sent_by_kernel ? ProbeStamps::kKernel : ProbeStamps::kProgram;
  return measurement;
}

}  // namespace tutti::fleet
