// What has happened in the fleet, for those who watch it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "coordinator/fleet/fleet_watcher.h"
#include "tutti/v1/service.pb.h"

namespace tutti::fleet {

// For a process that begins now: higher than any number of an earlier one as long as the wall clock does not
// step back and there were fewer than 2,048 events in each ms, and below 2^53 until the year 2109 (JSON has
// doubles). Pure.
inline uint64_t NumberBeforeFirst(int64_t now_unix_ns) {
  return now_unix_ns <= 0 ? 0 : static_cast<uint64_t>(now_unix_ns / 1'000'000) << 11;
}

// Lives on the executor's thread.
class FleetEvents {
 public:
  static constexpr size_t kKept = 1000;

  // Events are numbered from the next number on.
  explicit FleetEvents(uint64_t before_first) : last_sequence_(before_first) {}

  // Fills in number and time, and tells those who watch.
  void Append(tutti::v1::FleetEvent event);

  // The events after `after_sequence`, then what comes; with 0 only what comes. If some of those after it are
  // no longer kept, or it is no number of this process, a `resync` comes first: what lies between is lost,
  // the list of the workers says how things stand, and everything that is kept follows. The watcher is held
  // until Unwatch, which may be called from within OnFleetEvent.
  void Watch(uint64_t after_sequence, const std::shared_ptr<FleetWatcher>& watcher);
  // An event that is being told may still arrive.
  void Unwatch(const FleetWatcher* watcher);

 private:
  uint64_t last_sequence_;
  std::deque<tutti::v1::FleetEvent> kept_;
  std::vector<std::shared_ptr<FleetWatcher>> watchers_;
};

}  // namespace tutti::fleet
