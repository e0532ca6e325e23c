// From where an event stream goes on.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "coordinator/api/http/route.h"

namespace tutti::http {

// The number of the last event that the client has: of the field Last-Event-ID, which a browser sends when it
// connects again, else of `after` in the query; 0: none. InvalidArgument for what is no number. Pure.
absl::StatusOr<uint64_t> ResumePoint(const Exchange& exchange);

}  // namespace tutti::http
