// What the plan checker has refused already, refused once more where it would break a workload.
#pragma once

#include "absl/status/status.h"
#include "worker/load/stream_config.h"

namespace tutti::load {

// InvalidArgument, with the stream's id, for a request/response that no workload can do; ok without one.
absl::Status ValidateExchange(const StreamConfig& config);

}  // namespace tutti::load
