#include "coordinator/api/stored_drains.h"

#include <utility>

namespace tutti::api {

void StoredDrains::Put(const std::string& worker, const tutti::v1::DrainMark& mark, Kept kept) {
  writer_.Post([&decisions = decisions_, &store = store_, worker, mark, kept = std::move(kept)] {
    decisions.Post([kept, status = store.PutDrain(worker, mark)] { kept(status); });
  });
}

void StoredDrains::Remove(const std::string& worker, Kept kept) {
  writer_.Post([&decisions = decisions_, &store = store_, worker, kept = std::move(kept)] {
    decisions.Post([kept, status = store.RemoveDrain(worker)] { kept(status); });
  });
}

}  // namespace tutti::api
