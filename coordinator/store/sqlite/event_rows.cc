#include "coordinator/store/sqlite/event_rows.h"

#include <string_view>

#include "absl/strings/str_cat.h"
#include "common/status/macros.h"
#include "coordinator/store/sqlite/run_rows.h"

namespace tutti::store {

using tutti::v1::RunEvent;

absl::Status InsertEvents(Database& database, const std::vector<RunEvent>& events) {
  absl::Status missing;
  for (const RunEvent& event : events) {
    const absl::StatusOr<RunRow> run = FindRun(database, event.run_id());
    if (absl::IsNotFound(run.status())) {
      missing = run.status();
      continue;
    }
    if (!run.ok()) return run.status();
    RunEvent stored = event;
    stored.clear_run_id();  // the row has it
    const std::string bytes = stored.SerializeAsString();
    TUTTI_ASSIGN_OR_RETURN(
        Statement row,
        database.Prepare("INSERT INTO events (number, position, event) "
                         "SELECT ?1, coalesce(max(position), 0) + 1, ?2 FROM events WHERE number = ?1"));
    TUTTI_RETURN_IF_ERROR(row.Bind(run->number).BindBlob(bytes).Run());
  }
  return missing;
}

absl::StatusOr<std::vector<RunEvent>> ReadEvents(Database& database, const std::string& run_id) {
  TUTTI_ASSIGN_OR_RETURN(const RunRow run, FindRun(database, run_id));
  TUTTI_ASSIGN_OR_RETURN(Statement rows,
                         database.Prepare("SELECT event FROM events WHERE number = ? ORDER BY position"));
  rows.Bind(run.number);
  std::vector<RunEvent> events;
  while (true) {
    TUTTI_ASSIGN_OR_RETURN(const bool row, rows.Step());
    if (!row) return events;
    const std::string_view bytes = rows.Blob(0);
    RunEvent& event = events.emplace_back();
    if (!event.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
      return absl::DataLossError(absl::StrCat("an event of run ", run_id, " cannot be parsed"));
    }
    event.set_run_id(run_id);
  }
}

}  // namespace tutti::store
