// Loss by cohort: what became of the datagrams that were sent in the window, told apart by the time in their
// header. Pure; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "coordinator/results/trial_view.h"
#include "tutti/v1/result.pb.h"

namespace tutti::results {

struct StreamLoss {
  tutti::v1::LossCounts counts;          // of the window; all null with `note` where it cannot be known
  std::vector<uint64_t> lost_intervals;  // of each interval's cohort; empty where counts are null
  std::string fault;                     // a contradiction between both ends; empty: none
};

// The cohorts 1..n are the window's. `late` is capped at what is unaccounted for in its cohort, the surplus
// being duplicates; lost = sent - in_order - reordered - late.
StreamLoss LossOf(const StreamView& stream, const Grid& grid);

// Sums over an entry; null with the first note if one of them is null. Sets lost_ratio.
tutti::v1::LossCounts SumLoss(const std::vector<const StreamLoss*>& streams);

}  // namespace tutti::results
