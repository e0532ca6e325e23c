// A question to Operations whose answer becomes a response.
#pragma once

#include <google/protobuf/message.h>

#include <functional>
#include <type_traits>
#include <utility>

#include "absl/status/statusor.h"
#include "coordinator/api/http/error_envelope.h"
#include "coordinator/api/http/message.h"
#include "coordinator/api/http/route.h"
#include "coordinator/api/operations.h"
#include "coordinator/report/report.h"

namespace tutti::http {

// A message as JSON.
inline Response MessageResponse(const google::protobuf::Message& message, int status = 200) {
  Response response;
  response.status = status;
  response.content_type = "application/json";
  response.body = report::RenderMessageJson(message);
  return response;
}

// `render` runs on the work thread, whichever thread the answer comes on: a large one must not hold up the
// thread of decisions. An error becomes its envelope.
template <typename Question, typename Answer>
void Ask(const Context& context,
         void (api::Operations::*ask)(const Question&, std::function<void(absl::StatusOr<Answer>)>),
         const Question& question, Reply reply,
         std::type_identity_t<std::function<Response(const Answer&)>> render) {
  (context.operations.*ask)(question, [work = context.work, reply = std::move(reply),
                                       render = std::move(render)](absl::StatusOr<Answer> answer) {
    work->Post([reply, render, answer = std::move(answer)] {
      reply(Guarded([&] { return answer.ok() ? render(*answer) : ErrorResponse(answer.status()); }));
    });
  });
}

// The message itself.
template <typename Question, typename Answer>
void Ask(const Context& context,
         void (api::Operations::*ask)(const Question&, std::function<void(absl::StatusOr<Answer>)>),
         const Question& question, Reply reply) {
  Ask(context, ask, question, std::move(reply), [](const Answer& answer) { return MessageResponse(answer); });
}

}  // namespace tutti::http
