#include "coordinator/store/sqlite/statement.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status/printable.h"

namespace tutti::store {
namespace {

absl::StatusCode CodeOf(int sqlite_code) {
  switch (sqlite_code & 0xff) {  // the primary one of an extended code
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return absl::StatusCode::kDataLoss;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return absl::StatusCode::kUnavailable;
    case SQLITE_FULL:
    case SQLITE_NOMEM:
      return absl::StatusCode::kResourceExhausted;
    case SQLITE_CONSTRAINT:
      return absl::StatusCode::kAlreadyExists;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
      return absl::StatusCode::kPermissionDenied;
    default:
      return absl::StatusCode::kInternal;
  }
}

// A null pointer would be bound as NULL.
const char* DataOf(std::string_view bytes) { return bytes.data() == nullptr ? "" : bytes.data(); }

}  // namespace

absl::Status SqliteStatus(sqlite3* connection, int code, std::string_view tried) {
  const char* said = connection != nullptr ? sqlite3_errmsg(connection) : sqlite3_errstr(code);
  return absl::Status(CodeOf(code),
                      absl::StrCat(std::string(tried), ": ", said, " (", sqlite3_errstr(code), ")"));
}

absl::StatusOr<Statement> Statement::Prepare(sqlite3* connection, std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v2(connection, sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  if (code != SQLITE_OK) return SqliteStatus(connection, code, "prepare \"" + std::string(sql) + "\"");
  return Statement(connection, statement);
}

Statement::Statement(Statement&& other) noexcept
    : connection_(other.connection_),
      statement_(std::exchange(other.statement_, nullptr)),
      bound_(other.bound_),
      failed_(other.failed_) {}

Statement& Statement::operator=(Statement&& other) noexcept {
  std::swap(connection_, other.connection_);
  std::swap(statement_, other.statement_);
  std::swap(bound_, other.bound_);
  std::swap(failed_, other.failed_);
  return *this;
}

Statement::~Statement() { sqlite3_finalize(statement_); }

Statement& Statement::Remember(int code) {
  if (failed_ == SQLITE_OK) failed_ = code;
  return *this;
}

Statement& Statement::Bind(int64_t value) {
  return Remember(sqlite3_bind_int64(statement_, ++bound_, value));
}

Statement& Statement::Bind(std::optional<int64_t> value) {
  if (value.has_value()) return Bind(*value);
  return Remember(sqlite3_bind_null(statement_, ++bound_));
}

Statement& Statement::BindText(std::string_view text) {
  return Remember(
      sqlite3_bind_text64(statement_, ++bound_, DataOf(text), text.size(), SQLITE_STATIC, SQLITE_UTF8));
}

Statement& Statement::BindBlob(std::string_view bytes) {
  return Remember(sqlite3_bind_blob64(statement_, ++bound_, DataOf(bytes), bytes.size(), SQLITE_STATIC));
}

absl::StatusOr<bool> Statement::Step() {
  const char* sql = sqlite3_sql(statement_);
  if (failed_ != SQLITE_OK) {
    return SqliteStatus(connection_, failed_, absl::StrCat("bind a value of \"", sql, "\""));
  }
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return SqliteStatus(connection_, code, absl::StrCat("run \"", sql, "\""));
}

absl::Status Statement::Run() {
  while (true) {
    const absl::StatusOr<bool> row = Step();
    if (!row.ok()) return row.status();
    if (!*row) return absl::OkStatus();
  }
}

int64_t Statement::Int(int column) const { return sqlite3_column_int64(statement_, column); }

std::optional<int64_t> Statement::OptionalInt(int column) const {
  if (sqlite3_column_type(statement_, column) == SQLITE_NULL) return std::nullopt;
  return Int(column);
}

std::string Statement::Text(int column) const {
  const unsigned char* text = sqlite3_column_text(statement_, column);
  if (text == nullptr) return "";
  const auto bytes = static_cast<size_t>(sqlite3_column_bytes(statement_, column));
  return ValidUtf8({reinterpret_cast<const char*>(text), bytes});
}

std::string_view Statement::Blob(int column) const {
  const void* bytes = sqlite3_column_blob(statement_, column);
  if (bytes == nullptr) return {};
  return {static_cast<const char*>(bytes), static_cast<size_t>(sqlite3_column_bytes(statement_, column))};
}

}  // namespace tutti::store
