// Where a coordinator keeps its runs. An interface, so that the rest of the house knows no database.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tutti/v1/result.pb.h"
#include "tutti/v1/service.pb.h"
#include "tutti/v1/store.pb.h"

namespace tutti::store {

using Labels = std::map<std::string, std::string>;

// A run without its cases: the line that a list has of it, and the head of its result.
struct KeptRun {
  tutti::v1::RunSummary summary;
  tutti::v1::Result head;
};

// A run as retention sees it.
struct EndedRun {
  std::string run_id;
  int64_t finished_unix_ns = 0;
  uint64_t stored_bytes = 0;
};

// A run goes in piece by piece, so that what was measured is there whatever happens next: Begin when it is
// accepted, PutTrial as each trial ends, Finish. What a call has acknowledged survives the end of the process
// and of the machine.
//
// Every call may block for as long as a disk takes: never call it on the thread of decisions. Thread-safe;
// those that read do not wait for those that write. Errors: NotFound for a run that is not there; DataLoss
// where what is stored is damaged and nothing can be told instead; ResourceExhausted for a full disk;
// Unavailable where another process holds the store for too long; Internal.
class RunStore {
 public:
  virtual ~RunStore() = default;

  // `head`: a result without cases. `key`: by which RunOfKey finds it, as long as it is there; empty: by
  // none. AlreadyExists for an id or a key that is there.
  virtual absl::Status Begin(const tutti::v1::Result& head, const Labels& labels, const std::string& key) = 0;

  // `case_position` and `trial_position` count from 0 in the order in which the result will have them. A
  // trial that is there already is left as it is: a merged trial does not change.
  virtual absl::Status PutTrial(const std::string& run_id, uint32_t case_position, uint32_t trial_position,
                                const tutti::v1::TrialResult& trial) = 0;

  // Events of any runs that have begun or ended, each behind those of its run that are there. NotFound if a
  // run is not there; the events of the others are kept all the same.
  virtual absl::Status PutEvents(const std::vector<tutti::v1::RunEvent>& events) = 0;

  // The whole result of a run that has begun, with a case for each one of its plan: what is not there yet is
  // added, the rest is brought up to it, all at once.
  virtual absl::Status Finish(const tutti::v1::Result& result) = 0;

  // As it was given to Finish; before that the head with the trials that are there, in cases that have
  // nothing else. What of it is damaged is left out, and the reasons say so: a trial, what a case had beside
  // its trials, or the head, of which then only what a list has is there.
  virtual absl::StatusOr<tutti::v1::Result> Get(const std::string& run_id) const = 0;
  // WithoutIntervals (result_parts.h) of the same. Quick however many intervals the run had: they are not
  // read.
  virtual absl::StatusOr<tutti::v1::Result> GetWithoutIntervals(const std::string& run_id) const = 0;

  // In the order in which they were given. Damaged ones are left out, and the reasons of the run's end say
  // so.
  virtual absl::StatusOr<std::vector<tutti::v1::RunEvent>> Events(const std::string& run_id) const = 0;
  // Quick however long the run was: its trials are not read. A damaged head as in Get.
  virtual absl::StatusOr<KeptRun> Describe(const std::string& run_id) const = 0;

  // The id of the run that has begun with this key.
  virtual absl::StatusOr<std::string> RunOfKey(const std::string& key) const = 0;

  // InvalidArgument for a token that no list has given.
  virtual absl::StatusOr<tutti::v1::ListRunsResponse> List(
      const tutti::v1::ListRunsRequest& request) const = 0;

  // The runs that have begun and not finished, oldest first: after a start, those that the end of the process
  // before has interrupted.
  virtual absl::StatusOr<std::vector<std::string>> Unfinished() const = 0;

  // The others, oldest first.
  virtual absl::StatusOr<std::vector<EndedRun>> Ended() const = 0;

  // FailedPrecondition for a run that has not finished.
  virtual absl::Status Delete(const std::string& run_id) = 0;
};

}  // namespace tutti::store
