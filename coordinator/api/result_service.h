// ResultService of proto/tutti/v1/store.proto: translates, asks the store, translates back.
#pragma once

#include <grpcpp/grpcpp.h>

#include "coordinator/api/stored_runs.h"
#include "tutti/v1/store.grpc.pb.h"

namespace tutti::api {

// Thread-safe. The runs must live until the server that has this service is shut down.
class ResultService final : public tutti::v1::ResultService::CallbackService {
 public:
  // Null: this coordinator keeps no results, every call is a FailedPrecondition.
  explicit ResultService(StoredRuns* stored) : stored_(stored) {}

  grpc::ServerUnaryReactor* ListRuns(grpc::CallbackServerContext* context,
                                     const tutti::v1::ListRunsRequest* request,
                                     tutti::v1::ListRunsResponse* response) override;
  grpc::ServerUnaryReactor* DeleteRun(grpc::CallbackServerContext* context,
                                      const tutti::v1::DeleteRunRequest* request,
                                      tutti::v1::DeleteRunResponse* response) override;

 private:
  StoredRuns* const stored_;
};

}  // namespace tutti::api
