// Cases that differ in their labels only. Pure.
#pragma once

#include <vector>

#include "coordinator/plan/error_list.h"
#include "coordinator/plan/matrix.h"
#include "tutti/v1/plan.pb.h"

namespace tutti::plan {

// `plan` has all cases of `axes`, in order and without errors. Adds an error at each value of an axis that
// makes the same cases as another one, however it is written ("1MiB" and "1024KiB"): what was measured twice
// would be shown as two things. Only if there is none, at the first case that equals another by several
// values at once.
void CheckDistinctCases(const tutti::v1::Plan& plan, const std::vector<MatrixAxis>& axes, ErrorList& errors);

}  // namespace tutti::plan
