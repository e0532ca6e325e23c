// Which hosts a run has, as far as runs are found by it. Works inside the transaction of its caller.
#pragma once

#include "absl/status/status.h"
#include "coordinator/store/sqlite/database.h"
#include "tutti/v1/result.pb.h"

namespace tutti::store {

// Of a run whose row is there. A name that is there already stays as it is.
absl::Status InsertHosts(Database& database, const tutti::v1::Result& head);

}  // namespace tutti::store
