// Changes of workers' states, a line each. Pure but for the time zone of the process; thread-safe.
#pragma once

#include <string>

#include "coordinator/cli/output.h"
#include "tutti/v1/service.pb.h"

namespace tutti::cli {

// "2026-11-30 14:05:00  host2  idle -> draining: kernel update"; as JSON one line, as YAML one document of a
// stream.
std::string RenderFleetEvent(const tutti::v1::FleetEvent& event, Output output);

}  // namespace tutti::cli
