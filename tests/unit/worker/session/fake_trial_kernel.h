// A trial's host without a network: the load does what the test says, the figures are fixed.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/sync/executor.h"
#include "common/sync/thread_annotations.h"
#include "common/time/clock.h"
#include "worker/session/trial_kernel.h"

namespace tutti::session {

// Shows the time of a ManualExecutor.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(const ManualExecutor& executor) : executor_(executor) {}
  HostTime Now() const override { return {executor_.NowNs()}; }

 private:
  const ManualExecutor& executor_;
};

// What the fake load answers, and what was asked of it. Outlives the load.
struct LoadScript {
  absl::Status prepare;
  absl::Status connect;
  absl::Status arm;
  std::vector<load::BoundPort> ports;
  std::vector<load::SenderFinal> finals;
  load::LoadReport report;
  bool block_in_wait_senders = false;  // until Abort

  std::vector<load::StreamConfig> configs;
  std::vector<load::BoundPort> targets;
  std::vector<load::SenderFinal> drained;
  HostTime connect_deadline;
  HostTime drain_deadline;
  std::function<void(const load::Edge&)> on_edge;
  std::vector<std::string> calls;
  Mutex mutex;
  CondVar wake;
  int aborts TUTTI_GUARDED_BY(mutex) = 0;
  bool released TUTTI_GUARDED_BY(mutex) = false;
  std::vector<ClockMapping> followed TUTTI_GUARDED_BY(mutex);

  int Aborts() {
    MutexLock lock(mutex);
    return aborts;
  }
  bool Released() {
    MutexLock lock(mutex);
    return released;
  }
};

class FakeLoad final : public load::LoadTrial {
 public:
  explicit FakeLoad(LoadScript& script) : script_(script) {}
  ~FakeLoad() override {
    MutexLock lock(script_.mutex);
    script_.released = true;
  }
  std::vector<load::BoundPort> bound_ports() const override { return script_.ports; }
  absl::Status Connect(const std::vector<load::BoundPort>& targets, HostTime deadline) override {
    script_.calls.push_back("connect");
    script_.targets = targets;
    script_.connect_deadline = deadline;
    return script_.connect;
  }
  absl::Status Arm(const ClockMapping&, TimelineTime,
                   std::function<void(const load::Edge&)> on_edge) override {
    script_.calls.push_back("arm");
    script_.on_edge = std::move(on_edge);
    return script_.arm;
  }
  void FollowClock(const ClockMapping& fitted) override {
    MutexLock lock(script_.mutex);
    script_.followed.push_back(fitted);
  }
  std::vector<load::SenderFinal> WaitSenders() override {
    script_.calls.push_back("wait");
    MutexLock lock(script_.mutex);
    while (script_.block_in_wait_senders && script_.aborts == 0) script_.wake.Wait(script_.mutex);
    return script_.finals;
  }
  void Drain(const std::vector<load::SenderFinal>& finals, HostTime deadline) override {
    script_.calls.push_back("drain");
    script_.drained = finals;
    script_.drain_deadline = deadline;
  }
  load::LoadReport Report() override {
    script_.calls.push_back("report");
    return script_.report;
  }
  void Abort() override {
    MutexLock lock(script_.mutex);
    ++script_.aborts;
    script_.wake.NotifyAll();
  }

 private:
  LoadScript& script_;
};

class FakeTrialKernel final : public TrialKernel {
 public:
  absl::StatusOr<std::unique_ptr<load::LoadTrial>> PrepareLoad(std::vector<load::StreamConfig> streams,
                                                               load::TrialTiming) override {
    script.calls.push_back("prepare");
    script.configs = std::move(streams);
    if (!script.prepare.ok()) return script.prepare;
    return std::make_unique<FakeLoad>(script);
  }
  absl::StatusOr<v1::CpuReading> ReadCpu(bool) override {
    if (!cpu_status.ok()) return cpu_status;
    v1::CpuReading reading;
    reading.set_host_ns(++cpu_readings);
    return reading;
  }
  absl::StatusOr<v1::UdpCounters> ReadUdp() override {
    v1::UdpCounters counters;
    counters.set_in_datagrams(42);
    return counters;
  }
  absl::StatusOr<std::vector<v1::DeviceCounters>> ReadDevices() override {
    v1::DeviceCounters counters;
    counters.set_device("eth0");
    counters.set_tx_bytes(static_cast<uint64_t>(++device_readings) * 1000);
    return std::vector<v1::DeviceCounters>{counters};
  }
  absl::StatusOr<std::vector<v1::QdiscCounters>> ReadQdiscs() override {
    v1::QdiscCounters counters;
    counters.set_device("eth0");
    counters.set_kind("fq");
    counters.set_drops(static_cast<uint64_t>(device_readings));
    return std::vector<v1::QdiscCounters>{counters};
  }
  absl::StatusOr<v1::SoftnetCounters> ReadSoftnet() override {
    v1::SoftnetCounters counters;
    counters.set_processed(static_cast<uint64_t>(cpu_readings) * 100);
    return counters;
  }
  absl::StatusOr<observe::Route> LookupRoute(const std::string&, const std::string&,
                                             const std::string&) override {
    return route;
  }
  absl::StatusOr<std::vector<uint32_t>> InterruptCpus(const std::string& device) override {
    ++interrupt_readings;
    if (device != "eth0")
      return absl::NotFoundError("which CPUs serve its interrupts is not known: no hardware");
    return interrupt_cpus;
  }

  LoadScript script;
  absl::Status cpu_status;
  int64_t cpu_readings = 0;
  int device_readings = 0;
  int interrupt_readings = 0;
  std::vector<uint32_t> interrupt_cpus;
  observe::Route route{"eth0", 1500, false};
};

}  // namespace tutti::session
