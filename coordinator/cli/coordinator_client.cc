#include "coordinator/cli/coordinator_client.h"

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/net/channels.h"
#include "common/status/errno_status.h"
#include "common/status/grpc_status.h"
#include "common/status/macros.h"
#include "tutti/v1/service.grpc.pb.h"
#include "tutti/v1/store.grpc.pb.h"

namespace tutti::cli {
namespace {

namespace v1 = tutti::v1;

constexpr std::chrono::seconds kCallDeadline{10};
// A watch that has lasted this long is begun anew, behind the last event.
constexpr std::chrono::minutes kWatchDeadline{30};

class GrpcCoordinatorClient final : public CoordinatorClient {
 public:
  GrpcCoordinatorClient(const CoordinatorAddress& address, const std::shared_ptr<grpc::Channel>& channel)
      : own_lab_(address.own_lab),
        called_(own_lab_ ? "the lab's coordinator" : absl::StrCat("coordinator ", address.address)),
        runs_(v1::RunService::NewStub(channel)),
        fleet_(v1::FleetService::NewStub(channel)),
        results_(v1::ResultService::NewStub(channel)) {}

  absl::StatusOr<v1::SubmitResponse> Submit(const v1::SubmitRequest& request) override {
    return Call(*runs_, &v1::RunService::Stub::Submit, request, "submit the plan");
  }

  absl::Status Watch(const v1::WatchRequest& request, const OnRunEvent& on_event,
                     const std::stop_token& stop) override {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kWatchDeadline);
    const std::stop_callback cancel(stop, [&context] { context.TryCancel(); });
    const auto reader = runs_->Watch(&context, request);
    return ReadAll(*reader, on_event, absl::StrCat("watch run ", request.run_id()));
  }

  absl::Status Cancel(const std::string& run_id) override {
    v1::CancelRequest request;
    request.set_run_id(run_id);
    return Call(*runs_, &v1::RunService::Stub::Cancel, request, absl::StrCat("cancel run ", run_id)).status();
  }

  absl::StatusOr<v1::Result> GetResult(const std::string& run_id) override {
    v1::GetResultRequest request;
    request.set_run_id(run_id);
    return Call(*runs_, &v1::RunService::Stub::GetResult, request,
                absl::StrCat("get the result of run ", run_id));
  }

  absl::StatusOr<v1::RunInfo> GetRun(const std::string& run_id) override {
    v1::GetRunRequest request;
    request.set_run_id(run_id);
    return Call(*runs_, &v1::RunService::Stub::GetRun, request, absl::StrCat("ask for run ", run_id));
  }

  absl::StatusOr<v1::WhyNotResponse> WhyNot(const std::string& run_id) override {
    v1::WhyNotRequest request;
    request.set_run_id(run_id);
    return Call(*runs_, &v1::RunService::Stub::WhyNot, request,
                absl::StrCat("ask what keeps run ", run_id, " from starting"));
  }

  absl::StatusOr<v1::ListRunsResponse> ListRuns(const v1::ListRunsRequest& request) override {
    return Call(*results_, &v1::ResultService::Stub::ListRuns, request, "list the runs");
  }

  absl::Status DeleteRun(const std::string& run_id) override {
    v1::DeleteRunRequest request;
    request.set_run_id(run_id);
    return Call(*results_, &v1::ResultService::Stub::DeleteRun, request, absl::StrCat("delete run ", run_id))
        .status();
  }

  absl::StatusOr<v1::ListEventsResponse> ListEvents(const std::string& run_id) override {
    v1::ListEventsRequest request;
    request.set_run_id(run_id);
    return Call(*runs_, &v1::RunService::Stub::ListEvents, request,
                absl::StrCat("list the events of run ", run_id));
  }

  absl::StatusOr<v1::ListWorkersResponse> ListWorkers(const v1::ListWorkersRequest& request) override {
    return Call(*fleet_, &v1::FleetService::Stub::ListWorkers, request, "list the workers");
  }

