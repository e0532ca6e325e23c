// One call that streams events to a client: what waits is written as fast as the client reads.
#pragma once

#include <grpcpp/grpcpp.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "common/status/grpc_status.h"
#include "common/sync/thread_annotations.h"
#include "coordinator/api/large_answer.h"

namespace tutti::api {

// Holds itself alive from Hold to OnDone. Thread-safe. `Queue` (event_queue.h) decides what is taken while
// the client reads slowly. A large event counts as unsent while it is written (large_answer.h); where there
// is no room for the next one the stream ends with UNAVAILABLE and says behind which event to watch again.
template <typename Event, typename Queue>
class EventStream : public grpc::ServerWriteReactor<Event> {
 public:
  explicit EventStream(SharedUnsent unsent) : unsent_(std::move(unsent)) {}

  void OnWriteDone(bool ok) final {
    MutexLock lock(mutex_);
    if (ok) last_written_ = writing_->sequence();
    writing_ = nullptr;
    share_ = nullptr;
    if (!ok) AbandonLocked();
    WriteNextLocked();
  }

  void OnCancel() final {
    // The client is gone; what it watched goes on.
    Leave();
    MutexLock lock(mutex_);
    AbandonLocked();
    WriteNextLocked();
  }

  void OnDone() final {
    // Where there was no room nobody has said so far that nothing is watched any more.
    Leave();
    // Declared before the lock: the last reference may go with it, and the mutex with that.
    std::shared_ptr<EventStream> self;
    MutexLock lock(mutex_);
    finished_ = true;
    self = std::move(self_);
  }

 protected:
  using SharedEvent = std::shared_ptr<const Event>;

  // No event is asked for any more. Called with no lock held.
  virtual void Leave() = 0;

  void Hold(std::shared_ptr<EventStream> self) {
    MutexLock lock(mutex_);
    self_ = std::move(self);
  }

  // False: the queue has refused it. Nothing is taken once the stream is to end, and nobody is to blame then.
  bool Push(SharedEvent event) {
    MutexLock lock(mutex_);
    if (ending_ || finished_) return true;
    const bool taken = queue_.Push(std::move(event));
    WriteNextLocked();
    return taken;
  }

  // What waits is written first.
  void EndWith(const grpc::Status& status) {
    MutexLock lock(mutex_);
    if (ending_ || finished_) return;
    ending_ = true;
    status_ = status;
    WriteNextLocked();
  }

 private:
  void AbandonLocked() TUTTI_REQUIRES(mutex_) {
    queue_ = Queue();
    ending_ = true;
    status_ = grpc::Status::CANCELLED;
  }

  void WriteNextLocked() TUTTI_REQUIRES(mutex_) {
    if (writing_ != nullptr || finished_) return;
    if (!queue_.empty()) {
      writing_ = queue_.Pop();
      if (const size_t bytes = writing_->ByteSizeLong(); bytes >= kLargeMessageBytes) {
        if (!unsent_->HasRoom()) return TurnAwayLocked();
        share_ = unsent_->Add(bytes);
      }
      this->StartWrite(writing_.get());
    } else if (ending_) {
      finished_ = true;
      this->Finish(status_);
    }
  }

  void TurnAwayLocked() TUTTI_REQUIRES(mutex_) {
    writing_ = nullptr;
    queue_ = Queue();
    ending_ = true;
    finished_ = true;
    this->Finish(ToGrpc(NoRoom(*unsent_, "watch again after event " + std::to_string(last_written_))));
  }

  const SharedUnsent unsent_;
  Mutex mutex_;
  std::shared_ptr<EventStream> self_ TUTTI_GUARDED_BY(mutex_);  // until OnDone
  Queue queue_ TUTTI_GUARDED_BY(mutex_);
  SharedEvent writing_ TUTTI_GUARDED_BY(mutex_);             // null: none
  http::UnsentBytes::Share share_ TUTTI_GUARDED_BY(mutex_);  // of `writing_`; null: it is small
  uint64_t last_written_ TUTTI_GUARDED_BY(mutex_) = 0;       // its number; 0: none
  grpc::Status status_ TUTTI_GUARDED_BY(mutex_);
  bool ending_ TUTTI_GUARDED_BY(mutex_) = false;
  bool finished_ TUTTI_GUARDED_BY(mutex_) = false;
};

}  // namespace tutti::api
