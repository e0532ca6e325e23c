// What the page of metrics says of the fleet. Pure; thread-safe.
#pragma once

#include <vector>

#include "coordinator/telemetry/samples.h"
#include "tutti/v1/service.pb.h"

namespace tutti::telemetry {

// Workers by state, every state with a figure; and of each whose clock is measured its bound.
Families FleetFamilies(const std::vector<tutti::v1::WorkerInfo>& workers);

}  // namespace tutti::telemetry
