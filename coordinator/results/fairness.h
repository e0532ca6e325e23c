// How evenly the streams of an entry shared. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "coordinator/results/trial_view.h"

namespace tutti::results {

struct Fairness {
  double jain_index = 0;  // (sum x)^2 / (n x sum x^2) of what each received (Jain, Chiu and Hawe 1984)
  double slowest_bps = 0;
  double fastest_bps = 0;
  uint32_t slowest_stream = 0;  // the first of those with the least
};

// By received payload. Unset for a single stream, where one stream's figure is not known, or where nothing
// arrived.
std::optional<Fairness> FairnessOf(const std::vector<const StreamView*>& streams);

}  // namespace tutti::results
