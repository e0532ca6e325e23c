#include "coordinator/api/coordinator_server.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "tests/unit/coordinator/api/coordinator_fixture.h"
#include "tests/unit/coordinator/api/silent_worker.h"

namespace tutti::api {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

class CoordinatorServerTest : public CoordinatorFixture {
 protected:
  void SetUp() override { StartServer(); }
  grpc::Status Submit(const std::string& plan, std::string* id = nullptr) {
    grpc::ClientContext context;
    tutti::v1::SubmitRequest request;
    request.set_plan(plan);
    request.set_source_name("pair.yaml");
    request.set_user("alice");
    tutti::v1::SubmitResponse response;
    const grpc::Status status = runs_->Submit(&context, request, &response);
    if (id != nullptr) *id = response.run_id();
    return status;
  }
};

TEST_F(CoordinatorServerTest, AnInvalidPlanIsRefusedWithEveryError) {
  std::string plan = kPlan;
  plan.replace(plan.find("1472B"), 5, "1472");
  plan.replace(plan.find("udp"), 3, "sctp");
  const grpc::Status status = Submit(plan);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), AllOf(HasSubstr("pair.yaml:"), HasSubstr("1472"), HasSubstr("sctp")));
}

TEST_F(CoordinatorServerTest, APlanOverOneMebibyteIsRefused) {
  const grpc::Status status = Submit(std::string(kPlan) + "#" + std::string(1024 * 1024, 'x'));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("1048576"));
}

TEST_F(CoordinatorServerTest, RolesThatCannotBeFilledAreAFailedPrecondition) {
  const grpc::Status status = Submit(kPlan);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(status.error_message(), HasSubstr("sender"));
}

TEST_F(CoordinatorServerTest, UnknownRunsAreNotFound) {
  {
    grpc::ClientContext context;
    tutti::v1::CancelRequest request;
    tutti::v1::CancelResponse response;
    EXPECT_EQ(runs_->Cancel(&context, request, &response).error_code(), grpc::StatusCode::NOT_FOUND);
  }
  {
    grpc::ClientContext context;
    tutti::v1::GetResultRequest request;
    tutti::v1::Result response;
    EXPECT_EQ(runs_->GetResult(&context, request, &response).error_code(), grpc::StatusCode::NOT_FOUND);
  }
  grpc::ClientContext context;
  tutti::v1::WatchRequest request;
  request.set_run_id("nobody");
  tutti::v1::RunEvent event;
  const auto reader = runs_->Watch(&context, request);
  EXPECT_FALSE(reader->Read(&event));
  EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(CoordinatorServerTest, WorkersAreListedByName) {
  const SilentWorker b(channel_, "b");
  const SilentWorker a(channel_, "a");
  ASSERT_TRUE(a.registered());
  grpc::ClientContext context;
  tutti::v1::ListWorkersResponse response;
  ASSERT_TRUE(fleet_->ListWorkers(&context, {}, &response).ok());
  ASSERT_EQ(response.workers_size(), 2);
  EXPECT_EQ(response.workers(0).name(), "a");
  EXPECT_EQ(response.workers(0).state(), tutti::v1::WorkerInfo::STATE_IDLE);
}

TEST_F(CoordinatorServerTest, FactsAreLeftOutOfTheListWhereNobodyAsksForThem) {
  const SilentWorker a(channel_, "a");
  for (const bool without_facts : {false, true}) {
    grpc::ClientContext context;
    tutti::v1::ListWorkersRequest request;
    request.set_without_facts(without_facts);
    tutti::v1::ListWorkersResponse response;
    ASSERT_TRUE(fleet_->ListWorkers(&context, request, &response).ok());
    ASSERT_EQ(response.workers_size(), 1);
    EXPECT_EQ(response.workers(0).has_facts(), !without_facts);
  }
}

TEST_F(CoordinatorServerTest, OneWorkerIsToldByNameAndAnUnknownOneIsNotFound) {
  const SilentWorker a(channel_, "a");
  for (const char* name : {"a", "nobody"}) {
    grpc::ClientContext context;
    tutti::v1::GetWorkerRequest request;
    request.set_name(name);
    tutti::v1::WorkerInfo worker;
    const grpc::Status status = fleet_->GetWorker(&context, request, &worker);
    if (std::string(name) == "a") {
      ASSERT_TRUE(status.ok()) << status.error_message();
      EXPECT_EQ(worker.name(), "a");
      EXPECT_EQ(worker.facts().boot_id(), "boot-a");
    } else {
      EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
    }
  }
}

TEST_F(CoordinatorServerTest, ADrainIsSeenByThoseWhoWatchTheFleetAndByTheNextRun) {
  const SilentWorker a(channel_, "a");
  const SilentWorker b(channel_, "b");
  {
    grpc::ClientContext context;
    tutti::v1::DrainWorkerRequest request;
    request.set_name("a");
    request.set_user("alice");
    request.set_reason("new NIC");
    tutti::v1::DrainWorkerResponse response;
    ASSERT_TRUE(fleet_->DrainWorker(&context, request, &response).ok());
  }
  const grpc::Status refused = Submit(kPlan);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(refused.error_message(), HasSubstr("by alice: new NIC"));
  {
    grpc::ClientContext context;
    tutti::v1::UndrainWorkerRequest request;
    request.set_name("a");
    tutti::v1::UndrainWorkerResponse response;
    ASSERT_TRUE(fleet_->UndrainWorker(&context, request, &response).ok());
  }
  EXPECT_TRUE(Submit(kPlan).ok());
  // Behind the first event, which is the registration of a.
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
  tutti::v1::WatchFleetRequest request;
  request.set_after_sequence(1);
  const auto reader = fleet_->WatchFleet(&context, request);
  tutti::v1::FleetEvent event;
  do {
    ASSERT_TRUE(reader->Read(&event));
    EXPECT_GT(event.sequence(), 1u);
  } while (event.worker() != "a" || event.after() != tutti::v1::WorkerInfo::STATE_DRAINING);
  context.TryCancel();
  EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::CANCELLED);
}

