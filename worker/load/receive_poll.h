// `receive_wait: poll`: a receiver that finds nothing asks again for some microseconds before it blocks.
//
// A thread that blocks in recv is woken by whoever sends to it, inside the send call. Where the receiver is
// the faster end it blocks after every few messages, and the sender spends its time on waking instead of
// sending. Polling pays where the next message is nearly there and costs CPU time where it is not, so it is
// judged by its own success: after kFailuresInARow stretches of polling that found nothing the receiver
// blocks at once for kBlockingReads reads, then tries one stretch, and so on until one finds something. At a
// rate that leaves the receiver idle hardly any stretch is tried.
//
// Pure: time comes from outside. One thread.
#pragma once

#include <sys/socket.h>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace tutti::load {

class ReceivePoll {
 public:
  // Of one stretch of polling: longer ones compete with other streams for the CPU (docs/performance.md,
  // waiting).
  static constexpr int64_t kLongestNs = 5'000;
  static constexpr int kFailuresInARow = 16;
  static constexpr uint64_t kBlockingReads = 32;

  // One that is not `wanted` blocks in every call.
  explicit ReceivePoll(bool wanted)
      : blocking_reads_(wanted ? 0 : std::numeric_limits<uint64_t>::max()), polls_(wanted) {}

  // Of the next receive call.
  int flags() const { return blocking_reads_ == 0 ? MSG_DONTWAIT : 0; }

  // After each receive call: whether it brought anything, and the time behind it.
  void Returned(bool found, int64_t now_ns) {
    if (blocking_reads_ > 0) {
      if (found && polls_) --blocking_reads_;
    } else if (found) [[likely]] {
      if (empty_) failures_ = 0;
      empty_ = false;
    } else if (!empty_) {
      empty_ = true;
      empty_since_ns_ = now_ns;
    } else if (now_ns - empty_since_ns_ >= kLongestNs) {
      empty_ = false;
      failures_ = std::min(failures_ + 1, kFailuresInARow);
      blocking_reads_ = failures_ < kFailuresInARow ? 1 : kBlockingReads;
    }
  }

 private:
  uint64_t blocking_reads_;  // still to come
  const bool polls_;
  bool empty_ = false;  // the last call found nothing, since `empty_since_ns_`
  int64_t empty_since_ns_ = 0;
  int failures_ = 0;  // in a row
};

}  // namespace tutti::load
