// RunService of proto/tutti/v1/service.proto: translates to the operations and back.
#pragma once

#include <grpcpp/grpcpp.h>

#include <utility>

#include "common/sync/control_priority.h"
#include "common/sync/executor.h"
#include "coordinator/api/large_answer.h"
#include "coordinator/api/operations.h"
#include "tutti/v1/service.grpc.pb.h"

namespace tutti::api {

// Thread-safe. Results, plans and histories, which may be large, are Unavailable while clients have too much
// to read (large_answer.h). The operations must live until the server that has this service is shut down.
class RunService final : public tutti::v1::RunService::CallbackService {
 public:
  RunService(Operations& operations, SharedUnsent unsent)
      : operations_(operations), unsent_(std::move(unsent)) {
    events_.Post(&LeaveControlPriority);
  }

  grpc::ServerUnaryReactor* Submit(grpc::CallbackServerContext* context,
                                   const tutti::v1::SubmitRequest* request,
                                   tutti::v1::SubmitResponse* response) override;
  grpc::ServerWriteReactor<tutti::v1::RunEvent>* Watch(grpc::CallbackServerContext* context,
                                                       const tutti::v1::WatchRequest* request) override;
  grpc::ServerUnaryReactor* Cancel(grpc::CallbackServerContext* context,
                                   const tutti::v1::CancelRequest* request,
                                   tutti::v1::CancelResponse* response) override;
  grpc::ServerUnaryReactor* GetResult(grpc::CallbackServerContext* context,
                                      const tutti::v1::GetResultRequest* request,
                                      tutti::v1::Result* response) override;
  grpc::ServerUnaryReactor* GetRun(grpc::CallbackServerContext* context,
                                   const tutti::v1::GetRunRequest* request,
                                   tutti::v1::RunInfo* response) override;
  grpc::ServerUnaryReactor* WhyNot(grpc::CallbackServerContext* context,
                                   const tutti::v1::WhyNotRequest* request,
                                   tutti::v1::WhyNotResponse* response) override;
  grpc::ServerUnaryReactor* ValidatePlan(grpc::CallbackServerContext* context,
                                         const tutti::v1::ValidatePlanRequest* request,
                                         tutti::v1::ValidatePlanResponse* response) override;
  grpc::ServerUnaryReactor* DryRun(grpc::CallbackServerContext* context,
                                   const tutti::v1::DryRunRequest* request,
                                   tutti::v1::DryRunResponse* response) override;
  grpc::ServerUnaryReactor* ListEvents(grpc::CallbackServerContext* context,
                                       const tutti::v1::ListEventsRequest* request,
                                       tutti::v1::ListEventsResponse* response) override;

 private:
  Operations& operations_;
  const SharedUnsent unsent_;
  ThreadExecutor events_{"grpc-events"};  // where events are handed to gRPC
};

}  // namespace tutti::api
