// Where runs are written down as they go on. Whoever keeps them stands behind it: this room knows no store.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tutti/v1/result.pb.h"
#include "tutti/v1/service.pb.h"

namespace tutti::run {

using RunLabels = std::map<std::string, std::string>;

// Every call returns at once and is made on the executor's thread; `kept` is called there too, on a turn of
// its own, when the disk has what was given, or with the reason why not. Calls for one run are carried out in
// their order. Outlives the runs; `kept` may come when they are gone.
class RunJournal {
 public:
  using Kept = std::function<void(const absl::Status&)>;

  virtual ~RunJournal() = default;

  // `head`: a result without cases. `key`: by which the same submission is known again, also by a later
  // process; empty: none. A key that another run has is AlreadyExists.
  virtual void Begin(const tutti::v1::Result& head, const RunLabels& labels, const std::string& key,
                     Kept kept) = 0;
  // Positions count from 0.
  virtual void PutTrial(const std::string& run_id, uint32_t case_position, uint32_t trial_position,
                        const tutti::v1::TrialResult& trial, Kept kept) = 0;
  // Of a run that has begun, behind those that were given before. Nobody waits for it: what cannot be kept is
  // the journal's to log.
  virtual void PutEvents(const std::string& run_id, std::vector<tutti::v1::RunEvent> events) = 0;
  // The whole result.
  virtual void Finish(std::shared_ptr<const tutti::v1::Result> result, Kept kept) = 0;
};

}  // namespace tutti::run
