// From a plan's text to its cases: parse, check, substitute, expand, decode. Pure; thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "tutti/v1/plan.pb.h"

namespace tutti::plan {

struct PlanError {
  int line = 0;         // from 1; 0: the error is not in the file (an override, the size)
  int column = 0;       // from 1
  std::string path;     // "traffic[0].message_size"
  std::string message;  // what is wrong, and what to write instead
};

// "file:line:column: path: message"
std::string Format(std::string_view source_name, const PlanError& error);

struct LoadedPlan {
  tutti::v1::Plan plan;
  std::vector<PlanError> errors;  // empty: the plan is valid
  std::vector<std::string> warnings;
};

// `overrides` are the arguments of --set, in order: "timing.measure=2s", "matrix.streams=[4]",
// "traffic[0].protocol=tcp" or "traffic.bulk.protocol=tcp". Never throws.
LoadedPlan LoadPlan(std::string_view text, std::string_view source_name,
                    const std::vector<std::string>& overrides);

// InvalidArgument with every error, one a line, if there is one.
absl::StatusOr<tutti::v1::Plan> LoadValidPlan(std::string_view text, std::string_view source_name,
                                              const std::vector<std::string>& overrides);

// WARMUP + MEASURE + COOLDOWN over all trials plus the background second of each case.
int64_t ExpectedDurationNs(const tutti::v1::Plan& plan);

// The JSON Schema (draft 2020-12) of a plan.
std::string PlanJsonSchema();

}  // namespace tutti::plan
