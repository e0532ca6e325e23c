// YAML text to a tree, without trusting the text. Pure; thread-safe.
#pragma once

#include <string_view>

#include "coordinator/plan/error_list.h"
#include "coordinator/plan/yaml_node.h"

namespace tutti::plan {

constexpr size_t kMostPlanBytes = 1 << 20;
constexpr int kDeepestNesting = 64;
constexpr size_t kMostNodes = 50'000;  // aliases count with all that they stand for

// Refuses, with its place: more than kMostPlanBytes, text that is not UTF-8, control characters (in the text,
// and those that a quoted scalar writes as escapes or that a scalar of several lines holds), tabs as
// indentation, nesting beyond kDeepestNesting, more than kMostNodes values, an alias inside its own anchor,
// keys that are no scalars or occur twice, tags, several documents. Returns nullptr if anything was added to
// `errors`, or if the text has no value (an error too).
NodePtr ReadYaml(std::string_view text, ErrorList& errors);

// The same for the value of a --set: every position is the override's, which is `origin`.
NodePtr ReadYamlValue(std::string_view text, const std::string& origin, ErrorList& errors);

}  // namespace tutti::plan
