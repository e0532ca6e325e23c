// The store behind the thread of decisions: what blocks on a disk happens on threads of its own.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/sync/executor.h"
#include "common/sync/thread_annotations.h"
#include "coordinator/run/run_journal.h"
#include "coordinator/store/retention.h"
#include "coordinator/store/run_store.h"
#include "tutti/v1/result.pb.h"
#include "tutti/v1/service.pb.h"
#include "tutti/v1/store.pb.h"

namespace tutti::api {

// Two threads: one writes, in the order of the calls, and removes what is no longer kept after each run that
// has ended; the other one reads. Thread-safe but for the calls of RunJournal, which are those of the
// decisions' thread.
class StoredRuns final : public run::RunJournal {
 public:
  template <typename Value>
  using Done = std::function<void(absl::StatusOr<Value>)>;

  // Closes the runs that the end of the process before has interrupted: an error of this is the store's, and
  // the caller had better not go on. `decisions` outlives this object.
  static absl::StatusOr<std::unique_ptr<StoredRuns>> Start(Executor& decisions,
                                                           std::unique_ptr<store::RunStore> store,
                                                           const store::RetentionLimits& limits);
  // Carries out what was asked for before.
  ~StoredRuns() override;
  StoredRuns(const StoredRuns&) = delete;
  StoredRuns& operator=(const StoredRuns&) = delete;

  void Begin(const tutti::v1::Result& head, const run::RunLabels& labels, const std::string& key,
             Kept kept) override;
  void PutTrial(const std::string& run_id, uint32_t case_position, uint32_t trial_position,
                const tutti::v1::TrialResult& trial, Kept kept) override;
  void PutEvents(const std::string& run_id, std::vector<tutti::v1::RunEvent> events) override;
  void Finish(std::shared_ptr<const tutti::v1::Result> result, Kept kept) override;

  // `done` is called on a thread of this object. Errors as in store::RunStore.
  void Get(const std::string& run_id, Done<tutti::v1::Result> done);
  void GetWithoutIntervals(const std::string& run_id, Done<tutti::v1::Result> done);
  void Describe(const std::string& run_id, Done<store::KeptRun> done);
  void RunOfKey(const std::string& key, Done<std::string> done);
  void List(const tutti::v1::ListRunsRequest& request, Done<tutti::v1::ListRunsResponse> done);
  void ListEvents(const std::string& run_id, Done<tutti::v1::ListEventsResponse> done);
  void Delete(const std::string& run_id, std::function<void(const absl::Status&)> done);

  // For whatever else writes to the store: behind what was asked for before. Lives as long as this object.
  Executor& writer() { return writer_; }

 private:
  StoredRuns(Executor& decisions, std::unique_ptr<store::RunStore> store,
             const store::RetentionLimits& limits);
  void TellKept(Kept kept, const absl::Status& status);
  // What is given from here on is behind whatever is posted next.
  void CloseEvents();
  void WriteEvents(const std::shared_ptr<const std::vector<tutti::v1::RunEvent>>& events);
  void RemoveOld();

  Executor& decisions_;
  const std::unique_ptr<store::RunStore> store_;
  const store::RetentionLimits limits_;
  Mutex events_mutex_;
  // Posted and not written yet: what follows joins it. A queue of hundreds that moves up is one write.
  std::shared_ptr<std::vector<tutti::v1::RunEvent>> open_events_ TUTTI_GUARDED_BY(events_mutex_);
  ThreadExecutor writer_{"store-writes"};
  ThreadExecutor reader_{"store-reads"};
};

}  // namespace tutti::api
