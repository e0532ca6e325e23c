// Where drains are written down, so that they outlive the coordinator. Whoever keeps them stands behind it:
// this room knows no store.
#pragma once

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "tutti/v1/service.pb.h"

namespace tutti::fleet {

// Every call returns at once and is made on the executor's thread; `kept` is called there too, on a turn of
// its own, when the disk has it, or with the reason why not. Calls are carried out in their order. Outlives
// the fleet; `kept` may come when that one is gone.
class DrainJournal {
 public:
  using Kept = std::function<void(const absl::Status&)>;

  virtual ~DrainJournal() = default;

  // Takes the place of an earlier one of the same name.
  virtual void Put(const std::string& worker, const tutti::v1::DrainMark& mark, Kept kept) = 0;
  // Not an error where there is none.
  virtual void Remove(const std::string& worker, Kept kept) = 0;
};

}  // namespace tutti::fleet
