// RunService of proto/tutti/v1/service.proto: translates, posts to the executor, translates back.
#pragma once

#include <grpcpp/grpcpp.h>

#include "common/sync/executor.h"
#include "coordinator/api/stored_runs.h"
#include "coordinator/run/runs.h"
#include "tutti/v1/service.grpc.pb.h"

namespace tutti::api {

// Thread-safe. The executor and the runs must live until the server that has this service is shut down and
// what it posted has run.
class RunService final : public tutti::v1::RunService::CallbackService {
 public:
  // `stored` has the results that are no longer in memory; null: nobody has. It lives as long as the runs.
  RunService(Executor& executor, run::Runs& runs, StoredRuns* stored)
      : executor_(executor), runs_(runs), stored_(stored) {}

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
  grpc::ServerUnaryReactor* ListEvents(grpc::CallbackServerContext* context,
                                       const tutti::v1::ListEventsRequest* request,
                                       tutti::v1::ListEventsResponse* response) override;

 private:
  Executor& executor_;
  run::Runs& runs_;
  StoredRuns* const stored_;
};

}  // namespace tutti::api
