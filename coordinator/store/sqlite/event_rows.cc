#include "coordinator/store/sqlite/event_rows.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status/macros.h"
#include "coordinator/store/sqlite/damage.h"
#include "coordinator/store/sqlite/run_rows.h"

namespace tutti::store {

using tutti::v1::RunEvent;

namespace {

// With the end of the run, which has reasons. Where that event is damaged itself, it is made again of what
// else is kept of it; a run that has not ended tells of it when it has.
absl::Status AddToEnd(Database& database, const std::string& run_id, Damage& damage,
                      std::vector<RunEvent>& events) {
  const auto end =
      std::find_if(events.rbegin(), events.rend(), [](const RunEvent& event) { return event.has_ended(); });
  if (end != events.rend()) {
    damage.AddTo(*end->mutable_ended());
    return absl::OkStatus();
  }
  TUTTI_ASSIGN_OR_RETURN(const KeptRun run, ReadHead(database, run_id));
  if (!run.summary.has_exit_code()) return absl::OkStatus();
  RunEvent again;
  again.set_run_id(run_id);
  again.set_at_unix_ns(run.summary.finished_unix_ns());
  again.set_sequence(events.empty() ? 1 : events.back().sequence() + 1);
  again.mutable_ended()->set_status(run.summary.status());
  again.mutable_ended()->set_exit_code(run.summary.exit_code());
  *again.mutable_ended()->mutable_reasons() = run.head.reasons();
  damage.AddTo(*again.mutable_ended());
  events.push_back(std::move(again));
  return absl::OkStatus();
}

}  // namespace

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
  TUTTI_ASSIGN_OR_RETURN(
      Statement rows,
      database.Prepare("SELECT position, event FROM events WHERE number = ? ORDER BY position"));
  rows.Bind(run.number);
  std::vector<RunEvent> events;
  Damage damage;
  while (true) {
    TUTTI_ASSIGN_OR_RETURN(const bool row, rows.Step());
    if (!row) break;
    const std::string_view bytes = rows.Blob(1);
    RunEvent event;
    if (!event.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
      TUTTI_RETURN_IF_ERROR(damage.Note(absl::StrCat("event ", rows.Int(0), " of the run"),
                                        absl::DataLossError("it cannot be parsed")));
      continue;
    }
    event.set_run_id(run_id);
    events.push_back(std::move(event));
  }
  if (damage.any()) TUTTI_RETURN_IF_ERROR(AddToEnd(database, run_id, damage, events));
  return events;
}

}  // namespace tutti::store
