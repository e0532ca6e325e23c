// What a run is in the tables. Every function works inside the transaction of its caller.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "coordinator/store/column_codec.h"
#include "coordinator/store/run_store.h"
#include "coordinator/store/sqlite/database.h"
#include "tutti/v1/result.pb.h"
#include "tutti/v1/store.pb.h"

namespace tutti::store {

struct RunRow {
  int64_t number = 0;
  bool ended = false;
};

// Of a case and of a trial within it.
using TrialPosition = std::pair<uint32_t, uint32_t>;

// NotFound for an id that is not there.
absl::StatusOr<RunRow> FindRun(Database& database, const std::string& run_id);

// --- writing; messages come packed ----------------------------------------------------------------

// `key`: empty for none.
absl::Status InsertRun(Database& database, const tutti::v1::Result& head, const Labels& labels,
                       const std::string& key, const std::string& packed_head);
// Nothing happens where the trial is there.
absl::Status InsertTrial(Database& database, int64_t number, TrialPosition position,
                         const std::string& packed);
absl::StatusOr<std::set<TrialPosition>> StoredTrials(Database& database, int64_t number);
// Head and summaries take the place of what is there, damaged or not; the run's row says that it has ended
// and how large it is.
absl::Status EndRun(Database& database, int64_t number, const tutti::v1::Result& result,
                    const std::string& packed_head, const std::vector<std::string>& packed_summaries);

// --- reading --------------------------------------------------------------------------------------

// Damage as in RunStore::Get. `leaves_out`: which fields of the trials are not read.
absl::StatusOr<tutti::v1::Result> ReadRun(Database& database, const std::string& run_id,
                                          LeavesOut leaves_out = nullptr);
absl::StatusOr<KeptRun> ReadHead(Database& database, const std::string& run_id);
// NotFound for a key that no run has.
absl::StatusOr<std::string> ReadRunOfKey(Database& database, const std::string& key);
absl::StatusOr<tutti::v1::ListRunsResponse> ReadList(Database& database,
                                                     const tutti::v1::ListRunsRequest& request);
absl::StatusOr<std::vector<EndedRun>> ReadEnded(Database& database);
absl::StatusOr<std::vector<std::string>> ReadUnfinished(Database& database);

}  // namespace tutti::store
