#include "coordinator/cli/coordinator_client.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/net/channels.h"
#include "tests/unit/temporary_folder.h"
#include "tutti/v1/service.grpc.pb.h"
#include "tutti/v1/store.grpc.pb.h"

namespace tutti::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// A run of five events; a plan that says "bad" is refused.
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
  grpc::Status Watch(grpc::ServerContext* context, const tutti::v1::WatchRequest* request,
                     grpc::ServerWriter<tutti::v1::RunEvent>* writer) override {
    for (uint64_t sequence = request->after_sequence() + 1; sequence <= 5; ++sequence) {
      tutti::v1::RunEvent event;
      event.set_run_id(request->run_id());
      event.set_sequence(sequence);
      writer->Write(event);
    }
    while (endless && !context->IsCancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return grpc::Status::OK;
  }
  grpc::Status GetRun(grpc::ServerContext*, const tutti::v1::GetRunRequest* request,
                      tutti::v1::RunInfo* response) override {
    response->mutable_summary()->set_run_id(request->run_id());
    return grpc::Status::OK;
  }
  grpc::Status WhyNot(grpc::ServerContext*, const tutti::v1::WhyNotRequest* request,
                      tutti::v1::WhyNotResponse* response) override {
    response->set_summary("of " + request->run_id());
    return grpc::Status::OK;
  }
  grpc::Status Cancel(grpc::ServerContext*, const tutti::v1::CancelRequest* request,
                      tutti::v1::CancelResponse*) override {
    return {grpc::StatusCode::NOT_FOUND, "no run " + request->run_id()};
  }

  std::atomic<bool> endless = false;
  bool had_deadline = false;
};

class ScriptedFleet final : public tutti::v1::FleetService::Service {
 public:
  grpc::Status ListWorkers(grpc::ServerContext*, const tutti::v1::ListWorkersRequest* request,
                           tutti::v1::ListWorkersResponse* response) override {
    response->add_workers()->set_name(request->without_facts() ? "bare" : "whole");
    return grpc::Status::OK;
  }
  grpc::Status GetWorker(grpc::ServerContext*, const tutti::v1::GetWorkerRequest* request,
                         tutti::v1::WorkerInfo* response) override {
    response->set_name(request->name());
    return grpc::Status::OK;
  }
  grpc::Status DrainWorker(grpc::ServerContext*, const tutti::v1::DrainWorkerRequest* request,
                           tutti::v1::DrainWorkerResponse*) override {
    orders.push_back("drain " + request->name() + " for " + request->reason());
    return grpc::Status::OK;
  }
  grpc::Status UndrainWorker(grpc::ServerContext*, const tutti::v1::UndrainWorkerRequest* request,
                             tutti::v1::UndrainWorkerResponse*) override {
    orders.push_back("undrain " + request->name());
    return grpc::Status::OK;
  }
  grpc::Status ForgetWorker(grpc::ServerContext*, const tutti::v1::ForgetWorkerRequest* request,
                            tutti::v1::ForgetWorkerResponse*) override {
    return {grpc::StatusCode::FAILED_PRECONDITION, request->name() + " is not lost"};
  }
  grpc::Status WatchFleet(grpc::ServerContext*, const tutti::v1::WatchFleetRequest* request,
                          grpc::ServerWriter<tutti::v1::FleetEvent>* writer) override {
    tutti::v1::FleetEvent event;
    event.set_sequence(request->after_sequence() + 1);
    writer->Write(event);
    return {grpc::StatusCode::UNAVAILABLE, "shutting down"};
  }

  std::vector<std::string> orders;
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
  ~CoordinatorClientTest() override {
    if (server_.server) server_.server->Shutdown();
    server_ = {};
  }
  void Serve() {
    absl::StatusOr<net::Server> server =
        net::StartServer({.listen = {address_}, .services = {&runs_, &results_, &fleet_}});
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = std::move(*server);
  }
  std::unique_ptr<CoordinatorClient> Client() { return *MakeCoordinatorClient({.address = address_}); }

  const TemporaryFolder folder_;
  std::string address_ = absl::StrCat("unix:", (folder_ / "s").string());
  FakeRuns runs_;
  FakeResults results_;
  ScriptedFleet fleet_;
  net::Server server_;
};

TEST_F(CoordinatorClientTest, SubmitsWithADeadline) {
  Serve();
  const absl::StatusOr<tutti::v1::SubmitResponse> response = Client()->Submit({});
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->run_id(), "run-7");
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

