#include "coordinator/run/trial_machine.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "common/units/units.h"
#include "coordinator/results/trial_view.h"
#include "coordinator/run/trial_clocks.h"

namespace tutti::run {
namespace {

using tutti::v1::CoordinatorMessage;
using tutti::v1::EdgeSample;
using tutti::v1::SenderFinal;
using tutti::v1::StreamEnd;
using tutti::v1::WorkerMessage;

// The worst round trip of late, this many times over, is added to the lead of T0.
constexpr int64_t kLeadRoundTrips = 4;
constexpr uint32_t kMaxPort = 65'535;

uint64_t TrialIdOf(const WorkerMessage& message) {
  switch (message.body_case()) {
    case WorkerMessage::kPrepared:
      return message.prepared().trial_id();
    case WorkerMessage::kConnected:
      return message.connected().trial_id();
    case WorkerMessage::kArmed:
      return message.armed().trial_id();
    case WorkerMessage::kProgress:
      return message.progress().trial_id();
    case WorkerMessage::kSendersStopped:
      return message.senders_stopped().trial_id();
    case WorkerMessage::kDrained:
      return message.drained().trial_id();
    case WorkerMessage::kReport:
      return message.report().trial_id();
    case WorkerMessage::kFailed:
      return message.failed().trial_id();
    case WorkerMessage::kIdle:
      return message.idle().trial_id();
    default:
      return 0;
  }
}

std::string OnHosts(const std::vector<std::string>& hosts) {
  return (hosts.size() == 1 ? "host " : "hosts ") + absl::StrJoin(hosts, ", ");
}

}  // namespace

TrialMachine::TrialMachine(TrialSetup setup) : setup_(std::move(setup)) {
  for (const auto& [name, ends] : setup_.ends) {
    HostState& host = hosts_[name];
    host.ends = ends;
    for (const StreamEnd& end : ends) {
      (end.side() == tutti::v1::SIDE_SEND ? host.sends : host.receives).insert(end.stream_id());
      if (end.protocol() != tutti::v1::PROTOCOL_UDP) continue;
      largest_datagram_bytes_ = std::max(largest_datagram_bytes_, end.message_size_bytes());
    }
  }
}

CoordinatorMessage& TrialMachine::Send(const std::string& host) {
  return outgoing_.emplace_back(Outgoing{host, {}}).message;
}

std::vector<Outgoing> TrialMachine::TakeOutgoing() { return std::exchange(outgoing_, {}); }

std::optional<TimelineTime> TrialMachine::deadline() const {
  if (phase_ == Phase::kNew || finished()) return std::nullopt;
  return deadline_;
}

void TrialMachine::Enter(Phase phase, TimelineTime deadline) {
  phase_ = phase;
  deadline_ = deadline;
  // The three phases of sending share one answer, that the senders have stopped.
  if (phase == Phase::kMeasure || phase == Phase::kCooldown) return;
  for (auto& [name, host] : hosts_) host.answered = false;
}

// --- Before the start ---------------------------------------------------------------------------

void TrialMachine::Start(TimelineTime now) {
  if (phase_ != Phase::kNew) return;
  Enter(Phase::kPrepare, now + setup_.deadlines.prepare_ns + setup_.deadlines.answer_ns);
  for (auto& [name, host] : hosts_) {
    host.idle = false;
    tutti::v1::Prepare& prepare = *Send(name).mutable_prepare();
    prepare.set_trial_id(setup_.trial_id);
    prepare.mutable_streams()->Assign(host.ends.begin(), host.ends.end());
    *prepare.mutable_timing() = setup_.timing;
    prepare.set_deadline_ns(setup_.deadlines.prepare_ns);
  }
}

void TrialMachine::OnPrepared(TimelineTime now, HostEntry& entry, const tutti::v1::Prepared& prepared) {
  if (phase_ != Phase::kPrepare) return;
  auto& [name, host] = entry;
  for (const tutti::v1::BoundPort& bound : prepared.ports()) {
    // Of others' streams it has nothing to say.
    if (!host.receives.contains(bound.stream_id())) continue;
    if (bound.port() >= 1 && bound.port() <= kMaxPort) host.ports[bound.stream_id()] = bound.port();
  }
  for (const uint32_t stream : host.receives) {
    if (host.ports.contains(stream)) continue;
    Fail(now, name, "it told no port for stream " + std::to_string(stream));
    return;
  }
  Answer(now, entry, Phase::kPrepare);
}

void TrialMachine::EnterConnect(TimelineTime now) {
  Enter(Phase::kConnect, now + setup_.deadlines.connect_ns + setup_.deadlines.answer_ns);
  std::map<uint32_t, uint32_t> port_of;
  for (const auto& [name, host] : hosts_) port_of.insert(host.ports.begin(), host.ports.end());
  for (const auto& [name, host] : hosts_) {
    tutti::v1::Connect& connect = *Send(name).mutable_connect();
    connect.set_trial_id(setup_.trial_id);
    connect.set_deadline_ns(setup_.deadlines.connect_ns);
    for (const StreamEnd& end : host.ends) {
      const auto port = port_of.find(end.stream_id());
      if (end.side() != tutti::v1::SIDE_SEND || port == port_of.end()) continue;
      tutti::v1::ConnectTarget& target = *connect.add_targets();
      target.set_stream_id(end.stream_id());
      target.set_port(port->second);
    }
  }
}

void TrialMachine::OnClocks(TimelineTime now, const std::map<std::string, WorkerClockView>& clocks) {
  if (phase_ != Phase::kClocks) return;
  int64_t worst_round_trip_ns = 0;
  for (const auto& [name, host] : hosts_) {
    const auto clock = clocks.find(name);
    if (clock == clocks.end()) {
      Fail(now, name, "its clock could not be measured: no probe was answered");
      return;
    }
    worst_round_trip_ns = std::max(worst_round_trip_ns, clock->second.round_trip_ns);
  }
  t0_ = now + setup_.arm_lead_ns + std::min(kLeadRoundTrips * worst_round_trip_ns, kMaxLeadRoundTripsNs) +
        kLeadPerHostNs * static_cast<int64_t>(hosts_.size());
  armed_ = true;
  Enter(Phase::kArm, t0_);
  for (auto& [name, host] : hosts_) {
    host.mapping = clocks.at(name).mapping;
    tutti::v1::Arm& arm = *Send(name).mutable_arm();
    arm.set_trial_id(setup_.trial_id);
    *arm.mutable_mapping() = ToProto(host.mapping);
    arm.set_t0_timeline_ns(t0_.ns);
    arm.set_t0_host_ns(host.mapping.ToHost(t0_).ns);
  }
}

// --- Events -------------------------------------------------------------------------------------

void TrialMachine::OnMessage(TimelineTime now, const std::string& name, const WorkerMessage& message) {
  const auto found = hosts_.find(name);
  if (found == hosts_.end() || phase_ == Phase::kNew || finished()) return;
  if (TrialIdOf(message) != setup_.trial_id) return;
  HostState& host = found->second;
  switch (message.body_case()) {
    case WorkerMessage::kPrepared:
      return OnPrepared(now, *found, message.prepared());
    case WorkerMessage::kConnected:
      return Answer(now, *found, Phase::kConnect);
    case WorkerMessage::kArmed:
      return Answer(now, *found, Phase::kArm);
    case WorkerMessage::kProgress:
      return OnProgress(host, message.progress().edge());
    case WorkerMessage::kSendersStopped:
      for (const SenderFinal& each : message.senders_stopped().finals()) {
        if (host.sends.contains(each.stream_id())) host.finals[each.stream_id()] = each;
      }
      return Answer(now, *found, IsRunning() ? phase_ : Phase::kCooldown);
    case WorkerMessage::kDrained:
      return Answer(now, *found, Phase::kDrain);
    case WorkerMessage::kReport:
      OnReport(*found, message.report());
      return Advance(now);
    case WorkerMessage::kFailed:
      return OnFailed(now, *found, message.failed());
    case WorkerMessage::kIdle:
      if (phase_ != Phase::kAbort && !host.idle && !host.gone) {
        GoOnWithout(now, name, "the worker gave the trial up");
      }
      host.idle = true;
      return Advance(now);
    default:
      return;
  }
}

void TrialMachine::Answer(TimelineTime now, HostEntry& entry, Phase phase) {
  if (phase_ != phase) return;
  entry.second.answered = true;
  Advance(now);
}

void TrialMachine::OnFailed(TimelineTime now, HostEntry& entry, const tutti::v1::TrialFailed& failed) {
  auto& [name, host] = entry;
  for (const tutti::v1::StreamReport& stream : failed.streams()) {
    // Without an error it would stand for a stream that went well.
    if (!stream.has_error() || host.failed_streams.size() >= host.ends.size()) continue;
    tutti::v1::StreamReport& kept = host.failed_streams.emplace_back(stream);
    if (results::WhyUnusable(stream, Bounds()).empty()) continue;
    kept.Clear();
    kept.set_stream_id(stream.stream_id());
    kept.set_side(stream.side());
    *kept.mutable_error() = stream.error();
  }
  std::string reason = failed.reason();
  // The phase is said by whoever prints the reason.
  if (reason.starts_with(failed.phase() + ": ")) reason.erase(0, failed.phase().size() + 2);
  if (reason.empty() && failed.streams_size() > 0) reason = failed.streams(0).error().message();
  if (reason.empty()) reason = "the worker gave no reason";
  GoOnWithout(now, name, reason);
}

results::ReportBounds TrialMachine::Bounds() const {
  return {.intervals = results::GridOf(setup_.timing).intervals,
          .hosts = hosts_.size(),
          .largest_datagram_bytes = largest_datagram_bytes_};
}

void TrialMachine::OnProgress(HostState& host, const EdgeSample& edge) {
  const results::ReportBounds bounds = Bounds();
  // Each edge comes once: whoever sends more of them has told enough.
  if (edge.index() > bounds.intervals || host.progress.size() > bounds.intervals) return;
  if (static_cast<size_t>(edge.bytes_size()) != host.ends.size()) return;
  if (results::WhyUnusable(edge, bounds).empty()) host.progress.push_back(edge);
}

void TrialMachine::OnReport(HostEntry& entry, const tutti::v1::TrialReport& report) {
  HostState& host = entry.second;
  host.answered = host.answered || phase_ == Phase::kReport;
  if (host.report.has_value()) return;
  if (static_cast<size_t>(report.streams_size()) != host.ends.size()) {
    host.missing = "its report has " + std::to_string(report.streams_size()) + " streams instead of " +
                   std::to_string(host.ends.size());
    return;
  }
  if (const std::string why = results::WhyUnusable(report, Bounds()); !why.empty()) {
    host.missing = "its report " + why;
    return;
  }
  host.report = report;
  host.missing.clear();
}

void TrialMachine::OnLost(TimelineTime now, const std::string& name, const std::string& reason) {
  const auto found = hosts_.find(name);
  if (found == hosts_.end() || phase_ == Phase::kNew || finished()) return;
  found->second.idle = true;
  GoOnWithout(now, name, "session lost: " + reason);
  Advance(now);
}

void TrialMachine::GoOnWithout(TimelineTime now, const std::string& name, const std::string& reason) {
  HostState& host = hosts_.at(name);
  const bool known = host.gone;
  host.gone = true;
  if (!host.report.has_value() && host.missing.empty())
    host.missing = std::string(PhaseName(phase_)) + ": " + reason;
  if (known || phase_ == Phase::kAbort) return;
  if (IsBeforeStart()) return Fail(now, name, reason);
  if (phase_ == Phase::kWarmup || phase_ == Phase::kMeasure) {
    // The others stop now and tell what they have: nothing that they did is to be lost.
    outcome_.failure = std::string(PhaseName(phase_)) + " on host " + name + ": " + reason;
    return EnterReport(now, setup_.deadlines.report_early_ns);
  }
  Advance(now);
}

void TrialMachine::OnCancel(TimelineTime now) {
  if (finished() || outcome_.cancelled) return;
  outcome_.cancelled = true;
  for (auto& [name, host] : hosts_) {
    if (!host.report.has_value() && host.missing.empty()) host.missing = "cancelled";
  }
  if (phase_ != Phase::kAbort) Abort(now, "cancelled");
}

void TrialMachine::OnStop(TimelineTime now, const std::string& reason) {
  if (phase_ != Phase::kWarmup && phase_ != Phase::kMeasure) return;
  outcome_.aborted = reason;
  EnterReport(now, setup_.deadlines.report_early_ns);
}

void TrialMachine::OnTime(TimelineTime now) {
  while (deadline().has_value() && now >= deadline_) OnDeadline(now);
}

// --- The phases ---------------------------------------------------------------------------------

std::vector<std::string> TrialMachine::Unanswered() const {
  std::vector<std::string> names;
  for (const auto& [name, host] : hosts_) {
    const bool settled = phase_ == Phase::kAbort ? host.idle : host.gone || host.answered;
    if (!settled) names.push_back(name);
  }
  return names;
}

void TrialMachine::Advance(TimelineTime now) {
  if (phase_ == Phase::kNew || phase_ == Phase::kClocks || finished()) return;
  if (!Unanswered().empty()) return;
  switch (phase_) {
    case Phase::kPrepare:
      return EnterConnect(now);
    case Phase::kConnect:
      return Enter(Phase::kClocks, now + setup_.deadlines.clocks_ns);
    case Phase::kArm:
      return Enter(Phase::kWarmup, t0_ + setup_.timing.warmup_ns());
    case Phase::kWarmup:
    case Phase::kMeasure:
    case Phase::kCooldown:
      return EnterDrain(now);
    case Phase::kDrain:
      return EnterReport(now, setup_.deadlines.report_ns);
    case Phase::kReport:
      return Abort(now, "the trial is over");
    case Phase::kAbort:
      phase_ = Phase::kFinished;
      return;
    default:
      return;
  }
}

void TrialMachine::OnDeadline(TimelineTime now) {
  const std::vector<std::string> late = Unanswered();
  const tutti::v1::Timing& timing = setup_.timing;
  switch (phase_) {
    case Phase::kPrepare:
    case Phase::kConnect:
    case Phase::kClocks:
    case Phase::kArm: {
      std::string why = "no answer in time";
      if (phase_ == Phase::kClocks) why = "its clock was not measured in time";
      if (phase_ == Phase::kArm)
        why = "it did not confirm T0 before T0 came; the network or the host is too slow";
      outcome_.armed_late = phase_ == Phase::kArm;
      for (const std::string& name : late)
        hosts_.at(name).missing = std::string(PhaseName(phase_)) + ": " + why;
      outcome_.failure = std::string(PhaseName(phase_)) + " on " + OnHosts(late) + ": " + why;
      return Abort(now, outcome_.failure);
    }
    case Phase::kWarmup:
      return Enter(Phase::kMeasure, t0_ + timing.warmup_ns() + timing.measure_ns());
    case Phase::kMeasure:
      return Enter(Phase::kCooldown, t0_ + timing.warmup_ns() + timing.measure_ns() + timing.cooldown_ns() +
                                         setup_.deadlines.senders_stop_ns);
    case Phase::kCooldown:
      for (const std::string& name : late) {
        hosts_.at(name).missing = "COOLDOWN: its streams did not stop within " +
                                  FormatDuration(setup_.deadlines.senders_stop_ns) + " after their time";
      }
      return EnterDrain(now);
    case Phase::kDrain:
      return EnterReport(now, setup_.deadlines.report_ns);
    case Phase::kReport:
      for (const std::string& name : late) {
        HostState& host = hosts_.at(name);
        if (host.missing.empty()) host.missing = "REPORT: it did not arrive in time";
      }
      return Abort(now, "the report did not arrive in time");
    case Phase::kAbort:
      outcome_.not_idle = late;
      phase_ = Phase::kFinished;
      return;
    default:
      return;
  }
}

std::map<uint32_t, SenderFinal> TrialMachine::AllFinals() const {
  std::map<uint32_t, SenderFinal> finals;
  for (const auto& [name, host] : hosts_) finals.insert(host.finals.begin(), host.finals.end());
  return finals;
}

int64_t TrialMachine::DrainNs(const HostState& host) const {
  const TrialDeadlines& deadlines = setup_.deadlines;
  if (host.progress.empty()) return deadlines.drain_ns;
  const EdgeSample& first = host.progress.front();
  const EdgeSample& last = host.progress.back();
  const auto elapsed_ns = static_cast<double>(last.begin_trial_ns() - first.begin_trial_ns());
  const std::map<uint32_t, SenderFinal> finals = AllFinals();
  double longest_ns = 0;
  for (size_t i = 0; i < host.ends.size(); ++i) {
    const StreamEnd& end = host.ends[i];
    const auto final = finals.find(end.stream_id());
    if (end.side() != tutti::v1::SIDE_RECEIVE || end.protocol() != tutti::v1::PROTOCOL_TCP) continue;
    if (final == finals.end()) continue;
    const int index = static_cast<int>(i);
    const double queued = static_cast<double>(final->second.bytes()) - static_cast<double>(last.bytes(index));
    const double moved = static_cast<double>(last.bytes(index)) - static_cast<double>(first.bytes(index));
    if (queued <= 0) continue;
    longest_ns = std::max(
        longest_ns, moved > 0 ? queued / moved * elapsed_ns : static_cast<double>(deadlines.drain_max_ns));
  }
  return static_cast<int64_t>(std::min(static_cast<double>(deadlines.drain_ns) + longest_ns,
                                       static_cast<double>(deadlines.drain_max_ns)));
}

void TrialMachine::EnterDrain(TimelineTime now) {
  Enter(Phase::kDrain, now);
  const std::map<uint32_t, SenderFinal> finals = AllFinals();
  int64_t longest_ns = 0;
  for (auto& [name, host] : hosts_) {
    host.answered = host.receives.empty();
    if (host.gone || host.receives.empty()) continue;
    const int64_t drain_ns = DrainNs(host);
    longest_ns = std::max(longest_ns, drain_ns);
    tutti::v1::Drain& drain = *Send(name).mutable_drain();
    drain.set_trial_id(setup_.trial_id);
    drain.set_deadline_ns(drain_ns);
    for (const StreamEnd& end : host.ends) {
      const auto final = finals.find(end.stream_id());
      if (end.side() == tutti::v1::SIDE_RECEIVE && final != finals.end()) *drain.add_finals() = final->second;
    }
  }
  deadline_ = now + longest_ns + setup_.deadlines.answer_ns;
  Advance(now);
}

void TrialMachine::EnterReport(TimelineTime now, int64_t patience_ns) {
  Enter(Phase::kReport, now + patience_ns);
  for (auto& [name, host] : hosts_) {
    host.answered = host.report.has_value();
    if (host.gone || host.answered) continue;
    Send(name).mutable_finish()->set_trial_id(setup_.trial_id);
  }
  Advance(now);
}

void TrialMachine::Fail(TimelineTime now, const std::string& host, const std::string& reason) {
  outcome_.failure = std::string(PhaseName(phase_)) + " on host " + host + ": " + reason;
  Abort(now, outcome_.failure);
}

void TrialMachine::Abort(TimelineTime now, const std::string& reason) {
  Enter(Phase::kAbort, now + setup_.deadlines.abort_ns);
  for (const auto& [name, host] : hosts_) {
    // One that has reported becomes idle by itself.
    if (host.idle || (host.report.has_value() && !host.gone)) continue;
    tutti::v1::Abort& abort = *Send(name).mutable_abort();
    abort.set_trial_id(setup_.trial_id);
    abort.set_reason(reason);
  }
  Advance(now);
}

TrialOutcome TrialMachine::TakeOutcome() {
  if (armed_) outcome_.t0 = t0_;
  for (auto& [name, host] : hosts_) {
    results::HostInput& input = outcome_.hosts.emplace_back();
    input.host = name;
    for (const StreamEnd& end : host.ends) {
      input.stream_ids.push_back(end.stream_id());
      input.stream_sides.push_back(end.side());
    }
    if (!host.report.has_value()) {
      input.missing = host.missing.empty() ? "the trial ended before its report" : host.missing;
    }
    input.report = std::move(host.report);
    input.progress = std::move(host.progress);
    input.failed_streams = std::move(host.failed_streams);
    input.mapping = host.mapping;
  }
  return std::move(outcome_);
}

}  // namespace tutti::run
