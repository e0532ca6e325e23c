// Calls with what nobody should send: each has its status, and nothing of it stays in memory.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "common/version/version.h"
#include "coordinator/api/coordinator_server.h"
#include "tutti/v1/service.grpc.pb.h"
#include "tutti/v1/session.grpc.pb.h"
#include "tutti/v1/store.grpc.pb.h"

// There in programs that a sanitizer watches: freed memory stays with it for a while.
extern "C" void __asan_init() __attribute__((weak));
extern "C" void __tsan_init() __attribute__((weak));

namespace tutti::integration {
namespace {

using grpc::StatusCode;
using testing::HasSubstr;

constexpr size_t kLong = 64 * 1024;

bool IsWatched() { return &__asan_init != nullptr || &__tsan_init != nullptr; }

// As ids, names, texts and tokens.
std::vector<std::string> MakeNames() {
  // Wherever it is cut, it may be within a character.
  std::string umlauts = "x";
  for (int i = 0; i < 100; ++i) umlauts += "\xC3\xBC";
  return {
      "nobody",
      "../../../etc/passwd",
      "/etc/passwd",
      "' OR 1=1; DROP TABLE runs; --",
      "%",
      std::string("a\0b", 3),
      "\x1B[2J\x07",
      "a\r\nb: c",
      "\xE2\x80\xAE",  // from here on right to left
      std::string(kLong, 'x'),
      std::string(kLong, '\n'),
      umlauts,
  };
}

const std::vector<std::string>& Names() {
  static const std::vector<std::string>& names = *new std::vector<std::string>(MakeNames());
  return names;
}

class HostileRequestsTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/tutti-hostile-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
    api::CoordinatorOptions options;
    options.listen = {"unix:" + folder_ + "/s"};
    options.state_dir = folder_ + "/kept";
    auto server = api::CoordinatorServer::Start(options);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    const auto channel = net::MakeChannel(server_->bound()[0], {});
    ASSERT_TRUE(channel.ok()) << channel.status();
    runs_ = tutti::v1::RunService::NewStub(*channel);
    results_ = tutti::v1::ResultService::NewStub(*channel);
    workers_ = tutti::v1::WorkerService::NewStub(*channel);
  }
  void TearDown() override {
    server_ = nullptr;
    std::filesystem::remove_all(folder_);
  }

  grpc::Status Submit(const tutti::v1::SubmitRequest& request) {
    grpc::ClientContext context;
    tutti::v1::SubmitResponse response;
    return runs_->Submit(&context, request, &response);
  }
  grpc::Status Cancel(const std::string& id) {
    grpc::ClientContext context;
    tutti::v1::CancelRequest request;
    request.set_run_id(id);
    tutti::v1::CancelResponse response;
    return runs_->Cancel(&context, request, &response);
  }
  grpc::Status GetResult(const std::string& id) {
    grpc::ClientContext context;
    tutti::v1::GetResultRequest request;
    request.set_run_id(id);
    tutti::v1::Result response;
    return runs_->GetResult(&context, request, &response);
  }
  grpc::Status Watch(const std::string& id) {
    grpc::ClientContext context;
    tutti::v1::WatchRequest request;
    request.set_run_id(id);
    tutti::v1::RunEvent event;
    const auto reader = runs_->Watch(&context, request);
    while (reader->Read(&event)) {
    }
    return reader->Finish();
  }
  grpc::Status Delete(const std::string& id) {
    grpc::ClientContext context;
    tutti::v1::DeleteRunRequest request;
    request.set_run_id(id);
    tutti::v1::DeleteRunResponse response;
    return results_->DeleteRun(&context, request, &response);
  }
  grpc::Status List(const tutti::v1::ListRunsRequest& request, int* runs = nullptr) {
    grpc::ClientContext context;
    tutti::v1::ListRunsResponse response;
    const grpc::Status status = results_->ListRuns(&context, request, &response);
    if (runs != nullptr) *runs = response.runs_size();
    return status;
  }

  // Each call once with this; what the statuses are is what the other tests are about.
  int CallAll(const std::string& name) {
    int calls = 0;
    for (const auto call : {&HostileRequestsTest::Cancel, &HostileRequestsTest::GetResult,
                            &HostileRequestsTest::Watch, &HostileRequestsTest::Delete}) {
      EXPECT_FALSE((this->*call)(name).ok());
      ++calls;
    }
    tutti::v1::ListRunsRequest list;
    list.set_text(name);
    (*list.mutable_labels())[name] = name;
    List(list);
    tutti::v1::SubmitRequest submit;
    submit.set_plan(name);
    submit.set_user(name);
    (*submit.mutable_labels())["label"] = name;
    EXPECT_FALSE(Submit(submit).ok());
    return calls + 2;
  }

  std::string folder_;
  std::unique_ptr<api::CoordinatorServer> server_;
  std::unique_ptr<tutti::v1::RunService::Stub> runs_;
  std::unique_ptr<tutti::v1::ResultService::Stub> results_;
  std::unique_ptr<tutti::v1::WorkerService::Stub> workers_;
};