TEST_F(CoordinatorClientTest, AWatchBeginsBehindTheEventThatIsNamed) {
  Serve();
  tutti::v1::WatchRequest request;
  request.set_run_id("run-7");
  request.set_after_sequence(3);
  std::vector<uint64_t> seen;
  const absl::Status status = Client()->Watch(
      request, [&seen](const tutti::v1::RunEvent& event) { seen.push_back(event.sequence()); },
      std::stop_token());
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_THAT(seen, ElementsAre(4, 5));
}

TEST_F(CoordinatorClientTest, AWatchThatIsStoppedReturns) {
  Serve();
  runs_.endless = true;
  std::stop_source stop;
  const absl::Status status = Client()->Watch(
      tutti::v1::WatchRequest(),
      [&stop](const tutti::v1::RunEvent& event) {
        if (event.sequence() == 5) stop.request_stop();
      },
      stop.get_token());
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
  // Before it has begun, too.
  EXPECT_EQ(Client()
                ->Watch(
                    tutti::v1::WatchRequest(), [](const tutti::v1::RunEvent&) {}, stop.get_token())
                .code(),
            absl::StatusCode::kCancelled);
}

TEST_F(CoordinatorClientTest, OneRunIsAskedForByItsId) {
  Serve();
  EXPECT_EQ(Client()->GetRun("run-7")->summary().run_id(), "run-7");
  EXPECT_EQ(Client()->WhyNot("run-7")->summary(), "of run-7");
}

TEST_F(CoordinatorClientTest, WorkersAreAskedForAndGivenOrdersByName) {
  Serve();
  tutti::v1::ListWorkersRequest bare;
  bare.set_without_facts(true);
  EXPECT_EQ(Client()->ListWorkers(bare)->workers(0).name(), "bare");
  EXPECT_EQ(Client()->ListWorkers({})->workers(0).name(), "whole");
  EXPECT_EQ(Client()->GetWorker("a")->name(), "a");
  tutti::v1::DrainWorkerRequest drain;
  drain.set_name("a");
  drain.set_reason("a new kernel");
  EXPECT_TRUE(Client()->DrainWorker(drain).ok());
  EXPECT_TRUE(Client()->UndrainWorker("b").ok());
  EXPECT_THAT(fleet_.orders, ElementsAre("drain a for a new kernel", "undrain b"));
  const absl::Status forgotten = Client()->ForgetWorker("c");
  EXPECT_EQ(forgotten.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(forgotten.message()),
              AllOf(HasSubstr("forget worker c"), HasSubstr("c is not lost")));
}

TEST_F(CoordinatorClientTest, AWatchOfTheFleetThatBreaksSaysSo) {
  Serve();
  tutti::v1::WatchFleetRequest request;
  request.set_after_sequence(41);
  uint64_t seen = 0;
  const absl::Status status = Client()->WatchFleet(
      request, [&seen](const tutti::v1::FleetEvent& event) { seen = event.sequence(); }, std::stop_token());
  EXPECT_EQ(seen, 42u);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("watch the workers: shutting down"));
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
  const absl::Status status = Client()->ListWorkers({}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr(address_), HasSubstr("tutti-coordinator"), HasSubstr("--coordinator ADDR")));
}

TEST_F(CoordinatorClientTest, ACoordinatorThatIsBackIsReachedByTheFirstCall) {
  const auto client = Client();
  const auto nothing = [](const tutti::v1::RunEvent&) {};
  // Twice: a channel of gRPC that has failed waits 0.1 s, then longer, and fails whatever is asked meanwhile.
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(client->Watch({}, nothing, {}).code(), absl::StatusCode::kUnavailable);
    EXPECT_EQ(client->ListWorkers({}).status().code(), absl::StatusCode::kUnavailable);
  }
  Serve();
  const absl::Status watched = client->Watch({}, nothing, {});
  EXPECT_TRUE(watched.ok()) << watched;
  const absl::Status listed = client->ListWorkers({}).status();
  EXPECT_TRUE(listed.ok()) << listed;
}

TEST_F(CoordinatorClientTest, ACoordinatorThatWasStartedAnewIsReachedByTheFirstCallOverTcpToo) {
  address_ = "127.0.0.1:0";
  Serve();
  address_ = server_.bound[0].target;
  const auto client = Client();
  ASSERT_TRUE(client->ListWorkers({}).ok());
  server_.server->Shutdown();
  server_ = {};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(client->ListWorkers({}).status().code(), absl::StatusCode::kUnavailable);
  }
  Serve();
  const absl::Status listed = client->ListWorkers({}).status();
  EXPECT_TRUE(listed.ok()) << listed;
}

TEST_F(CoordinatorClientTest, TheCoordinatorOfALabIsCalledThat) {
  const auto client = *MakeCoordinatorClient({.address = address_, .own_lab = true});
  const std::string unreachable(client->ListWorkers({}).status().message());
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
