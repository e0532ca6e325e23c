#include "coordinator/store/sqlite/drain_rows.h"

#include <cstdint>

#include "common/status/macros.h"

namespace tutti::store {

using tutti::v1::DrainMark;

absl::Status PutDrainRow(Database& database, const std::string& worker, const DrainMark& mark) {
  TUTTI_ASSIGN_OR_RETURN(
      Statement row, database.Prepare("INSERT OR REPLACE INTO drains (worker, reason, user, since_unix_ns) "
                                      "VALUES (?, ?, ?, ?)"));
  row.BindText(worker).BindText(mark.reason()).BindText(mark.user());
  return row.Bind(int64_t{mark.since_unix_ns()}).Run();
}

absl::Status DeleteDrainRow(Database& database, const std::string& worker) {
  TUTTI_ASSIGN_OR_RETURN(Statement removal, database.Prepare("DELETE FROM drains WHERE worker = ?"));
  return removal.BindText(worker).Run();
}

absl::StatusOr<std::map<std::string, DrainMark>> ReadDrains(Database& database) {
  TUTTI_ASSIGN_OR_RETURN(Statement rows,
                         database.Prepare("SELECT worker, reason, user, since_unix_ns FROM drains"));
  std::map<std::string, DrainMark> drains;
  while (true) {
    TUTTI_ASSIGN_OR_RETURN(const bool row, rows.Step());
    if (!row) return drains;
    DrainMark& mark = drains[rows.Text(0)];
    mark.set_reason(rows.Text(1));
    mark.set_user(rows.Text(2));
    mark.set_since_unix_ns(rows.Int(3));
  }
}

}  // namespace tutti::store
