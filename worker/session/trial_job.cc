#include "worker/session/trial_job.h"

#include <chrono>
#include <optional>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "common/log/log.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"
#include "worker/session/cpu_placement.h"
#include "worker/session/load_convert.h"

namespace tutti::session {
namespace {

// Two ways of saying one instant: they differ by the rounding of a double at most.
constexpr int64_t kT0ToleranceNs = 1'000;
constexpr int64_t kDevicePatienceNs = 2'000'000'000;
constexpr int64_t kDevicePauseNs = 100'000'000;

// Edges lie at 0, interval, 2 x interval, ... below measure, and at measure.
uint32_t LastEdge(const v1::Timing& timing) {
  if (timing.interval_ns() <= 0 || timing.measure_ns() <= 0) return 0;
  const int64_t whole = timing.measure_ns() / timing.interval_ns();
  return static_cast<uint32_t>(whole + (timing.measure_ns() % timing.interval_ns() == 0 ? 0 : 1));
}

std::string Text(const absl::Status& status) { return std::string(status.message()); }

}  // namespace

TrialJob::TrialJob(v1::Prepare prepare, std::shared_ptr<const v1::HostFacts> facts, TrialKernel& kernel,
                   const Clock& clock)
    : prepare_(std::move(prepare)),
      facts_(std::move(facts)),
      kernel_(kernel),
      clock_(clock),
      last_edge_(LastEdge(prepare_.timing())) {}

load::LoadTrial* TrialJob::load() {
  MutexLock lock(mutex_);
  return load_.get();
}

absl::Status TrialJob::KeepLoad(std::unique_ptr<load::LoadTrial> load) {
  MutexLock lock(mutex_);
  load_ = std::move(load);
  if (!aborted_) return absl::OkStatus();
  load_->Abort();
  return absl::CancelledError("aborted");
}

PhaseOutcome TrialJob::Prepare(std::vector<v1::BoundPort>* ports) {
  const auto prepare = [&]() -> absl::Status {
    TUTTI_ASSIGN_OR_RETURN(const load::TrialTiming timing, ToTrialTiming(prepare_.timing()));
    std::vector<load::StreamConfig> configs;
    configs.reserve(static_cast<size_t>(prepare_.streams_size()));
    // Streams of one device share the answer.
    std::map<std::string, absl::StatusOr<std::vector<uint32_t>>> known;
    const auto interrupt_cpus = [&](const std::string& device) {
      auto found = known.find(device);
      if (found == known.end()) found = known.emplace(device, kernel_.InterruptCpus(device)).first;
      return found->second;
    };
    for (const v1::StreamEnd& stream : prepare_.streams()) {
      TUTTI_ASSIGN_OR_RETURN(CpuPlacement placement, PlaceOnCpu(stream, *facts_, interrupt_cpus));
      if (placement.missed) missed_cpus_[stream.stream_id()] = std::move(*placement.missed);
      TUTTI_ASSIGN_OR_RETURN(load::StreamConfig config, ToStreamConfig(stream, placement.cpu));
      configs.push_back(std::move(config));
    }
    TUTTI_ASSIGN_OR_RETURN(auto load, kernel_.PrepareLoad(std::move(configs), timing));
    for (const load::BoundPort& port : load->bound_ports()) ports->push_back(ToProto(port));
    return KeepLoad(std::move(load));
  };
  return Failed(prepare());
}

PhaseOutcome TrialJob::Connect(const v1::Connect& connect, HostTime deadline) {
  LookUpRoutes();
  const auto targets = ToBoundPorts(connect);
  if (!targets.ok()) return Failed(targets.status());
  return Failed(load()->Connect(*targets, deadline));
}

void TrialJob::LookUpRoutes() {
  // Streams of one pair of hosts share their route.
  std::map<std::tuple<std::string, std::string, std::string>, Egress> known;
  for (const v1::StreamEnd& stream : prepare_.streams()) {
    if (stream.side() != v1::SIDE_SEND) continue;
    const auto key = std::make_tuple(stream.local_address(), stream.peer_address(), stream.device());
    auto found = known.find(key);
    if (found == known.end()) found = known.emplace(key, LookUpEgress(stream)).first;
    egress_[stream.stream_id()] = found->second;
  }
  for (const auto& [stream, egress] : egress_) stream_devices_.insert(egress.device);
  for (const v1::StreamEnd& stream : prepare_.streams()) {
    if (stream.side() == v1::SIDE_RECEIVE)
      stream_devices_.insert(DeviceOfAddress(*facts_, stream.local_address()));
  }
}

TrialJob::Egress TrialJob::LookUpEgress(const v1::StreamEnd& stream) {
  const auto route = kernel_.LookupRoute(stream.local_address(), stream.peer_address(), stream.device());
  if (!route.ok())
    return {"", absl::StrCat("the device that it leaves by is not known: ", Text(route.status()))};
  const bool asked = !stream.device().empty();
  const std::string expected = asked ? stream.device() : DeviceOfAddress(*facts_, stream.local_address());
  return {route->device, observe::RouteWarning(*route, expected, asked, stream.peer_address())};
}

absl::Status TrialJob::CheckT0(const v1::Arm& arm, const ClockMapping& mapping) const {
  if (!IsPlausibleNs(arm.t0_timeline_ns()) || !IsPlausibleNs(arm.t0_host_ns())) {
    return absl::InvalidArgumentError(absl::StrCat("arm: T0 is told as timeline ", arm.t0_timeline_ns(),
                                                   " ns, host ", arm.t0_host_ns(),
                                                   " ns: no clock shows such instants"));
  }
  const HostTime t0_host{arm.t0_host_ns()};
  const int64_t difference = mapping.ToHost(TimelineTime{arm.t0_timeline_ns()}) - t0_host;
  if (difference > kT0ToleranceNs || difference < -kT0ToleranceNs) {
    return absl::InvalidArgumentError(absl::StrCat("arm: T0 is told in two ways that differ by ", difference,
                                                   " ns: timeline ", arm.t0_timeline_ns(), ", host ",
                                                   arm.t0_host_ns()));
  }
  const int64_t ahead_ns = t0_host - clock_.Now();
  if (ahead_ns <= 0) {
    return absl::DeadlineExceededError(
        absl::StrCat("arm: T0 passed ", -ahead_ns / 1000, " us before the order to start arrived"));
  }
  return absl::OkStatus();
}

PhaseOutcome TrialJob::Arm(const v1::Arm& arm, std::function<void(v1::EdgeSample)> on_edge) {
  const auto begin = [&]() -> absl::Status {
    TUTTI_ASSIGN_OR_RETURN(const ClockMapping mapping, ToClockMapping(arm.mapping()));
    TUTTI_RETURN_IF_ERROR(CheckT0(arm, mapping));
    TUTTI_ASSIGN_OR_RETURN(devices_begin_, kernel_.ReadDevices());
    const TimelineTime t0{arm.t0_timeline_ns()};
    TUTTI_RETURN_IF_ERROR(
        load()->Arm(mapping, t0, [this, on_edge](const load::Edge& edge) { on_edge(ReadBesideEdge(edge)); }));
    window_end_ = t0 + (prepare_.timing().warmup_ns() + prepare_.timing().measure_ns());
    MutexLock lock(mutex_);
    clock_followed_.emplace(mapping);
    return absl::OkStatus();
  };
  return Failed(begin());
}

void TrialJob::FollowClock(const v1::ClockUpdate& update) {
  const absl::StatusOr<ClockMapping> fitted = ToClockMapping(update.mapping());
  if (!fitted.ok()) {
    spdlog::warn("clock update: {}", Text(fitted.status()));
    return;
  }
  MutexLock lock(mutex_);
  if (load_ == nullptr) return;
  if (clock_followed_) clock_followed_->Follow(*fitted, clock_.Now());
  load_->FollowClock(*fitted);
}

v1::EdgeSample TrialJob::ReadBesideEdge(const load::Edge& edge) {
  const bool whole_window = edge.index == 0 || edge.index == last_edge_;
  auto cpu = kernel_.ReadCpu(whole_window);
  auto udp = kernel_.ReadUdp();
  v1::EdgeSample sample = ToProto(edge);
  // A reading that failed stays unset: missing is not 0.
  if (cpu.ok()) {
    *sample.mutable_cpu() = std::move(*cpu);
  } else if (whole_window) {
    spdlog::warn("edge {}: no CPU reading: {}", edge.index, Text(cpu.status()));
  }
  if (udp.ok()) {
    *sample.mutable_udp() = std::move(*udp);
  } else if (whole_window) {
    spdlog::warn("edge {}: no UDP counters: {}", edge.index, Text(udp.status()));
  }
  AddPathCounters(sample);
  return sample;
}

// The way of the packets below the sockets. Last, since rtnetlink may wait for its lock.
void TrialJob::AddPathCounters(v1::EdgeSample& sample) {
  if (auto softnet = kernel_.ReadSoftnet(); softnet.ok()) *sample.mutable_softnet() = std::move(*softnet);
  if (auto devices = kernel_.ReadDevices(); devices.ok()) {
    for (v1::DeviceCounters& device : *devices) {
      if (stream_devices_.count(device.device()) > 0) *sample.add_devices() = std::move(device);
    }
  }
  if (auto qdiscs = kernel_.ReadQdiscs(); qdiscs.ok()) {
    for (v1::QdiscCounters& qdisc : *qdiscs) {
      if (qdisc.kind() == "noqueue") continue;  // it queues nothing and counts nothing
      if (stream_devices_.count(qdisc.device()) > 0) *sample.add_qdiscs() = std::move(qdisc);
    }
  }
}

std::vector<v1::SenderFinal> TrialJob::WaitSenders() {
  std::vector<v1::SenderFinal> finals;
  for (const load::SenderFinal& each : load()->WaitSenders()) finals.push_back(ToProto(each));
  return finals;
}

void TrialJob::Drain(const v1::Drain& drain, HostTime deadline) {
  load()->Drain(ToSenderFinals(drain), deadline);
}

// Ok passes. After an error the load is asked which streams failed; it has to be aborted first, since its
// threads still wait for the next phase.
PhaseOutcome TrialJob::Failed(absl::Status status) {
  PhaseOutcome outcome{std::move(status), {}};
  if (outcome.status.ok() || load() == nullptr) return outcome;
  load()->Abort();
  for (const load::StreamReport& report : load()->Report().streams) {
    if (!report.error.empty()) outcome.failed_streams.push_back(Complete(report));
  }
  return outcome;
}

v1::StreamReport TrialJob::Complete(const load::StreamReport& report) {
  v1::StreamReport proto = ToProto(report);
  if (const auto missed = missed_cpus_.find(report.stream_id); missed != missed_cpus_.end()) {
    *proto.add_options() = missed->second;
  }
  if (const auto egress = egress_.find(report.stream_id); egress != egress_.end()) {
    proto.set_egress_device(egress->second.device);
    if (!egress->second.warning.empty()) proto.add_warnings(egress->second.warning);
  }
  return proto;
}

std::map<std::string, DevicePayload> TrialJob::HardwarePayload(const load::LoadReport& report) const {
  std::map<std::string, DevicePayload> payload;
  for (size_t i = 0; i < report.streams.size() && i < static_cast<size_t>(prepare_.streams_size()); ++i) {
    const v1::StreamEnd& stream = prepare_.streams(static_cast<int>(i));
    if (stream.side() == v1::SIDE_SEND) {
      const auto egress = egress_.find(stream.stream_id());
      if (egress != egress_.end()) payload[egress->second.device].sent_bytes += report.streams[i].total_bytes;
    } else {
      payload[DeviceOfAddress(*facts_, stream.local_address())].received_bytes +=
          report.streams[i].total_bytes;
    }
  }
  std::map<std::string, DevicePayload> hardware;
  for (const v1::HostDevice& device : facts_->devices()) {
    const auto found = payload.find(device.name());
    if (device.has_hardware() && found != payload.end()) hardware.insert(*found);
  }
  return hardware;
}

std::vector<v1::DeviceCounters> TrialJob::ReadDevicesAtEnd(const load::LoadReport& report) {
  const std::map<std::string, DevicePayload> payload = HardwarePayload(report);
  std::vector<v1::DeviceCounters> latest;
  for (int64_t waited_ns = 0;; waited_ns += kDevicePauseNs) {
    auto devices = kernel_.ReadDevices();
    if (!devices.ok()) {
      spdlog::warn("no device counters at the end of the trial: {}", Text(devices.status()));
      return latest;
    }
    latest = std::move(*devices);
    if (waited_ns >= kDevicePatienceNs || !CountersFallShort(payload, devices_begin_, latest)) return latest;
    if (!SleepUnlessAborted(kDevicePauseNs)) return latest;
  }
}

bool TrialJob::SleepUnlessAborted(int64_t ns) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::nanoseconds(ns);
  MutexLock lock(mutex_);
  while (!aborted_) {
    if (!aborted_wake_.WaitUntil(mutex_, deadline)) break;
  }
  return !aborted_;
}

