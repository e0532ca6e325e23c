// The one conversion between the statuses of gRPC and of Abseil; their codes have the same numbers.
#pragma once

#include <grpcpp/grpcpp.h>

#include "absl/status/status.h"

namespace tutti {

grpc::Status ToGrpc(const absl::Status& status);
absl::Status FromGrpc(const grpc::Status& status);

}  // namespace tutti