TEST_F(CoordinatorServerTest, AWorkerThatIsThereIsNotForgotten) {
  const SilentWorker a(channel_, "a");
  grpc::ClientContext context;
  tutti::v1::ForgetWorkerRequest request;
  request.set_name("a");
  tutti::v1::ForgetWorkerResponse response;
  EXPECT_EQ(fleet_->ForgetWorker(&context, request, &response).error_code(),
            grpc::StatusCode::FAILED_PRECONDITION);
}

TEST_F(CoordinatorServerTest, APlanIsValidatedAndPlacedWithoutARun) {
  std::string wrong = kPlan;
  wrong.replace(wrong.find("udp"), 3, "sctp");
  for (const std::string& plan : {std::string(kPlan), wrong}) {
    grpc::ClientContext context;
    tutti::v1::ValidatePlanRequest request;
    request.set_plan(plan);
    request.set_source_name("pair.yaml");
    tutti::v1::ValidatePlanResponse response;
    ASSERT_TRUE(runs_->ValidatePlan(&context, request, &response).ok());
    EXPECT_EQ(response.valid(), plan == kPlan);
    EXPECT_EQ(response.has_plan(), plan == kPlan);
    if (plan == kPlan) {
      EXPECT_EQ(response.errors_size(), 0);
      EXPECT_EQ(response.expected_duration_ns(), 2'200'000'000);  // a second of background before it
    } else {
      EXPECT_THAT(response.errors(), Contains(AllOf(HasSubstr("pair.yaml:"), HasSubstr("sctp"))));
      EXPECT_FALSE(response.has_expected_duration_ns());
    }
  }
  const SilentWorker a(channel_, "a");
  const SilentWorker b(channel_, "b");
  grpc::ClientContext context;
  tutti::v1::DryRunRequest request;
  request.set_plan(kPlan);
  tutti::v1::DryRunResponse response;
  const grpc::Status status = runs_->DryRun(&context, request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.head().hosts_size(), 2);
  EXPECT_EQ(response.streams_of_case_size(), 1);
}

TEST_F(CoordinatorServerTest, ASecondRunTellsWhereItStandsAndWhatKeepsIt) {
  const SilentWorker a(channel_, "a");
  const SilentWorker b(channel_, "b");
  std::string first;
  std::string second;
  ASSERT_TRUE(Submit(kPlan, &first).ok());
  ASSERT_TRUE(Submit(kPlan, &second).ok());
  tutti::v1::RunInfo info;
  {
    grpc::ClientContext context;
    tutti::v1::GetRunRequest request;
    request.set_run_id(second);
    ASSERT_TRUE(runs_->GetRun(&context, request, &info).ok());
  }
  EXPECT_EQ(info.state(), tutti::v1::RunInfo::STATE_WAITING);
  grpc::ClientContext context;
  tutti::v1::WhyNotRequest request;
  request.set_run_id(second);
  tutti::v1::WhyNotResponse why;
  ASSERT_TRUE(runs_->WhyNot(&context, request, &why).ok());
  EXPECT_EQ(why.position(), 1u);
  ASSERT_EQ(why.obstacles_size(), 2);
  EXPECT_EQ(why.obstacles(0).run_id(), first);
  EXPECT_THAT(why.summary(), HasSubstr("a and b run " + first + " of alice since "));
}

TEST_F(CoordinatorServerTest, AWatchedRunThatIsCancelledEndsWithItsResult) {
  const SilentWorker a(channel_, "a");
  const SilentWorker b(channel_, "b");
  std::string id;
  const grpc::Status submitted = Submit(kPlan, &id);
  ASSERT_TRUE(submitted.ok()) << submitted.error_message();
  grpc::ClientContext watch_context;
  tutti::v1::WatchRequest watch;
  watch.set_run_id(id);
  const auto reader = runs_->Watch(&watch_context, watch);
  tutti::v1::RunEvent event;
  ASSERT_TRUE(reader->Read(&event));
  EXPECT_TRUE(event.has_started());
  EXPECT_EQ(event.started().head().plan().source(), kPlan);
  grpc::ClientContext context;
  tutti::v1::CancelRequest cancel;
  cancel.set_run_id(id);
  tutti::v1::CancelResponse response;
  ASSERT_TRUE(runs_->Cancel(&context, cancel, &response).ok());
  while (reader->Read(&event)) {
  }
  EXPECT_TRUE(reader->Finish().ok());
  ASSERT_TRUE(event.has_ended());
  EXPECT_EQ(event.ended().status(), tutti::v1::RUN_STATUS_CANCELLED);
  EXPECT_EQ(event.ended().run_id(), id);
}

TEST_F(CoordinatorServerTest, AWatcherThatLeavesDoesNotEndTheRun) {
  const SilentWorker a(channel_, "a");
  const SilentWorker b(channel_, "b");
  std::string id;
  ASSERT_TRUE(Submit(kPlan, &id).ok());
  {
    grpc::ClientContext context;
    tutti::v1::WatchRequest watch;
    watch.set_run_id(id);
    const auto reader = runs_->Watch(&context, watch);
    tutti::v1::RunEvent event;
    ASSERT_TRUE(reader->Read(&event));
    context.TryCancel();
    EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::CANCELLED);
  }
  grpc::ClientContext context;
  tutti::v1::GetResultRequest request;
  request.set_run_id(id);
  tutti::v1::Result result;
  ASSERT_TRUE(runs_->GetResult(&context, request, &result).ok());
  EXPECT_EQ(result.status(), tutti::v1::RUN_STATUS_RUNNING);
}

