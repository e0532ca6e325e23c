// One end of one stream: what every workload shares. A workload (TCP or UDP, sending or receiving, or null)
// is one class in one file; workloads.cc names them all.
//
// Threads: everything runs on the trial's driving thread, except Run and TouchBuffers (the stream's own
// thread), the flow's turns (its thread's, instead of Run) and what the sampler calls between Arm and the
// window's last edge (counters, ReadTcp, ReadDrops, rx_socket). `report_` belongs to the driving thread until
// Arm, to the stream's thread until it has finished, then to the driving thread again.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "common/time/clock.h"
#include "worker/load/counters.h"
#include "worker/load/file_descriptor.h"
#include "worker/load/flow.h"
#include "worker/load/load_trial.h"
#include "worker/load/message_buffer.h"
#include "worker/load/shared_buffers.h"
#include "worker/load/socket_address.h"
#include "worker/load/trial_clock.h"
#include "worker/load/trial_control.h"
#include "worker/load/window_grid.h"

namespace tutti::load {

// What DRAIN asks of a receiver.
struct DrainOrder {
  std::optional<SenderFinal> final;  // nullopt: its sender never told
  int64_t begin_monotonic_ns = 0;
  int64_t deadline_monotonic_ns = 0;
};

class Stream {
 public:
  // What the stream waits for while it connects. fd -1: nothing more.
  struct Wish {
    int fd = -1;
    short events = 0;
  };

  Stream(StreamConfig config, const WindowGrid& grid);
  virtual ~Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  const StreamConfig& config() const { return config_; }
  bool sends() const { return config_.side == Side::kSend; }
  // "stream 12 (tcp, sends to 10.0.0.2)".
  std::string Name() const;

  // PREPARE. Opens, configures, binds, allocates.
  virtual absl::Status Prepare() = 0;
  virtual uint16_t bound_port() const { return 0; }

  // CONNECT. BeginConnect does not block; then OnReady is called whenever the wish came true.
  virtual absl::Status BeginConnect(uint16_t target_port) { return absl::OkStatus(); }
  virtual Wish wish() const { return {}; }
  virtual absl::Status OnReady() { return absl::OkStatus(); }
  virtual absl::Status ConnectTimedOut() const { return absl::OkStatus(); }

  // Writes to every page that Run will use, on the thread that will use it; returns early when the trial
  // stops. Runs beside the phases up to ARM, so it leaves the report alone.
  virtual void TouchBuffers(const TrialControl& control) {}
  // Moves the bytes: a sender from T0 to the end of COOLDOWN, a receiver until it has drained; both at most
  // until the trial stops. `spin`: the last stretch before T0 is worth a busy CPU.
  virtual void Run(const TrialClock& clock, const TrialControl& control, bool spin) = 0;

  // The stream as one that a thread serves in turn with others, instead of Run; nullptr: it cannot be.
  virtual Flow* flow() { return nullptr; }
  // Before Prepare: its message lies in `buffers`, which outlive it.
  void ShareBuffers(SharedBuffers& buffers) { shared_buffers_ = &buffers; }

  // The sampler's. TCP only; the fields of other protocols stay 0.
  const Counters& counters() const { return counters_; }
  virtual void ReadTcp(Edge& edge, size_t index) const {}
  // SK_MEMINFO_DROPS of a UDP receiver.
  virtual std::optional<uint32_t> ReadDrops() const { return std::nullopt; }
  // The socket at which what the peer sends arrives, from ARM on; -1: there is none, or not one that stays.
  virtual int rx_socket() const { return -1; }

  // DRAIN, from the driving thread while Run runs.
  void OrderDrain(const DrainOrder& order);

  // REPORT, after the thread was joined. Closes the sockets.
  StreamReport TakeReport();

  // The driving thread's, before Arm.
  StreamReport& report() { return report_; }

 protected:
  // At the end of the trial, before the sockets close.
  virtual void Complete(StreamReport& report) {}
  virtual void CloseSockets() {}

  // Memory of its own, or what the streams of its thread share.
  absl::Status AllocateBuffer(MessageBuffer& buffer, uint64_t bytes);

  // Marks the stream as failed: "tcp send to B: Broken pipe (EPIPE); ADVICE".
  void Fail(int errno_value, std::string_view what, std::string_view advice = {});
  void Warn(std::string warning) { report_.warnings.push_back(std::move(warning)); }

  // Of a fixed volume, what the sender has not handed over yet; without one more than a trial can move. A
  // datagram sender's last message may go beyond it: then 0.
  uint64_t VolumeLeftBytes() const { return volume_bytes_ - std::min(volume_bytes_, counters_.bytes()); }
  // For a receiver, after each read that was counted.
  void NoteVolume(int64_t now_ns) {
    if (counters_.bytes() < volume_bytes_ || report_.completed_trial_ns) [[likely]]
      return;
    report_.completed_trial_ns = now_ns;
  }

  // The order of DRAIN once it was given; nullptr until then.
  const DrainOrder* drain_order() const {
    return drain_ordered_.load(std::memory_order_acquire) ? &drain_order_ : nullptr;
  }

  const StreamConfig config_;
  const WindowGrid grid_;
  Counters counters_;
  uint64_t calls_ = 0;  // that moved something; of the stream's thread
  StreamReport report_;

 private:
  SharedBuffers* shared_buffers_ = nullptr;
  const uint64_t volume_bytes_;  // UINT64_MAX: it ends with the trial
  DrainOrder drain_order_;       // constant once drain_ordered_
  std::atomic<bool> drain_ordered_ = false;
};

// Sleeps until T0, or spins the last 200 us; false if the trial stops instead.
bool WaitForStart(const TrialClock& clock, const TrialControl& control, bool spin);

}  // namespace tutti::load
