// How long a worker may be silent before it is lost.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"

namespace tutti {

// In ns, of a text such as "2s". InvalidArgument unless it is a duration within 100ms and 10m. Pure;
// thread-safe.
absl::StatusOr<int64_t> ParseLeaseNs(std::string_view text);

}  // namespace tutti