TEST_F(CoordinatorServerTest, DrainDeliversTheResultsToThoseWhoWatch) {
  const SilentWorker a(channel_, "a");
  const SilentWorker b(channel_, "b");
  std::string id;
  ASSERT_TRUE(Submit(kPlan, &id).ok());
  grpc::ClientContext context;
  tutti::v1::WatchRequest watch;
  watch.set_run_id(id);
  const auto reader = runs_->Watch(&context, watch);
  tutti::v1::RunEvent event;
  ASSERT_TRUE(reader->Read(&event));
  EXPECT_TRUE(server_->Drain(3'000'000'000));
  EXPECT_EQ(Submit(kPlan).error_code(), grpc::StatusCode::UNAVAILABLE);
  while (reader->Read(&event)) {
  }
  ASSERT_TRUE(event.has_ended());
  EXPECT_EQ(event.ended().exit_code(), 8);
}

TEST(CoordinatorServerStartTest, RefusesPlainTextBeyondLoopback) {
  CoordinatorOptions options;
  options.listen = {"0.0.0.0:0"};
  EXPECT_EQ(CoordinatorServer::Start(options).status().code(), absl::StatusCode::kFailedPrecondition);
  options.lab = true;
  EXPECT_TRUE(CoordinatorServer::Start(options).ok());
}

TEST_F(CoordinatorServerTest, HttpIsListenedForWhereItIsAskedFor) {
  EXPECT_TRUE(server_->http_bound().empty());
  CoordinatorOptions options;
  options.listen = {Address("t")};
  options.http = {"127.0.0.1:0"};
  const auto server = CoordinatorServer::Start(options);
  ASSERT_TRUE(server.ok()) << server.status();
  ASSERT_EQ((*server)->http_bound().size(), 1u);
  EXPECT_GT((*server)->http_bound()[0].port, 0);
}

TEST_F(CoordinatorServerTest, HttpBeyondLoopbackHasToBeAllowedByName) {
  CoordinatorOptions options;
  options.listen = {Address("t")};
  options.http = {"0.0.0.0:0"};
  const auto server = CoordinatorServer::Start(options);
  EXPECT_EQ(server.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(server.status().message()), HasSubstr("--insecure"));
}

TEST_F(CoordinatorServerTest, ResultsAreMarkedInsecureByWhatIsListenedForAndNotByTheFlag) {
  struct Listening {
    std::string grpc;
    std::string http;
    bool lab;
    bool insecure;
  };
  const std::string unix_socket = "unix:" + (folder_ / "t").string();
  const Listening listenings[] = {
      {unix_socket, "0.0.0.0:0", false, true},
      {"0.0.0.0:0", "127.0.0.1:0", false, true},
      {unix_socket, "127.0.0.1:0", false, false},
      {unix_socket, "unix:" + (folder_ / "h").string(), false, false},
      {unix_socket, "0.0.0.0:0", true, false},
  };
  for (const Listening& listening : listenings) {
    SCOPED_TRACE(listening.grpc + " " + listening.http);
    CoordinatorOptions options;
    options.listen = {listening.grpc};
    options.http = {listening.http};
    options.insecure = true;
    options.lab = listening.lab;
    const auto server = CoordinatorServer::Start(options);
    ASSERT_TRUE(server.ok()) << server.status();
    const auto channel = net::MakeChannel((*server)->bound()[0], {.insecure = true});
    ASSERT_TRUE(channel.ok()) << channel.status();
    const SilentWorker a(*channel, "a");
    const SilentWorker b(*channel, "b");
    runs_ = tutti::v1::RunService::NewStub(*channel);
    std::string id;
    const grpc::Status submitted = Submit(kPlan, &id);
    ASSERT_TRUE(submitted.ok()) << submitted.error_message();
    grpc::ClientContext context;
    tutti::v1::GetResultRequest request;
    request.set_run_id(id);
    tutti::v1::Result result;
    ASSERT_TRUE(runs_->GetResult(&context, request, &result).ok());
    EXPECT_EQ(result.insecure(), listening.insecure);
    EXPECT_EQ(result.lab(), listening.lab);
  }
}

}  // namespace
}  // namespace tutti::api
