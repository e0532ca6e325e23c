#include "coordinator/run/event_log.h"

#include <memory>
#include <utility>

#include "common/time/clock.h"

namespace tutti::run {

using tutti::v1::RunEvent;

void EventLog::Append(RunEvent event) {
  if (ended_) return;
  event.set_run_id(run_id_);
  event.set_at_unix_ns(UnixNowNs());
  event.set_sequence(++last_sequence_);
  if (event.has_trial_ended()) {
    std::erase_if(events_, [](const SharedEvent& each) { return each->has_interval() || each->has_phase(); });
  }
  ended_ = event.has_ended();
  const auto shared = std::make_shared<const RunEvent>(std::move(event));
  events_.push_back(shared);
  for (const std::shared_ptr<EventWatcher>& watcher : watchers_) {
    watcher->OnEvent(shared);
    if (ended_) watcher->OnEnd();
  }
  if (ended_) watchers_.clear();
}

void EventLog::Watch(std::shared_ptr<EventWatcher> watcher, uint64_t after_sequence) {
  for (const SharedEvent& event : events_) {
    if (event->sequence() > after_sequence) watcher->OnEvent(event);
  }
  if (ended_) {
    watcher->OnEnd();
    return;
  }
  watchers_.push_back(std::move(watcher));
}

void EventLog::Unwatch(const EventWatcher* watcher) {
  std::erase_if(watchers_, [&](const std::shared_ptr<EventWatcher>& each) { return each.get() == watcher; });
}

}  // namespace tutti::run
