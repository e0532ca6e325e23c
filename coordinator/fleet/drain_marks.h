// Which names get no new runs, why, and since when.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "coordinator/fleet/drain_journal.h"
#include "tutti/v1/service.pb.h"

namespace tutti::fleet {

// By worker.
using Drains = std::map<std::string, tutti::v1::DrainMark>;

inline constexpr size_t kMaxDrainReasonBytes = 1024;
inline constexpr size_t kMaxDrainUserBytes = 256;

// InvalidArgument for a reason or a user that is longer than that or has control characters: both are printed
// on other people's terminals.
absl::Status CheckDrain(const tutti::v1::DrainWorkerRequest& request);

// "drained by alice: new kernel"; without what is not known.
std::string DrainText(const tutti::v1::DrainMark& mark);

// A mark is a name's, not a process's: it stays when the worker is lost, comes back, or is replaced. Lives on
// the executor's thread.
class DrainMarks {
 public:
  using Done = std::function<void(const absl::Status&)>;

  // `journal` outlives this object; null: marks end with the process. `drains`: what it had kept.
  DrainMarks(DrainJournal* journal, Drains drains) : journal_(journal), drains_(std::move(drains)) {}

  const Drains& all() const { return drains_; }
  // Null: it is not drained.
  const tutti::v1::DrainMark* Find(const std::string& worker) const;

  // Both are in force at once, and false where nothing has changed. A mark that is there keeps its time.
  bool Put(const std::string& worker, tutti::v1::DrainMark mark);
  bool Remove(const std::string& worker);

  // Writes down what holds for the worker now. `done` is called on the executor's thread when that is kept,
  // and within the call where there is no journal. An error says that it holds all the same, until this
  // process ends; it does not need this object to be alive.
  void Keep(const std::string& worker, Done done) const;

 private:
  DrainJournal* const journal_;
  Drains drains_;
};

}  // namespace tutti::fleet
