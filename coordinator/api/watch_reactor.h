// One call of RunService.Watch.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>
#include <utility>

#include "common/sync/executor.h"
#include "coordinator/api/event_queue.h"
#include "coordinator/api/event_stream.h"
#include "coordinator/api/large_answer.h"
#include "coordinator/api/operations.h"
#include "coordinator/run/event_log.h"
#include "tutti/v1/service.pb.h"

namespace tutti::api {

// Thread-safe.
class WatchReactor final : public EventStream<tutti::v1::RunEvent, EventQueue>,
                           public run::EventWatcher,
                           public std::enable_shared_from_this<WatchReactor> {
 public:
  // For gRPC to drive; ends by itself. The operations and `writer` outlive the call. gRPC serializes an event
  // within the call that takes it, and a last one may have tens of MB: that happens on `writer`.
  static WatchReactor* Start(Operations& operations, Executor& writer, SharedUnsent unsent,
                             const tutti::v1::WatchRequest& request);

  WatchReactor(Operations& operations, Executor& writer, SharedUnsent unsent, std::string run_id)
      : EventStream(std::move(unsent)),
        operations_(operations),
        writer_(writer),
        run_id_(std::move(run_id)) {}

  void OnEvent(const run::SharedEvent& event) override {
    writer_.Post([self = shared_from_this(), event] { self->Push(event); });
  }
  void OnEnd() override {
    writer_.Post([self = shared_from_this()] { self->EndWith(grpc::Status::OK); });
  }

 private:
  void Leave() override { operations_.Unwatch(run_id_, shared_from_this()); }

  Operations& operations_;
  Executor& writer_;
  const std::string run_id_;
};

}  // namespace tutti::api
