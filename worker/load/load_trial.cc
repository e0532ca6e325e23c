#include "worker/load/load_trial.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"
#include "worker/load/connector.h"
#include "worker/load/cpu_pinning.h"
#include "worker/load/flow_loop.h"
#include "worker/load/load_thread.h"
#include "worker/load/open_files.h"
#include "worker/load/port_offsets.h"
#include "worker/load/rx_follower.h"
#include "worker/load/sampler.h"
#include "worker/load/shared_buffers.h"
#include "worker/load/stream.h"
#include "worker/load/thread_plan.h"
#include "worker/load/trial_clock.h"
#include "worker/load/trial_control.h"
#include "worker/load/trial_validation.h"
#include "worker/load/udp_header.h"
#include "worker/load/window_grid.h"
#include "worker/load/workloads.h"

namespace tutti::load {
namespace {

// Beside the sockets: the stop event, and what the session and the observers open meanwhile.
constexpr uint64_t kSpareFiles = 32;

// A TCP receiver has a listener and then its connection: for a moment both, but one receiver at a time.
// Sendfile has its file; a client that connects for each transaction the connection of CONNECT beside its
// own.
uint64_t FilesOf(const StreamConfig& config) {
  if (config.protocol != Protocol::kTcp) return 1;
  if (config.request_response.exchange == Exchange::kConnectRequestResponse) return 3;
  if (config.request_response.exchange == Exchange::kRequestResponse) return 2;
  return config.side == Side::kSend && config.ways.send == SendWay::kSendfile ? 2 : 1;
}

std::chrono::steady_clock::time_point After(int64_t ns) {
  return std::chrono::steady_clock::now() + std::chrono::nanoseconds(std::max<int64_t>(ns, 0));
}

class SocketLoadTrial final : public LoadTrial {
 public:
  SocketLoadTrial(std::vector<StreamConfig> configs, const TrialTiming& timing, const Clock& clock)
      : clock_(clock), grid_(timing), control_(configs.size() + 1), sampler_index_(configs.size()) {
    SpreadPorts(configs);
    plans_ = PlanThreads(configs, AllowedCpus());
    std::vector<size_t> first_streams;
    for (const ThreadPlan& plan : plans_) {
      names_.push_back(plan.Name(configs));
      first_streams.push_back(plan.streams.front());
    }
    for (StreamConfig& config : configs) streams_.push_back(MakeStream(std::move(config), grid_));
    threads_.resize(plans_.size());
    turns_.resize(plans_.size());
    sampler_.emplace(grid_, streams_, threads_, std::move(first_streams));
    rx_follower_.emplace(streams_, [this](size_t stream, uint32_t cpu) { return PinStream(stream, cpu); });
    if (rx_follower_->has_streams()) sampler_->set_rx_follower(&*rx_follower_);
  }

  ~SocketLoadTrial() override {
    control_.Abort();
    JoinAll();
  }

  absl::Status Prepare();

  std::vector<BoundPort> bound_ports() const override;
  absl::Status Connect(const std::vector<BoundPort>& targets, HostTime deadline) override;
  absl::Status Arm(const ClockMapping& mapping, TimelineTime t0,
                   std::function<void(const Edge&)> on_edge) override;
  void FollowClock(const ClockMapping& fitted) override;
  std::vector<SenderFinal> WaitSenders() override;
  void Drain(const std::vector<SenderFinal>& finals, HostTime deadline) override;
  LoadReport Report() override;
  void Abort() override { control_.Abort(); }

 private:
  // What a thread that serves its streams in turn has for all of them.
  struct InTurn {
    SharedBuffers buffers;
    std::optional<FlowLoop> loop;
  };

  absl::Status PrepareTurns(size_t thread);
  absl::Status StartThreads();
  void RunThread(size_t thread);
  void RunStream(size_t index);
  void RunInTurn(size_t thread);
  absl::Status SettleStream(Stream& stream);
  absl::Status NotePinning(Stream& stream, uint32_t cpu, const absl::Status& pinned);
  // The thread that the stream has to itself.
  absl::Status PinStream(size_t stream, uint32_t cpu);
  void RunSampler();
  void JoinAll();
  void AddDrops(size_t index, StreamReport& report) const;

