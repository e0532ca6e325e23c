// CONNECT: every stream of this host at once, in one poll loop.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "common/time/clock.h"
#include "worker/load/load_trial.h"
#include "worker/load/stream.h"
#include "worker/load/trial_control.h"

namespace tutti::load {

// Returns once all are connected, at the first failure (annotated with the stream), at the deadline of
// `clock`, or Cancelled when the trial stops. `targets` has the port of every sender that is not null.
absl::Status ConnectStreams(const std::vector<std::unique_ptr<Stream>>& streams,
                            const std::vector<BoundPort>& targets, HostTime deadline, const Clock& clock,
                            const TrialControl& control);

}  // namespace tutti::load
