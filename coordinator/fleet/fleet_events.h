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

// Lives on the executor's thread. Events are numbered from 1, anew in each process.
class FleetEvents {
 public:
  static constexpr size_t kKept = 1000;

  // Fills in number and time, and tells those who watch.
  void Append(tutti::v1::FleetEvent event);

  // The events after `after_sequence`, then what comes; with 0 only what comes. If some of those after it are
  // no longer kept, the first one that is told has a higher number than the next: what lies between is lost,
  // and the list of the workers says how things stand. If it is higher than the last event's it is of an
  // earlier process, and everything that is kept is told; where this process has come as far, the difference
  // cannot be seen. The watcher is held until Unwatch, which may be called from within OnFleetEvent.
  void Watch(uint64_t after_sequence, std::shared_ptr<FleetWatcher> watcher);
  // An event that is being told may still arrive.
  void Unwatch(const FleetWatcher* watcher);

 private:
  uint64_t last_sequence_ = 0;
  std::deque<tutti::v1::FleetEvent> kept_;
  std::vector<std::shared_ptr<FleetWatcher>> watchers_;
};

}  // namespace tutti::fleet
