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
#include "coordinator/api/http/unsent_bytes.h"
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

// 503: the client had better come again when others have taken theirs.
inline Response NoRoomResponse(const UnsentBytes& unsent) {
  Response response = ErrorResponse(503, "unavailable", NoRoomText(unsent) + "; ask again");
  response.fields.emplace_back("Retry-After", "1");
  return response;
}

// The message itself.
template <typename Answer>
Response MessageAnswer(const Answer& answer) {
  return MessageResponse(answer);
}

// For what changes nothing and may have megabytes. Such answers are asked for and made one after the other,
// and only while there is room for what clients do not take. On the thread of `work`.
template <typename Question, typename Answer>
void AskForLarge(
    const Context& context,
    void (api::Operations::*ask)(const Question&, std::function<void(absl::StatusOr<Answer>)>),
    const Question& question, Reply reply,
    std::type_identity_t<std::function<Response(const Answer&)>> render = &MessageAnswer<Answer>) {
  // What runs on the thread of `work` may use the context.
  context.large_answers->Add([&context, ask, question, reply = std::move(reply), render = std::move(render)] {
    const Reply answer_and_go_on = [&context, reply](Response response) {
      reply(std::move(response));
      context.large_answers->Next();
    };
    if (!context.unsent->HasRoom()) return answer_and_go_on(NoRoomResponse(*context.unsent));
    Ask(context, ask, question, answer_and_go_on, render);
  });
}

template <typename Question, typename Answer>
void Ask(const Context& context,
         void (api::Operations::*ask)(const Question&, std::function<void(absl::StatusOr<Answer>)>),
         const Question& question, Reply reply) {
  Ask(context, ask, question, std::move(reply), &MessageAnswer<Answer>);
}

}  // namespace tutti::http
