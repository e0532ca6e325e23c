// What must hold of a plan's text before a YAML parser may see it. Pure; thread-safe.
#pragma once

#include <string_view>

#include "coordinator/plan/error_list.h"

namespace tutti::plan {

// Adds the first offence of each kind: not UTF-8, a control character, a tab as indentation, a run of opening
// brackets deeper than any plan. Returns true if there is none. `origin` as in Position.
bool CheckText(std::string_view text, const std::string& origin, ErrorList& errors);

// How many bytes of well-formed UTF-8 begin `text` (RFC 3629: no surrogates, no overlong forms).
size_t ValidUtf8Prefix(std::string_view text);

}  // namespace tutti::plan
