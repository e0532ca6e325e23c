#include "coordinator/api/fleet_service.h"

namespace tutti::api {

grpc::ServerUnaryReactor* FleetService::ListWorkers(grpc::CallbackServerContext* context,
                                                    const tutti::v1::ListWorkersRequest* request,
                                                    tutti::v1::ListWorkersResponse* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  executor_.Post([this, reactor, response] {
    for (tutti::v1::WorkerInfo& worker : fleet_.Snapshot()) *response->add_workers() = std::move(worker);
    reactor->Finish(grpc::Status::OK);
  });
  return reactor;
}

}  // namespace tutti::api
