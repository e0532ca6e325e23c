#include "coordinator/api/fleet_watch_reactor.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace tutti::api {

FleetWatchReactor* FleetWatchReactor::Start(Operations& operations, SharedUnsent unsent,
                                            const tutti::v1::WatchFleetRequest& request) {
  const auto reactor = std::make_shared<FleetWatchReactor>(operations, std::move(unsent));
  reactor->Hold(reactor);
  operations.WatchFleet(request, reactor);
  return reactor.get();
}

void FleetWatchReactor::OnFleetEvent(const tutti::v1::FleetEvent& event) {
  if (Push(std::make_shared<const tutti::v1::FleetEvent>(event))) {
    last_sequence_ = event.sequence();
    return;
  }
  EndWith(grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED,
                       absl::StrCat("this watcher reads too slowly, ", FleetEventQueue::kMaxWaiting,
                                    " events wait for it; watch again after event ", last_sequence_)));
  Leave();
}

}  // namespace tutti::api
