// The workers of a coordinator as a table. Pure but for the time zone of the process; thread-safe.
#pragma once

#include <string>

#include "tutti/v1/service.pb.h"

namespace tutti::cli {

// One line each: name, state with its reason and since when no run gets it, addresses, CPUs, kernel, clock
// bound, labels. What is not known is "-".
std::string RenderWorkers(const tutti::v1::ListWorkersResponse& workers);

}  // namespace tutti::cli
