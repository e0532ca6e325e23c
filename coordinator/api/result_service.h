// ResultService of proto/tutti/v1/store.proto: translates, asks the store, translates back.
#pragma once

#include <grpcpp/grpcpp.h>

#include "common/sync/executor.h"
#include "coordinator/api/stored_runs.h"
#include "coordinator/run/runs.h"
#include "tutti/v1/store.grpc.pb.h"

namespace tutti::api {

// Thread-safe. The runs must live until the server that has this service is shut down.
class ResultService final : public tutti::v1::ResultService::CallbackService {
 public:
  // `runs` lives on the executor's thread. `stored` is null: this coordinator keeps no results, every call is
  // a FailedPrecondition.
  ResultService(Executor& executor, run::Runs& runs, StoredRuns* stored)
      : executor_(executor), runs_(runs), stored_(stored) {}

  grpc::ServerUnaryReactor* ListRuns(grpc::CallbackServerContext* context,
                                     const tutti::v1::ListRunsRequest* request,
                                     tutti::v1::ListRunsResponse* response) override;
  grpc::ServerUnaryReactor* DeleteRun(grpc::CallbackServerContext* context,
                                      const tutti::v1::DeleteRunRequest* request,
                                      tutti::v1::DeleteRunResponse* response) override;

 private:
  Executor& executor_;
  run::Runs& runs_;
  StoredRuns* const stored_;
};

}  // namespace tutti::api
