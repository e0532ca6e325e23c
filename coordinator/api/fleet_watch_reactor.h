// One call of FleetService.WatchFleet.
#pragma once

#include <grpcpp/grpcpp.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "coordinator/api/event_queue.h"
#include "coordinator/api/event_stream.h"
#include "coordinator/api/large_answer.h"
#include "coordinator/api/operations.h"
#include "coordinator/fleet/fleet_watcher.h"
#include "tutti/v1/service.pb.h"

namespace tutti::api {

// Thread-safe. Lasts until the client leaves or the server stops; one that reads too slowly is ended with
// RESOURCE_EXHAUSTED once it has what waits for it, and told behind which event it is to watch again.
class FleetWatchReactor final : public EventStream<tutti::v1::FleetEvent, FleetEventQueue>,
                                public fleet::FleetWatcher,
                                public std::enable_shared_from_this<FleetWatchReactor> {
 public:
  // For gRPC to drive; ends by itself. The operations outlive the call.
  static FleetWatchReactor* Start(Operations& operations, SharedUnsent unsent,
                                  const tutti::v1::WatchFleetRequest& request);

  FleetWatchReactor(Operations& operations, SharedUnsent unsent)
      : EventStream(std::move(unsent)), operations_(operations) {}

  void OnFleetEvent(const tutti::v1::FleetEvent& event) override;

 private:
  void Leave() override { operations_.UnwatchFleet(shared_from_this()); }

  Operations& operations_;
  uint64_t last_sequence_ = 0;  // of the last event that was taken; the thread's that calls OnFleetEvent
};

}  // namespace tutti::api