  absl::StatusOr<v1::WorkerInfo> GetWorker(const std::string& name) override {
    v1::GetWorkerRequest request;
    request.set_name(name);
    return Call(*fleet_, &v1::FleetService::Stub::GetWorker, request, absl::StrCat("ask for worker ", name));
  }

  absl::Status DrainWorker(const v1::DrainWorkerRequest& request) override {
    return Call(*fleet_, &v1::FleetService::Stub::DrainWorker, request,
                absl::StrCat("drain worker ", request.name()))
        .status();
  }

  absl::Status UndrainWorker(const std::string& name) override {
    v1::UndrainWorkerRequest request;
    request.set_name(name);
    return Call(*fleet_, &v1::FleetService::Stub::UndrainWorker, request,
                absl::StrCat("undrain worker ", name))
        .status();
  }

  absl::Status ForgetWorker(const std::string& name) override {
    v1::ForgetWorkerRequest request;
    request.set_name(name);
    return Call(*fleet_, &v1::FleetService::Stub::ForgetWorker, request, absl::StrCat("forget worker ", name))
        .status();
  }

  absl::Status WatchFleet(const v1::WatchFleetRequest& request, const OnFleetEvent& on_event,
                          const std::stop_token& stop) override {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kWatchDeadline);
    const std::stop_callback cancel(stop, [&context] { context.TryCancel(); });
    const auto reader = fleet_->WatchFleet(&context, request);
    return ReadAll(*reader, on_event, "watch the workers");
  }

 private:
  // One call that has one answer.
  template <typename Stub, typename Request, typename Response>
  absl::StatusOr<Response> Call(Stub& stub,
                                grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                                const Request& request, const std::string& what) const {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kCallDeadline);
    Response response;
    TUTTI_RETURN_IF_ERROR(Explain((stub.*method)(&context, request, &response), what));
    return response;
  }

  template <typename Event>
  absl::Status ReadAll(grpc::ClientReader<Event>& reader, const std::function<void(const Event&)>& on_event,
                       const std::string& what) const {
    Event event;
    while (reader.Read(&event)) on_event(event);
    return Explain(reader.Finish(), what);
  }

  absl::Status Explain(const grpc::Status& status, const std::string& what) const {
    if (status.ok()) return absl::OkStatus();
    absl::Status error = FromGrpc(status);
    if (error.code() == absl::StatusCode::kUnavailable && own_lab_) {
      return absl::UnavailableError(absl::StrCat(called_, ": cannot ", what, ": ", error.message(),
                                                 "; --log-dir DIR keeps its log, which may say why"));
    }
    if (error.code() == absl::StatusCode::kUnavailable) {
      return absl::UnavailableError(absl::StrCat(
          called_, ": cannot ", what, ": ", error.message(),
          "; start it there (tutti-coordinator, or: systemctl start tutti-coordinator), name another with "
          "--coordinator ADDR or TUTTI_COORDINATOR, or use `tutti lab run`, which needs none"));
    }
    if (error.code() == absl::StatusCode::kInvalidArgument) return error;  // the plan's errors as they are
    return Annotate(error, absl::StrCat(called_, ": cannot ", what));
  }

  const bool own_lab_;
  const std::string called_;
  const std::unique_ptr<v1::RunService::Stub> runs_;
  const std::unique_ptr<v1::FleetService::Stub> fleet_;
  const std::unique_ptr<v1::ResultService::Stub> results_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<CoordinatorClient>> MakeCoordinatorClient(const CoordinatorAddress& address) {
  TUTTI_ASSIGN_OR_RETURN(const net::Endpoint endpoint, net::ParseEndpoint(address.address));
  net::ChannelOptions options;
  options.insecure = address.insecure;
  const absl::StatusOr<std::shared_ptr<grpc::Channel>> channel = net::MakeChannel(endpoint, options);
  if (!channel.ok()) {
    // The factory refuses what its policy forbids as FailedPrecondition; for a client that is a denial.
    return absl::IsFailedPrecondition(channel.status())
               ? absl::PermissionDeniedError(channel.status().message())
               : channel.status();
  }
  return std::make_unique<GrpcCoordinatorClient>(address, *channel);
}

}  // namespace tutti::cli
