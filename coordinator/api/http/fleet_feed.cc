#include "coordinator/api/http/fleet_feed.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "coordinator/api/http/event_text.h"

namespace tutti::http {
namespace {

absl::Status TooSlow() {
  return absl::ResourceExhaustedError(
      "this reader is too slow, " + std::to_string(FleetFeed::kMostWaiting) +
      " events waited for it; connect again, with the last event's number as Last-Event-ID");
}

}  // namespace

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

EventFeed::State FleetFeed::Take(size_t enough_bytes, Outgoing& out) {
  while (out.own.size() < enough_bytes) {
    tutti::v1::FleetEvent event;
    {
      MutexLock lock(mutex_);
      woken_ = false;
      if (queue_.empty()) return {false, overflown_ ? TooSlow() : absl::OkStatus()};
      event = std::move(queue_.front());
      queue_.pop_front();
    }
    out.own += FleetEventText(event);
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
