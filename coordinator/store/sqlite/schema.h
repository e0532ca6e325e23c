// The tables, and how a file of an earlier tutti gets them.
#pragma once

#include "absl/status/status.h"
#include "coordinator/store/sqlite/database.h"

namespace tutti::store {

// "TUTT": tells our files from other programs' (PRAGMA application_id).
inline constexpr int64_t kApplicationId = 0x54555454;

// What this program reads and writes (PRAGMA user_version): the number of migrations.
int64_t SchemaVersion();

// Brings the database to SchemaVersion(), each migration in a transaction of its own: one that is interrupted
// has not happened. FailedPrecondition, and the file is untouched, for one that a newer tutti has written and
// for another program's.
absl::Status Migrate(Database& database);

}  // namespace tutti::store
