// Merges what one host reported over the window, and the intervals of all hosts on one time axis. Pure;
// thread-safe.
#pragma once

#include <vector>

#include "coordinator/results/trial_view.h"
#include "tutti/v1/result.pb.h"

namespace tutti::results {

tutti::v1::HostResult MergeHost(const HostSeries& host, const TrialView& trial);

// Every interval of the grid. A host is in an interval if it has both of its edges.
std::vector<tutti::v1::TimelineInterval> MergeTimeline(const TrialView& trial);

}  // namespace tutti::results
