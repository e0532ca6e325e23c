// The addresses of the calling thread's network namespace (RTM_GETADDR).
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "tutti/v1/host.pb.h"
#include "worker/observe/links.h"

namespace tutti::observe {

// IPv4 and IPv6, without those that cannot be bound yet or any more (tentative, duplicate, deprecated are
// left out). `links` gives the devices' names.
absl::StatusOr<std::vector<v1::HostAddress>> ListAddresses(const std::vector<Link>& links);

}  // namespace tutti::observe
