// The table of metrics as text and as a document. Pure; thread-safe.
#pragma once

#include <string>

#include "coordinator/report/document.h"

namespace tutti::cli {

// A line for each metric, with how a figure of it is written, which direction is good, which entries have it,
// its scopes, whether its intervals are known, and its definition.
std::string RenderMetrics();

// {"metrics": [...]} with the same.
report::Document MetricsDocument();

}  // namespace tutti::cli