  const Clock& clock_;
  const WindowGrid grid_;
  TrialControl control_;
  const size_t sampler_index_;  // of the sampler's thread in control_, behind the streams'
  std::vector<ThreadPlan> plans_;
  std::vector<std::string> names_;                // of the threads
  std::vector<std::unique_ptr<InTurn>> turns_;    // null of a thread that has one stream to itself
  std::vector<std::unique_ptr<Stream>> streams_;  // use the buffers in turns_
  std::optional<RxFollower> rx_follower_;
  std::optional<Sampler> sampler_;
  bool spin_ = false;  // constant once the threads run
  std::vector<std::optional<uint32_t>> drops_at_start_;
  std::optional<SlewedMapping> mapping_;  // set before is_armed_
  std::atomic<bool> is_armed_ = false;
  // Last: they use everything above.
  std::vector<LoadThread> threads_;
  LoadThread sampler_thread_;
};

absl::Status SocketLoadTrial::Prepare() {
  // A thread that serves streams in turn waits with two.
  uint64_t files = kSpareFiles + 2 * plans_.size();
  for (const auto& stream : streams_) files += FilesOf(stream->config());
  TUTTI_RETURN_IF_ERROR(EnsureOpenFiles(files));
  TUTTI_RETURN_IF_ERROR(control_.Open());
  for (size_t i = 0; i < plans_.size(); ++i) {
    if (plans_[i].in_turn) TUTTI_RETURN_IF_ERROR(PrepareTurns(i));
  }
  absl::Status status;
  for (const auto& stream : streams_) status.Update(Annotate(stream->Prepare(), stream->Name()));
  TUTTI_RETURN_IF_ERROR(status);
  const auto sending = std::count_if(plans_.begin(), plans_.end(), [this](const ThreadPlan& plan) {
    return std::any_of(plan.streams.begin(), plan.streams.end(),
                       [this](size_t i) { return streams_[i]->sends(); });
  });
  spin_ = static_cast<size_t>(sending) <= AllowedCpuCount();
  return StartThreads();
}

absl::Status SocketLoadTrial::PrepareTurns(size_t thread) {
  turns_[thread] = std::make_unique<InTurn>();
  std::vector<Flow*> flows;
  for (const size_t i : plans_[thread].streams) {
    streams_[i]->ShareBuffers(turns_[thread]->buffers);
    flows.push_back(streams_[i]->flow());
  }
  FlowLoop& loop = turns_[thread]->loop.emplace(std::move(flows), grid_.stop_ns());
  return loop.Open(control_);
}

absl::Status SocketLoadTrial::StartThreads() {
  for (size_t i = 0; i < plans_.size(); ++i) {
    const absl::Status started = threads_[i].Start(names_[i], [this, i] { RunThread(i); });
    TUTTI_RETURN_IF_ERROR(Annotate(started, streams_[plans_[i].streams.front()]->Name()));
  }
  TUTTI_RETURN_IF_ERROR(sampler_thread_.Start("tutti-sampler", [this] { RunSampler(); }));
  return control_.WaitReady();
}

void SocketLoadTrial::RunThread(size_t thread) {
  if (plans_[thread].in_turn) {
    RunInTurn(thread);
  } else {
    RunStream(plans_[thread].streams.front());
  }
  control_.WaitStop();
}

void SocketLoadTrial::RunStream(size_t index) {
  Stream& stream = *streams_[index];
  control_.MarkReady(index, Annotate(SettleStream(stream), stream.Name()));
  // After pinning, so that the pages lie near the CPU that uses them; behind PREPARE, which nothing can abort
  // before it has returned the trial.
  stream.TouchBuffers(control_);
  control_.MarkTouched();
  if (const TrialClock* clock = control_.WaitArmed()) stream.Run(*clock, control_, spin_);
  control_.MarkFinished(index);
}

void SocketLoadTrial::RunInTurn(size_t thread) {
  const std::vector<size_t>& streams = plans_[thread].streams;
  const uint32_t cpu = *plans_[thread].cpu;
  const absl::Status pinned = PinThisThread(cpu);
  for (const size_t i : streams) {
    control_.MarkReady(i, Annotate(NotePinning(*streams_[i], cpu, pinned), streams_[i]->Name()));
  }
  turns_[thread]->buffers.Fill([this] { return control_.stopping(); });
  control_.MarkTouched(streams.size());
  const auto over = [&](size_t flow) { control_.MarkFinished(streams[flow]); };
  if (const TrialClock* clock = control_.WaitArmed()) {
    turns_[thread]->loop->Run(*clock, control_, spin_, over);
  }
  // Those that the end of the trial cut short.
  for (const size_t i : streams) control_.MarkFinished(i);
}

// On the stream's own thread.
absl::Status SocketLoadTrial::SettleStream(Stream& stream) {
  const std::optional<uint32_t> cpu = stream.config().cpu;
  return cpu ? NotePinning(stream, *cpu, PinThisThread(*cpu)) : absl::OkStatus();
}

absl::Status SocketLoadTrial::NotePinning(Stream& stream, uint32_t cpu, const absl::Status& pinned) {
  StreamReport& report = stream.report();
  if (pinned.ok()) report.cpu = cpu;
  // A thread per CPU is pinned also where the plan names no CPU.
  const bool asked = stream.config().cpu.has_value();
  report.options.push_back({.name = "cpu",
                            .asked = asked ? absl::StrCat(cpu) : "per_cpu",
                            .got = AllowedCpuList(),
                            .applied = pinned.ok(),
                            .note = std::string(pinned.message())});
  return pinned.ok() || stream.config().best_effort ? absl::OkStatus() : pinned;
}

absl::Status SocketLoadTrial::PinStream(size_t stream, uint32_t cpu) {
  const auto plan = std::find_if(plans_.begin(), plans_.end(), [stream](const ThreadPlan& each) {
    return !each.in_turn && each.streams.front() == stream;
  });
  return threads_[static_cast<size_t>(plan - plans_.begin())].Pin(cpu);
}

void SocketLoadTrial::RunSampler() {
  RaiseThisThread();
  control_.MarkReady(sampler_index_, absl::OkStatus());
  if (const TrialClock* clock = control_.WaitArmed()) sampler_->Run(*clock, control_);
  control_.MarkFinished(sampler_index_);
}

std::vector<BoundPort> SocketLoadTrial::bound_ports() const {
  std::vector<BoundPort> ports;
  for (const auto& stream : streams_) {
    if (!stream->sends()) ports.push_back({stream->config().stream_id, stream->bound_port()});
  }
  return ports;
}

absl::Status SocketLoadTrial::Connect(const std::vector<BoundPort>& targets, HostTime deadline) {
  TUTTI_RETURN_IF_ERROR(ConnectStreams(streams_, targets, deadline, clock_, control_));
  for (const auto& turns : turns_) {
    if (turns != nullptr) TUTTI_RETURN_IF_ERROR(turns->loop->Watch());
  }
  if (control_.WaitTouched(streams_.size(), After(deadline - clock_.Now()))) return absl::OkStatus();
  if (control_.stopping()) return absl::CancelledError("the trial was aborted while its buffers were filled");
  return absl::DeadlineExceededError(
      "the streams' buffers are not filled yet; make message_size or read_size smaller, or use fewer "
      "streams");
}

absl::Status SocketLoadTrial::Arm(const ClockMapping& mapping, TimelineTime t0,
                                  std::function<void(const Edge&)> on_edge) {
  if (control_.stopping()) return absl::CancelledError("the trial was aborted before it was armed");
  const int64_t late_ns = clock_.Now() - mapping.ToHost(t0);
  if (late_ns >= 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("the common start was ", late_ns / 1000, "us ago when this host was armed"));
  }
  drops_at_start_.clear();
  for (const auto& stream : streams_) drops_at_start_.push_back(stream->ReadDrops());
  sampler_->set_on_edge(std::move(on_edge));
  mapping_.emplace(mapping);
  control_.Arm(TrialClock(*mapping_, t0, ShiftFromMonotonicNs(clock_)));
  is_armed_.store(true, std::memory_order_release);
  return absl::OkStatus();
}

void SocketLoadTrial::FollowClock(const ClockMapping& fitted) {
  if (is_armed_.load(std::memory_order_acquire)) mapping_->Follow(fitted, clock_.Now());
}

std::vector<SenderFinal> SocketLoadTrial::WaitSenders() {
  std::vector<size_t> waited_for{sampler_index_};
  for (size_t i = 0; i < streams_.size(); ++i) {
    if (streams_[i]->sends()) waited_for.push_back(i);
  }
  control_.WaitFinished(waited_for);
  std::vector<SenderFinal> finals;
  for (const auto& stream : streams_) {
    if (!stream->sends()) continue;
    finals.push_back({stream->config().stream_id, stream->counters().messages(), stream->counters().bytes()});
  }
  return finals;
}

void SocketLoadTrial::Drain(const std::vector<SenderFinal>& finals, HostTime deadline) {
  absl::flat_hash_map<uint32_t, SenderFinal> final_of;
  for (const SenderFinal& sender : finals) final_of[sender.stream_id] = sender;
  const int64_t left_ns = deadline - clock_.Now();
  const int64_t now_ns = MonotonicNowNs();
  std::vector<size_t> receivers;
  for (size_t i = 0; i < streams_.size(); ++i) {
    if (streams_[i]->sends()) continue;
    DrainOrder order{.begin_monotonic_ns = now_ns, .deadline_monotonic_ns = now_ns + left_ns};
    const auto found = final_of.find(streams_[i]->config().stream_id);
    if (found != final_of.end()) order.final = found->second;
    streams_[i]->OrderDrain(order);
    receivers.push_back(i);
  }
  for (const auto& turns : turns_) {
    if (turns != nullptr) turns->loop->Drain();
  }
  control_.WaitFinished(receivers, After(left_ns));
}

LoadReport SocketLoadTrial::Report() {
  control_.Finish();
  JoinAll();
  for (size_t i = 0; i < streams_.size(); ++i) streams_[i]->report().rx_cpu = sampler_->WindowRxCpu(i);
  rx_follower_->Tell();
  LoadReport report;
  for (size_t i = 0; i < streams_.size(); ++i) {
    AddDrops(i, streams_[i]->report());
    report.streams.push_back(streams_[i]->TakeReport());
  }
  report.sampler_worst_lateness_ns = sampler_->worst_lateness_ns();
  report.sampler_cpu_ns = sampler_->own_cpu_ns();
  report.load_thread_cpu_ns = sampler_->load_thread_cpu_ns();
  report.load_threads = static_cast<uint32_t>(threads_.size());
  return report;
}

void SocketLoadTrial::AddDrops(size_t index, StreamReport& report) const {
  report.socket_drops_window = sampler_->WindowDrops(index);
  const std::optional<uint32_t> now = streams_[index]->ReadDrops();
  if (!now || index >= drops_at_start_.size() || !drops_at_start_[index]) return;
  report.socket_drops = static_cast<uint32_t>(*now - *drops_at_start_[index]);
}

void SocketLoadTrial::JoinAll() {
  for (LoadThread& thread : threads_) thread.Join();
  sampler_thread_.Join();
}

}  // namespace

