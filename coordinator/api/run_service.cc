#include "coordinator/api/run_service.h"

#include <utility>

#include "absl/status/statusor.h"
#include "coordinator/api/large_answer.h"
#include "coordinator/api/unary_answer.h"
#include "coordinator/api/watch_reactor.h"

namespace tutti::api {

grpc::ServerUnaryReactor* RunService::Submit(grpc::CallbackServerContext* context,
                                             const tutti::v1::SubmitRequest* request,
                                             tutti::v1::SubmitResponse* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  operations_.Submit(*request, UnaryAnswer(reactor, response));
  return reactor;
}

grpc::ServerUnaryReactor* RunService::Cancel(grpc::CallbackServerContext* context,
                                             const tutti::v1::CancelRequest* request,
                                             tutti::v1::CancelResponse* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  operations_.Cancel(*request, UnaryAnswer(reactor, response));
  return reactor;
}

grpc::ServerUnaryReactor* RunService::GetResult(grpc::CallbackServerContext* context,
                                                const tutti::v1::GetResultRequest* request,
                                                tutti::v1::Result* response) {
  const auto answer = LargeAnswer<tutti::v1::Result>::Make(unsent_, response);
  if (answer->HasRoom()) {
    operations_.GetResult(*request, [answer](const absl::StatusOr<Operations::SharedResult>& result) {
      answer->TellShared(result);
    });
  }
  return answer.get();
}

grpc::ServerUnaryReactor* RunService::GetRun(grpc::CallbackServerContext* context,
                                             const tutti::v1::GetRunRequest* request,
                                             tutti::v1::RunInfo* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  operations_.GetRun(*request, UnaryAnswer(reactor, response));
  return reactor;
}

grpc::ServerUnaryReactor* RunService::WhyNot(grpc::CallbackServerContext* context,
                                             const tutti::v1::WhyNotRequest* request,
                                             tutti::v1::WhyNotResponse* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  operations_.WhyNot(*request, UnaryAnswer(reactor, response));
  return reactor;
}

grpc::ServerUnaryReactor* RunService::ValidatePlan(grpc::CallbackServerContext* context,
                                                   const tutti::v1::ValidatePlanRequest* request,
                                                   tutti::v1::ValidatePlanResponse* response) {
  return AnswerLarge(unsent_, response,
                     [&](auto tell) { operations_.ValidatePlan(*request, std::move(tell)); });
}

grpc::ServerUnaryReactor* RunService::DryRun(grpc::CallbackServerContext* context,
                                             const tutti::v1::DryRunRequest* request,
                                             tutti::v1::DryRunResponse* response) {
  return AnswerLarge(unsent_, response, [&](auto tell) { operations_.DryRun(*request, std::move(tell)); });
}

grpc::ServerWriteReactor<tutti::v1::RunEvent>* RunService::Watch(grpc::CallbackServerContext* context,
                                                                 const tutti::v1::WatchRequest* request) {
  return WatchReactor::Start(operations_, events_, unsent_, *request);
}

grpc::ServerUnaryReactor* RunService::ListEvents(grpc::CallbackServerContext* context,
                                                 const tutti::v1::ListEventsRequest* request,
                                                 tutti::v1::ListEventsResponse* response) {
  return AnswerLarge(unsent_, response,
                     [&](auto tell) { operations_.ListEvents(*request, std::move(tell)); });
}

}  // namespace tutti::api
