// What the CLI asks of a coordinator.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tutti/v1/service.pb.h"
#include "tutti/v1/store.pb.h"

namespace tutti::cli {

// Every call has a deadline. Errors name the coordinator's address (of a lab's only that) and what to do.
// Thread-safe: Cancel may be called while Watch is running.
class CoordinatorClient {
 public:
  virtual ~CoordinatorClient() = default;

  virtual absl::StatusOr<std::string> Submit(const tutti::v1::SubmitRequest& request) = 0;
  // Calls `on_event` for each event of the run, each once, until the run has ended.
  virtual absl::Status Watch(const std::string& run_id,
                             const std::function<void(const tutti::v1::RunEvent&)>& on_event) = 0;
  virtual absl::Status Cancel(const std::string& run_id) = 0;
  virtual absl::StatusOr<tutti::v1::Result> GetResult(const std::string& run_id) = 0;
  virtual absl::StatusOr<tutti::v1::ListWorkersResponse> ListWorkers() = 0;
  // Of the runs that the coordinator keeps; FailedPrecondition where it keeps none.
  virtual absl::StatusOr<tutti::v1::ListRunsResponse> ListRuns(const tutti::v1::ListRunsRequest& request) = 0;
  virtual absl::Status DeleteRun(const std::string& run_id) = 0;
  virtual absl::StatusOr<tutti::v1::ListEventsResponse> ListEvents(const std::string& run_id) = 0;
};

struct CoordinatorAddress {
  std::string address;    // "unix:/path", "host", "host:port", "[v6]:port"
  bool insecure = false;  // the user allowed plain text beyond this host
  bool own_lab = false;   // of the lab of this very command: its address says nothing to the user
};

// Does not connect yet: the first call does. PermissionDenied if plain text to this address was not allowed.
absl::StatusOr<std::unique_ptr<CoordinatorClient>> MakeCoordinatorClient(const CoordinatorAddress& address);

}  // namespace tutti::cli
