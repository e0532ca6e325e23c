// A figure in each interval of a trial's grid. Pure; thread-safe.
#pragma once

#include <optional>
#include <vector>

#include "coordinator/metrics/metric.h"
#include "tutti/v1/result.pb.h"

namespace tutti::results {

// Of these streams together, in the metrics' units: rates over each host's actual edges, loss by the cohort
// that was sent in the interval. An interval in which the figure does not exist is left out (nothing was sent
// that could be lost), and so is a last one that is shorter. nullopt: an interval is not known, or there is
// none.
std::optional<std::vector<double>> IntervalFigures(metrics::Series series, const metrics::Streams& streams,
                                                   const tutti::v1::TrialResult& trial);

}  // namespace tutti::results
