// Judges a merged trial by the plan's limits. Pure; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "tutti/v1/plan.pb.h"
#include "tutti/v1/result.pb.h"

namespace tutti::results {

// One sentence per limit that is exceeded, with the figure and the limit. A figure that is not known although
// every host has reported is beyond its limit: a stream that never reached a steady start has no running
// skew.
std::vector<std::string> ExceededLimits(const tutti::v1::Limits& limits, const tutti::v1::TrialResult& trial);

}  // namespace tutti::results
