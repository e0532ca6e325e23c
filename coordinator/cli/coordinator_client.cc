#include "coordinator/cli/coordinator_client.h"

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/net/channels.h"
#include "common/status/errno_status.h"
#include "common/status/grpc_status.h"
#include "common/status/macros.h"
#include "common/sync/thread_annotations.h"
#include "tutti/v1/service.grpc.pb.h"
#include "tutti/v1/store.grpc.pb.h"

namespace tutti::cli {
namespace {

namespace v1 = tutti::v1;

constexpr std::chrono::seconds kCallDeadline{10};
// A watch that has lasted this long is begun anew, behind the last event.
constexpr std::chrono::minutes kWatchDeadline{30};

// On one channel.
struct Services {
  explicit Services(const std::shared_ptr<grpc::Channel>& channel)
      : runs(v1::RunService::NewStub(channel)),
        fleet(v1::FleetService::NewStub(channel)),
        results(v1::ResultService::NewStub(channel)) {}

  const std::unique_ptr<v1::RunService::Stub> runs;
  const std::unique_ptr<v1::FleetService::Stub> fleet;
  const std::unique_ptr<v1::ResultService::Stub> results;
};

class GrpcCoordinatorClient final : public CoordinatorClient {
 public:
  GrpcCoordinatorClient(const CoordinatorAddress& address, net::Endpoint endpoint,
                        net::ChannelOptions options)
      : own_lab_(address.own_lab),
        called_(own_lab_ ? "the lab's coordinator" : absl::StrCat("coordinator ", address.address)),
        endpoint_(std::move(endpoint)),
        options_(options) {}

  absl::StatusOr<v1::SubmitResponse> Submit(const v1::SubmitRequest& request) override {
    return Call(&Services::runs, &v1::RunService::Stub::Submit, request, "submit the plan");
  }

  absl::Status Watch(const v1::WatchRequest& request, const OnRunEvent& on_event,
                     const std::stop_token& stop) override {
    TUTTI_ASSIGN_OR_RETURN(const std::shared_ptr<const Services> services, Connected());
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kWatchDeadline);
    const std::stop_callback cancel(stop, [&context] { context.TryCancel(); });
    const auto reader = services->runs->Watch(&context, request);
    return ReadAll(services, *reader, on_event, absl::StrCat("watch run ", request.run_id()));
  }

  absl::Status Cancel(const std::string& run_id) override {
    v1::CancelRequest request;
    request.set_run_id(run_id);
    return Call(&Services::runs, &v1::RunService::Stub::Cancel, request, absl::StrCat("cancel run ", run_id))
        .status();
  }

  absl::StatusOr<v1::Result> GetResult(const v1::GetResultRequest& request) override {
    return Call(&Services::runs, &v1::RunService::Stub::GetResult, request,
                absl::StrCat("get the result of run ", request.run_id()));
  }

  absl::StatusOr<v1::RunInfo> GetRun(const std::string& run_id) override {
    v1::GetRunRequest request;
    request.set_run_id(run_id);
    return Call(&Services::runs, &v1::RunService::Stub::GetRun, request,
                absl::StrCat("ask for run ", run_id));
  }

  absl::StatusOr<v1::WhyNotResponse> WhyNot(const std::string& run_id) override {
    v1::WhyNotRequest request;
    request.set_run_id(run_id);
    return Call(&Services::runs, &v1::RunService::Stub::WhyNot, request,
                absl::StrCat("ask what keeps run ", run_id, " from starting"));
  }

  absl::StatusOr<v1::ListRunsResponse> ListRuns(const v1::ListRunsRequest& request) override {
    return Call(&Services::results, &v1::ResultService::Stub::ListRuns, request, "list the runs");
  }

  absl::Status DeleteRun(const std::string& run_id) override {
    v1::DeleteRunRequest request;
    request.set_run_id(run_id);
    return Call(&Services::results, &v1::ResultService::Stub::DeleteRun, request,
                absl::StrCat("delete run ", run_id))
        .status();
  }

  absl::StatusOr<v1::ListEventsResponse> ListEvents(const std::string& run_id) override {
    v1::ListEventsRequest request;
    request.set_run_id(run_id);
    return Call(&Services::runs, &v1::RunService::Stub::ListEvents, request,
                absl::StrCat("list the events of run ", run_id));
  }

  absl::StatusOr<v1::ListWorkersResponse> ListWorkers(const v1::ListWorkersRequest& request) override {
    return Call(&Services::fleet, &v1::FleetService::Stub::ListWorkers, request, "list the workers");
  }

