// The queueing disciplines of the calling thread's network namespace and their counters (RTM_GETQDISC).
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "tutti/v1/host.pb.h"

namespace tutti::observe {

// In the kernel's order: by device, the root first. `noqueue` counts nothing: its zeros mean that.
absl::StatusOr<std::vector<v1::QdiscCounters>> ReadQdiscCounters();

}  // namespace tutti::observe
