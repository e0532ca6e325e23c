// The text of a plan, read from the file that the user named, and its check with the errors printed.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "coordinator/plan/plan_loader.h"
#include "tutti/v1/plan.pb.h"

namespace tutti::cli {

struct PlanText {
  std::string source_name;  // as the user named it, but printable; "<stdin>" for "-"
  std::string text;
};

// Reads at most a little more than a valid plan may have, so that a huge file costs nothing and is still
// refused.
absl::StatusOr<PlanText> ReadPlanFile(const std::string& path);

// The plan with its errors and warnings, which are also printed, one a line.
plan::LoadedPlan LoadAndPrintErrors(const PlanText& text, const std::vector<std::string>& overrides,
                                    std::ostream& errors);

// The plan, if it is valid. Otherwise every error is printed, one a line. Warnings are printed too.
std::optional<tutti::v1::Plan> LoadOrPrintErrors(const PlanText& text,
                                                 const std::vector<std::string>& overrides,
                                                 std::ostream& errors);

}  // namespace tutti::cli
