// FleetService of proto/tutti/v1/service.proto: translates, posts to the executor, translates back.
#pragma once

#include <grpcpp/grpcpp.h>

#include "common/sync/executor.h"
#include "coordinator/fleet/fleet.h"
#include "tutti/v1/service.grpc.pb.h"

namespace tutti::api {

// Thread-safe. The executor and the fleet must live until the server that has this service is shut down and
// what it posted has run.
class FleetService final : public tutti::v1::FleetService::CallbackService {
 public:
  FleetService(Executor& executor, fleet::Fleet& fleet) : executor_(executor), fleet_(fleet) {}

  grpc::ServerUnaryReactor* ListWorkers(grpc::CallbackServerContext* context,
                                        const tutti::v1::ListWorkersRequest* request,
                                        tutti::v1::ListWorkersResponse* response) override;

 private:
  Executor& executor_;
  fleet::Fleet& fleet_;
};

}  // namespace tutti::api
