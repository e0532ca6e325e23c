// What anybody may ask of a coordinator, whatever the protocol: the gRPC services and the HTTP routes
// translate to these calls and back, and decide nothing themselves.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "coordinator/fleet/fleet_watcher.h"
#include "coordinator/run/event_log.h"
#include "tutti/v1/result.pb.h"
#include "tutti/v1/service.pb.h"
#include "tutti/v1/store.pb.h"

namespace tutti::api {

// Thread-safe. A request is copied where it is needed after the call; `done` is called once, on any thread,
// perhaps within the call. Errors: InvalidArgument (what was asked makes no sense), NotFound, AlreadyExists,
// FailedPrecondition (not in the present state), ResourceExhausted, Unavailable (shutting down), Internal.
class Operations {
 public:
  template <typename Response>
  using Done = std::function<void(absl::StatusOr<Response>)>;

  virtual ~Operations() = default;

  virtual void Submit(const tutti::v1::SubmitRequest& request, Done<tutti::v1::SubmitResponse> done) = 0;
  virtual void Cancel(const tutti::v1::CancelRequest& request, Done<tutti::v1::CancelResponse> done) = 0;
  virtual void GetRun(const tutti::v1::GetRunRequest& request, Done<tutti::v1::RunInfo> done) = 0;
  // Shared, since it may have tens of MB. Not called back on the thread of decisions.
  using SharedResult = std::shared_ptr<const tutti::v1::Result>;
  virtual void GetResult(const tutti::v1::GetResultRequest& request, Done<SharedResult> done) = 0;
  virtual void ListRuns(const tutti::v1::ListRunsRequest& request,
                        Done<tutti::v1::ListRunsResponse> done) = 0;
  virtual void DeleteRun(const tutti::v1::DeleteRunRequest& request,
                         Done<tutti::v1::DeleteRunResponse> done) = 0;
  virtual void WhyNot(const tutti::v1::WhyNotRequest& request, Done<tutti::v1::WhyNotResponse> done) = 0;
  virtual void ValidatePlan(const tutti::v1::ValidatePlanRequest& request,
                            Done<tutti::v1::ValidatePlanResponse> done) = 0;
  virtual void DryRun(const tutti::v1::DryRunRequest& request, Done<tutti::v1::DryRunResponse> done) = 0;
  virtual void ListEvents(const tutti::v1::ListEventsRequest& request,
                          Done<tutti::v1::ListEventsResponse> done) = 0;

  virtual void ListWorkers(const tutti::v1::ListWorkersRequest& request,
                           Done<tutti::v1::ListWorkersResponse> done) = 0;
  virtual void GetWorker(const tutti::v1::GetWorkerRequest& request, Done<tutti::v1::WorkerInfo> done) = 0;
  virtual void DrainWorker(const tutti::v1::DrainWorkerRequest& request,
                           Done<tutti::v1::DrainWorkerResponse> done) = 0;
  virtual void UndrainWorker(const tutti::v1::UndrainWorkerRequest& request,
                             Done<tutti::v1::UndrainWorkerResponse> done) = 0;
  virtual void ForgetWorker(const tutti::v1::ForgetWorkerRequest& request,
                            Done<tutti::v1::ForgetWorkerResponse> done) = 0;

  // The run's events that are kept and come after `request.after_sequence()`, then what comes. `refused` is
  // called instead, once, where there is no such run. The watcher is held until OnEnd or Unwatch; it is
  // called on one thread, that of decisions or, for a run that only the store has, another one.
  virtual void Watch(const tutti::v1::WatchRequest& request, std::shared_ptr<run::EventWatcher> watcher,
                     std::function<void(const absl::Status&)> refused) = 0;
  // An event may still arrive that was on its way.
  virtual void Unwatch(const std::string& run_id, std::shared_ptr<run::EventWatcher> watcher) = 0;
  virtual void WatchFleet(const tutti::v1::WatchFleetRequest& request,
                          std::shared_ptr<fleet::FleetWatcher> watcher) = 0;
  virtual void UnwatchFleet(std::shared_ptr<fleet::FleetWatcher> watcher) = 0;
};

}  // namespace tutti::api
