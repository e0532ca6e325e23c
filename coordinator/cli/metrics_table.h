// The table of metrics as text. Pure; thread-safe.
#pragma once

#include <string>

namespace tutti::cli {

// A line for each metric, with how a figure of it is written, which direction is good, which entries have it,
// its scopes, whether its intervals are known, and its definition.
std::string RenderMetrics();

}  // namespace tutti::cli
