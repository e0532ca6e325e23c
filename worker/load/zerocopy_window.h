// The calls with MSG_ZEROCOPY that the kernel has not completed: until then it may read their memory, and
// what is written there would go out in the place of what was sent.
//
// The kernel numbers the calls of a socket that took something from 0 and tells ranges of completed ones, not
// always in order, through the socket's error queue, with a mark where it copied the data all the same
// (Documentation/networking/msg_zerocopy.rst). Used by one thread at a time; nothing is allocated after
// construction.
#pragma once

#include <cstdint>
#include <vector>

#include "worker/load/load_trial.h"

namespace tutti::load {

class ZerocopyWindow {
 public:
  // At most `slots` calls, a power of two, are under way at once; call n uses slot n modulo `slots`.
  explicit ZerocopyWindow(uint32_t slots) : in_flight_(slots) {}

  uint32_t next_slot() const { return sent_ & (slots() - 1); }

  // Whether the next call's slot is free. Waits for it as long as a blocking call does, or not at all if
  // `flags` have MSG_DONTWAIT; then errno is EAGAIN.
  bool Ready(int fd, int flags) { return !in_flight_[next_slot()] || MakeRoom(fd, flags); }

  // The kernel took something of a call.
  void Sent() {
    in_flight_[next_slot()] = 1;
    ++sent_;
  }
  // A call failed with errno, which becomes EAGAIN where completions free what it lacked. EAGAIN also
  // collects, so that a full error queue does not wake whoever polls.
  void Failed(int fd, int flags);

  // Takes the completions that are there.
  void Collect(int fd);
  // Takes all, waiting at most `timeout_ms`; false if some are missing.
  bool CollectAll(int fd, int timeout_ms);

  uint64_t completed() const { return completed_; }
  uint64_t copied() const { return copied_; }
  uint32_t under_way() const { return sent_ - static_cast<uint32_t>(completed_); }

 private:
  uint32_t slots() const { return static_cast<uint32_t>(in_flight_.size()); }
  bool MakeRoom(int fd, int flags);
  void Completed(uint32_t first, uint32_t last, bool copied);

  std::vector<uint8_t> in_flight_;  // by slot
  uint32_t sent_ = 0;               // wraps, as the kernel's numbers do
  uint64_t completed_ = 0;
  uint64_t copied_ = 0;
};

// At the end of the trial, before the socket closes: takes the completions that are left and tells them.
void ReportCompletions(int fd, ZerocopyWindow& window, StreamReport& report);

}  // namespace tutti::load
