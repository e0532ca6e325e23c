// Drains on disk: written on the thread that writes the runs.
#pragma once

#include <string>

#include "common/sync/executor.h"
#include "coordinator/fleet/drain_journal.h"
#include "coordinator/store/drain_store.h"
#include "tutti/v1/service.pb.h"

namespace tutti::api {

// Lives on the thread of decisions. What was asked for is carried out also when this object is gone: `store`
// outlives all that was posted to `writer`, and `decisions` outlives both.
class StoredDrains final : public fleet::DrainJournal {
 public:
  StoredDrains(Executor& decisions, Executor& writer, store::DrainStore& store)
      : decisions_(decisions), writer_(writer), store_(store) {}

  void Put(const std::string& worker, const tutti::v1::DrainMark& mark, Kept kept) override;
  void Remove(const std::string& worker, Kept kept) override;

 private:
  Executor& decisions_;
  Executor& writer_;
  store::DrainStore& store_;
};

}  // namespace tutti::api
