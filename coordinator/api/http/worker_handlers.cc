#include "coordinator/api/http/worker_handlers.h"

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "common/status/macros.h"
#include "coordinator/api/http/ask.h"
#include "coordinator/api/http/error_envelope.h"
#include "coordinator/api/http/fleet_feed.h"
#include "coordinator/api/http/request_body.h"
#include "coordinator/api/http/resume_point.h"

namespace tutti::http {
namespace {

namespace v1 = tutti::v1;

using api::Operations;

// The body, if there is one, with the worker of the path.
template <typename Question>
absl::StatusOr<Question> ReadAboutWorker(const Exchange& exchange) {
  Question question;
  TUTTI_RETURN_IF_ERROR(ReadJsonBody(exchange, question));
  std::string name;
  TUTTI_RETURN_IF_ERROR(TakePathName(exchange.variables[0], question.name(), name));
  question.set_name(name);
  return question;
}

}  // namespace

void ListWorkers(const Context& context, const Exchange& exchange, Reply reply) {
  const absl::StatusOr<bool> facts = exchange.query.Bool("facts");
  if (!facts.ok()) return reply(ErrorResponse(facts.status()));
  v1::ListWorkersRequest request;
  request.set_without_facts(!*facts);
  Ask(context, &Operations::ListWorkers, request, std::move(reply));
}

void GetWorker(const Context& context, const Exchange& exchange, Reply reply) {
  v1::GetWorkerRequest request;
  request.set_name(exchange.variables[0]);
  Ask(context, &Operations::GetWorker, request, std::move(reply));
}

void ForgetWorker(const Context& context, const Exchange& exchange, Reply reply) {
  v1::ForgetWorkerRequest request;
  request.set_name(exchange.variables[0]);
  Ask(context, &Operations::ForgetWorker, request, std::move(reply));
}

void DrainWorker(const Context& context, const Exchange& exchange, Reply reply) {
  const absl::StatusOr<v1::DrainWorkerRequest> request = ReadAboutWorker<v1::DrainWorkerRequest>(exchange);
  if (!request.ok()) return reply(ErrorResponse(request.status()));
  Ask(context, &Operations::DrainWorker, *request, std::move(reply));
}

void UndrainWorker(const Context& context, const Exchange& exchange, Reply reply) {
  const absl::StatusOr<v1::UndrainWorkerRequest> request =
      ReadAboutWorker<v1::UndrainWorkerRequest>(exchange);
  if (!request.ok()) return reply(ErrorResponse(request.status()));
  Ask(context, &Operations::UndrainWorker, *request, std::move(reply));
}

absl::StatusOr<std::shared_ptr<EventFeed>> WatchFleet(const Context& context, const Exchange& exchange,
                                                      EventFeed::Wake wake) {
  v1::WatchFleetRequest request;
  TUTTI_ASSIGN_OR_RETURN(const uint64_t after, ResumePoint(exchange));
  request.set_after_sequence(after);
  return FleetFeed::Open(context.operations, request, std::move(wake));
}

}  // namespace tutti::http
