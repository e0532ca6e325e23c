// Clients of gRPC that ask for much and do not read it.
#include "coordinator/api/large_answer.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/net/channels.h"
#include "coordinator/api/run_service.h"
#include "tests/unit/coordinator/api/http/fake_operations.h"
#include "tutti/v1/service.grpc.pb.h"

namespace tutti::api {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// More than a connection holds for who does not read.
constexpr size_t kLargeBytes = 8'000'000;
constexpr size_t kLimitBytes = 1'000'000;

run::SharedEvent MakeEvent(uint64_t sequence, size_t bytes) {
  auto event = std::make_shared<tutti::v1::RunEvent>();
  event->set_run_id(http::kRun);
  event->set_sequence(sequence);
  event->mutable_queued()->add_waits_for(std::string(bytes, 'x'));
  return event;
}

class LargeAnswerTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "tutti-large.XXXXXX").string();
    folder_ = mkdtemp(name.data());
    operations_.result.add_reasons(std::string(kLargeBytes, 'r'));
    auto server = net::StartServer({.listen = {"unix:" + (folder_ / "s").string()}, .services = {&service_}});
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }
  void TearDown() override {
    if (server_.server != nullptr) server_.server->Shutdown();
    server_ = {};
    std::filesystem::remove_all(folder_);
  }
  // On a connection of its own: nobody waits behind what another one does not read.
  std::unique_ptr<tutti::v1::RunService::Stub> Connect() {
    return tutti::v1::RunService::NewStub(*net::MakeChannel(server_.bound[0], {}));
  }
  grpc::Status GetResult(tutti::v1::Result* result) {
    grpc::ClientContext context;
    return Connect()->GetResult(&context, ForResult(), result);
  }
  // The numbers of the events that came, and how it ended.
  grpc::Status Watch(std::vector<uint64_t>& came) {
    grpc::ClientContext context;
    const auto stub = Connect();
    const auto reader = stub->Watch(&context, ForEvents());
    tutti::v1::RunEvent event;
    came.clear();
    while (reader->Read(&event)) came.push_back(event.sequence());
    return reader->Finish();
  }
  static tutti::v1::GetResultRequest ForResult() {
    tutti::v1::GetResultRequest request;
    request.set_run_id(http::kRun);
    return request;
  }
  static tutti::v1::WatchRequest ForEvents() {
    tutti::v1::WatchRequest request;
    request.set_run_id(http::kRun);
    return request;
  }
  // The last answer of `ask`, which is asked again until it has this code, for ten seconds.
  static grpc::Status Until(grpc::StatusCode code, const std::function<grpc::Status()>& ask) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    grpc::Status status = ask();
    while (status.error_code() != code && std::chrono::steady_clock::now() < deadline) status = ask();
    return status;
  }

  std::filesystem::path folder_;
  http::FakeOperations operations_;
  RunService service_{operations_, std::make_shared<http::UnsentBytes>(kLimitBytes, kLimitBytes, [] {})};
  net::Server server_;
};

// Has asked for the result and been answered, and reads nothing of that until it is asked to.
class SilentClient {
 public:
  SilentClient(std::unique_ptr<tutti::v1::RunService::Stub> stub, const tutti::v1::GetResultRequest& request)
      : stub_(std::move(stub)), call_(stub_->AsyncGetResult(&context_, request, &done_)) {
    call_->ReadInitialMetadata(this);
    Await();
  }
  ~SilentClient() {
    done_.Shutdown();
    void* tag = nullptr;
    bool ok = false;
    while (done_.Next(&tag, &ok)) {
    }
  }
  void Leave() {
    context_.TryCancel();
    tutti::v1::Result result;
    grpc::Status status;
    call_->Finish(&result, &status, this);
    Await();
  }

 private:
  void Await() {
    void* tag = nullptr;
    bool ok = false;
    done_.Next(&tag, &ok);
  }

  const std::unique_ptr<tutti::v1::RunService::Stub> stub_;
  grpc::ClientContext context_;
  grpc::CompletionQueue done_;
  const std::unique_ptr<grpc::ClientAsyncResponseReader<tutti::v1::Result>> call_;
};

TEST_F(LargeAnswerTest, AnAnswerThatNobodyReadsLeavesNoRoomForTheNextLargeOneUntilItsClientIsGone) {
  SilentClient silent(Connect(), ForResult());
  tutti::v1::Result result;
  const grpc::Status refused = GetResult(&result);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(refused.error_message(), AllOf(HasSubstr("not read yet"), HasSubstr("ask again")));
  // Nobody has looked for the result of that one.
  EXPECT_EQ(operations_.asked().size(), 1u);
  // What is small is answered.
  grpc::ClientContext context;
  tutti::v1::GetRunRequest request;
  request.set_run_id(http::kRun);
  tutti::v1::RunInfo info;
  EXPECT_TRUE(Connect()->GetRun(&context, request, &info).ok());

  silent.Leave();
  const grpc::Status again = Until(grpc::StatusCode::OK, [&] { return GetResult(&result); });
  ASSERT_TRUE(again.ok()) << again.error_message();
  EXPECT_EQ(result.reasons(0).size(), kLargeBytes);
}

TEST_F(LargeAnswerTest, AWatcherWhoseLargeEventHasNoRoomIsToldBehindWhichToWatchAgain) {
  operations_.kept = {MakeEvent(1, 1), MakeEvent(2, kLargeBytes)};
  operations_.ended = true;
  SilentClient silent(Connect(), ForResult());
  std::vector<uint64_t> came;
  const grpc::Status refused = Watch(came);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(refused.error_message(), HasSubstr("watch again after event 1"));
  EXPECT_THAT(came, ElementsAre(1));

  silent.Leave();
  const grpc::Status again = Until(grpc::StatusCode::OK, [&] { return Watch(came); });
  ASSERT_TRUE(again.ok()) << again.error_message();
  EXPECT_THAT(came, ElementsAre(1, 2));
}

TEST_F(LargeAnswerTest, AnEventThatNobodyReadsLeavesNoRoomEither) {
  operations_.kept = {MakeEvent(1, kLargeBytes)};
  operations_.ended = true;
  grpc::ClientContext context;
  const auto stub = Connect();
  const auto silent = stub->Watch(&context, ForEvents());
  // Which comes with the first event.
  silent->WaitForInitialMetadata();
  tutti::v1::Result result;
  EXPECT_EQ(GetResult(&result).error_code(), grpc::StatusCode::UNAVAILABLE);
  context.TryCancel();
  silent->Finish();
  EXPECT_TRUE(Until(grpc::StatusCode::OK, [&] { return GetResult(&result); }).ok());
}

TEST_F(LargeAnswerTest, AWatcherThatIsTurnedAwayIsForgotten) {
  operations_.kept = {MakeEvent(1, kLargeBytes)};
  SilentClient silent(Connect(), ForResult());
  std::vector<uint64_t> came;
  EXPECT_EQ(Watch(came).error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(came, IsEmpty());
  EXPECT_TRUE(operations_.WaitForWatchers(0));
  silent.Leave();
}

}  // namespace
}  // namespace tutti::api
