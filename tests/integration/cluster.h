// A coordinator and workers in this process, over real sockets, with what a machine is made of injected:
// boot_id, clock, /proc/stat, addresses. So two "machines" can differ although there is only one kernel.
#pragma once

#include <stdlib.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/net/channels.h"
#include "common/sync/executor.h"
#include "coordinator/api/coordinator_server.h"
#include "gtest/gtest.h"
#include "tests/integration/drifting_load.h"
#include "tests/integration/host_clocks.h"
#include "tutti/v1/service.grpc.pb.h"
#include "worker/observe/host_facts.h"
#include "worker/session/grpc_session.h"
#include "worker/session/trial_kernel.h"
#include "worker/session/worker.h"

namespace tutti::integration {

// What a test decides about a worker's host.
struct MachineSpec {
  std::string boot_id;
  std::string address;                             // its data address, one of own_network.cc
  int64_t clock_shift_ns = 0;                      // its CLOCK_MONOTONIC against ours
  double clock_drift = 0;                          // what it gains
  int64_t wall_ns = 0;                             // what its wall clock is ahead of ours, beside that
  std::vector<uint32_t> cpus;                      // ids of its CPUs, sparse if you like
  double busy_per_cpu = 0;                         // of each CPU, all of it in system
  std::function<void()> before_prepare = nullptr;  // on the trial's thread, while the coordinator waits
};

// The kernel of this process, but with a /proc/stat written for the machine each time it is read.
class MachineKernel final : public session::TrialKernel {
 public:
  MachineKernel(const MachineSpec& spec, const std::string& folder, const HostClocks& clock)
      : spec_(spec), clock_(clock), start_(clock.Now()), stat_path_(folder + "/stat") {
    WriteStat();
    observe::KernelRoots roots{.proc = folder, .sys = folder};
    real_ = session::SystemTrialKernel::Open(roots, clock).value();
  }
  absl::StatusOr<std::unique_ptr<load::LoadTrial>> PrepareLoad(std::vector<load::StreamConfig> streams,
                                                               load::TrialTiming timing) override {
    if (spec_.before_prepare) spec_.before_prepare();
    auto load = real_->PrepareLoad(std::move(streams), timing);
    if (!load.ok() || spec_.clock_drift == 0) return load;
    return std::make_unique<DriftingLoad>(*std::move(load), clock_);
  }
  // The kernel's own figures are of the instant they are read; these are only if nothing came between.
  absl::StatusOr<tutti::v1::CpuReading> ReadCpu(bool whole_window) override {
    for (int attempt = 1;; ++attempt) {
      const HostTime written = clock_.Now();
      WriteStat();
      auto reading = real_->ReadCpu(whole_window);
      if (clock_.Now() - written < kPromptNs || attempt == kMostReadings) return reading;
    }
  }
  absl::StatusOr<tutti::v1::UdpCounters> ReadUdp() override { return real_->ReadUdp(); }
  absl::StatusOr<std::vector<tutti::v1::DeviceCounters>> ReadDevices() override {
    return real_->ReadDevices();
  }
  absl::StatusOr<std::vector<tutti::v1::QdiscCounters>> ReadQdiscs() override { return real_->ReadQdiscs(); }
  absl::StatusOr<tutti::v1::SoftnetCounters> ReadSoftnet() override { return real_->ReadSoftnet(); }
  absl::StatusOr<observe::Route> LookupRoute(const std::string& source, const std::string& destination,
                                             const std::string& device) override {
    return real_->LookupRoute(source, destination, device);
  }
  absl::StatusOr<std::vector<uint32_t>> InterruptCpus(const std::string& device) override {
    return real_->InterruptCpus(device);
  }

 private:
  static constexpr int64_t kPromptNs = 2'000'000;
  static constexpr int kMostReadings = 20;

