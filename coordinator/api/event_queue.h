// What one watcher has yet to be sent. A slow watcher loses live intervals and nothing else.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <utility>

#include "coordinator/run/event_log.h"

namespace tutti::api {

// Not thread-safe.
class EventQueue {
 public:
  // Live intervals are taken while less than this many events wait.
  static constexpr size_t kMaxBeforeDropping = 256;

  void Push(run::SharedEvent event) {
    if (event->has_interval() && events_.size() >= kMaxBeforeDropping) return;
    events_.push_back(std::move(event));
  }
  run::SharedEvent Pop() {
    run::SharedEvent first = std::move(events_.front());
    events_.pop_front();
    return first;
  }
  bool empty() const { return events_.empty(); }
  size_t size() const { return events_.size(); }

 private:
  std::deque<run::SharedEvent> events_;
};

}  // namespace tutti::api
