// Who is told of every change of a worker's state.
#pragma once

#include "tutti/v1/service.pb.h"

namespace tutti::fleet {

// Called on the executor's thread; must not block.
class FleetWatcher {
 public:
  virtual ~FleetWatcher() = default;
  virtual void OnFleetEvent(const tutti::v1::FleetEvent& event) = 0;
};

}  // namespace tutti::fleet
