// One call of RunService.Watch.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>
#include <utility>

#include "coordinator/api/event_queue.h"
#include "coordinator/api/event_stream.h"
#include "coordinator/api/operations.h"
#include "coordinator/run/event_log.h"
#include "tutti/v1/service.pb.h"

namespace tutti::api {

// Thread-safe.
class WatchReactor final : public EventStream<tutti::v1::RunEvent, EventQueue>,
                           public run::EventWatcher,
                           public std::enable_shared_from_this<WatchReactor> {
 public:
  // For gRPC to drive; ends by itself. The operations outlive the call.
  static WatchReactor* Start(Operations& operations, const tutti::v1::WatchRequest& request);

  WatchReactor(Operations& operations, std::string run_id)
      : operations_(operations), run_id_(std::move(run_id)) {}

  void OnEvent(const run::SharedEvent& event) override { Push(event); }
  void OnEnd() override { EndWith(grpc::Status::OK); }

 private:
  void Leave() override { operations_.Unwatch(run_id_, shared_from_this()); }

  Operations& operations_;
  const std::string run_id_;
};

}  // namespace tutti::api
