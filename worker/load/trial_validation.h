// What a trial is checked for before anything is opened. Pure.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "worker/load/load_trial.h"

namespace tutti::load {

// InvalidArgument naming the stream and the value: sizes, rates, ports, addresses of two families, stream ids
// that repeat on one side, timings that are not positive or have more than a million intervals.
absl::Status ValidateTrial(const std::vector<StreamConfig>& streams, const TrialTiming& timing);

}  // namespace tutti::load
