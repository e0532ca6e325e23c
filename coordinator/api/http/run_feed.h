// The events of one run for one client.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "common/sync/thread_annotations.h"
#include "coordinator/api/event_queue.h"
#include "coordinator/api/http/event_feed.h"
#include "coordinator/api/http/shared_text.h"
#include "coordinator/api/operations.h"
#include "coordinator/run/event_log.h"
#include "tutti/v1/service.pb.h"

namespace tutti::http {

// A slow reader loses live intervals and nothing else. One whose next event is large is sent away while
// there is no room for it.
class RunFeed final : public EventFeed,
                      public run::EventWatcher,
                      public std::enable_shared_from_this<RunFeed> {
 public:
  // `operations` outlives the last call of Stop; `texts` are the HTTP thread's.
  static std::shared_ptr<EventFeed> Open(api::Operations& operations, std::shared_ptr<SharedTexts> texts,
                                         const tutti::v1::WatchRequest& request, Wake wake);

  RunFeed(api::Operations& operations, std::shared_ptr<SharedTexts> texts, std::string run_id, Wake wake)
      : operations_(operations),
        texts_(std::move(texts)),
        run_id_(std::move(run_id)),
        wake_(std::move(wake)) {}

  void OnEvent(const run::SharedEvent& event) override;
  void OnEnd() override;

  State Take(size_t enough_bytes, Outgoing& out) override;
  void Stop() override;

 private:
  void OnRefused(const absl::Status& status);
  // Whether to call wake_.
  bool NoteLocked() TUTTI_REQUIRES(mutex_);

  api::Operations& operations_;
  const std::shared_ptr<SharedTexts> texts_;
  const std::string run_id_;
  const Wake wake_;

  Mutex mutex_;
  api::EventQueue queue_ TUTTI_GUARDED_BY(mutex_);
  absl::Status refusal_ TUTTI_GUARDED_BY(mutex_);
  bool ended_ TUTTI_GUARDED_BY(mutex_) = false;
  bool stopped_ TUTTI_GUARDED_BY(mutex_) = false;
  bool woken_ TUTTI_GUARDED_BY(mutex_) = false;  // and Take has not been called since
};

}  // namespace tutti::http
