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
#include "coordinator/run/run_preparation.h"
#include "coordinator/run/run_queue.h"
#include "tutti/v1/plan.pb.h"
#include "tutti/v1/result.pb.h"
#include "tutti/v1/service.pb.h"

namespace tutti::run {

inline constexpr int64_t kDefaultMaxWaitNs = 24 * 3'600'000'000'000;

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

// What somebody wants to have run.
struct Submission {
  tutti::v1::Plan plan;  // valid; PrepareRun takes it
  std::string user;
  RunLabels labels;
  std::string key;  // by which the same submission is known again; empty: by nothing
  int64_t max_wait_ns = kDefaultMaxWaitNs;
};

// Lives on the executor's thread.
class Runs {
 public:
  Runs(Executor& executor, fleet::Fleet& fleet, RunsOptions options);
  ~Runs();
  Runs(const Runs&) = delete;
  Runs& operator=(const Runs&) = delete;

  // What a plan is placed by, as it is now. PrepareRun goes on with it on another thread.
  PreparationInput Input() const;
  // Whether one more run is taken: ResourceExhausted where too many wait, Unavailable while draining.
  absl::Status CheckRoom() const;
  // Whether the hosts of a run that was prepared are as they were: FailedPrecondition with the first that is
  // lost, drained or another process by now.
  absl::Status CheckHosts(const RunSpec& spec) const;

  // Queues a run. `spec` is PrepareRun of the submission's plan; CheckHosts has passed it, and Repeat has
  // said that the key is free, on the same turn. Errors of CheckRoom.
  //
  // Of a run that is accepted `on_kept` is called, perhaps within this call, when the journal has it: not
  // before then may anybody be told. Where that fails, the run is cancelled, its key is free again and the
  // status says why. Nothing of the caller's is used after it: the request that asked may be gone with its
  // answer.
  //
  // A run that has waited for `max_wait_ns` ends as failed, without having run.
  using OnKept = std::function<void(const std::string& run_id, const absl::Status& kept)>;
  absl::StatusOr<std::string> Submit(Submission submission, RunSpec spec, const OnKept& on_kept = {});

  // If a run that was submitted with this key is in memory, `on_kept` is called for it as by Submit, at once
  // where the journal has it already. False: there is none, or the key is empty.
  bool Repeat(const std::string& key, const OnKept& on_kept);

  // NotFound for an unknown id. A run that has ended stays as it is.
  absl::Status Cancel(const std::string& run_id);

  // Behind an event of the run, or from its beginning, see EventLog. NotFound for an unknown id,
  // InvalidArgument for a number that no event of the run has had.
  absl::Status Watch(const std::string& run_id, std::shared_ptr<EventWatcher> watcher,
                     uint64_t after_sequence = 0);
  void Unwatch(const std::string& run_id, const EventWatcher* watcher);

  // Of a run that has not ended: what there is, with status RUNNING. NotFound for an unknown id. Nothing is
  // copied but of a run that goes on, and of that once until it has more to tell.
  absl::StatusOr<std::shared_ptr<const tutti::v1::Result>> GetResult(const std::string& run_id);

  // NotFound for an unknown id. A run that waits ends by its deadline at the latest; one that runs, unless
  // its journal holds it up (LongestRunNs).
  absl::StatusOr<tutti::v1::RunInfo> Describe(const std::string& run_id) const;

  // Which of its hosts a waiting run has to wait for and why, in one sentence too; lost hosts are told beside
  // that. Of any other run only the sentence. NotFound for an unknown id.
  absl::StatusOr<tutti::v1::WhyNotResponse> WhyNot(const std::string& run_id) const;

  // Drops a run that has ended before its turn comes. Any other stays as it is.
  void Forget(const std::string& run_id);

  // Refuses new runs and cancels the others, whose reasons say so; `done` is called once all have ended.
  void Drain(std::function<void()> done);

 private:
  struct Run {
    explicit Run(const std::string& id) : log(id) {}
    EventLog log;
    std::unique_ptr<RunExecution> execution;  // null once ended
    std::string told_queue;                   // what the last Queued event said
    RunLabels labels;
    std::string key;  // empty: none, or it is free again
    // Who is to be told when the journal has it, shared with what waits for that; null: it has.
    std::shared_ptr<std::vector<OnKept>> until_kept;
    int64_t max_wait_ns = 0;
    TimerId wait_timer = 0;
    int64_t longest_ns = 0;  // from its start to its end
    // What was told of its result so far; null: nobody has asked, or it has ended.
    std::shared_ptr<const tutti::v1::Result> told_result;
  };
  absl::StatusOr<Run*> FindRun(const std::string& run_id) const;
  void Begin(const tutti::v1::Result& head, Run& run, const OnKept& on_kept);
  void OnBegun(const std::string& run_id, const absl::Status& kept);
  void FreeKey(Run& run);
  void StartWhatCan();
  void GiveUpWaiting(const std::string& run_id);
  std::vector<tutti::v1::Obstacle> ObstaclesOf(const std::string& run_id, const Run& run) const;
  void OnEnded(const std::string& run_id);
  // An ended run, from memory.
  void Drop(const std::string& run_id);

  Executor& executor_;
  fleet::Fleet& fleet_;
  RunsOptions options_;
  RunQueue queue_;
  std::map<std::string, std::unique_ptr<Run>> runs_;
  std::map<std::string, std::string> run_of_key_;
  std::deque<std::string> ended_;  // oldest first
  std::function<void()> on_drained_;
  bool draining_ = false;
  const std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
};

}  // namespace tutti::run
