// A worker that lives in the test: answers what it is sent through a ManualExecutor, in its own clock, and
// can be told to fall silent or to fail at a given command.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/sync/executor.h"
#include "common/version/version.h"
#include "coordinator/fleet/fleet.h"
#include "coordinator/fleet/worker_link.h"
#include "tutti/v1/session.pb.h"

namespace tutti::run {

class ScriptedWorker final : public fleet::WorkerLink, public std::enable_shared_from_this<ScriptedWorker> {
 public:
  using Command = tutti::v1::CoordinatorMessage::BodyCase;
  static constexpr int64_t kDelayNs = 100'000;  // each way

  ScriptedWorker(ManualExecutor& executor, fleet::Fleet& fleet, std::string name, int64_t clock_offset_ns)
      : executor_(executor), fleet_(fleet), name_(std::move(name)), clock_offset_ns_(clock_offset_ns) {}

  void Dial(uint64_t incarnation = 1) {
    tutti::v1::Hello hello;
    hello.set_protocol_version(kProtocolVersion);
    hello.set_name(name_);
    hello.set_incarnation(incarnation);
    hello.set_resumable(resumable);
    incarnation_ = incarnation;
    hello.set_control_address(address());
    tutti::v1::HostFacts& facts = *hello.mutable_facts();
    facts.set_boot_id("boot-" + name_);
    facts.set_rmem_max_bytes(212992);
    facts.set_wmem_max_bytes(212992);
    for (uint32_t cpu = 0; cpu < 2; ++cpu) {
      facts.add_online_cpus(cpu);
      facts.add_allowed_cpus(cpu);
    }
    tutti::v1::HostAddress& own = *facts.add_addresses();
    own.set_address(address());
    own.set_prefix_length(24);
    own.set_device("eth0");
    facts.add_devices()->set_name("eth0");
    facts.mutable_devices(0)->set_mtu_bytes(1500);
    fleet_.HandleHello(shared_from_this(), hello);
  }
  void Die() {
    dead_ = true;
    fleet_.HandleClosed(this, "the worker ended");
  }
  // Its session is held for the lease if it is resumable. What it says meanwhile is lost: it numbers nothing.
  void BreakConnection() { fleet_.HandleClosed(this, "its connection was reset"); }
  void Reattach() {
    tutti::v1::Hello hello;
    hello.set_protocol_version(kProtocolVersion);
    hello.set_name(name_);
    hello.set_incarnation(incarnation_);
    hello.set_session_id(session_id_);
    hello.set_received_sequence(received_sequence_);
    hello.set_attempt(++attempt_);
    fleet_.HandleHello(shared_from_this(), hello);
  }

  std::string address() const { return "10.0.0." + std::to_string(name_.back() - 'a' + 1); }
  bool resumable = false;       // set before Dial
  std::set<Command> silent_at;  // these commands get no answer
  std::set<Command> fails_at;   // these are answered by TrialFailed
  std::vector<Command> heard;
  std::vector<tutti::v1::Prepare> prepared;

  void Send(tutti::v1::CoordinatorMessage message) override {
    executor_.PostAfter(kDelayNs, [self = shared_from_this(), message] { self->Handle(message); });
  }
  void SendProbe(uint64_t sequence) override {
    const int64_t sent_ns = executor_.NowNs();
    executor_.PostAfter(kDelayNs, [self = shared_from_this(), sequence, sent_ns] {
      tutti::v1::WorkerMessage reply;
      reply.mutable_clock_reply()->set_sequence(sequence);
      reply.mutable_clock_reply()->set_probe_sent_timeline_ns(sent_ns);
      reply.mutable_clock_reply()->set_received_host_ns(self->HostNow());
      reply.mutable_clock_reply()->set_sent_host_ns(self->HostNow());
      self->Say(reply);
    });
  }
  void Close() override {}
  void Break() override {}
  std::string peer() const override { return "ipv4:" + address() + ":40000"; }

 private:
  int64_t HostNow() const { return executor_.NowNs() - clock_offset_ns_; }

  void Say(tutti::v1::WorkerMessage message, int64_t after_ns = 0) {
    executor_.PostAfter(after_ns + kDelayNs, [self = shared_from_this(), message] {
      if (!self->dead_) self->fleet_.HandleMessage(self.get(), message, {self->executor_.NowNs()});
    });
  }

