// Checks a tree against the language: known keys, required keys, each value alone. Pure.
#pragma once

#include <string>

#include "coordinator/plan/error_list.h"
#include "coordinator/plan/language.h"
#include "coordinator/plan/yaml_node.h"

namespace tutti::plan {

// Adds every error; a broken node has had its own. `path` names the node: "" for the plan.
void CheckShape(const Node& node, const ValueSpec& spec, const std::string& path, ErrorList& errors);
void CheckShape(const Node& node, const KeyTable& table, const std::string& path, ErrorList& errors);

// "traffic[0]" + "name" -> "traffic[0].name"; "" + "name" -> "name".
std::string JoinPath(const std::string& path, const std::string& key);

}  // namespace tutti::plan
