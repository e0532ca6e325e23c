// `receive_wait: poll`: a receiver that finds nothing asks again for some microseconds before it blocks.
//
// A thread that blocks in recv is woken by whoever sends to it, inside the send call. Where the receiver is
// the faster end it blocks after every few messages, and the sender spends its time on waking instead of
// sending. Polling pays where the next message is nearly there and costs CPU time where it is not, so it is
// judged by its own success: each stretch of polling that finds nothing doubles the number of reads that then
// block at once, up to kMostBlockingReads, and one that finds something makes it polling all the time again.
// At a rate that leaves the receiver idle hardly any stretch is tried.
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
  // Longer finds little more and competes with other streams for the CPU (docs/performance.md, ways).
  static constexpr int64_t kLongestNs = 5'000;
  static constexpr uint64_t kMostBlockingReads = 64;

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
      if (empty_) Succeeded();
    } else if (!empty_) {
      empty_ = true;
      empty_since_ns_ = now_ns;
    } else if (now_ns - empty_since_ns_ >= kLongestNs) {
      Failed();
    }
  }

 private:
  void Succeeded() {
    empty_ = false;
    next_blocking_reads_ = kFirstBlockingReads;
  }
  void Failed() {
    empty_ = false;
    blocking_reads_ = next_blocking_reads_;
    next_blocking_reads_ = std::min(2 * next_blocking_reads_, kMostBlockingReads);
  }

  static constexpr uint64_t kFirstBlockingReads = 2;

  uint64_t blocking_reads_;  // still to come
  const bool polls_;
  bool empty_ = false;  // the last call found nothing, since `empty_since_ns_`
  int64_t empty_since_ns_ = 0;
  uint64_t next_blocking_reads_ = kFirstBlockingReads;
};

}  // namespace tutti::load
