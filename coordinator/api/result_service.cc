#include "coordinator/api/result_service.h"

#include <utility>

#include "coordinator/api/large_answer.h"
#include "coordinator/api/unary_answer.h"

namespace tutti::api {

grpc::ServerUnaryReactor* ResultService::ListRuns(grpc::CallbackServerContext* context,
                                                  const tutti::v1::ListRunsRequest* request,
                                                  tutti::v1::ListRunsResponse* response) {
  return AnswerLarge(unsent_, response, [&](auto tell) { operations_.ListRuns(*request, std::move(tell)); });
}

grpc::ServerUnaryReactor* ResultService::DeleteRun(grpc::CallbackServerContext* context,
                                                   const tutti::v1::DeleteRunRequest* request,
                                                   tutti::v1::DeleteRunResponse* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  operations_.DeleteRun(*request, UnaryAnswer(reactor, response));
  return reactor;
}

}  // namespace tutti::api
