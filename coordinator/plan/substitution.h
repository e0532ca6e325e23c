// ${axis}: puts the values of a case into a tree. Pure.
#pragma once

#include <map>
#include <set>
#include <string>

#include "coordinator/plan/error_list.h"
#include "coordinator/plan/yaml_node.h"

namespace tutti::plan {

using AxisValues = std::map<std::string, NodePtr>;

// A value that is "${axis}" alone becomes the axis value, of whatever kind, with the axis value's position;
// inside a longer text the axis value must be a scalar. An unknown axis or a malformed reference is an error
// at the reference, and its value becomes a broken node. Parts without a reference are shared with `tree`.
NodePtr Substitute(const NodePtr& tree, const AxisValues& values, const std::string& path, ErrorList& errors);

// A case of the plan `root`, which is a map. `matrix`, `version` and `name` stay as they are: they hold for
// the whole plan.
NodePtr SubstituteCase(const NodePtr& root, const AxisValues& values, ErrorList& errors);

// Adds the axes that `tree` refers to.
void CollectReferences(const Node& tree, std::set<std::string>& names);

}  // namespace tutti::plan
