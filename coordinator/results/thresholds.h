// Judges a case by the plan's thresholds. Pure; thread-safe.
#pragma once

#include <vector>

#include "tutti/v1/plan.pb.h"
#include "tutti/v1/result.pb.h"

namespace tutti::results {

// An outcome for each threshold x entry x direction that it judges, over the good trials of `result`, whose
// rows are there. Every figure is taken per trial (of intervals the worst), then its median; of several
// members (hosts, pairs, streams) the worst one decides. A figure that is not known fails. A threshold of
// which the case has no entry has no outcome, and neither has a skew or a fairness of one stream.
std::vector<tutti::v1::ThresholdOutcome> JudgeThresholds(const tutti::v1::Case& plan_case,
                                                         const tutti::v1::CaseResult& result);

}  // namespace tutti::results