TEST_F(HostileRequestsTest, UnknownRunsAreNotFoundAndWhatIsTooLongForAnIdIsRefused) {
  constexpr size_t kLongestId = 256;
  for (const std::string& name : Names()) {
    SCOPED_TRACE(name.substr(0, 40));
    const StatusCode expected =
        name.size() > kLongestId ? StatusCode::INVALID_ARGUMENT : StatusCode::NOT_FOUND;
    EXPECT_EQ(Cancel(name).error_code(), expected);
    EXPECT_EQ(GetResult(name).error_code(), expected);
    EXPECT_EQ(Watch(name).error_code(), expected);
    EXPECT_EQ(Delete(name).error_code(), expected);
  }
}

TEST_F(HostileRequestsTest, FiltersMatchTheirTextAndTokensAreNotGuessed) {
  for (const std::string& name : Names()) {
    SCOPED_TRACE(name.substr(0, 40));
    tutti::v1::ListRunsRequest request;
    request.set_text(name);
    request.set_plan_name(name);
    (*request.mutable_labels())[name] = name;
    int runs = -1;
    EXPECT_EQ(List(request, &runs).error_code(),
              name.size() < kLong ? StatusCode::OK : StatusCode::INVALID_ARGUMENT);
    EXPECT_EQ(runs, 0);
    tutti::v1::ListRunsRequest page;
    page.set_page_token(name);
    EXPECT_EQ(List(page).error_code(), StatusCode::INVALID_ARGUMENT);
  }
}

TEST_F(HostileRequestsTest, WhatIsTooLargeIsRefusedBeforeItIsRead) {
  const auto refused = [&](auto fill) {
    tutti::v1::SubmitRequest request;
    request.set_plan("version: 1\n");
    fill(request);
    const grpc::Status status = Submit(request);
    EXPECT_THAT(status.error_message(), HasSubstr("at most"));
    return status.error_code() == StatusCode::INVALID_ARGUMENT;
  };
  using Request = tutti::v1::SubmitRequest;
  EXPECT_TRUE(refused([](Request& r) { (*r.mutable_labels())["commit"] = std::string(kLong, 'x'); }));
  EXPECT_TRUE(refused([](Request& r) { (*r.mutable_labels())[std::string(kLong, 'x')] = "1"; }));
  EXPECT_TRUE(refused([](Request& r) {
    for (int i = 0; i < 1000; ++i) (*r.mutable_labels())[std::to_string(i)] = "1";
  }));
  EXPECT_TRUE(refused([](Request& r) { r.set_user(std::string(kLong, 'x')); }));
  EXPECT_TRUE(refused([](Request& r) { r.set_source_name(std::string(kLong, '/')); }));
  EXPECT_TRUE(refused([](Request& r) {
    for (int i = 0; i < 2; ++i) r.add_overrides(std::string(kLong, 'x'));
  }));
  EXPECT_TRUE(refused([](Request& r) { r.set_plan(std::string(16 << 20, ' ')); }));
}

// Its errors are more than gRPC's metadata can hold.
TEST_F(HostileRequestsTest, APlanWithVeryManyErrorsIsAnInvalidArgumentAllTheSame) {
  tutti::v1::SubmitRequest request;
  std::string plan = "version: 1\nname: x\ntraffic:\n";
  for (int i = 0; i < 500; ++i)
    plan += "  - {name: \"\\e" + std::to_string(i) + "\", colour: [" + std::string(100, 'x') + "]}\n";
  request.set_plan(plan);
  const grpc::Status status = Submit(request);
  EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("more bytes"));
}

TEST_F(HostileRequestsTest, AWorkerWithAnImpossibleNameIsRefused) {
  for (const std::string& name : Names()) {
    if (name == "nobody") continue;
    SCOPED_TRACE(name.substr(0, 40));
    grpc::ClientContext context;
    const auto session = workers_->Session(&context);
    tutti::v1::WorkerMessage message;
    message.mutable_hello()->set_protocol_version(kProtocolVersion);
    message.mutable_hello()->set_name(name);
    ASSERT_TRUE(session->Write(message));
    tutti::v1::CoordinatorMessage answer;
    ASSERT_TRUE(session->Read(&answer));
    EXPECT_TRUE(answer.has_refused());
    EXPECT_LT(answer.refused().reason().size(), 300u);
    context.TryCancel();
    session->Finish();
  }
}

uint64_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  uint64_t size_pages = 0;
  uint64_t resident_pages = 0;
  file >> size_pages >> resident_pages;
  return resident_pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

TEST_F(HostileRequestsTest, TwoThousandCallsLeaveNothingBehind) {
  const auto call = [&](int at_least) {
    int calls = 0;
    while (calls < at_least) {
      for (const std::string& name : Names()) calls += CallAll(name);
    }
    return calls;
  };
  call(1000);  // every thread's arena has what it needs
  const uint64_t before = ResidentBytes();
  const int calls = call(2000);
  const uint64_t after = ResidentBytes();
  // A call in six has 64 KiB or more; all of these together would be tens of MiB.
  if (!IsWatched()) {
    EXPECT_LT(after, before + (8 << 20)) << calls << " calls";
  }
}

}  // namespace
}  // namespace tutti::integration
