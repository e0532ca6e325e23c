// A checked tree to a case. Pure.
#pragma once

#include "coordinator/plan/yaml_node.h"
#include "tutti/v1/plan.pb.h"

namespace tutti::plan {

// `root` has every ${} substituted. Values that are missing get their defaults (language.h), values that
// CheckShape refuses are left unset: their errors are listed already. `index` and `values` of the case are
// left to the caller.
tutti::v1::Case DecodeCase(const Node& root);

}  // namespace tutti::plan
