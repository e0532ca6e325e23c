// The one conversion between the statuses of gRPC and of Abseil; their codes have the same numbers.
#pragma once

#include <grpcpp/grpcpp.h>

#include "absl/status/status.h"

namespace tutti {

// A message that would not fit into gRPC's metadata is cut, and says so.
grpc::Status ToGrpc(const absl::Status& status);
absl::Status FromGrpc(const grpc::Status& status);

}  // namespace tutti
