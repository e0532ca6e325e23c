// One call of Watch: takes a run's events on the executor's thread and writes them as fast as its client
// reads.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "common/sync/executor.h"
#include "common/sync/thread_annotations.h"
#include "coordinator/api/event_queue.h"
#include "coordinator/run/event_log.h"
#include "coordinator/run/runs.h"
#include "tutti/v1/service.pb.h"

namespace tutti::api {

// Holds itself alive until OnDone. Thread-safe.
class WatchReactor final : public grpc::ServerWriteReactor<tutti::v1::RunEvent>,
                           public run::EventWatcher,
                           public std::enable_shared_from_this<WatchReactor> {
 public:
  // For gRPC to drive; ends by itself.
  static WatchReactor* Start(Executor& executor, run::Runs& runs, const std::string& run_id);

  WatchReactor(Executor& executor, run::Runs& runs, std::string run_id)
      : executor_(executor), runs_(runs), run_id_(std::move(run_id)) {}

  void OnEvent(const run::SharedEvent& event) override;
  void OnEnd() override;

  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

 private:
  void EndWith(const grpc::Status& status);
  void WriteNextLocked() TUTTI_REQUIRES(mutex_);

  Executor& executor_;
  run::Runs& runs_;
  const std::string run_id_;

  Mutex mutex_;
  std::shared_ptr<WatchReactor> self_ TUTTI_GUARDED_BY(mutex_);  // until OnDone
  EventQueue queue_ TUTTI_GUARDED_BY(mutex_);
  run::SharedEvent writing_ TUTTI_GUARDED_BY(mutex_);  // null: none
  grpc::Status status_ TUTTI_GUARDED_BY(mutex_);
  bool ending_ TUTTI_GUARDED_BY(mutex_) = false;
  bool finished_ TUTTI_GUARDED_BY(mutex_) = false;
};

}  // namespace tutti::api
