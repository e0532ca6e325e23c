#include "coordinator/api/coordinator_server.h"

#include <grpcpp/health_check_service_interface.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/log/log.h"
#include "common/status/macros.h"
#include "coordinator/api/coordinator_operations.h"
#include "coordinator/api/large_answer.h"
#include "coordinator/store/sqlite/sqlite_run_store.h"

namespace tutti::api {
namespace {

constexpr std::chrono::milliseconds kLastWriteTime(1000);

// Null where no address takes datagrams, or one of them will be refused: StartServer says why the latter.
std::unique_ptr<fleet::ClockServer> StartClocks(const CoordinatorOptions& options, Executor& executor) {
  std::vector<net::Endpoint> endpoints;
  for (const std::string& text : options.listen) {
    const absl::StatusOr<net::Endpoint> endpoint = net::ParseEndpoint(text);
    if (!endpoint.ok() || !(endpoint->loopback || options.insecure || options.lab)) return nullptr;
    if (!endpoint->is_unix) endpoints.push_back(*endpoint);
  }
  if (endpoints.empty()) return nullptr;
  auto clocks = fleet::ClockServer::Start(executor, endpoints, SystemBracketReader::Get());
  if (!clocks.ok()) {
    spdlog::warn("clocks are measured over the sessions alone, less exactly: {}",
                 std::string(clocks.status().message()));
    return nullptr;
  }
  for (const std::string& why : (*clocks)->closed()) {
    spdlog::warn("clocks of the workers that come there are measured over their sessions, less exactly: {}",
                 why);
  }
  return *std::move(clocks);
}

// What does not parse is refused by whoever listens there.
bool BeyondLoopback(const std::vector<std::string>& listen) {
  for (const std::string& text : listen) {
    const absl::StatusOr<net::Endpoint> endpoint = net::ParseEndpoint(text);
    if (endpoint.ok() && !endpoint->loopback) return true;
  }
  return false;
}

// Null where no address is given.
absl::StatusOr<std::unique_ptr<http::HttpServer>> StartHttp(const CoordinatorOptions& options,
                                                            Operations& operations,
                                                            http::MetricsPage metrics_page) {
  if (options.http.empty()) return std::unique_ptr<http::HttpServer>();
  http::HttpOptions http_options;
  http_options.listen = options.http;
  http_options.insecure = options.insecure || options.lab;
  http_options.metrics_page = std::move(metrics_page);
  TUTTI_ASSIGN_OR_RETURN(std::unique_ptr<http::HttpServer> server,
                         http::HttpServer::Start(http_options, operations));
  for (const net::Endpoint& endpoint : server->bound()) {
    spdlog::info("listening for HTTP on {}", endpoint.target);
  }
  return server;
}

}  // namespace

absl::StatusOr<std::unique_ptr<CoordinatorServer>> CoordinatorServer::Start(
    const CoordinatorOptions& options) {
  std::unique_ptr<CoordinatorServer> server(new CoordinatorServer());
  server->executor_ = std::make_unique<ThreadExecutor>("decisions");
  Executor& executor = *server->executor_;
  run::RunsOptions runs_options;
  runs_options.lab = options.lab;
  runs_options.ended_kept = options.ended_runs_kept;
  runs_options.insecure = !options.lab && (BeyondLoopback(options.listen) || BeyondLoopback(options.http));
  fleet::FleetOptions fleet_options = options.fleet;
  if (!options.state_dir.empty()) {
    TUTTI_ASSIGN_OR_RETURN(std::unique_ptr<store::SqliteRunStore> store,
                           store::SqliteRunStore::Open(options.state_dir));
    TUTTI_ASSIGN_OR_RETURN(fleet_options.drains, store->Drains());
    store::DrainStore& drain_store = *store;
    TUTTI_ASSIGN_OR_RETURN(server->stored_runs_,
                           StoredRuns::Start(executor, std::move(store), options.retention));
    runs_options.journal = server->stored_runs_.get();
    server->stored_drains_ =
        std::make_unique<StoredDrains>(executor, server->stored_runs_->writer(), drain_store);
    fleet_options.journal = server->stored_drains_.get();
    spdlog::info("runs are kept in {}", options.state_dir);
  }
  server->clocks_ = StartClocks(options, executor);
  // On their own thread, where their timers run.
  std::promise<void> made;
  executor.Post([&] {
    server->fleet_ = std::make_unique<fleet::Fleet>(executor, fleet_options, server->clocks_.get());
    server->telemetry_ = std::make_shared<telemetry::Telemetry>(
        executor,
        telemetry::TelemetryOptions{.workers = [&fleet = *server->fleet_] { return fleet.Snapshot(false); },
                                    .state_dir = options.state_dir});
    runs_options.observer = server->telemetry_;
    server->runs_ = std::make_unique<run::Runs>(executor, *server->fleet_, runs_options);
    server->operations_ = std::make_unique<CoordinatorOperations>(executor, *server->fleet_, *server->runs_,
                                                                  server->stored_runs_.get());
    made.set_value();
  });
  made.get_future().wait();
  server->session_service_ = std::make_unique<fleet::SessionService>(executor, *server->fleet_);
  const SharedUnsent unsent = std::make_shared<http::UnsentBytes>(kMostUnsentBytes, kMostUnsentBytes, [] {});
  server->run_service_ = std::make_unique<RunService>(*server->operations_, unsent);
  server->fleet_service_ = std::make_unique<FleetService>(*server->operations_, unsent);
  server->result_service_ = std::make_unique<ResultService>(*server->operations_, unsent);
  net::ServerOptions server_options;
  server_options.listen = options.listen;
  server_options.insecure = options.insecure || options.lab;
  server_options.services = {server->session_service_.get(), server->run_service_.get(),
                             server->fleet_service_.get(), server->result_service_.get()};
  absl::StatusOr<net::Server> started = net::StartServer(server_options);
  if (!started.ok()) return started.status();
  server->server_ = *std::move(started);
  for (const net::Endpoint& endpoint : server->server_.bound)
    spdlog::info("listening on {}", endpoint.target);
  const auto metrics_page = [server = server.get()](std::function<void(std::string)> done) {
    server->MetricsPage(std::move(done));
  };
  TUTTI_ASSIGN_OR_RETURN(server->http_, StartHttp(options, *server->operations_, metrics_page));
  return server;
}

CoordinatorServer::~CoordinatorServer() {
  http_ = nullptr;  // gives its clients the same moment
  if (server_.server != nullptr) {
    // Sessions are calls that never end by themselves; watchers are given a moment to read their last event.
    executor_->Post([this] { fleet_->CloseSessions(); });
    server_.server->Shutdown(std::chrono::system_clock::now() + kLastWriteTime);
    server_.server->Wait();
  }
  std::promise<void> gone;
  executor_->Post([this, &gone] {
    operations_ = nullptr;
    runs_ = nullptr;
    telemetry_ = nullptr;
    fleet_ = nullptr;
    clocks_ = nullptr;
    gone.set_value();
  });
  gone.get_future().wait();
  stored_drains_ = nullptr;
  stored_runs_ = nullptr;
  executor_ = nullptr;
}

bool CoordinatorServer::Drain(int64_t timeout_ns) {
  if (http_ != nullptr) http_->SetReady(false);
  if (grpc::HealthCheckServiceInterface* health = server_.server->GetHealthCheckService();
      health != nullptr) {
    health->SetServingStatus(false);
  }
  const auto drained = std::make_shared<std::promise<void>>();
  executor_->Post([this, drained] { runs_->Drain([drained] { drained->set_value(); }); });
  return drained->get_future().wait_for(std::chrono::nanoseconds(timeout_ns)) == std::future_status::ready;
}

}  // namespace tutti::api
