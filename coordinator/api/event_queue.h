// What one watcher has yet to be sent.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <utility>

#include "coordinator/run/event_log.h"
#include "tutti/v1/service.pb.h"

namespace tutti::api {

// Of a run. A slow watcher loses live intervals and nothing else: what else there is is bounded by the plan.
// Not thread-safe.
class EventQueue {
 public:
  // Live intervals are taken while less than this many events wait.
  static constexpr size_t kMaxBeforeDropping = 256;

  // True: the watcher may go on.
  bool Push(run::SharedEvent event) {
    if (event->has_interval() && events_.size() >= kMaxBeforeDropping) return true;
    events_.push_back(std::move(event));
    return true;
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

// Of the fleet, whose events have no end: a watcher that is too slow for them is to be ended. Not
// thread-safe.
class FleetEventQueue {
 public:
  // More than the fleet keeps for those who resume, who are given all of that at once.
  static constexpr size_t kMaxWaiting = 4096;

  using SharedEvent = std::shared_ptr<const tutti::v1::FleetEvent>;

  // False: so many events wait already, this one is not taken.
  bool Push(SharedEvent event) {
    if (events_.size() >= kMaxWaiting) return false;
    events_.push_back(std::move(event));
    return true;
  }
  SharedEvent Pop() {
    SharedEvent first = std::move(events_.front());
    events_.pop_front();
    return first;
  }
  bool empty() const { return events_.empty(); }

 private:
  std::deque<SharedEvent> events_;
};

}  // namespace tutti::api
