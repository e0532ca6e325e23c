// What is said of a way to send or receive that was asked for and cannot be had.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "worker/load/load_trial.h"

namespace tutti::load {

const char* NameOf(SendWay way);
const char* NameOf(ReceiveWay way);

// Ok with best_effort, after `outcomes` tells that `asked` was replaced by `taken`; otherwise `reason`. The
// outcome of the option `name` is that of the socket option that the way needs, where it needs one.
absl::Status FallBack(const StreamConfig& config, const std::string& name, const std::string& asked,
                      const std::string& taken, const absl::Status& reason,
                      std::vector<OptionOutcome>& outcomes);

}  // namespace tutti::load
