#include "coordinator/api/watch_reactor.h"

#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "common/status/grpc_status.h"

namespace tutti::api {

WatchReactor* WatchReactor::Start(Executor& executor, run::Runs& runs, const std::string& run_id) {
  const auto reactor = std::make_shared<WatchReactor>(executor, runs, run_id);
  {
    MutexLock lock(reactor->mutex_);
    reactor->self_ = reactor;
  }
  executor.Post([reactor, &runs] {
    const absl::Status status = runs.Watch(reactor->run_id_, reactor);
    if (!status.ok()) reactor->EndWith(ToGrpc(status));
  });
  return reactor.get();
}

void WatchReactor::OnEvent(const run::SharedEvent& event) {
  MutexLock lock(mutex_);
  if (ending_ || finished_) return;
  queue_.Push(event);
  WriteNextLocked();
}

void WatchReactor::OnEnd() { EndWith(grpc::Status::OK); }

void WatchReactor::EndWith(const grpc::Status& status) {
  MutexLock lock(mutex_);
  if (ending_ || finished_) return;
  ending_ = true;
  status_ = status;
  WriteNextLocked();
}

void WatchReactor::WriteNextLocked() {
  if (writing_ != nullptr || finished_) return;
  if (!queue_.empty()) {
    writing_ = queue_.Pop();
    StartWrite(writing_.get());
  } else if (ending_) {
    finished_ = true;
    Finish(status_);
  }
}

void WatchReactor::OnWriteDone(bool ok) {
  MutexLock lock(mutex_);
  writing_ = nullptr;
  if (!ok) {
    queue_ = EventQueue();
    ending_ = true;
    status_ = grpc::Status::CANCELLED;
  }
  WriteNextLocked();
}

void WatchReactor::OnCancel() {
  // The client is gone; the run goes on.
  executor_.Post([reactor = shared_from_this()] { reactor->runs_.Unwatch(reactor->run_id_, reactor.get()); });
  MutexLock lock(mutex_);
  queue_ = EventQueue();
  ending_ = true;
  status_ = grpc::Status::CANCELLED;
  WriteNextLocked();
}

void WatchReactor::OnDone() {
  // Declared before the lock: the last reference may go with it, and the mutex with that.
  std::shared_ptr<WatchReactor> self;
  MutexLock lock(mutex_);
  finished_ = true;
  self = std::move(self_);
}

}  // namespace tutti::api
