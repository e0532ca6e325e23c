// How an answer of the operations goes back to the gRPC call that asked.
#pragma once

#include <grpcpp/grpcpp.h>

#include <utility>

#include "absl/status/statusor.h"
#include "common/status/grpc_status.h"
#include "coordinator/api/operations.h"

namespace tutti::api {

// `response` and `reactor` belong to a call that lives until it is answered.
template <typename Response>
Operations::Done<Response> UnaryAnswer(grpc::ServerUnaryReactor* reactor, Response* response) {
  return [reactor, response](absl::StatusOr<Response> answer) {
    const grpc::Status status = ToGrpc(answer.status());
    if (answer.ok()) *response = *std::move(answer);
    reactor->Finish(status);
  };
}

}  // namespace tutti::api
