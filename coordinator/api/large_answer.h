// How an answer that may have megabytes goes back to the gRPC call that asked, within bounds.
#pragma once

#include <grpcpp/grpcpp.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/status/grpc_status.h"
#include "coordinator/api/http/unsent_bytes.h"

namespace tutti::api {

// Shared by all calls of a server: what is serialized and not sent.
using SharedUnsent = std::shared_ptr<http::UnsentBytes>;

// Of answers and events of gRPC that are made and not taken, as serialized: a result of ten thousand cases
// has some MB. Beside each answer is the message that it was made of, which takes more.
inline constexpr size_t kMostUnsentBytes = size_t{64} * 1024 * 1024;
// What has less is always sent.
inline constexpr size_t kLargeMessageBytes = size_t{16} * 1024;

// `hint`: what the client had better do.
inline absl::Status NoRoom(const http::UnsentBytes& unsent, const std::string& hint) {
  return absl::UnavailableError(http::NoRoomText(unsent) + "; " + hint);
}

// One unary call. It is told once, on any thread; what its answer takes counts until gRPC has sent it.
template <typename Response>
class LargeAnswer final : public grpc::ServerUnaryReactor {
 public:
  // For gRPC to drive; lasts as long as the call, as `response` does.
  static std::shared_ptr<LargeAnswer> Make(SharedUnsent unsent, Response* response) {
    const auto answer = std::make_shared<LargeAnswer>(std::move(unsent), response);
    answer->self_ = answer;
    return answer;
  }

  LargeAnswer(SharedUnsent unsent, Response* response) : unsent_(std::move(unsent)), response_(response) {}

  // Whether to ask at all: where there is no room the call has ended with that.
  bool HasRoom() {
    if (unsent_->HasRoom()) return true;
    End(NoRoom(*unsent_, "ask again"));
    return false;
  }

  void Tell(absl::StatusOr<Response> answer) {
    if (!answer.ok()) return End(answer.status());
    const absl::Status room = Count(*answer);
    if (room.ok()) *response_ = *std::move(answer);
    End(room);
  }
  // Copies only what there is room for.
  void TellShared(const absl::StatusOr<std::shared_ptr<const Response>>& answer) {
    if (!answer.ok()) return End(answer.status());
    const absl::Status room = Count(**answer);
    if (room.ok()) *response_ = **answer;
    End(room);
  }

  void OnDone() override {
    share_ = nullptr;
    // The last reference may go with this one.
    const std::shared_ptr<LargeAnswer> self = std::move(self_);
  }

 private:
  absl::Status Count(const Response& answer) {
    const size_t bytes = answer.ByteSizeLong();
    if (bytes < kLargeMessageBytes) return absl::OkStatus();
    // Others may have been told since this one was asked for.
    if (!unsent_->HasRoom()) return NoRoom(*unsent_, "ask again");
    share_ = unsent_->Add(bytes);
    return absl::OkStatus();
  }
  // Nothing of this object is touched behind it.
  void End(const absl::Status& status) { Finish(ToGrpc(status)); }

  const SharedUnsent unsent_;
  Response* const response_;
  std::shared_ptr<LargeAnswer> self_;  // until OnDone
  http::UnsentBytes::Share share_;     // null: it is small, or not told yet
};

// `ask` is called where there is room, with whom to tell.
template <typename Response, typename Ask>
grpc::ServerUnaryReactor* AnswerLarge(const SharedUnsent& unsent, Response* response, const Ask& ask) {
  const std::shared_ptr<LargeAnswer<Response>> answer = LargeAnswer<Response>::Make(unsent, response);
  if (answer->HasRoom()) {
    ask([answer](absl::StatusOr<Response> told) { answer->Tell(std::move(told)); });
  }
  return answer.get();
}

}  // namespace tutti::api
