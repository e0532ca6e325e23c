// The changes of the workers' states for one client.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "common/sync/thread_annotations.h"
#include "coordinator/api/http/event_feed.h"
#include "coordinator/api/operations.h"
#include "coordinator/fleet/fleet_watcher.h"
#include "tutti/v1/service.pb.h"

namespace tutti::http {

class FleetFeed final : public EventFeed,
                        public fleet::FleetWatcher,
                        public std::enable_shared_from_this<FleetFeed> {
 public:
  // A reader that is further behind is sent away behind what waits for it, and resumes from there.
  static constexpr size_t kMostWaiting = 4096;

  // `operations` outlives the last call of Stop.
  static std::shared_ptr<EventFeed> Open(api::Operations& operations,
                                         const tutti::v1::WatchFleetRequest& request, Wake wake);

  FleetFeed(api::Operations& operations, Wake wake) : operations_(operations), wake_(std::move(wake)) {}

  void OnFleetEvent(const tutti::v1::FleetEvent& event) override;

  State Take(size_t enough_bytes, Outgoing& out) override;
  void Stop() override;

 private:
  api::Operations& operations_;
  const Wake wake_;

  Mutex mutex_;
  std::deque<tutti::v1::FleetEvent> queue_ TUTTI_GUARDED_BY(mutex_);
  bool overflown_ TUTTI_GUARDED_BY(mutex_) = false;
  bool stopped_ TUTTI_GUARDED_BY(mutex_) = false;
  bool woken_ TUTTI_GUARDED_BY(mutex_) = false;  // and Take has not been called since
};

}  // namespace tutti::http