  // Ticks of 10 ms since the machine's start; the idle column has what the CPU was not busy.
  void WriteStat() {
    const double ticks = static_cast<double>(clock_.Now() - start_) / 1e7;
    const auto busy = static_cast<uint64_t>(ticks * spec_.busy_per_cpu);
    const auto idle = static_cast<uint64_t>(ticks * (1 - spec_.busy_per_cpu));
    std::string text = "cpu  0 0 0 0 0 0 0 0 0 0\n";
    for (const uint32_t cpu : spec_.cpus) {
      text += "cpu" + std::to_string(cpu) + " 0 0 " + std::to_string(busy) + " " + std::to_string(idle) +
              " 0 0 0 0 0 0\n";
    }
    std::ofstream(stat_path_, std::ios::trunc) << text << "intr 0\n";
  }

  const MachineSpec spec_;
  const HostClocks& clock_;
  const HostTime start_;
  const std::string stat_path_;
  std::unique_ptr<session::SystemTrialKernel> real_;
};

class TestWorker {
 public:
  TestWorker(const std::string& name, const MachineSpec& spec, const std::string& folder,
             const net::Endpoint& coordinator)
      : clock_({.shift_ns = spec.clock_shift_ns, .drift = spec.clock_drift, .wall_ns = spec.wall_ns}),
        kernel_(spec, MakeFolder(folder + "/" + name), clock_) {
    dialer_ =
        std::make_unique<session::GrpcSessionDialer>(coordinator, net::ChannelOptions{}, executor_, clock_);
    session::WorkerOptions options;
    options.name = name;
    options.brackets = &clock_;
    options.incarnation = 1 + std::hash<std::string>{}(name + std::to_string(clock_.Now().ns));
    options.gather_facts = [spec]() -> absl::StatusOr<tutti::v1::HostFacts> {
      observe::HostFactsOptions real;
      real.boot_id = spec.boot_id;
      auto facts = observe::GatherHostFacts(real);
      if (!facts.ok()) return facts.status();
      facts->clear_addresses();
      auto* address = facts->add_addresses();
      address->set_address(spec.address);
      address->set_prefix_length(24);
      address->set_device("lo");
      facts->clear_online_cpus();
      for (const uint32_t cpu : spec.cpus) facts->add_online_cpus(cpu);
      return facts;
    };
    session::WorkerEvents events;
    events.on_registered = [this] {
      ++registrations_;
      if (!told_.exchange(true)) registered_.set_value("");
    };
    events.on_refused = [this](const std::string& reason) {
      if (!told_.exchange(true)) registered_.set_value("refused: " + reason);
    };
    worker_ = std::make_unique<session::Worker>(options, executor_, trial_thread_, clock_, *dialer_, kernel_,
                                                std::move(events));
    worker_->Start();
  }
  ~TestWorker() { Stop(); }

  HostClocks& clocks() { return clock_; }
  int registrations() const { return registrations_; }  // sessions that it has begun

  // "" or why it was refused.
  std::string AwaitRegistration() {
    auto future = registered_.get_future();
    if (future.wait_for(std::chrono::seconds(10)) != std::future_status::ready)
      return "no registration in 10 s";
    return future.get();
  }

  void Stop() {
    if (worker_ == nullptr) return;
    std::promise<void> stopped;
    worker_->Stop([&stopped] { stopped.set_value(); });
    stopped.get_future().wait();
    std::promise<void> gone;
    executor_.Post([this, &gone] {
      worker_.reset();
      gone.set_value();
    });
    gone.get_future().wait();
    dialer_.reset();
  }

 private:
  static std::string MakeFolder(const std::string& path) {
    mkdir(path.c_str(), 0700);
    return path;
  }

