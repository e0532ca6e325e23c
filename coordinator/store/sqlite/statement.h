// A prepared statement of SQLite that cleans up after itself and speaks in statuses.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tutti::store {

// "TRIED: what SQLite says of its last error". CORRUPT and NOTADB are DataLoss, BUSY and LOCKED Unavailable,
// FULL and NOMEM ResourceExhausted, CONSTRAINT AlreadyExists, READONLY, PERM and CANTOPEN PermissionDenied,
// the rest Internal.
absl::Status SqliteStatus(sqlite3* connection, int code, std::string_view tried);

// Belongs to a connection, which outlives it and is used by one thread at a time. Movable.
class Statement {
 public:
  static absl::StatusOr<Statement> Prepare(sqlite3* connection, std::string_view sql);

  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&& other) noexcept;
  ~Statement();

  // The next parameter, from the left. A failure is told by the next Step. Texts and blobs are not copied:
  // they outlive the last Step.
  Statement& Bind(int64_t value);
  Statement& Bind(std::optional<int64_t> value);
  Statement& BindText(std::string_view text);
  Statement& BindBlob(std::string_view bytes);

  // True: there is a row, whose columns can be read until the next Step.
  absl::StatusOr<bool> Step();
  // To the end, for what gives no rows.
  absl::Status Run();

  // Columns count from 0. NULL reads as 0 and as empty.
  int64_t Int(int column) const;
  std::optional<int64_t> OptionalInt(int column) const;
  // What is not UTF-8 becomes U+FFFD: SQLite keeps any bytes as text, and one damaged text in a message would
  // make the whole message unreadable.
  std::string Text(int column) const;
  std::string_view Blob(int column) const;

 private:
  Statement(sqlite3* connection, sqlite3_stmt* statement) : connection_(connection), statement_(statement) {}
  Statement& Remember(int code);

  sqlite3* connection_ = nullptr;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
  int failed_ = SQLITE_OK;  // the first failure of Bind
};

}  // namespace tutti::store
