// The operations of a coordinator, over its fleet, its runs and what it keeps of them on disk.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "common/sync/executor.h"
#include "coordinator/api/operations.h"
#include "coordinator/api/stored_runs.h"
#include "coordinator/fleet/fleet.h"
#include "coordinator/run/runs.h"

namespace tutti::api {

// Decisions are made on the executor's thread; plans are parsed and placed and results handed over (gRPC
// copies and serializes them within the call) on a thread of this object, so that neither the decisions nor a
// thread that serves a network wait for a large one; what is on disk is read by StoredRuns.
//
// A plan is placed on the fleet as it was at one instant. Where a worker that it got was lost, drained or
// restarted by the time that the run would be made, it is placed anew, kMostPlacings times in all.
//
// Runs that are in memory answer first, the store for the others. Of a run that only the store has, Watch
// gives one event: its end, with the number run::kKeptEndSequence each time that it is asked for.
//
// To be destroyed on the executor's thread before the fleet and the runs, when nobody asks any more: what was
// asked for and not answered by then never is.
class CoordinatorOperations final : public Operations {
 public:
  static constexpr int kMostPlacings = 3;

  // `stored` is null: nobody keeps runs, what is asked of them alone is FailedPrecondition. All outlive this
  // object, which has the thread of `plans` for what is large.
  CoordinatorOperations(Executor& executor, fleet::Fleet& fleet, run::Runs& runs, StoredRuns* stored,
                        std::unique_ptr<Executor> plans = std::make_unique<ThreadExecutor>("plans"));
  ~CoordinatorOperations() override;

  // The same idempotency key gives the same run as long as the run is there: in memory or in the store.
  void Submit(const tutti::v1::SubmitRequest& request, Done<tutti::v1::SubmitResponse> done) override;
  void Cancel(const tutti::v1::CancelRequest& request, Done<tutti::v1::CancelResponse> done) override;
  void GetRun(const tutti::v1::GetRunRequest& request, Done<tutti::v1::RunInfo> done) override;
  void GetResult(const tutti::v1::GetResultRequest& request, Done<SharedResult> done) override;
  void ListRuns(const tutti::v1::ListRunsRequest& request, Done<tutti::v1::ListRunsResponse> done) override;
  void ListEvents(const tutti::v1::ListEventsRequest& request,
                  Done<tutti::v1::ListEventsResponse> done) override;
  void DeleteRun(const tutti::v1::DeleteRunRequest& request,
                 Done<tutti::v1::DeleteRunResponse> done) override;
  void WhyNot(const tutti::v1::WhyNotRequest& request, Done<tutti::v1::WhyNotResponse> done) override;
  void ValidatePlan(const tutti::v1::ValidatePlanRequest& request,
                    Done<tutti::v1::ValidatePlanResponse> done) override;
  void DryRun(const tutti::v1::DryRunRequest& request, Done<tutti::v1::DryRunResponse> done) override;

  void ListWorkers(const tutti::v1::ListWorkersRequest& request,
                   Done<tutti::v1::ListWorkersResponse> done) override;
  void GetWorker(const tutti::v1::GetWorkerRequest& request, Done<tutti::v1::WorkerInfo> done) override;
  void DrainWorker(const tutti::v1::DrainWorkerRequest& request,
                   Done<tutti::v1::DrainWorkerResponse> done) override;
  void UndrainWorker(const tutti::v1::UndrainWorkerRequest& request,
                     Done<tutti::v1::UndrainWorkerResponse> done) override;
  void ForgetWorker(const tutti::v1::ForgetWorkerRequest& request,
                    Done<tutti::v1::ForgetWorkerResponse> done) override;

  // `refused` also with InvalidArgument where the run has had no event with that number.
  void Watch(const tutti::v1::WatchRequest& request, std::shared_ptr<run::EventWatcher> watcher,
             std::function<void(const absl::Status&)> refused) override;
  void Unwatch(const std::string& run_id, std::shared_ptr<run::EventWatcher> watcher) override;
  void WatchFleet(const tutti::v1::WatchFleetRequest& request,
                  std::shared_ptr<fleet::FleetWatcher> watcher) override;
  void UnwatchFleet(std::shared_ptr<fleet::FleetWatcher> watcher) override;

 private:
  // The thread of decisions, as long as this object is there: what is posted later does not happen. A copy
  // may outlive the object.
  class Decisions {
   public:
    Decisions(Executor& executor, const std::shared_ptr<const bool>& alive)
        : executor_(&executor), alive_(alive) {}
    void Post(std::function<void()> task) const;

   private:
    Executor* executor_;
    std::weak_ptr<const bool> alive_;
  };
  // A submission on its way: what was asked, the plan that it is, and whom to tell.
  struct Submitted;
  void SubmitOnce(const std::shared_ptr<Submitted>& submitted);
  void PlaceRun(const std::shared_ptr<Submitted>& submitted);
  void MakeRun(const std::shared_ptr<Submitted>& submitted);
  // What was prepared and is of no use is large too: it is freed on the thread of plans.
  void Discard(Submitted& submitted);

  fleet::Fleet& fleet_;
  run::Runs& runs_;
  StoredRuns* const stored_;
  const std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
  const Decisions decisions_;
  const std::unique_ptr<Executor> plans_;  // last: what it runs uses the others
};

}  // namespace tutti::api
