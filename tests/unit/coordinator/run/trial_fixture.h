// Two hosts, a sends to b: the smallest trial, and the messages with which workers answer.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "coordinator/run/trial_machine.h"
#include "tests/nanoseconds.h"
#include "tutti/v1/session.pb.h"

namespace tutti::run {

inline constexpr uint64_t kTrialId = 77;

inline tutti::v1::StreamEnd MakeEnd(uint32_t stream_id, tutti::v1::Side side, tutti::v1::Protocol protocol) {
  tutti::v1::StreamEnd end;
  end.set_stream_id(stream_id);
  end.set_side(side);
  end.set_protocol(protocol);
  return end;
}

// Warm-up 100 ms, window 1 s, cool-down 50 ms.
inline TrialSetup MakeSetup(tutti::v1::Protocol protocol = tutti::v1::PROTOCOL_UDP) {
  TrialSetup setup;
  setup.trial_id = kTrialId;
  setup.timing.set_warmup_ns(100 * kMs);
  setup.timing.set_measure_ns(1000 * kMs);
  setup.timing.set_cooldown_ns(50 * kMs);
  setup.timing.set_interval_ns(100 * kMs);
  setup.ends["a"] = {MakeEnd(0, tutti::v1::SIDE_SEND, protocol)};
  setup.ends["b"] = {MakeEnd(0, tutti::v1::SIDE_RECEIVE, protocol)};
  return setup;
}

inline tutti::v1::WorkerMessage PreparedMessage(const std::map<uint32_t, uint32_t>& ports,
                                                uint64_t trial_id = kTrialId) {
  tutti::v1::WorkerMessage message;
  message.mutable_prepared()->set_trial_id(trial_id);
  for (const auto& [stream, port] : ports) {
    tutti::v1::BoundPort& bound = *message.mutable_prepared()->add_ports();
    bound.set_stream_id(stream);
    bound.set_port(port);
  }
  return message;
}
inline tutti::v1::WorkerMessage ConnectedMessage(uint64_t trial_id = kTrialId) {
  tutti::v1::WorkerMessage message;
  message.mutable_connected()->set_trial_id(trial_id);
  return message;
}
inline tutti::v1::WorkerMessage ArmedMessage(uint64_t trial_id = kTrialId) {
  tutti::v1::WorkerMessage message;
  message.mutable_armed()->set_trial_id(trial_id);
  return message;
}
inline tutti::v1::WorkerMessage ProgressMessage(uint32_t index, int64_t at_trial_ns,
                                                std::vector<uint64_t> bytes, uint64_t trial_id = kTrialId) {
  tutti::v1::WorkerMessage message;
  message.mutable_progress()->set_trial_id(trial_id);
  tutti::v1::EdgeSample& edge = *message.mutable_progress()->mutable_edge();
  edge.set_index(index);
  edge.set_begin_trial_ns(at_trial_ns);
  edge.set_end_trial_ns(at_trial_ns);
  for (const uint64_t each : bytes) {
    edge.add_bytes(each);
    edge.add_retransmits(0);
  }
  return message;
}
inline tutti::v1::WorkerMessage StoppedMessage(const std::map<uint32_t, uint64_t>& bytes_of_stream,
                                               uint64_t trial_id = kTrialId) {
  tutti::v1::WorkerMessage message;
  message.mutable_senders_stopped()->set_trial_id(trial_id);
  for (const auto& [stream, bytes] : bytes_of_stream) {
    tutti::v1::SenderFinal& final = *message.mutable_senders_stopped()->add_finals();
    final.set_stream_id(stream);
    final.set_bytes(bytes);
  }
  return message;
}
inline tutti::v1::WorkerMessage DrainedMessage(uint64_t trial_id = kTrialId) {
  tutti::v1::WorkerMessage message;
  message.mutable_drained()->set_trial_id(trial_id);
  return message;
}
inline tutti::v1::WorkerMessage ReportMessage(int streams, uint64_t trial_id = kTrialId) {
  tutti::v1::WorkerMessage message;
  message.mutable_report()->set_trial_id(trial_id);
  for (int i = 0; i < streams; ++i) message.mutable_report()->add_streams();
  return message;
}
inline tutti::v1::WorkerMessage FailedMessage(const std::string& phase, const std::string& reason,
                                              uint64_t trial_id = kTrialId) {
  tutti::v1::WorkerMessage message;
  message.mutable_failed()->set_trial_id(trial_id);
  message.mutable_failed()->set_phase(phase);
  message.mutable_failed()->set_reason(reason);
  return message;
}
inline tutti::v1::WorkerMessage IdleMessage(uint64_t trial_id = kTrialId) {
  tutti::v1::WorkerMessage message;
  message.mutable_idle()->set_trial_id(trial_id);
  return message;
}

}  // namespace tutti::run
