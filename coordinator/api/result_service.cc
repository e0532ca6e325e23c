#include "coordinator/api/result_service.h"

#include <utility>

#include "absl/status/statusor.h"
#include "common/status/grpc_status.h"

namespace tutti::api {
namespace {

constexpr char kNoStore[] = "this coordinator keeps no results: start it with --state-dir FOLDER";

}  // namespace

grpc::ServerUnaryReactor* ResultService::ListRuns(grpc::CallbackServerContext* context,
                                                  const tutti::v1::ListRunsRequest* request,
                                                  tutti::v1::ListRunsResponse* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  if (stored_ == nullptr) {
    reactor->Finish(ToGrpc(absl::FailedPreconditionError(kNoStore)));
    return reactor;
  }
  stored_->List(*request, [reactor, response](absl::StatusOr<tutti::v1::ListRunsResponse> runs) {
    if (runs.ok()) *response = *std::move(runs);
    reactor->Finish(ToGrpc(runs.status()));
  });
  return reactor;
}

grpc::ServerUnaryReactor* ResultService::DeleteRun(grpc::CallbackServerContext* context,
                                                   const tutti::v1::DeleteRunRequest* request,
                                                   tutti::v1::DeleteRunResponse* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  if (stored_ == nullptr) {
    reactor->Finish(ToGrpc(absl::FailedPreconditionError(kNoStore)));
    return reactor;
  }
  stored_->Delete(request->run_id(), [this, reactor, id = request->run_id()](const absl::Status& status) {
    if (!status.ok()) return reactor->Finish(ToGrpc(status));
    // The last runs are in memory too, from where they would still be told.
    executor_.Post([this, reactor, id] {
      runs_.Forget(id);
      reactor->Finish(grpc::Status::OK);
    });
  });
  return reactor;
}

}  // namespace tutti::api
