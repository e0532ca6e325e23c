#include "coordinator/store/sqlite/database.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"

namespace tutti::store {
namespace {

// Checkpoints and a second program that looks at the file hold locks for milliseconds.
constexpr int kBusyTimeoutMs = 5000;

}  // namespace

absl::StatusOr<std::unique_ptr<Database>> Database::Open(const std::string& path, int flags) {
  sqlite3* connection = nullptr;
  // Our own mutexes see to it that a connection has one thread at a time.
  const int code = sqlite3_open_v2(path.c_str(), &connection, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  if (code != SQLITE_OK) {
    const absl::Status status = SqliteStatus(connection, code, "open database " + path);
    sqlite3_close_v2(connection);
    return status;
  }
  sqlite3_busy_timeout(connection, kBusyTimeoutMs);
  return std::unique_ptr<Database>(new Database(connection));
}

absl::StatusOr<std::unique_ptr<Database>> Database::OpenWriter(const std::string& path) {
  TUTTI_ASSIGN_OR_RETURN(std::unique_ptr<Database> database,
                         Open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
  // auto_vacuum works only before there are tables, and is in the file from then on.
  TUTTI_RETURN_IF_ERROR(Annotate(database->Execute("PRAGMA auto_vacuum=INCREMENTAL"), "database " + path));
  {
    TUTTI_ASSIGN_OR_RETURN(Statement mode, database->Prepare("PRAGMA journal_mode=WAL"));
    const absl::StatusOr<bool> row = mode.Step();
    if (!row.ok()) return Annotate(row.status(), "database " + path);
    if (mode.Text(0) != "wal") {
      return absl::FailedPreconditionError(
          "database " + path +
          ": this file system does not allow SQLite's write-ahead log; name a "
          "folder on a local disk with --state-dir");
    }
  }
  // FULL: a commit is on the disk when it returns, whatever happens to the machine. A long reader lets the
  // log grow; it is cut back afterwards.
  TUTTI_RETURN_IF_ERROR(database->Execute(
      "PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA journal_size_limit=67108864"));
  return database;
}

absl::StatusOr<std::unique_ptr<Database>> Database::OpenReader(const std::string& path) {
  return Open(path, SQLITE_OPEN_READONLY);
}

Database::~Database() { sqlite3_close_v2(connection_); }

absl::Status Database::Execute(const std::string& sql) {
  const int code = sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code == SQLITE_OK) return absl::OkStatus();
  return SqliteStatus(connection_, code, "run \"" + sql + "\"");
}

absl::StatusOr<int64_t> Database::QueryInt(std::string_view sql) {
  TUTTI_ASSIGN_OR_RETURN(Statement statement, Prepare(sql));
  TUTTI_ASSIGN_OR_RETURN(const bool row, statement.Step());
  if (!row) return absl::InternalError(absl::StrCat("\"", std::string(sql), "\" gives no row"));
  return statement.Int(0);
}

absl::StatusOr<Transaction> Transaction::Write(Database& database) {
  TUTTI_RETURN_IF_ERROR(database.Execute("BEGIN IMMEDIATE"));
  return Transaction(database);
}

absl::StatusOr<Transaction> Transaction::Read(Database& database) {
  TUTTI_RETURN_IF_ERROR(database.Execute("BEGIN"));
  return Transaction(database);
}

Transaction::Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}

Transaction::~Transaction() {
  // A failed statement may have rolled back already; then this fails and there is nothing to do.
  if (database_ != nullptr) database_->Execute("ROLLBACK").IgnoreError();
}

absl::Status Transaction::Commit() {
  TUTTI_RETURN_IF_ERROR(database_->Execute("COMMIT"));
  database_ = nullptr;
  return absl::OkStatus();
}

}  // namespace tutti::store
