// The commands of one trial with a sender (stream 1) and a receiver (stream 2), as a coordinator sends them.
#pragma once

#include "tests/nanoseconds.h"
#include "tutti/v1/session.pb.h"

namespace tutti::session {

inline constexpr uint64_t kTrial = 77;
inline constexpr int64_t kT0Ns = 500 * kMs;

inline v1::HostFacts MakeFacts() {
  v1::HostFacts facts;
  for (const uint32_t cpu : {0u, 1u, 2u, 3u}) {
    facts.add_online_cpus(cpu);
    facts.add_allowed_cpus(cpu);
  }
  v1::HostAddress* address = facts.add_addresses();
  address->set_address("10.0.0.1");
  address->set_device("eth0");
  v1::HostDevice* device = facts.add_devices();
  device->set_name("eth0");
  return facts;
}

inline v1::CoordinatorMessage MakePrepare(uint64_t trial = kTrial) {
  v1::CoordinatorMessage message;
  v1::Prepare* prepare = message.mutable_prepare();
  prepare->set_trial_id(trial);
  prepare->set_deadline_ns(2'000 * kMs);
  prepare->mutable_timing()->set_warmup_ns(100 * kMs);
  prepare->mutable_timing()->set_measure_ns(1'000 * kMs);
  prepare->mutable_timing()->set_interval_ns(100 * kMs);
  for (const uint32_t id : {1u, 2u}) {
    v1::StreamEnd* stream = prepare->add_streams();
    stream->set_stream_id(id);
    stream->set_side(id == 1 ? v1::SIDE_SEND : v1::SIDE_RECEIVE);
    stream->set_protocol(v1::PROTOCOL_UDP);
    stream->set_message_size_bytes(1472);
    stream->set_local_address("10.0.0.1");
    stream->set_peer_address("10.0.0.2");
  }
  return message;
}

inline v1::CoordinatorMessage MakeConnect(uint64_t trial = kTrial) {
  v1::CoordinatorMessage message;
  message.mutable_connect()->set_trial_id(trial);
  message.mutable_connect()->set_deadline_ns(3'000 * kMs);
  v1::ConnectTarget* target = message.mutable_connect()->add_targets();
  target->set_stream_id(1);
  target->set_port(5201);
  return message;
}

// The timeline runs 1 s ahead of the host.
inline v1::CoordinatorMessage MakeArm(uint64_t trial = kTrial) {
  v1::CoordinatorMessage message;
  v1::Arm* arm = message.mutable_arm();
  arm->set_trial_id(trial);
  arm->mutable_mapping()->set_reference_timeline_ns(1'000 * kMs);
  arm->set_t0_host_ns(kT0Ns);
  arm->set_t0_timeline_ns(kT0Ns + 1'000 * kMs);
  return message;
}

inline v1::CoordinatorMessage MakeDrain(uint64_t trial = kTrial) {
  v1::CoordinatorMessage message;
  message.mutable_drain()->set_trial_id(trial);
  message.mutable_drain()->set_deadline_ns(2'000 * kMs);
  v1::SenderFinal* each = message.mutable_drain()->add_finals();
  each->set_stream_id(2);
  each->set_messages(11);
  each->set_bytes(16'192);
  return message;
}

inline v1::CoordinatorMessage MakeFinish(uint64_t trial = kTrial) {
  v1::CoordinatorMessage message;
  message.mutable_finish()->set_trial_id(trial);
  return message;
}

inline v1::CoordinatorMessage MakeAbort(uint64_t trial = kTrial) {
  v1::CoordinatorMessage message;
  message.mutable_abort()->set_trial_id(trial);
  message.mutable_abort()->set_reason("cancelled by its user");
  return message;
}

}  // namespace tutti::session
