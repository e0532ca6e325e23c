// The events of a run in their table. Every function works inside the transaction of its caller.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "coordinator/store/sqlite/database.h"
#include "tutti/v1/service.pb.h"

namespace tutti::store {

// Each behind those of its run that are there. NotFound if a run is not there, after all others.
absl::Status InsertEvents(Database& database, const std::vector<tutti::v1::RunEvent>& events);
// NotFound for an id that is not there. Damage as in RunStore::Events.
absl::StatusOr<std::vector<tutti::v1::RunEvent>> ReadEvents(Database& database, const std::string& run_id);

}  // namespace tutti::store
