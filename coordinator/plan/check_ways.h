// What must hold for the ways in which a traffic entry sends and receives. Pure.
#pragma once

#include <string>

#include "coordinator/plan/error_list.h"
#include "coordinator/plan/yaml_node.h"
#include "tutti/v1/plan.pb.h"

namespace tutti::plan {

// `node` is what `entry` was decoded from, `path` its place in the plan.
void CheckWays(const tutti::v1::TrafficEntry& entry, const Node& node, const std::string& path,
               ErrorList& errors);

}  // namespace tutti::plan
