// One call that streams events to a client: what waits is written as fast as the client reads.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <utility>

#include "common/sync/thread_annotations.h"

namespace tutti::api {

// Holds itself alive from Hold to OnDone. Thread-safe. `Queue` (event_queue.h) decides what is taken while
// the client reads slowly.
template <typename Event, typename Queue>
class EventStream : public grpc::ServerWriteReactor<Event> {
 public:
  void OnWriteDone(bool ok) final {
    MutexLock lock(mutex_);
    writing_ = nullptr;
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
      this->StartWrite(writing_.get());
    } else if (ending_) {
      finished_ = true;
      this->Finish(status_);
    }
  }

  Mutex mutex_;
  std::shared_ptr<EventStream> self_ TUTTI_GUARDED_BY(mutex_);  // until OnDone
  Queue queue_ TUTTI_GUARDED_BY(mutex_);
  SharedEvent writing_ TUTTI_GUARDED_BY(mutex_);  // null: none
  grpc::Status status_ TUTTI_GUARDED_BY(mutex_);
  bool ending_ TUTTI_GUARDED_BY(mutex_) = false;
  bool finished_ TUTTI_GUARDED_BY(mutex_) = false;
};

}  // namespace tutti::api
