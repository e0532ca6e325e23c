// Which runs are no longer kept. The choice is pure; time comes from the caller.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "coordinator/store/run_store.h"

namespace tutti::store {

struct RetentionLimits {
  std::optional<int64_t> max_age_ns;  // since a run has ended; unset: however old
  std::optional<uint64_t> max_bytes;  // of all ended runs together; unset: however large
};

// Ids of the runs to remove, oldest first: those that ended longer ago than `max_age_ns`, then as many of the
// oldest as bring the rest to at most `max_bytes`. The newest run does not go for its size: its user has
// hardly seen it. `ended` is oldest first. Pure; thread-safe.
std::vector<std::string> ChooseExpired(const std::vector<EndedRun>& ended, const RetentionLimits& limits,
                                       int64_t now_unix_ns);

// Removes them from the store; runs that have not ended are never touched. How many went. One that somebody
// else has removed meanwhile is no error.
absl::StatusOr<int> RemoveExpired(RunStore& store, const RetentionLimits& limits, int64_t now_unix_ns);

}  // namespace tutti::store