void TrialJob::ReportClock(v1::TrialReport& report) {
  MutexLock lock(mutex_);
  if (!clock_followed_) return;
  const HostTime window_end = clock_followed_->mapping().ToHost(window_end_);
  report.mutable_clock()->set_follows(clock_followed_->follows());
  report.mutable_clock()->set_largest_bound_ns(clock_followed_->LargestBoundUntil(window_end));
  report.mutable_clock()->set_window_end_host_ns(window_end.ns);
}

v1::TrialReport TrialJob::Report() {
  const load::LoadReport load_report = load()->Report();
  v1::TrialReport report;
  report.set_trial_id(prepare_.trial_id());
  for (const load::StreamReport& stream : load_report.streams) *report.add_streams() = Complete(stream);
  for (const v1::DeviceCounters& device : devices_begin_) *report.add_devices_begin() = device;
  for (v1::DeviceCounters& device : ReadDevicesAtEnd(load_report))
    *report.add_devices_end() = std::move(device);
  report.set_sampler_worst_lateness_ns(load_report.sampler_worst_lateness_ns);
  report.set_load_thread_cpu_ns(load_report.load_thread_cpu_ns);
  report.set_load_threads(load_report.load_threads);
  report.set_sampler_cpu_ns(load_report.sampler_cpu_ns);
  ReportClock(report);
  return report;
}

void TrialJob::Release() {
  std::unique_ptr<load::LoadTrial> dying;
  {
    MutexLock lock(mutex_);
    dying = std::move(load_);
  }
}

void TrialJob::Abort() {
  MutexLock lock(mutex_);
  aborted_ = true;
  aborted_wake_.NotifyAll();
  if (load_) load_->Abort();
}

}  // namespace tutti::session
