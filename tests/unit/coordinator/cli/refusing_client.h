// A coordinator that can do nothing: a test overrides what it is about.
#pragma once

#include <string>

#include "coordinator/cli/coordinator_client.h"

namespace tutti::cli {

class RefusingClient : public CoordinatorClient {
 public:
  absl::StatusOr<tutti::v1::SubmitResponse> Submit(const tutti::v1::SubmitRequest&) override { return No(); }
  absl::Status Watch(const tutti::v1::WatchRequest&, const OnRunEvent&, const std::stop_token&) override {
    return No();
  }
  absl::Status Cancel(const std::string&) override { return No(); }
  absl::StatusOr<tutti::v1::Result> GetResult(const tutti::v1::GetResultRequest&) override { return No(); }
  absl::StatusOr<tutti::v1::RunInfo> GetRun(const std::string&) override { return No(); }
  absl::StatusOr<tutti::v1::WhyNotResponse> WhyNot(const std::string&) override { return No(); }
  absl::StatusOr<tutti::v1::ListRunsResponse> ListRuns(const tutti::v1::ListRunsRequest&) override {
    return No();
  }
  absl::Status DeleteRun(const std::string&) override { return No(); }
  absl::StatusOr<tutti::v1::ListEventsResponse> ListEvents(const std::string&) override { return No(); }
  absl::StatusOr<tutti::v1::ListWorkersResponse> ListWorkers(const tutti::v1::ListWorkersRequest&) override {
    return No();
  }
  absl::StatusOr<tutti::v1::WorkerInfo> GetWorker(const std::string&) override { return No(); }
  absl::Status DrainWorker(const tutti::v1::DrainWorkerRequest&) override { return No(); }
  absl::Status UndrainWorker(const std::string&) override { return No(); }
  absl::Status ForgetWorker(const std::string&) override { return No(); }
  absl::Status WatchFleet(const tutti::v1::WatchFleetRequest&, const OnFleetEvent&,
                          const std::stop_token&) override {
    return No();
  }

 private:
  static absl::Status No() { return absl::UnimplementedError("not in this test"); }
};

}  // namespace tutti::cli
