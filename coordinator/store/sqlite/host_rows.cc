#include "coordinator/store/sqlite/host_rows.h"

#include "common/status/macros.h"
#include "coordinator/store/sqlite/run_rows.h"

namespace tutti::store {

absl::Status InsertHosts(Database& database, const tutti::v1::Result& head) {
  TUTTI_ASSIGN_OR_RETURN(const RunRow run, FindRun(database, head.run_id()));
  for (const tutti::v1::Host& host : head.hosts()) {
    TUTTI_ASSIGN_OR_RETURN(Statement row,
                           database.Prepare("INSERT OR IGNORE INTO hosts (name, number, fingerprint, kernel) "
                                            "VALUES (?, ?, ?, ?)"));
    TUTTI_RETURN_IF_ERROR(row.BindText(host.name())
                              .Bind(run.number)
                              .BindText(host.facts().fingerprint())
                              .BindText(host.facts().kernel_release())
                              .Run());
  }
  return absl::OkStatus();
}

}  // namespace tutti::store
