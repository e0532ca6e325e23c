// Plans as documents: what a dry run and a check say to programs. Pure; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "coordinator/plan/placement.h"
#include "coordinator/plan/plan_loader.h"
#include "coordinator/report/document.h"
#include "tutti/v1/plan.pb.h"

namespace tutti::cli {

// What DescribePlan (dry_run.h) says in words: {"plan": the resolved plan, "hosts": [...],
// "expected_duration_ns": N, "cases": [{"index": 0, "roles": {ROLE: [HOST...]}, "flows": [...]}]}. The same
// errors.
absl::StatusOr<report::Document> PlanDocument(const tutti::v1::Plan& plan,
                                              const std::vector<plan::Candidate>& fleet);

// One checked file: {"file", "valid", "cases", "errors": [{"line", "column", "path", "message"}],
// "warnings"}. Null are `cases` of a plan that is not valid, and the place of an error that is not in the
// file.
report::Document CheckedPlan(const std::string& source_name, const plan::LoadedPlan& loaded);

}  // namespace tutti::cli
