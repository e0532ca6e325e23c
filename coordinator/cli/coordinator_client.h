// What the CLI asks of a coordinator.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tutti/v1/service.pb.h"
#include "tutti/v1/store.pb.h"

namespace tutti::cli {

// Every call has a deadline. Errors name the coordinator's address (of a lab's only that) and what to do.
// Behind one that was Unavailable the next connects anew at once. Thread-safe: Cancel may be called while
// Watch is running.
class CoordinatorClient {
 public:
  using OnRunEvent = std::function<void(const tutti::v1::RunEvent&)>;
  using OnFleetEvent = std::function<void(const tutti::v1::FleetEvent&)>;

  virtual ~CoordinatorClient() = default;

  virtual absl::StatusOr<tutti::v1::SubmitResponse> Submit(const tutti::v1::SubmitRequest& request) = 0;
  // Calls `on_event` for each event of the run that comes after `request.after_sequence()`, until the run has
  // ended (ok) or the connection breaks (Unavailable; DeadlineExceeded after half an hour): resumed_watch.h
  // goes on from there. `stop` ends it as Cancelled.
  virtual absl::Status Watch(const tutti::v1::WatchRequest& request, const OnRunEvent& on_event,
                             const std::stop_token& stop) = 0;
  virtual absl::Status Cancel(const std::string& run_id) = 0;
  virtual absl::StatusOr<tutti::v1::Result> GetResult(const tutti::v1::GetResultRequest& request) = 0;
  virtual absl::StatusOr<tutti::v1::RunInfo> GetRun(const std::string& run_id) = 0;
  virtual absl::StatusOr<tutti::v1::WhyNotResponse> WhyNot(const std::string& run_id) = 0;
  // Of the runs that the coordinator keeps; FailedPrecondition where it keeps none.
  virtual absl::StatusOr<tutti::v1::ListRunsResponse> ListRuns(const tutti::v1::ListRunsRequest& request) = 0;
  virtual absl::Status DeleteRun(const std::string& run_id) = 0;
  virtual absl::StatusOr<tutti::v1::ListEventsResponse> ListEvents(const std::string& run_id) = 0;

  virtual absl::StatusOr<tutti::v1::ListWorkersResponse> ListWorkers(
      const tutti::v1::ListWorkersRequest& request) = 0;
  virtual absl::StatusOr<tutti::v1::WorkerInfo> GetWorker(const std::string& name) = 0;
  virtual absl::Status DrainWorker(const tutti::v1::DrainWorkerRequest& request) = 0;
  virtual absl::Status UndrainWorker(const std::string& name) = 0;
  virtual absl::Status ForgetWorker(const std::string& name) = 0;
  // As Watch; of itself it does not end.
  virtual absl::Status WatchFleet(const tutti::v1::WatchFleetRequest& request, const OnFleetEvent& on_event,
                                  const std::stop_token& stop) = 0;
};

struct CoordinatorAddress {
  std::string address;    // "unix:/path", "host", "host:port", "[v6]:port"
  bool insecure = false;  // the user allowed plain text beyond this host
  bool own_lab = false;   // of the lab of this very command: its address says nothing to the user
};

// Does not connect yet: the first call does. PermissionDenied if plain text to this address was not allowed.
absl::StatusOr<std::unique_ptr<CoordinatorClient>> MakeCoordinatorClient(const CoordinatorAddress& address);

}  // namespace tutti::cli