absl::StatusOr<std::unique_ptr<LoadTrial>> LoadTrial::Prepare(std::vector<StreamConfig> streams,
                                                              TrialTiming timing, const Clock& clock) {
  TUTTI_RETURN_IF_ERROR(ValidateTrial(streams, timing));
  auto trial = std::make_unique<SocketLoadTrial>(std::move(streams), timing, clock);
  TUTTI_RETURN_IF_ERROR(trial->Prepare());
  return trial;
}

// A datagram's buffer takes the largest UDP payload, so that none is cut. One of many that a call fills takes
// a message: 64 KiB apart they would share the same few lines of a cache. For TCP 128 KiB: large enough that
// the call costs little, small enough to stay in a core's second-level cache; it is also iperf3's default.
// One-way streams of tiny messages are read one by one: a receiver that is kept busy does not sleep, and the
// sender, whom waking it would cost most of its time, sends more (docs/decisions/0013-ways-are-values.md).
uint64_t DefaultReadSizeBytes(const StreamConfig& config) {
  constexpr uint64_t kTinyMessageBytes = 128;
  switch (config.protocol) {
    case Protocol::kTcp:
      if (config.request_response.exchange == Exchange::kNone &&
          config.message_size_bytes <= kTinyMessageBytes) {
        return config.message_size_bytes;
      }
      return uint64_t{128} * 1024;
    case Protocol::kUdp:
      if (config.ways.discard) return UdpHeader::kBytes;
      return config.ways.receive == ReceiveWay::kRecvmmsg ? config.message_size_bytes : 65536;
    case Protocol::kNull:
      break;
  }
  return config.message_size_bytes;
}

}  // namespace tutti::load
