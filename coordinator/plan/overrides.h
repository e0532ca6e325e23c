// --set key=value: replaces values of a plan before it is checked. Pure.
#pragma once

#include <string>

#include "coordinator/plan/error_list.h"
#include "coordinator/plan/yaml_node.h"

namespace tutti::plan {

// Applies one argument of --set. The path is made of keys and [i], entries of traffic also go by name
// ("traffic.bulk.rate"); "matrix.AXIS" replaces an axis. Keys that the plan leaves out are added, names of
// roles, axes and entries must exist. The value is YAML. On an error it is added and `root` returned as it
// is.
NodePtr ApplyOverride(const NodePtr& root, const std::string& argument, ErrorList& errors);

}  // namespace tutti::plan
