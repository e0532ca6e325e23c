// FleetService of proto/tutti/v1/service.proto: translates to the operations and back.
#pragma once

#include <grpcpp/grpcpp.h>

#include <utility>

#include "coordinator/api/large_answer.h"
#include "coordinator/api/operations.h"
#include "tutti/v1/service.grpc.pb.h"

namespace tutti::api {

// Thread-safe. A list is Unavailable while clients have too much to read (large_answer.h). The
// operations must live until the server that has this service is shut down.
class FleetService final : public tutti::v1::FleetService::CallbackService {
 public:
  FleetService(Operations& operations, SharedUnsent unsent)
      : operations_(operations), unsent_(std::move(unsent)) {}

  grpc::ServerUnaryReactor* ListWorkers(grpc::CallbackServerContext* context,
                                        const tutti::v1::ListWorkersRequest* request,
                                        tutti::v1::ListWorkersResponse* response) override;
  grpc::ServerUnaryReactor* GetWorker(grpc::CallbackServerContext* context,
                                      const tutti::v1::GetWorkerRequest* request,
                                      tutti::v1::WorkerInfo* response) override;
  grpc::ServerUnaryReactor* DrainWorker(grpc::CallbackServerContext* context,
                                        const tutti::v1::DrainWorkerRequest* request,
                                        tutti::v1::DrainWorkerResponse* response) override;
  grpc::ServerUnaryReactor* UndrainWorker(grpc::CallbackServerContext* context,
                                          const tutti::v1::UndrainWorkerRequest* request,
                                          tutti::v1::UndrainWorkerResponse* response) override;
  grpc::ServerUnaryReactor* ForgetWorker(grpc::CallbackServerContext* context,
                                         const tutti::v1::ForgetWorkerRequest* request,
                                         tutti::v1::ForgetWorkerResponse* response) override;
  grpc::ServerWriteReactor<tutti::v1::FleetEvent>* WatchFleet(
      grpc::CallbackServerContext* context, const tutti::v1::WatchFleetRequest* request) override;

 private:
  Operations& operations_;
  const SharedUnsent unsent_;
};

}  // namespace tutti::api
