// What a drain is in the tables. Every function works inside the transaction of its caller.
#pragma once

#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "coordinator/store/sqlite/database.h"
#include "tutti/v1/service.pb.h"

namespace tutti::store {

absl::Status PutDrainRow(Database& database, const std::string& worker, const tutti::v1::DrainMark& mark);
absl::Status DeleteDrainRow(Database& database, const std::string& worker);
absl::StatusOr<std::map<std::string, tutti::v1::DrainMark>> ReadDrains(Database& database);

}  // namespace tutti::store
