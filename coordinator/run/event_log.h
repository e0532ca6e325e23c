// Everything that happened in one run, for those who watch it, however late they come.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tutti/v1/service.pb.h"

namespace tutti::run {

using SharedEvent = std::shared_ptr<const tutti::v1::RunEvent>;

// Of the one event that a run still has once its log is gone: its end, told from what is kept of it. Higher
// than any that a log gives, and exact also where numbers are doubles (JSON).
inline constexpr uint64_t kKeptEndSequence = (uint64_t{1} << 53) - 1;

// An EventLog calls it on the executor's thread; must not block.
class EventWatcher {
 public:
  virtual ~EventWatcher() = default;
  virtual void OnEvent(const SharedEvent& event) = 0;
  virtual void OnEnd() = 0;  // no further event will come
};

// Lives on the executor's thread. What is kept is bounded by the plan: when a trial has ended its live
// intervals and phases are forgotten. Events are numbered from 1 as they come; a number is never given twice,
// so what is kept has gaps.
class EventLog {
 public:
  explicit EventLog(std::string run_id) : run_id_(std::move(run_id)) {}

  // Fills in the run's id, the time and the number. An `ended` event is the last.
  void Append(tutti::v1::RunEvent event);

  // Tells the watcher what is kept and has a higher number than `after_sequence`, then what comes. Each once:
  // a watcher that resumes behind the last event that it saw misses only what was forgotten meanwhile.
  void Watch(std::shared_ptr<EventWatcher> watcher, uint64_t after_sequence = 0);
  void Unwatch(const EventWatcher* watcher);

  bool ended() const { return ended_; }
  SharedEvent last() const { return events_.empty() ? nullptr : events_.back(); }
  uint64_t last_sequence() const { return last_sequence_; }  // 0: there was no event

 private:
  const std::string run_id_;
  std::vector<SharedEvent> events_;
  std::vector<std::shared_ptr<EventWatcher>> watchers_;
  uint64_t last_sequence_ = 0;
  bool ended_ = false;
};

}  // namespace tutti::run
