// All runs of a coordinator: those that wait, those that run, and the last that have ended.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/sync/executor.h"
#include "coordinator/fleet/fleet.h"
#include "coordinator/run/event_log.h"
#include "coordinator/run/run_execution.h"
#include "coordinator/run/run_journal.h"
#include "coordinator/run/run_queue.h"
#include "tutti/v1/plan.pb.h"
#include "tutti/v1/result.pb.h"

namespace tutti::run {

struct RunsOptions {
  bool lab = false;       // marks results
  bool insecure = false;  // marks results
  size_t ended_kept = 100;
  size_t waiting_max = 1000;
  std::function<uint64_t()> random;      // unset: the kernel's
  std::function<std::string()> make_id;  // unset: "20261130-104512-3fa1", by the wall clock
  RunJournal* journal = nullptr;         // null: runs are gone with the process; outlives the runs
  // Watches every run from its first event on; null: nobody does.
  std::shared_ptr<EventWatcher> observer;
};

// Lives on the executor's thread.
class Runs {
 public:
  Runs(Executor& executor, fleet::Fleet& fleet, RunsOptions options);
  ~Runs();
  Runs(const Runs&) = delete;
  Runs& operator=(const Runs&) = delete;

  // Places a valid plan on the fleet as it is now and queues it. FailedPrecondition where roles cannot be
  // filled or hosts have no address for each other, ResourceExhausted where too many runs wait, Unavailable
  // while draining.
  //
  // Of a run that is accepted `on_kept` is called, perhaps within this call, when the journal has it: not
  // before then may anybody be told. Where that fails, the run is cancelled and the status says why. Nothing
  // of the caller's is used after it: the request that asked may be gone with its answer.
  using OnKept = std::function<void(const std::string& run_id, const absl::Status& kept)>;
  absl::StatusOr<std::string> Submit(tutti::v1::Plan plan, std::string user, const RunLabels& labels = {},
                                     const OnKept& on_kept = {});

  // NotFound for an unknown id. A run that has ended stays as it is.
  absl::Status Cancel(const std::string& run_id);

  // From the run's beginning. NotFound for an unknown id.
  absl::Status Watch(const std::string& run_id, std::shared_ptr<EventWatcher> watcher);
  void Unwatch(const std::string& run_id, const EventWatcher* watcher);

  // Of a run that has not ended: what there is, with status RUNNING. NotFound for an unknown id.
  absl::StatusOr<tutti::v1::Result> GetResult(const std::string& run_id) const;

  // Drops a run that has ended before its turn comes. Any other stays as it is.
  void Forget(const std::string& run_id);

  // Refuses new runs and cancels the others; `done` is called once all have ended.
  void Drain(std::function<void()> done);

 private:
  struct Run {
    explicit Run(const std::string& id) : log(id) {}
    EventLog log;
    std::unique_ptr<RunExecution> execution;  // null once ended
    std::string told_queue;                   // what the last Queued event said
  };
  absl::StatusOr<RunSpec> Prepare(tutti::v1::Plan plan, const std::string& user) const;
  void Begin(const tutti::v1::Result& head, const RunLabels& labels, const OnKept& on_kept);
  void StartWhatCan();
  void OnEnded(const std::string& run_id);

  Executor& executor_;
  fleet::Fleet& fleet_;
  RunsOptions options_;
  RunQueue queue_;
  std::map<std::string, std::unique_ptr<Run>> runs_;
  std::deque<std::string> ended_;  // oldest first
  std::function<void()> on_drained_;
  bool draining_ = false;
  const std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
};

}  // namespace tutti::run
