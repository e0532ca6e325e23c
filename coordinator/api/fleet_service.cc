#include "coordinator/api/fleet_service.h"

#include <utility>

#include "coordinator/api/fleet_watch_reactor.h"
#include "coordinator/api/large_answer.h"
#include "coordinator/api/unary_answer.h"

namespace tutti::api {

grpc::ServerUnaryReactor* FleetService::ListWorkers(grpc::CallbackServerContext* context,
                                                    const tutti::v1::ListWorkersRequest* request,
                                                    tutti::v1::ListWorkersResponse* response) {
  return AnswerLarge(unsent_, response,
                     [&](auto tell) { operations_.ListWorkers(*request, std::move(tell)); });
}

grpc::ServerUnaryReactor* FleetService::GetWorker(grpc::CallbackServerContext* context,
                                                  const tutti::v1::GetWorkerRequest* request,
                                                  tutti::v1::WorkerInfo* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  operations_.GetWorker(*request, UnaryAnswer(reactor, response));
  return reactor;
}

grpc::ServerUnaryReactor* FleetService::DrainWorker(grpc::CallbackServerContext* context,
                                                    const tutti::v1::DrainWorkerRequest* request,
                                                    tutti::v1::DrainWorkerResponse* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  operations_.DrainWorker(*request, UnaryAnswer(reactor, response));
  return reactor;
}

grpc::ServerUnaryReactor* FleetService::UndrainWorker(grpc::CallbackServerContext* context,
                                                      const tutti::v1::UndrainWorkerRequest* request,
                                                      tutti::v1::UndrainWorkerResponse* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  operations_.UndrainWorker(*request, UnaryAnswer(reactor, response));
  return reactor;
}

grpc::ServerUnaryReactor* FleetService::ForgetWorker(grpc::CallbackServerContext* context,
                                                     const tutti::v1::ForgetWorkerRequest* request,
                                                     tutti::v1::ForgetWorkerResponse* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  operations_.ForgetWorker(*request, UnaryAnswer(reactor, response));
  return reactor;
}

grpc::ServerWriteReactor<tutti::v1::FleetEvent>* FleetService::WatchFleet(
    grpc::CallbackServerContext* context, const tutti::v1::WatchFleetRequest* request) {
  return FleetWatchReactor::Start(operations_, unsent_, *request);
}

}  // namespace tutti::api
