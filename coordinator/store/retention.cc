#include "coordinator/store/retention.h"

#include "common/status/macros.h"

namespace tutti::store {

std::vector<std::string> ChooseExpired(const std::vector<EndedRun>& ended, const RetentionLimits& limits,
                                       int64_t now_unix_ns) {
  std::vector<bool> goes(ended.size(), false);
  uint64_t kept_bytes = 0;
  for (size_t i = 0; i < ended.size(); ++i) {
    goes[i] = limits.max_age_ns.has_value() && now_unix_ns - ended[i].finished_unix_ns > *limits.max_age_ns;
    if (!goes[i]) kept_bytes += ended[i].stored_bytes;
  }
  for (size_t i = 0; i + 1 < ended.size(); ++i) {
    if (!limits.max_bytes.has_value() || kept_bytes <= *limits.max_bytes) break;
    if (goes[i]) continue;
    goes[i] = true;
    kept_bytes -= ended[i].stored_bytes;
  }
  std::vector<std::string> expired;
  for (size_t i = 0; i < ended.size(); ++i) {
    if (goes[i]) expired.push_back(ended[i].run_id);
  }
  return expired;
}

absl::StatusOr<int> RemoveExpired(RunStore& store, const RetentionLimits& limits, int64_t now_unix_ns) {
  if (!limits.max_age_ns.has_value() && !limits.max_bytes.has_value()) return 0;
  TUTTI_ASSIGN_OR_RETURN(const std::vector<EndedRun> ended, store.Ended());
  int removed = 0;
  for (const std::string& run_id : ChooseExpired(ended, limits, now_unix_ns)) {
    const absl::Status status = store.Delete(run_id);
    if (absl::IsNotFound(status)) continue;
    if (!status.ok()) return status;
    ++removed;
  }
  return removed;
}

}  // namespace tutti::store
