#include "coordinator/api/run_service.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "common/status/grpc_status.h"
#include "coordinator/api/watch_reactor.h"
#include "coordinator/plan/plan_loader.h"

namespace tutti::api {
namespace {

constexpr size_t kMaxPlanBytes = 1024 * 1024;
constexpr size_t kMaxOverridesBytes = 64 * 1024;
constexpr size_t kMaxNameBytes = 4096;
constexpr int kMaxLabels = 64;
constexpr size_t kMaxLabelBytes = 1024;

absl::Status CheckSize(const char* what, size_t bytes, size_t most) {
  if (bytes <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(std::string(what) + " has " + std::to_string(bytes) + " bytes, at most " +
                                    std::to_string(most) + " are taken");
}

absl::Status CheckLabels(const tutti::v1::SubmitRequest& request) {
  if (request.labels_size() > kMaxLabels) {
    return absl::InvalidArgumentError("the run has " + std::to_string(request.labels_size()) +
                                      " labels, at most " + std::to_string(kMaxLabels) + " are taken");
  }
  absl::Status status;
  for (const auto& [key, value] : request.labels()) {
    if (key.empty()) status.Update(absl::InvalidArgumentError("a label of the run has no key"));
    status.Update(CheckSize("a label of the run", key.size() + value.size(), kMaxLabelBytes));
  }
  return status;
}

absl::Status CheckSizes(const tutti::v1::SubmitRequest& request) {
  size_t overrides_bytes = 0;
  for (const std::string& each : request.overrides()) overrides_bytes += each.size() + 1;
  absl::Status status = CheckSize("the plan", request.plan().size(), kMaxPlanBytes);
  status.Update(CheckSize("the overrides together", overrides_bytes, kMaxOverridesBytes));
  status.Update(CheckSize("the plan's name", request.source_name().size(), kMaxNameBytes));
  status.Update(CheckSize("the user's name", request.user().size(), kMaxNameBytes));
  status.Update(CheckLabels(request));
  return status;
}

}  // namespace

grpc::ServerUnaryReactor* RunService::Submit(grpc::CallbackServerContext* context,
                                             const tutti::v1::SubmitRequest* request,
                                             tutti::v1::SubmitResponse* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  if (const absl::Status status = CheckSizes(*request); !status.ok()) {
    reactor->Finish(ToGrpc(status));
    return reactor;
  }
  // Parsing a large plan takes a while: not on the executor.
  const std::vector<std::string> overrides(request->overrides().begin(), request->overrides().end());
  absl::StatusOr<tutti::v1::Plan> plan =
      plan::LoadValidPlan(request->plan(), request->source_name(), overrides);
  if (!plan.ok()) {
    reactor->Finish(ToGrpc(plan.status()));
    return reactor;
  }
  executor_.Post([this, reactor, request, response, plan = *std::move(plan)]() mutable {
    const auto answer = [reactor, response](const std::string& run_id, const absl::Status& kept) {
      response->set_run_id(run_id);
      reactor->Finish(ToGrpc(kept));
    };
    const run::RunLabels labels(request->labels().begin(), request->labels().end());
    const absl::StatusOr<std::string> id = runs_.Submit(std::move(plan), request->user(), labels, answer);
    if (!id.ok()) reactor->Finish(ToGrpc(id.status()));
  });
  return reactor;
}

grpc::ServerWriteReactor<tutti::v1::RunEvent>* RunService::Watch(grpc::CallbackServerContext* context,
                                                                 const tutti::v1::WatchRequest* request) {
  return WatchReactor::Start(executor_, runs_, request->run_id());
}

grpc::ServerUnaryReactor* RunService::Cancel(grpc::CallbackServerContext* context,
                                             const tutti::v1::CancelRequest* request,
                                             tutti::v1::CancelResponse* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  executor_.Post([this, reactor, request] { reactor->Finish(ToGrpc(runs_.Cancel(request->run_id()))); });
  return reactor;
}

grpc::ServerUnaryReactor* RunService::GetResult(grpc::CallbackServerContext* context,
                                                const tutti::v1::GetResultRequest* request,
                                                tutti::v1::Result* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  executor_.Post([this, reactor, request, response] {
    const auto answer = [reactor, response](absl::StatusOr<tutti::v1::Result> result) {
      if (result.ok()) *response = *std::move(result);
      reactor->Finish(ToGrpc(result.status()));
    };
    absl::StatusOr<tutti::v1::Result> result = runs_.GetResult(request->run_id());
    if (!absl::IsNotFound(result.status()) || stored_ == nullptr) return answer(std::move(result));
    stored_->Get(request->run_id(), answer);
  });
  return reactor;
}

grpc::ServerUnaryReactor* RunService::ListEvents(grpc::CallbackServerContext* context,
                                                 const tutti::v1::ListEventsRequest* request,
                                                 tutti::v1::ListEventsResponse* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  if (stored_ == nullptr) {
    reactor->Finish(ToGrpc(absl::FailedPreconditionError(
        "this coordinator keeps no events of runs: start it with --state-dir FOLDER")));
    return reactor;
  }
  stored_->ListEvents(request->run_id(),
                      [reactor, response](absl::StatusOr<tutti::v1::ListEventsResponse> events) {
                        if (events.ok()) *response = *std::move(events);
                        reactor->Finish(ToGrpc(events.status()));
                      });
  return reactor;
}

}  // namespace tutti::api
