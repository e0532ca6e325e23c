#include "coordinator/api/http/run_feed.h"

#include <utility>

#include "absl/status/statusor.h"
#include "coordinator/api/http/event_text.h"

namespace tutti::http {

std::shared_ptr<EventFeed> RunFeed::Open(api::Operations& operations, std::shared_ptr<SharedTexts> texts,
                                         const tutti::v1::WatchRequest& request, Wake wake) {
  const auto feed =
      std::make_shared<RunFeed>(operations, std::move(texts), request.run_id(), std::move(wake));
  operations.Watch(request, feed, [feed](const absl::Status& status) { feed->OnRefused(status); });
  return feed;
}

bool RunFeed::NoteLocked() {
  if (stopped_ || woken_) return false;
  woken_ = true;
  return true;
}

void RunFeed::OnEvent(const run::SharedEvent& event) {
  bool wake = false;
  {
    MutexLock lock(mutex_);
    if (stopped_) return;
    queue_.Push(event);
    wake = NoteLocked();
  }
  if (wake) wake_();
}

void RunFeed::OnEnd() {
  bool wake = false;
  {
    MutexLock lock(mutex_);
    ended_ = true;
    wake = NoteLocked();
  }
  if (wake) wake_();
}

void RunFeed::OnRefused(const absl::Status& status) {
  bool wake = false;
  {
    MutexLock lock(mutex_);
    refusal_ = status;
    wake = NoteLocked();
  }
  if (wake) wake_();
}

EventFeed::State RunFeed::Take(size_t enough_bytes, Outgoing& out) {
  while (out.own.size() < enough_bytes && out.shared == nullptr) {
    run::SharedEvent event;
    {
      MutexLock lock(mutex_);
      woken_ = false;
      if (queue_.empty()) return {ended_, refusal_};
      event = queue_.Pop();
    }
    if (event->ByteSizeLong() < SharedTexts::kLargeBytes) {
      out.own += RunEventText(*event);
      continue;
    }
    absl::StatusOr<std::shared_ptr<const SharedText>> text = texts_->Of(event);
    if (!text.ok()) return {false, text.status()};
    if (!(*text)->text.empty()) out.shared = *std::move(text);
  }
  return {};
}

void RunFeed::Stop() {
  {
    MutexLock lock(mutex_);
    stopped_ = true;
    queue_ = api::EventQueue();
  }
  operations_.Unwatch(run_id_, shared_from_this());
}

}  // namespace tutti::http
