// Where a coordinator keeps which workers are drained. An interface, as RunStore is.
#pragma once

#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tutti/v1/service.pb.h"

namespace tutti::store {

// What a call has acknowledged survives the end of the process and of the machine. Blocking, threads and
// errors as in RunStore.
class DrainStore {
 public:
  virtual ~DrainStore() = default;

  // Takes the place of an earlier one of the same worker.
  virtual absl::Status PutDrain(const std::string& worker, const tutti::v1::DrainMark& mark) = 0;

  // Not an error where there is none.
  virtual absl::Status RemoveDrain(const std::string& worker) = 0;

  // By worker.
  virtual absl::StatusOr<std::map<std::string, tutti::v1::DrainMark>> Drains() const = 0;
};

}  // namespace tutti::store
