// Where the values of a plan come from, as a table and as a document. Pure; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "coordinator/plan/explanation.h"
#include "coordinator/report/document.h"
#include "tutti/v1/plan.pb.h"

namespace tutti::cli {

// Of some cases of `plan`, or all: path, value and origin, a line each. What several cases have in common
// stands above them, once.
std::string RenderExplanation(const tutti::v1::Plan& plan, const std::vector<plan::ExplainedCase>& cases);

// {"plan", "source_name", "overrides", "shared": [VALUE], "cases": [{"index", "values": [VALUE]}]}, a value
// being {"path", "value", "origin", "line", "column", "set", "axes", "fields"}. Null are the place of what is
// not in the file, and `set` of what no --set has brought.
report::Document ExplanationDocument(const tutti::v1::Plan& plan,
                                     const std::vector<plan::ExplainedCase>& cases);

}  // namespace tutti::cli
