// A connection to the database file, and a transaction on it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "coordinator/store/sqlite/statement.h"

namespace tutti::store {

// Used by one thread at a time.
class Database {
 public:
  // Makes the file if it is missing; WAL, every commit synced to the disk. DataLoss for a file that is no
  // database or that is cut off, PermissionDenied where it cannot be opened or written.
  static absl::StatusOr<std::unique_ptr<Database>> OpenWriter(const std::string& path);
  // Of a file that a writer has open. Sees what is committed when its transaction, or its statement, begins.
  static absl::StatusOr<std::unique_ptr<Database>> OpenReader(const std::string& path);

  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  absl::StatusOr<Statement> Prepare(std::string_view sql) { return Statement::Prepare(connection_, sql); }
  // One or more statements without parameters; rows are dropped.
  absl::Status Execute(const std::string& sql);
  // The first column of the only row.
  absl::StatusOr<int64_t> QueryInt(std::string_view sql);

  int64_t last_row_id() const { return sqlite3_last_insert_rowid(connection_); }
  // Rows that the last statement has inserted, changed or deleted.
  int64_t changes() const { return sqlite3_changes64(connection_); }

 private:
  explicit Database(sqlite3* connection) : connection_(connection) {}
  static absl::StatusOr<std::unique_ptr<Database>> Open(const std::string& path, int flags);

  sqlite3* const connection_;
};

// Rolled back by the destructor unless it was committed.
class Transaction {
 public:
  // Of a writer: takes the write lock at once, so that nothing inside has to be tried again.
  static absl::StatusOr<Transaction> Write(Database& database);
  // One state of the database for all that is read inside.
  static absl::StatusOr<Transaction> Read(Database& database);

  Transaction(Transaction&& other) noexcept;
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();

  absl::Status Commit();

 private:
  explicit Transaction(Database& database) : database_(&database) {}

  Database* database_;  // null: over
};

}  // namespace tutti::store
