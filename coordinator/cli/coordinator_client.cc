#include "coordinator/cli/coordinator_client.h"

#include <chrono>
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

constexpr std::chrono::seconds kCallDeadline{10};
// A watch that has lasted this long is begun anew; events that were seen are skipped.
constexpr std::chrono::minutes kWatchDeadline{30};

class GrpcCoordinatorClient final : public CoordinatorClient {
 public:
  GrpcCoordinatorClient(const CoordinatorAddress& address, const std::shared_ptr<grpc::Channel>& channel)
      : own_lab_(address.own_lab),
        called_(own_lab_ ? "the lab's coordinator" : absl::StrCat("coordinator ", address.address)),
        runs_(tutti::v1::RunService::NewStub(channel)),
        fleet_(tutti::v1::FleetService::NewStub(channel)),
        results_(tutti::v1::ResultService::NewStub(channel)) {}

  absl::StatusOr<std::string> Submit(const tutti::v1::SubmitRequest& request) override {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kCallDeadline);
    tutti::v1::SubmitResponse response;
    TUTTI_RETURN_IF_ERROR(Explain(runs_->Submit(&context, request, &response), "submit the plan"));
    return response.run_id();
  }

  absl::Status Watch(const std::string& run_id,
                     const std::function<void(const tutti::v1::RunEvent&)>& on_event) override {
    uint64_t seen = 0;
    while (true) {
      absl::Status status = WatchOnce(run_id, on_event, seen);
      if (status.code() == absl::StatusCode::kDeadlineExceeded) continue;
      return status;
    }
  }

  absl::Status Cancel(const std::string& run_id) override {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kCallDeadline);
    tutti::v1::CancelRequest request;
    request.set_run_id(run_id);
    tutti::v1::CancelResponse response;
    return Explain(runs_->Cancel(&context, request, &response), absl::StrCat("cancel run ", run_id));
  }

  absl::StatusOr<tutti::v1::Result> GetResult(const std::string& run_id) override {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kCallDeadline);
    tutti::v1::GetResultRequest request;
    request.set_run_id(run_id);
    tutti::v1::Result result;
    TUTTI_RETURN_IF_ERROR(Explain(runs_->GetResult(&context, request, &result),
                                  absl::StrCat("get the result of run ", run_id)));
    return result;
  }

  absl::StatusOr<tutti::v1::ListWorkersResponse> ListWorkers() override {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kCallDeadline);
    tutti::v1::ListWorkersResponse response;
    TUTTI_RETURN_IF_ERROR(Explain(fleet_->ListWorkers(&context, tutti::v1::ListWorkersRequest(), &response),
                                  "list the workers"));
    return response;
  }

  absl::StatusOr<tutti::v1::ListRunsResponse> ListRuns(const tutti::v1::ListRunsRequest& request) override {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kCallDeadline);
    tutti::v1::ListRunsResponse response;
    TUTTI_RETURN_IF_ERROR(Explain(results_->ListRuns(&context, request, &response), "list the runs"));
    return response;
  }

  absl::Status DeleteRun(const std::string& run_id) override {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kCallDeadline);
    tutti::v1::DeleteRunRequest request;
    request.set_run_id(run_id);
    tutti::v1::DeleteRunResponse response;
    return Explain(results_->DeleteRun(&context, request, &response), absl::StrCat("delete run ", run_id));
  }

  absl::StatusOr<tutti::v1::ListEventsResponse> ListEvents(const std::string& run_id) override {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kCallDeadline);
    tutti::v1::ListEventsRequest request;
    request.set_run_id(run_id);
    tutti::v1::ListEventsResponse response;
    TUTTI_RETURN_IF_ERROR(Explain(runs_->ListEvents(&context, request, &response),
                                  absl::StrCat("list the events of run ", run_id)));
    return response;
  }

 private:
  // `seen` counts the events that `on_event` got, over all watches of the run.
  absl::Status WatchOnce(const std::string& run_id,
                         const std::function<void(const tutti::v1::RunEvent&)>& on_event, uint64_t& seen) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kWatchDeadline);
    tutti::v1::WatchRequest request;
    request.set_run_id(run_id);
    auto reader = runs_->Watch(&context, request);
    tutti::v1::RunEvent event;
    for (uint64_t index = 0; reader->Read(&event); ++index) {
      if (index < seen) continue;
      ++seen;
      on_event(event);
    }
    return Explain(reader->Finish(), absl::StrCat("watch run ", run_id));
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
  const std::unique_ptr<tutti::v1::RunService::Stub> runs_;
  const std::unique_ptr<tutti::v1::FleetService::Stub> fleet_;
  const std::unique_ptr<tutti::v1::ResultService::Stub> results_;
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
