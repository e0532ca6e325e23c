// The workers of a coordinator as a table. Pure; thread-safe.
#pragma once

#include <string>

#include "tutti/v1/service.pb.h"

namespace tutti::cli {

// One line each: name, state and its reason, addresses, CPUs, kernel, clock bound, labels. What is not known
// is "-".
std::string RenderWorkers(const tutti::v1::ListWorkersResponse& workers);

}  // namespace tutti::cli
