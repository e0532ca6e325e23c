// When the next message of a stream with a rate is due: on average the rate since T0, and after a hold-up at
// most 10 ms of it are made up for. Pure: the caller tells the time and sleeps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

namespace tutti::load {

class Pacer {
 public:
  static constexpr int64_t kCatchUpNs = 10'000'000;

  // Messages of `message_size_bytes` at `rate_bps` payload bits per second (both above 0), the first due at
  // 0.
  Pacer(uint64_t rate_bps, uint64_t message_size_bytes);

  // ns since T0. What lies more than kCatchUpNs before `now_ns` is given up.
  int64_t NextDueNs(int64_t now_ns) {
    if (now_ns - due_ns_ > kCatchUpNs) due_ns_ = now_ns - kCatchUpNs;
    return due_ns_;
  }

  // How many messages may go out now, at most `most`; 0: none before NextDueNs. For the ways that hand
  // several messages to the kernel with one call.
  uint32_t Due(int64_t now_ns, uint32_t most) {
    const int64_t due_ns = NextDueNs(now_ns);
    if (due_ns > now_ns) return 0;
    if (most == 1) return 1;
    const uint64_t more = static_cast<uint64_t>(now_ns - due_ns) / static_cast<uint64_t>(step_ns_ + 1);
    return static_cast<uint32_t>(std::min<uint64_t>(most, 1 + more));
  }

  // So many messages went out.
  void Sent(uint32_t messages = 1) {
    for (; messages > 0; --messages) {
      due_ns_ += step_ns_;
      remainder_ += step_remainder_;
      if (remainder_ >= rate_bps_) {
        remainder_ -= rate_bps_;
        ++due_ns_;
      }
    }
  }

 private:
  // The step between messages is step_ns_ + step_remainder_ / rate_bps_: exact, so that no rate drifts.
  uint64_t rate_bps_;
  int64_t step_ns_;
  uint64_t step_remainder_;
  int64_t due_ns_ = 0;
  uint64_t remainder_ = 0;
};

// How many messages make a stream "running": its 100th, or at a rate as many as carry 10 ms of it, at least
// one.
uint64_t RunningMessages(uint64_t rate_bps_or_0, uint64_t message_size_bytes);

// What to say of a rate at which the window may pass without a message; empty if each window has one.
std::string LowRateWarning(uint64_t rate_bps, uint64_t message_size_bytes, int64_t window_ns);

}  // namespace tutti::load
