// A whole coordinator within a process: the composition root of tutti-coordinator and of the integration
// tests.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "common/net/channels.h"
#include "common/sync/executor.h"
#include "coordinator/api/fleet_service.h"
#include "coordinator/api/http/http_server.h"
#include "coordinator/api/operations.h"
#include "coordinator/api/result_service.h"
#include "coordinator/api/run_service.h"
#include "coordinator/api/stored_drains.h"
#include "coordinator/api/stored_runs.h"
#include "coordinator/fleet/clock_server.h"
#include "coordinator/fleet/fleet.h"
#include "coordinator/fleet/session_service.h"
#include "coordinator/run/runs.h"
#include "coordinator/store/retention.h"
#include "coordinator/telemetry/telemetry.h"

namespace tutti::api {

struct CoordinatorOptions {
  std::vector<std::string> listen;  // endpoints, see common/net/endpoint.h
  std::vector<std::string> http;    // the same for HTTP; empty: none
  bool insecure = false;            // plain text beyond loopback is allowed by name, and every result says so
  bool lab = false;  // the network is a lab's own: plain text is no matter, results are marked `lab`
  fleet::FleetOptions fleet;
  size_t ended_runs_kept = 100;  // in memory
  std::string state_dir;         // where runs and drains are kept on disk; empty: nowhere
  store::RetentionLimits retention;
};

// Thread-safe.
class CoordinatorServer {
 public:
  // Listens when this returns. Errors as net::StartServer and store::SqliteRunStore::Open.
  static absl::StatusOr<std::unique_ptr<CoordinatorServer>> Start(const CoordinatorOptions& options);

  // Ends every session and call at once; runs that have not ended are dropped. Drain first.
  ~CoordinatorServer();
  CoordinatorServer(const CoordinatorServer&) = delete;
  CoordinatorServer& operator=(const CoordinatorServer&) = delete;

  // Refuses new runs, cancels the others and waits until all have ended, at most `timeout_ns`; false after
  // that. Their watchers get the results.
  bool Drain(int64_t timeout_ns);

  const std::vector<net::Endpoint>& bound() const { return server_.bound; }
  // Empty: no HTTP.
  std::vector<net::Endpoint> http_bound() const {
    return http_ == nullptr ? std::vector<net::Endpoint>() : http_->bound();
  }

  // What Prometheus scrapes, see telemetry::Telemetry::Page. Thread-safe.
  void MetricsPage(std::function<void(std::string)> done) const { telemetry_->Page(std::move(done)); }

  // Runs `task` on the thread of decisions: a watchdog sees by it whether that one is alive.
  void Post(std::function<void()> task) { executor_->Post(std::move(task)); }

 private:
  CoordinatorServer() = default;

  std::unique_ptr<Executor> executor_;
  // Null: no state_dir. Outlives the runs; the executor outlives it.
  std::unique_ptr<StoredRuns> stored_runs_;
  std::unique_ptr<StoredDrains> stored_drains_;  // likewise
  // These four: the executor's thread.
  std::unique_ptr<fleet::ClockServer> clocks_;  // null: no address for UDP, or it could not listen
  std::unique_ptr<fleet::Fleet> fleet_;
  std::shared_ptr<telemetry::Telemetry> telemetry_;  // shared with the runs that it watches
  std::unique_ptr<run::Runs> runs_;
  std::unique_ptr<Operations> operations_;  // thread-safe; made and destroyed with the runs
  std::unique_ptr<fleet::SessionService> session_service_;
  std::unique_ptr<RunService> run_service_;
  std::unique_ptr<FleetService> fleet_service_;
  std::unique_ptr<ResultService> result_service_;
  net::Server server_;
  std::unique_ptr<http::HttpServer> http_;  // null: none
};

}  // namespace tutti::api
