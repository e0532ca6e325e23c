#include "coordinator/store/sqlite/schema.h"

#include <iterator>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"

namespace tutti::store {
namespace {

// Migration i makes version i + 1 of version i. What has been released is never changed, only followed by
// another one.
//
// runs has narrow rows, since lists go through them; `number` counts in the order of acceptance and is never
// given twice: page tokens stand on it. Every index ends with it by itself. Heads and summaries are
// compressed messages, trials are compressed columns (coordinator/store/column_codec.h).
constexpr const char* kMigrations[] = {
    R"(
CREATE TABLE runs (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id TEXT NOT NULL UNIQUE,
  ended INTEGER NOT NULL DEFAULT 0,
  status INTEGER NOT NULL,
  exit_code INTEGER,
  plan_name TEXT NOT NULL,
  user TEXT NOT NULL,
  submitted_unix_ns INTEGER NOT NULL,
  started_unix_ns INTEGER,
  finished_unix_ns INTEGER,
  lab INTEGER NOT NULL,
  insecure INTEGER NOT NULL,
  cases INTEGER NOT NULL,
  stored_bytes INTEGER NOT NULL
);
CREATE INDEX runs_by_plan ON runs (plan_name);
CREATE INDEX runs_by_status ON runs (status);
CREATE INDEX runs_by_ended ON runs (ended);
CREATE TABLE labels (
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  number INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  PRIMARY KEY (key, value, number)
) WITHOUT ROWID;
CREATE INDEX labels_by_run ON labels (number);
CREATE TABLE heads (
  number INTEGER PRIMARY KEY REFERENCES runs ON DELETE CASCADE,
  head BLOB NOT NULL
);
CREATE TABLE cases (
  number INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  position INTEGER NOT NULL,
  summary BLOB NOT NULL,
  PRIMARY KEY (number, position)
);
CREATE TABLE trials (
  number INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  case_position INTEGER NOT NULL,
  position INTEGER NOT NULL,
  trial BLOB NOT NULL,
  PRIMARY KEY (number, case_position, position)
);
)",
    // The keys by which submissions are known again. Beside `runs`, since few runs have one.
    R"(
CREATE TABLE idempotency_keys (
  key TEXT PRIMARY KEY,
  number INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_run ON idempotency_keys (number);
)",
    // Of events and hosts what can be asked for; the rest of them is in results.
    R"(
CREATE TABLE events (
  number INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  position INTEGER NOT NULL,
  event BLOB NOT NULL,
  PRIMARY KEY (number, position)
) WITHOUT ROWID;
CREATE TABLE hosts (
  name TEXT NOT NULL,
  number INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  fingerprint TEXT NOT NULL,
  kernel TEXT NOT NULL,
  PRIMARY KEY (name, number)
) WITHOUT ROWID;
CREATE INDEX hosts_by_run ON hosts (number);
CREATE INDEX hosts_by_fingerprint ON hosts (fingerprint, number, name);
)",
    // Which names get no new runs (coordinator/store/drain_store.h).
    R"(
CREATE TABLE drains (
  worker TEXT NOT NULL PRIMARY KEY,
  reason TEXT NOT NULL,
  user TEXT NOT NULL,
  since_unix_ns INTEGER NOT NULL
) WITHOUT ROWID;
)",
    // A kernel leads to its runs; a pattern of kernels is looked for run by run, without the rows of hosts.
    R"(
CREATE INDEX hosts_by_kernel ON hosts (kernel, number, name);
DROP INDEX hosts_by_run;
CREATE INDEX hosts_by_run ON hosts (number, kernel);
)",
};

absl::Status CheckOurs(Database& database) {
  TUTTI_ASSIGN_OR_RETURN(const int64_t application, database.QueryInt("PRAGMA application_id"));
  TUTTI_ASSIGN_OR_RETURN(const int64_t tables, database.QueryInt("SELECT count(*) FROM sqlite_master"));
  if (application == kApplicationId || (application == 0 && tables == 0)) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "it is the database of another program; move it away, or name another folder with --state-dir");
}

}  // namespace

int64_t SchemaVersion() { return static_cast<int64_t>(std::size(kMigrations)); }

absl::Status Migrate(Database& database) {
  TUTTI_RETURN_IF_ERROR(CheckOurs(database));
  TUTTI_ASSIGN_OR_RETURN(const int64_t version, database.QueryInt("PRAGMA user_version"));
  if (version > SchemaVersion() || version < 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("a newer tutti has written it (version ", version, " of the tables, this one knows ",
                     SchemaVersion(), "); start that one again, or name another folder with --state-dir"));
  }
  for (int64_t next = version; next < SchemaVersion(); ++next) {
    TUTTI_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Write(database));
    TUTTI_RETURN_IF_ERROR(database.Execute(kMigrations[next]));
    TUTTI_RETURN_IF_ERROR(database.Execute(absl::StrCat("PRAGMA application_id=", kApplicationId)));
    TUTTI_RETURN_IF_ERROR(database.Execute(absl::StrCat("PRAGMA user_version=", next + 1)));
    TUTTI_RETURN_IF_ERROR(
        Annotate(transaction.Commit(), absl::StrCat("make version ", next + 1, " of the tables")));
  }
  return absl::OkStatus();
}

}  // namespace tutti::store
