// ResultService of proto/tutti/v1/store.proto: translates to the operations and back.
#pragma once

#include <grpcpp/grpcpp.h>

#include <utility>

#include "coordinator/api/large_answer.h"
#include "coordinator/api/operations.h"
#include "tutti/v1/store.grpc.pb.h"

namespace tutti::api {

// Thread-safe. A list is Unavailable while clients have too much to read (large_answer.h). The
// operations must live until the server that has this service is shut down.
class ResultService final : public tutti::v1::ResultService::CallbackService {
 public:
  ResultService(Operations& operations, SharedUnsent unsent)
      : operations_(operations), unsent_(std::move(unsent)) {}

  grpc::ServerUnaryReactor* ListRuns(grpc::CallbackServerContext* context,
                                     const tutti::v1::ListRunsRequest* request,
                                     tutti::v1::ListRunsResponse* response) override;
  grpc::ServerUnaryReactor* DeleteRun(grpc::CallbackServerContext* context,
                                      const tutti::v1::DeleteRunRequest* request,
                                      tutti::v1::DeleteRunResponse* response) override;

 private:
  Operations& operations_;
  const SharedUnsent unsent_;
};

}  // namespace tutti::api
