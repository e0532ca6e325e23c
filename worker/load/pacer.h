// When the next messages of a stream with a rate are due. Bursts of messages are due on a schedule that is
// fixed from T0 on, so that on average the rate is kept whatever the waits are like. A burst that is late
// goes out at once; what is late by more than `catch_up` and the gap between two bursts is given up, in whole
// bursts, so that the schedule itself never moves. With catch_up 0 a burst is given up once the next one is
// due. Pure: the caller tells the time, sends and waits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "worker/load/stream_config.h"
#include "worker/load/window_grid.h"

namespace tutti::load {

class Pacer {
 public:
  // Messages of `message_size_bytes` at `rate_bps` payload bits per second (both above 0), the first burst
  // due at 0.
  Pacer(uint64_t rate_bps, uint64_t message_size_bytes, const Pacing& pacing = {});

  // Lateness counts for worst_behind_ns in the window of `grid` only.
  void Watch(const WindowGrid& grid) {
    window_begin_ns_ = grid.window_begin_ns();
    window_end_ns_ = grid.window_end_ns();
  }

  // ns since T0. `now_ns` does not step back.
  int64_t NextDueNs(int64_t now_ns) {
    if (left_ == burst_) {
      const int64_t behind_ns = now_ns - due_ns_;
      if (behind_ns > worst_behind_ns_) [[unlikely]]
        NoteBehind(now_ns);
      if (behind_ns - catch_up_ns_ > gap_ns_) [[unlikely]]
        GiveUp(behind_ns - catch_up_ns_);
    }
    return due_ns_;
  }

  // How many messages may go out now, at most `most`; 0: none before NextDueNs. For the ways that hand
  // several messages to the kernel with one call.
  uint32_t Due(int64_t now_ns, uint32_t most) {
    const int64_t due_ns = NextDueNs(now_ns);
    if (due_ns > now_ns) return 0;
    if (left_ >= most) return most;
    const uint64_t more_bursts = static_cast<uint64_t>((now_ns - due_ns) / whole_gap_ns_);
    return static_cast<uint32_t>(
        std::min<uint64_t>(most, left_ + std::min<uint64_t>(more_bursts, most) * burst_));
  }

  // So many messages went out.
  void Sent(uint32_t messages = 1) {
    while (messages >= left_) {
      messages -= left_;
      left_ = burst_;
      due_ns_ += gap_ns_;
      remainder_ += gap_remainder_;
      if (remainder_ >= rate_bps_) {
        remainder_ -= rate_bps_;
        ++due_ns_;
      }
    }
    left_ -= messages;
  }

  // How late a burst began at worst, in the window; `until_ns` is when the sender stopped: a burst that was
  // due and never began is late until then.
  int64_t WorstBehindNs(int64_t until_ns) {
    NextDueNs(until_ns);
    return worst_behind_ns_;
  }

 private:
  void NoteBehind(int64_t now_ns);
  void GiveUp(int64_t surplus_ns);

  // The gap between bursts is gap_ns_ + gap_remainder_ / rate_bps_: exact, so that no rate drifts.
  uint64_t rate_bps_;
  int64_t gap_ns_;
  uint64_t gap_remainder_;
  int64_t whole_gap_ns_;  // rounded up, never 0
  int64_t catch_up_ns_;
  uint32_t burst_;
  uint32_t left_;  // of the burst that is due next or under way
  int64_t due_ns_ = 0;
  uint64_t remainder_ = 0;
  int64_t window_begin_ns_ = 0;
  int64_t window_end_ns_ = INT64_MAX;
  int64_t worst_behind_ns_ = 0;
};

// Of a sender that keeps its own rate; nullopt without a rate, or where the kernel keeps it.
std::optional<Pacer> MakePacer(const StreamConfig& config, const WindowGrid& grid);

// How many messages make a stream "running": its 100th, or at a rate as many as carry 10 ms of it, at least
// one.
uint64_t RunningMessages(uint64_t rate_bps_or_0, uint64_t message_size_bytes);

// What to say of a rate at which the window may pass without a message; empty if each window has one.
std::string LowRateWarning(uint64_t rate_bps, uint64_t message_size_bytes, int64_t window_ns);

}  // namespace tutti::load