  void Handle(const tutti::v1::CoordinatorMessage& message) {
    if (dead_) return;
    if (message.has_registered()) session_id_ = message.registered().session_id();
    received_sequence_ = std::max(received_sequence_, message.sequence());
    heard.push_back(message.body_case());
    if (message.has_prepare()) {
      prepared.push_back(message.prepare());
      trial_id_ = message.prepare().trial_id();
    }
    if (silent_at.contains(message.body_case())) return;
    if (fails_at.contains(message.body_case())) {
      tutti::v1::WorkerMessage failed;
      failed.mutable_failed()->set_trial_id(trial_id_);
      failed.mutable_failed()->set_reason("it was told to fail");
      Say(failed);
      return Idle();
    }
    switch (message.body_case()) {
      case Command::kPrepare:
        return Prepared();
      case Command::kConnect: {
        tutti::v1::WorkerMessage reply;
        reply.mutable_connected()->set_trial_id(trial_id_);
        return Say(reply);
      }
      case Command::kArm:
        return Run(message.arm());
      case Command::kDrain: {
        tutti::v1::WorkerMessage reply;
        reply.mutable_drained()->set_trial_id(trial_id_);
        return Say(reply);
      }
      case Command::kFinish: {
        tutti::v1::WorkerMessage reply;
        reply.mutable_report()->set_trial_id(trial_id_);
        for (const tutti::v1::StreamEnd& end : prepared.back().streams()) {
          tutti::v1::StreamReport& stream = *reply.mutable_report()->add_streams();
          stream.set_stream_id(end.stream_id());
          stream.set_side(end.side());
        }
        for (const tutti::v1::EdgeSample& edge : edges_) *reply.mutable_report()->add_edges() = edge;
        Say(reply);
        return Idle();
      }
      case Command::kAbort:
        return Idle();
      case Command::kMeasureBackground:
        return Background(message.measure_background());
      default:
        return;
    }
  }

  void Prepared() {
    tutti::v1::WorkerMessage reply;
    reply.mutable_prepared()->set_trial_id(trial_id_);
    for (const tutti::v1::StreamEnd& end : prepared.back().streams()) {
      if (end.side() != tutti::v1::SIDE_RECEIVE) continue;
      tutti::v1::BoundPort& bound = *reply.mutable_prepared()->add_ports();
      bound.set_stream_id(end.stream_id());
      bound.set_port(5201 + end.stream_id());
    }
    Say(reply);
  }

  tutti::v1::CpuReading Reading(int64_t at_host_ns) const {
    tutti::v1::CpuReading reading;
    reading.set_host_ns(at_host_ns);
    for (uint32_t cpu = 0; cpu < 2; ++cpu) {
      tutti::v1::CpuTimes& times = *reading.add_cpus();
      times.set_cpu(cpu);
      // A quarter of each CPU is busy.
      times.set_idle_ns(static_cast<uint64_t>(at_host_ns / 4 * 3));
    }
    return reading;
  }

  void Run(const tutti::v1::Arm& arm) {
    tutti::v1::WorkerMessage armed;
    armed.mutable_armed()->set_trial_id(trial_id_);
    Say(armed);
    edges_.clear();
    const tutti::v1::Timing& timing = prepared.back().timing();
    const int64_t to_t0_ns = arm.t0_host_ns() - HostNow();
    const auto intervals = (timing.measure_ns() + timing.interval_ns() - 1) / timing.interval_ns();
    for (int64_t index = 0; index <= intervals; ++index) {
      const int64_t due_ns = timing.warmup_ns() + std::min(index * timing.interval_ns(), timing.measure_ns());
      tutti::v1::WorkerMessage progress;
      progress.mutable_progress()->set_trial_id(trial_id_);
      tutti::v1::EdgeSample& edge = *progress.mutable_progress()->mutable_edge();
      edge.set_index(static_cast<uint32_t>(index));
      edge.set_due_trial_ns(due_ns);
      edge.set_begin_trial_ns(due_ns);
      edge.set_end_trial_ns(due_ns);
      for (int i = 0; i < prepared.back().streams_size(); ++i) {
        edge.add_bytes(static_cast<uint64_t>(due_ns / 1000));  // 8 Gbps
        edge.add_messages(static_cast<uint64_t>(due_ns / 1'000'000));
        edge.add_thread_cpu_ns(0);
        edge.add_retransmits(0);
        edge.add_kernel_bytes(0);
      }
      *edge.mutable_cpu() = Reading(arm.t0_host_ns() + due_ns);
      edges_.push_back(edge);
      Say(progress, to_t0_ns + due_ns);
    }
    tutti::v1::WorkerMessage stopped;
    stopped.mutable_senders_stopped()->set_trial_id(trial_id_);
    Say(stopped, to_t0_ns + timing.warmup_ns() + timing.measure_ns() + timing.cooldown_ns());
  }

  void Background(const tutti::v1::MeasureBackground& request) {
    tutti::v1::WorkerMessage reply;
    reply.mutable_background()->set_request_id(request.request_id());
    *reply.mutable_background()->mutable_begin() = Reading(HostNow());
    *reply.mutable_background()->mutable_end() = Reading(HostNow() + request.duration_ns());
    Say(reply, request.duration_ns());
  }

  void Idle() {
    tutti::v1::WorkerMessage idle;
    idle.mutable_idle()->set_trial_id(trial_id_);
    Say(idle, kDelayNs);
  }

  ManualExecutor& executor_;
  fleet::Fleet& fleet_;
  const std::string name_;
  const int64_t clock_offset_ns_;
  uint64_t incarnation_ = 0;
  uint64_t session_id_ = 0;
  uint64_t received_sequence_ = 0;
  uint64_t attempt_ = 0;
  uint64_t trial_id_ = 0;
  bool dead_ = false;
  std::vector<tutti::v1::EdgeSample> edges_;
};

}  // namespace tutti::run
