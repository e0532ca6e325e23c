#include "coordinator/cli/coordinator_client.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "common/net/channels.h"
#include "tutti/v1/service.grpc.pb.h"
#include "tutti/v1/store.grpc.pb.h"

namespace tutti::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// Three events, the last with a result; a plan that says "bad" is refused.
class FakeRuns final : public tutti::v1::RunService::Service {
 public:
  grpc::Status Submit(grpc::ServerContext* context, const tutti::v1::SubmitRequest* request,
                      tutti::v1::SubmitResponse* response) override {
    // The deadline of the caller, as far as it lies from now: every call has to have one.
    had_deadline = context->deadline() < std::chrono::system_clock::now() + std::chrono::minutes(5);
    if (request->plan() == "bad")
      return {grpc::StatusCode::INVALID_ARGUMENT, "p.yaml:1:1: bad\np.yaml:2:1: worse"};
    response->set_run_id("run-7");
    return grpc::Status::OK;
  }
  grpc::Status Watch(grpc::ServerContext*, const tutti::v1::WatchRequest* request,
                     grpc::ServerWriter<tutti::v1::RunEvent>* writer) override {
    ++watches;
    // The first watch breaks off as a deadline does; the second begins from the run's beginning again.
    const int events = watches == 1 ? 2 : 3;
    for (int number = 1; number <= events; ++number) {
      tutti::v1::RunEvent event;
      event.set_run_id(request->run_id());
      event.set_at_unix_ns(number);
      writer->Write(event);
    }
    return watches == 1 ? grpc::Status(grpc::StatusCode::DEADLINE_EXCEEDED, "") : grpc::Status::OK;
  }
  grpc::Status Cancel(grpc::ServerContext*, const tutti::v1::CancelRequest* request,
                      tutti::v1::CancelResponse*) override {
    return {grpc::StatusCode::NOT_FOUND, "no run " + request->run_id()};
  }

  int watches = 0;
  bool had_deadline = false;
};

class FakeResults final : public tutti::v1::ResultService::Service {
 public:
  grpc::Status ListRuns(grpc::ServerContext*, const tutti::v1::ListRunsRequest* request,
                        tutti::v1::ListRunsResponse* response) override {
    response->add_runs()->set_run_id("of " + request->plan_name());
    return grpc::Status::OK;
  }
  grpc::Status DeleteRun(grpc::ServerContext*, const tutti::v1::DeleteRunRequest* request,
                         tutti::v1::DeleteRunResponse*) override {
    return {grpc::StatusCode::FAILED_PRECONDITION, request->run_id() + " has not ended"};
  }
};

class CoordinatorClientTest : public ::testing::Test {
 protected:
  CoordinatorClientTest() {
    std::string name = (std::filesystem::temp_directory_path() / "tutti-client.XXXXXX").string();
    folder_ = mkdtemp(name.data());
    address_ = "unix:" + (folder_ / "s").string();
  }
  ~CoordinatorClientTest() override {
    if (server_.server) server_.server->Shutdown();
    server_ = {};
    std::filesystem::remove_all(folder_);
  }
  void Serve() {
    absl::StatusOr<net::Server> server =
        net::StartServer({.listen = {address_}, .services = {&runs_, &results_}});
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = std::move(*server);
  }
  std::unique_ptr<CoordinatorClient> Client() { return *MakeCoordinatorClient({.address = address_}); }

  std::filesystem::path folder_;
  std::string address_;
  FakeRuns runs_;
  FakeResults results_;
  net::Server server_;
};

TEST_F(CoordinatorClientTest, SubmitsWithADeadline) {
  Serve();
  const absl::StatusOr<std::string> run_id = Client()->Submit({});
  ASSERT_TRUE(run_id.ok()) << run_id.status();
  EXPECT_EQ(*run_id, "run-7");
  EXPECT_TRUE(runs_.had_deadline);
}

TEST_F(CoordinatorClientTest, ThePlansErrorsComeThroughUnchanged) {
  Serve();
  tutti::v1::SubmitRequest request;
  request.set_plan("bad");
  const absl::Status status = Client()->Submit(request).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(status.message()), "p.yaml:1:1: bad\np.yaml:2:1: worse");
}

TEST_F(CoordinatorClientTest, AWatchThatIsBegunAnewShowsEachEventOnce) {
  Serve();
  std::vector<int64_t> seen;
  const absl::Status status = Client()->Watch(
      "run-7", [&seen](const tutti::v1::RunEvent& event) { seen.push_back(event.at_unix_ns()); });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_THAT(seen, ElementsAre(1, 2, 3));
  EXPECT_EQ(runs_.watches, 2);
}

TEST_F(CoordinatorClientTest, OtherErrorsNameTheCoordinatorAndWhatWasTried) {
  Serve();
  const absl::Status status = Client()->Cancel("run-9");
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr(address_), HasSubstr("cancel run run-9"), HasSubstr("no run run-9")));
}

TEST_F(CoordinatorClientTest, RunsAreListedAndRemoved) {
  Serve();
  tutti::v1::ListRunsRequest request;
  request.set_plan_name("incast");
  const absl::StatusOr<tutti::v1::ListRunsResponse> runs = Client()->ListRuns(request);
  ASSERT_TRUE(runs.ok()) << runs.status();
  EXPECT_EQ(runs->runs(0).run_id(), "of incast");
  const absl::Status removed = Client()->DeleteRun("run-9");
  EXPECT_EQ(removed.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(removed.message()),
              AllOf(HasSubstr("delete run run-9"), HasSubstr("run-9 has not ended")));
}

TEST_F(CoordinatorClientTest, NobodyListeningIsUnavailableAndSaysWhatToDo) {
  const absl::Status status = Client()->ListWorkers().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr(address_), HasSubstr("tutti-coordinator"), HasSubstr("--coordinator ADDR")));
}

TEST_F(CoordinatorClientTest, TheCoordinatorOfALabIsCalledThat) {
  const auto client = *MakeCoordinatorClient({.address = address_, .own_lab = true});
  const std::string unreachable(client->ListWorkers().status().message());
  EXPECT_THAT(unreachable, AllOf(HasSubstr("the lab's coordinator: cannot list the workers"),
                                 HasSubstr("--log-dir"), Not(HasSubstr("--coordinator ADDR"))));
  Serve();
  const std::string refused(
      (*MakeCoordinatorClient({.address = address_, .own_lab = true}))->Cancel("run-9").message());
  EXPECT_THAT(refused,
              AllOf(HasSubstr("the lab's coordinator: cannot cancel run run-9"), Not(HasSubstr(address_))));
}

TEST_F(CoordinatorClientTest, PlainTextBeyondThisHostHasToBeAllowed) {
  EXPECT_EQ(MakeCoordinatorClient({.address = "192.0.2.1"}).status().code(),
            absl::StatusCode::kPermissionDenied);
  EXPECT_TRUE(MakeCoordinatorClient({.address = "192.0.2.1", .insecure = true}).ok());
  EXPECT_EQ(MakeCoordinatorClient({.address = "host:port"}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tutti::cli
