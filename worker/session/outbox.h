// What waits to be written to a session: pure, bounded, one write at a time.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>

#include "tutti/v1/session.pb.h"

namespace tutti::session {

// Not thread-safe.
class Outbox {
 public:
  // More progress than this is dropped: it is live information, the report has every edge again. What is
  // numbered is not: HeldSession drops before it numbers.
  static constexpr size_t kMaxProgress = 64;
  static constexpr size_t kMaxMessages = 1024;

  // False: the queue is full of messages that must not be lost; the session is of no use any more.
  bool Push(v1::WorkerMessage message);

  // The next message to write: clock replies first, whose age is the clock's error; then in the order of
  // Push.
  std::optional<v1::WorkerMessage> Pop();

  bool empty() const { return clock_replies_.empty() && messages_.empty(); }

 private:
  std::deque<v1::WorkerMessage> clock_replies_;
  std::deque<v1::WorkerMessage> messages_;
};

}  // namespace tutti::session
