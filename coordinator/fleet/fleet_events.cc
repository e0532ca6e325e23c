#include "coordinator/fleet/fleet_events.h"

#include <utility>

#include "common/time/clock.h"

namespace tutti::fleet {

using tutti::v1::FleetEvent;

void FleetEvents::Append(FleetEvent event) {
  event.set_sequence(++last_sequence_);
  event.set_at_unix_ns(UnixNowNs());
  kept_.push_back(event);
  if (kept_.size() > kKept) kept_.pop_front();
  // A copy: a watcher may take itself out.
  const std::vector<std::shared_ptr<FleetWatcher>> watchers = watchers_;
  for (const std::shared_ptr<FleetWatcher>& watcher : watchers) watcher->OnFleetEvent(event);
}

void FleetEvents::Watch(uint64_t after_sequence, const std::shared_ptr<FleetWatcher>& watcher) {
  watchers_.push_back(watcher);
  if (after_sequence == 0) return;
  const uint64_t before_kept = last_sequence_ - kept_.size();
  const bool is_whole = after_sequence >= before_kept && after_sequence <= last_sequence_;
  if (!is_whole) {
    FleetEvent resync;
    resync.set_sequence(before_kept);
    resync.set_at_unix_ns(UnixNowNs());
    resync.set_resync(true);
    watcher->OnFleetEvent(resync);
  }
  for (const FleetEvent& event : kept_) {
    if (!is_whole || event.sequence() > after_sequence) watcher->OnFleetEvent(event);
  }
}

void FleetEvents::Unwatch(const FleetWatcher* watcher) {
  std::erase_if(watchers_, [&](const std::shared_ptr<FleetWatcher>& each) { return each.get() == watcher; });
}

}  // namespace tutti::fleet
