// Everything that happened in one run, for those who watch it, however late they come.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tutti/v1/service.pb.h"

namespace tutti::run {

using SharedEvent = std::shared_ptr<const tutti::v1::RunEvent>;

// Called on the executor's thread; must not block.
class EventWatcher {
 public:
  virtual ~EventWatcher() = default;
  virtual void OnEvent(const SharedEvent& event) = 0;
  virtual void OnEnd() = 0;  // no further event will come
};

// Lives on the executor's thread. What is kept is bounded by the plan: when a trial has ended its live
// intervals and phases are forgotten.
class EventLog {
 public:
  explicit EventLog(std::string run_id) : run_id_(std::move(run_id)) {}

  // Fills in the run's id and the time. An `ended` event is the last.
  void Append(tutti::v1::RunEvent event);

  // Tells the watcher what is kept, from the beginning, then what comes.
  void Watch(std::shared_ptr<EventWatcher> watcher);
  void Unwatch(const EventWatcher* watcher);

  bool ended() const { return ended_; }
  SharedEvent last() const { return events_.empty() ? nullptr : events_.back(); }

 private:
  const std::string run_id_;
  std::vector<SharedEvent> events_;
  std::vector<std::shared_ptr<EventWatcher>> watchers_;
  bool ended_ = false;
};

}  // namespace tutti::run
