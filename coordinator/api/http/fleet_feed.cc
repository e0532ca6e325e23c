#include "coordinator/api/http/fleet_feed.h"

#include <utility>

#include "coordinator/api/http/event_text.h"

namespace tutti::http {

std::shared_ptr<EventFeed> FleetFeed::Open(api::Operations& operations,
                                           const tutti::v1::WatchFleetRequest& request, Wake wake) {
  const auto feed = std::make_shared<FleetFeed>(operations, std::move(wake));
  operations.WatchFleet(request, feed);
  return feed;
}

void FleetFeed::OnFleetEvent(const tutti::v1::FleetEvent& event) {
  {
    MutexLock lock(mutex_);
    if (stopped_ || overflown_) return;
    overflown_ = queue_.size() >= kMostWaiting;
    if (!overflown_) queue_.push_back(event);
    if (woken_) return;
    woken_ = true;
  }
  wake_();
}

EventFeed::State FleetFeed::Take(size_t enough_bytes, std::string& out) {
  while (out.size() < enough_bytes) {
    tutti::v1::FleetEvent event;
    {
      MutexLock lock(mutex_);
      woken_ = false;
      if (queue_.empty()) return {overflown_, absl::OkStatus()};
      event = std::move(queue_.front());
      queue_.pop_front();
    }
    out += FleetEventText(event);
  }
  return {};
}

void FleetFeed::Stop() {
  {
    MutexLock lock(mutex_);
    stopped_ = true;
    queue_.clear();
  }
  operations_.UnwatchFleet(shared_from_this());
}

}  // namespace tutti::http