  HostClocks clock_;
  MachineKernel kernel_;
  std::atomic<bool> told_ = false;
  std::atomic<int> registrations_ = 0;
  std::promise<std::string> registered_;
  ThreadExecutor executor_{"test-worker"};
  ThreadExecutor trial_thread_{"test-trial"};
  std::unique_ptr<session::GrpcSessionDialer> dialer_;
  std::unique_ptr<session::Worker> worker_;
};

class Cluster : public ::testing::Test {
 protected:
  void SetUp() override {
    char path[] = "/tmp/tutti-integration-XXXXXX";
    ASSERT_NE(mkdtemp(path), nullptr);
    folder_ = path;
    StartCoordinator();
  }
  void TearDown() override {
    workers_.clear();
    server_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  virtual std::string Listen() const { return "unix:" + folder_ + "/coordinator.sock"; }

  void StartCoordinator() {
    api::CoordinatorOptions options;
    options.listen = {Listen()};
    auto server = api::CoordinatorServer::Start(options);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = std::move(server).value();
    endpoint_ = server_->bound().front();
    auto channel = net::MakeChannel(endpoint_, {});
    ASSERT_TRUE(channel.ok()) << channel.status();
    runs_ = tutti::v1::RunService::NewStub(*channel);
    fleet_ = tutti::v1::FleetService::NewStub(*channel);
  }

  TestWorker& Join(const std::string& name, const MachineSpec& spec) { return Join(name, spec, endpoint_); }
  TestWorker& Join(const std::string& name, const MachineSpec& spec, const net::Endpoint& coordinator) {
    workers_.push_back(std::make_unique<TestWorker>(name, spec, folder_, coordinator));
    EXPECT_EQ(workers_.back()->AwaitRegistration(), "");
    return *workers_.back();
  }

  absl::StatusOr<std::string> Submit(const std::string& plan) {
    grpc::ClientContext context;
    Deadline(context, 10);
    tutti::v1::SubmitRequest request;
    request.set_plan(plan);
    request.set_source_name("test.yaml");
    request.set_user("tester");
    tutti::v1::SubmitResponse response;
    const grpc::Status status = runs_->Submit(&context, request, &response);
    if (!status.ok())
      return absl::Status(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
    return response.run_id();
  }

  // Calls `on_event` for every event; the result of the last one.
  template <typename OnEvent>
  tutti::v1::Result Watch(const std::string& run_id, OnEvent on_event) {
    grpc::ClientContext context;
    Deadline(context, 60);
    tutti::v1::WatchRequest request;
    request.set_run_id(run_id);
    auto reader = runs_->Watch(&context, request);
    tutti::v1::RunEvent event;
    tutti::v1::Result result;
    while (reader->Read(&event)) {
      on_event(event);
      if (event.has_ended()) result = event.ended();
    }
    const grpc::Status status = reader->Finish();
    EXPECT_TRUE(status.ok()) << status.error_message();
    return result;
  }
  tutti::v1::Result Run(const std::string& plan) {
    const auto run_id = Submit(plan);
    EXPECT_TRUE(run_id.ok()) << run_id.status();
    if (!run_id.ok()) return {};
    return Watch(*run_id, [](const tutti::v1::RunEvent&) {});
  }
  // A machine whose CPUs are taken for a while makes a trial suspect, and rightly; hardly three times in a
  // row.
  tutti::v1::Result RunUntilPassed(const std::string& plan) {
    tutti::v1::Result result = Run(plan);
    for (int again = 0; again < 2 && result.exit_code() != 0; ++again) result = Run(plan);
    return result;
  }
  void Cancel(const std::string& run_id) {
    grpc::ClientContext context;
    Deadline(context, 10);
    tutti::v1::CancelRequest request;
    request.set_run_id(run_id);
    tutti::v1::CancelResponse response;
    EXPECT_TRUE(runs_->Cancel(&context, request, &response).ok());
  }
  tutti::v1::WorkerInfo Worker(const std::string& name) {
    grpc::ClientContext context;
    Deadline(context, 10);
    tutti::v1::ListWorkersResponse response;
    EXPECT_TRUE(fleet_->ListWorkers(&context, {}, &response).ok());
    for (const auto& worker : response.workers()) {
      if (worker.name() == name) return worker;
    }
    return {};
  }

  static void Deadline(grpc::ClientContext& context, int seconds) {
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(seconds));
  }

  std::string folder_;
  net::Endpoint endpoint_;
  std::unique_ptr<api::CoordinatorServer> server_;
  std::unique_ptr<tutti::v1::RunService::Stub> runs_;
  std::unique_ptr<tutti::v1::FleetService::Stub> fleet_;
  std::vector<std::unique_ptr<TestWorker>> workers_;
};

}  // namespace tutti::integration
