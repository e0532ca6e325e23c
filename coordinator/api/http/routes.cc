#include "coordinator/api/http/routes.h"

#include "coordinator/api/http/daemon_handlers.h"
#include "coordinator/api/http/result_body.h"
#include "coordinator/api/http/run_handlers.h"
#include "coordinator/api/http/worker_handlers.h"
#include "tutti/v1/result.pb.h"
#include "tutti/v1/service.pb.h"
#include "tutti/v1/store.pb.h"

namespace tutti::http {
namespace {

namespace v1 = tutti::v1;

const QueryKey kSet{"set", QueryKind::kText, "Of a YAML body: PATH=VALUE put into the plan, as --set does",
                    true};
const QueryKey kName{"name", QueryKind::kText, "Of a YAML body: the plan's file, for messages about it"};
const QueryKey kAfter{"after", QueryKind::kNumber, "Only events behind the one with this number"};
const HeaderKey kLastEvent{"Last-Event-ID", "As `after`; a browser sends it when it connects again"};

std::vector<QueryKey> SubmitQuery() {
  return {
      kSet,
      kName,
      {"label", QueryKind::kText, "Of a YAML body: KEY=VALUE by which the run is found again", true},
      {"user", QueryKind::kText, "Of a YAML body: who is shown to those who wait"},
      {"max_wait", QueryKind::kDuration, "Of a YAML body: give up when it has waited this long, as in 2h"}};
}

std::vector<QueryKey> ListQuery() {
  return {
      {"status", QueryKind::kText, "running, passed, limit_failed, partial, cancelled or failed"},
      {"plan", QueryKind::kText, "The plan's name"},
      {"label", QueryKind::kText, "KEY=VALUE that the run was submitted with", true},
      {"since", QueryKind::kInstant, "Submitted then or later: RFC 3339, a day in UTC, or 24h for a day ago"},
      {"until", QueryKind::kInstant, "Submitted before"},
      {"text", QueryKind::kText, "In the run's id, its plan's name or its user"},
      {"host", QueryKind::kText, "On which the run had a part"},
      {"fingerprint", QueryKind::kText, "Of the facts of one of its hosts"},
      {"kernel", QueryKind::kText, "Kernel release of one of its hosts; 6.18* for a beginning"},
      {"page_runs", QueryKind::kNumber, "At most this many runs; 50 where it is left out, 1000 at most"},
      {"page_token", QueryKind::kText, "next_page_token of the page before"}};
}

void AddRunRoutes(std::vector<Route>& routes) {
  routes.push_back(
      {.method = "POST",
       .pattern = "/v1/runs",
       .operation = "submitRun",
       .caption = "Queue a run of a plan; 200 where the Idempotency-Key has one already",
       .body = BodyRule::kJsonOrYaml,
       .request = v1::SubmitRequest::descriptor(),
       .query = SubmitQuery(),
       .headers = {{"Idempotency-Key", "Another submission with this key gives the first one's run back"}},
       .success = 201,
       .other_successes = {{200, "The key's run, which an earlier submission made"}},
       .response = v1::SubmitResponse::descriptor(),
       .errors = {409, 429, 503},
       .handle = &SubmitRun});
  routes.push_back({.method = "GET",
                    .pattern = "/v1/runs",
                    .operation = "listRuns",
                    .caption = "The runs that are kept, newest first; every condition has to hold",
                    .query = ListQuery(),
                    .response = v1::ListRunsResponse::descriptor(),
                    .errors = {409, 503},
                    .handle = &ListRuns});
  routes.push_back({.method = "GET",
                    .pattern = "/v1/runs/{id}",
                    .operation = "getRun",
                    .caption = "Where a run stands; of one that has ended its summary",
                    .response = v1::RunInfo::descriptor(),
                    .errors = {404},
                    .handle = &GetRun});
  routes.push_back({.method = "DELETE",
                    .pattern = "/v1/runs/{id}",
                    .operation = "deleteRun",
                    .caption = "Remove a run that has ended, with everything that is kept of it",
                    .response = v1::DeleteRunResponse::descriptor(),
                    .errors = {404, 409},
                    .handle = &DeleteRun});
  routes.push_back({.method = "POST",
                    .pattern = "/v1/runs/{id}/cancel",
                    .operation = "cancelRun",
                    .caption = "End a run; it has ended a second later. Again: no harm",
                    .success = 202,
                    .response = v1::CancelResponse::descriptor(),
                    .errors = {404},
                    .handle = &CancelRun});
  routes.push_back({.method = "GET",
                    .pattern = "/v1/runs/{id}/why-not",
                    .operation = "whyNot",
                    .caption = "What keeps a run from starting",
                    .response = v1::WhyNotResponse::descriptor(),
                    .errors = {404},
                    .handle = &WhyNot});
  routes.push_back({.method = "GET",
                    .pattern = "/v1/runs/{id}/history",
                    .operation = "listEvents",
                    .caption = "What happened when in a run that is kept; 409 where none are",
                    .response = v1::ListEventsResponse::descriptor(),
                    .errors = {404, 409, 503},
                    .handle = &ListEvents});
  routes.push_back({.method = "GET",
                    .pattern = "/v1/runs/{id}/events",
                    .operation = "watchRun",
                    .caption =
                        "Everything that happens in a run as server-sent events, from its beginning; ends "
                        "behind `ended`. 204 where nothing is left to tell",
                    .query = {kAfter},
                    .headers = {kLastEvent},
                    .other_successes = {{204, "Nothing is left to tell"}},
                    .content_types = {"text/event-stream"},
                    .errors = {404, 503},
                    .open = &WatchRun});
  routes.push_back(
      {.method = "GET",
       .pattern = "/v1/runs/{id}/result",
       .operation = "getResult",
       .caption = "The result of a run that has ended, in any format of `tutti show`",
       .query = {{"format", QueryKind::kText, "json where it is left out; csv:stream, junit, ..."},
                 {"partial", QueryKind::kBool, "Of a run that goes on: what there is of it"}},
       .response = v1::Result::descriptor(),
       .content_types = ResultContentTypes(),
       .errors = {404, 409, 503},
       .handle = &GetResult});
}

void AddPlanRoutes(std::vector<Route>& routes) {
  routes.push_back({.method = "POST",
                    .pattern = "/v1/plans/validate",
                    .operation = "validatePlan",
                    .caption = "What is wrong with a plan; 200 for a wrong one too",
                    .body = BodyRule::kJsonOrYaml,
                    .request = v1::ValidatePlanRequest::descriptor(),
                    .query = {kSet, kName},
                    .response = v1::ValidatePlanResponse::descriptor(),
                    .errors = {503},
                    .handle = &ValidatePlan});
  routes.push_back({.method = "POST",
                    .pattern = "/v1/plans/dry-run",
                    .operation = "dryRunPlan",
                    .caption = "Place a plan on the fleet as it is now, and do nothing with it",
                    .body = BodyRule::kJsonOrYaml,
                    .request = v1::DryRunRequest::descriptor(),
                    .query = {kSet, kName},
                    .response = v1::DryRunResponse::descriptor(),
                    .errors = {409, 503},
                    .handle = &DryRunPlan});
}

void AddWorkerRoutes(std::vector<Route>& routes) {
  routes.push_back({.method = "GET",
                    .pattern = "/v1/workers",
                    .operation = "listWorkers",
                    .caption = "The workers that are known, by name",
                    .query = {{"facts", QueryKind::kBool, "With the facts of each host, several KB"}},
                    .response = v1::ListWorkersResponse::descriptor(),
                    .handle = &ListWorkers});
  // Before {name}: a worker that is called "events" is in the list.
  routes.push_back({.method = "GET",
                    .pattern = "/v1/workers/events",
                    .operation = "watchWorkers",
                    .caption = "Every change of a worker's state as server-sent events, from now on",
                    .query = {kAfter},
                    .headers = {kLastEvent},
                    .content_types = {"text/event-stream"},
                    .errors = {503},
                    .open = &WatchFleet});
  routes.push_back({.method = "GET",
                    .pattern = "/v1/workers/{name}",
                    .operation = "getWorker",
                    .caption = "One worker with the facts of its host",
                    .response = v1::WorkerInfo::descriptor(),
                    .errors = {404},
                    .handle = &GetWorker});
  routes.push_back({.method = "DELETE",
                    .pattern = "/v1/workers/{name}",
                    .operation = "forgetWorker",
                    .caption = "Know no more of a worker that is lost",
                    .response = v1::ForgetWorkerResponse::descriptor(),
                    .errors = {404, 409},
                    .handle = &ForgetWorker});
  routes.push_back({.method = "POST",
                    .pattern = "/v1/workers/{name}/drain",
                    .operation = "drainWorker",
                    .caption = "Give a worker to no later run; those that have it or wait for it go on",
                    .body = BodyRule::kOptional,
                    .request = v1::DrainWorkerRequest::descriptor(),
                    .response = v1::DrainWorkerResponse::descriptor(),
                    .errors = {404},
                    .handle = &DrainWorker});
  routes.push_back({.method = "POST",
                    .pattern = "/v1/workers/{name}/undrain",
                    .operation = "undrainWorker",
                    .caption = "Give it to runs again",
                    .body = BodyRule::kOptional,
                    .request = v1::UndrainWorkerRequest::descriptor(),
                    .response = v1::UndrainWorkerResponse::descriptor(),
                    .errors = {404},
                    .handle = &UndrainWorker});
}

void AddDaemonRoutes(std::vector<Route>& routes) {
  routes.push_back({.method = "GET",
                    .pattern = "/v1/openapi.json",
                    .operation = "getOpenApi",
                    .caption = "This document",
                    .content_types = {"application/json"},
                    .handle = &GetOpenApi});
  routes.push_back({.method = "GET",
                    .pattern = "/healthz",
                    .operation = "getHealth",
                    .caption = "The process lives",
                    .content_types = {"application/json"},
                    .handle = &GetHealth});
  routes.push_back({.method = "GET",
                    .pattern = "/readyz",
                    .operation = "getReadiness",
                    .caption = "It takes runs; 503 while it drains",
                    .content_types = {"application/json"},
                    .errors = {503},
                    .handle = &GetReadiness});
  routes.push_back({.method = "GET",
                    .pattern = "/metrics",
                    .operation = "getMetrics",
                    .caption = "Metrics in Prometheus' text format",
                    .content_types = {kMetricsType},
                    .errors = {404},
                    .handle = &GetMetrics});
}

std::vector<Route> MakeRoutes() {
  std::vector<Route> routes;
  AddRunRoutes(routes);
  AddPlanRoutes(routes);
  AddWorkerRoutes(routes);
  AddDaemonRoutes(routes);
  return routes;
}

}  // namespace

const std::vector<Route>& Routes() {
  static const std::vector<Route>& routes = *new std::vector<Route>(MakeRoutes());
  return routes;
}

}  // namespace tutti::http