  absl::StatusOr<v1::WorkerInfo> GetWorker(const std::string& name) override {
    v1::GetWorkerRequest request;
    request.set_name(name);
    return Call(&Services::fleet, &v1::FleetService::Stub::GetWorker, request,
                absl::StrCat("ask for worker ", name));
  }

  absl::Status DrainWorker(const v1::DrainWorkerRequest& request) override {
    return Call(&Services::fleet, &v1::FleetService::Stub::DrainWorker, request,
                absl::StrCat("drain worker ", request.name()))
        .status();
  }

  absl::Status UndrainWorker(const std::string& name) override {
    v1::UndrainWorkerRequest request;
    request.set_name(name);
    return Call(&Services::fleet, &v1::FleetService::Stub::UndrainWorker, request,
                absl::StrCat("undrain worker ", name))
        .status();
  }

  absl::Status ForgetWorker(const std::string& name) override {
    v1::ForgetWorkerRequest request;
    request.set_name(name);
    return Call(&Services::fleet, &v1::FleetService::Stub::ForgetWorker, request,
                absl::StrCat("forget worker ", name))
        .status();
  }

  absl::Status WatchFleet(const v1::WatchFleetRequest& request, const OnFleetEvent& on_event,
                          const std::stop_token& stop) override {
    TUTTI_ASSIGN_OR_RETURN(const std::shared_ptr<const Services> services, Connected());
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kWatchDeadline);
    const std::stop_callback cancel(stop, [&context] { context.TryCancel(); });
    const auto reader = services->fleet->WatchFleet(&context, request);
    return ReadAll(services, *reader, on_event, "watch the workers");
  }

 private:
  // On the channel that there is, or on a new one.
  absl::StatusOr<std::shared_ptr<const Services>> Connected() {
    MutexLock lock(mutex_);
    if (services_ == nullptr) {
      TUTTI_ASSIGN_OR_RETURN(const std::shared_ptr<grpc::Channel> channel,
                             net::MakeChannel(endpoint_, options_));
      services_ = std::make_shared<const Services>(channel);
    }
    return services_;
  }

  // A channel that failed waits before it connects again, whoever asks meanwhile; a new one connects at once.
  void Leave(const std::shared_ptr<const Services>& used, const grpc::Status& status) {
    if (status.error_code() != grpc::StatusCode::UNAVAILABLE) return;
    MutexLock lock(mutex_);
    if (services_ == used) services_.reset();
  }

  // One call that has one answer.
  template <typename Stub, typename Request, typename Response>
  absl::StatusOr<Response> Call(const std::unique_ptr<Stub> Services::*service,
                                grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                                const Request& request, const std::string& what) {
    TUTTI_ASSIGN_OR_RETURN(const std::shared_ptr<const Services> services, Connected());
    Stub& stub = *((*services).*service);
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kCallDeadline);
    Response response;
    const grpc::Status status = (stub.*method)(&context, request, &response);
    Leave(services, status);
    TUTTI_RETURN_IF_ERROR(Explain(status, what));
    return response;
  }

  template <typename Event>
  absl::Status ReadAll(const std::shared_ptr<const Services>& services, grpc::ClientReader<Event>& reader,
                       const std::function<void(const Event&)>& on_event, const std::string& what) {
    Event event;
    while (reader.Read(&event)) on_event(event);
    const grpc::Status status = reader.Finish();
    Leave(services, status);
    return Explain(status, what);
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
  const net::Endpoint endpoint_;
  const net::ChannelOptions options_;
  Mutex mutex_;
  std::shared_ptr<const Services> services_ TUTTI_GUARDED_BY(mutex_);  // null: the next call makes them
};

}  // namespace

absl::StatusOr<std::unique_ptr<CoordinatorClient>> MakeCoordinatorClient(const CoordinatorAddress& address) {
  TUTTI_ASSIGN_OR_RETURN(const net::Endpoint endpoint, net::ParseEndpoint(address.address));
  net::ChannelOptions options;
  options.insecure = address.insecure;
  const absl::Status allowed = net::MakeChannel(endpoint, options).status();
  // The factory refuses what its policy forbids as FailedPrecondition; for a client that is a denial.
  if (absl::IsFailedPrecondition(allowed)) return absl::PermissionDeniedError(allowed.message());
  TUTTI_RETURN_IF_ERROR(allowed);
  return std::make_unique<GrpcCoordinatorClient>(address, endpoint, options);
}

}  // namespace tutti::cli
