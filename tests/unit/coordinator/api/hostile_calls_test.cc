// Every rpc that a client may call, and so every one that is added, with everything that nobody should send.
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "coordinator/api/coordinator_server.h"
#include "tests/unit/coordinator/api/http/process_use.h"
#include "tests/unit/coordinator/api/silent_worker.h"
#include "tutti/v1/service.pb.h"
#include "tutti/v1/store.pb.h"

namespace tutti::api {
namespace {

namespace v1 = tutti::v1;

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::MethodDescriptor;
using google::protobuf::ServiceDescriptor;
using grpc::StatusCode;
using testing::AnyOf;

constexpr size_t kLong = 64 * 1024;
constexpr size_t kLongestId = 256;

// What a rpc does with its request, which decides how it refuses one.
enum class Kind {
  kLooksUp,    // a run by run_id, or a worker by name
  kTakesPlan,  // and nothing but a right one
  kValidates,  // a plan: what is wrong with it is the answer
  kListsRuns,
  kLists,
  kWatchesFleet,
};

const std::map<std::string, Kind>& Kinds() {
  static const auto& kinds = *new std::map<std::string, Kind>{
      {"RunService/Submit", Kind::kTakesPlan},
      {"RunService/Watch", Kind::kLooksUp},
      {"RunService/Cancel", Kind::kLooksUp},
      {"RunService/GetResult", Kind::kLooksUp},
      {"RunService/GetRun", Kind::kLooksUp},
      {"RunService/WhyNot", Kind::kLooksUp},
      {"RunService/ValidatePlan", Kind::kValidates},
      {"RunService/DryRun", Kind::kTakesPlan},
      {"RunService/ListEvents", Kind::kLooksUp},
      {"FleetService/ListWorkers", Kind::kLists},
      {"FleetService/GetWorker", Kind::kLooksUp},
      {"FleetService/DrainWorker", Kind::kLooksUp},
      {"FleetService/UndrainWorker", Kind::kLooksUp},
      {"FleetService/ForgetWorker", Kind::kLooksUp},
      {"FleetService/WatchFleet", Kind::kWatchesFleet},
      {"ResultService/ListRuns", Kind::kListsRuns},
      {"ResultService/DeleteRun", Kind::kLooksUp},
  };
  return kinds;
}

std::string ShortName(const MethodDescriptor& method) {
  return method.service()->name() + "/" + method.name();
}

std::vector<const MethodDescriptor*> AllMethods() {
  std::vector<const MethodDescriptor*> methods;
  for (const google::protobuf::FileDescriptor* file :
       {v1::SubmitRequest::descriptor()->file(), v1::ListRunsRequest::descriptor()->file()}) {
    for (int i = 0; i < file->service_count(); ++i) {
      const ServiceDescriptor& service = *file->service(i);
      for (int j = 0; j < service.method_count(); ++j) methods.push_back(service.method(j));
    }
  }
  return methods;
}

std::vector<const MethodDescriptor*> MethodsOf(Kind kind) {
  std::vector<const MethodDescriptor*> methods;
  for (const MethodDescriptor* method : AllMethods()) {
    const auto found = Kinds().find(ShortName(*method));
    if (found != Kinds().end() && found->second == kind) methods.push_back(method);
  }
  return methods;
}

std::unique_ptr<Message> NewRequest(const MethodDescriptor& method) {
  return std::unique_ptr<Message>(
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(method.input_type())->New());
}

void SetText(Message& message, const std::string& field, const std::string& text) {
  const FieldDescriptor* found = message.GetDescriptor()->FindFieldByName(field);
  ASSERT_NE(found, nullptr) << message.GetTypeName() << "." << field;
  if (found->is_repeated()) {
    message.GetReflection()->AddString(&message, found, text);
  } else {
    message.GetReflection()->SetString(&message, found, text);
  }
}

// The field by which a request of kLooksUp names what it is about.
std::string KeyOf(const MethodDescriptor& method) {
  return method.input_type()->FindFieldByName("run_id") != nullptr ? "run_id" : "name";
}

std::vector<std::string> HostileNames() {
  std::string umlauts;
  for (int i = 0; i < 100; ++i) umlauts += "\xC3\xBC";
  return {
      "",
      "nobody",
      "../../../etc/passwd",
      "/etc/passwd",
      "' OR 1=1; DROP TABLE runs; --",
      "%",
      "*",
      std::string("a\0b", 3),
      "\x1B[2J\x07",
      "a\r\nb: c",
      "\xE2\x80\xAE",  // from here on right to left
      umlauts,
      umlauts + umlauts,
      std::string(kLongestId, 'x'),
      std::string(kLongestId + 1, 'x'),
      std::string(kLong, 'x'),
      std::string(kLong, '\n'),
  };
}

class HostileCallsTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "tutti-calls.XXXXXX").string();
    folder_ = mkdtemp(name.data());
    CoordinatorOptions options;
    options.listen = {"unix:" + folder_ + "/s"};
    options.state_dir = folder_ + "/kept";
    auto server = CoordinatorServer::Start(options);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    const auto channel = net::MakeChannel(server_->bound()[0], {});
    ASSERT_TRUE(channel.ok()) << channel.status();
    channel_ = *channel;
    stub_ = std::make_unique<grpc::GenericStub>(channel_);
  }
  void TearDown() override {
    stub_ = nullptr;
    channel_ = nullptr;
    server_ = nullptr;
    std::filesystem::remove_all(folder_);
  }

  // One call with these bytes as its request; what comes is dropped, but for the first message.
  grpc::Status CallWith(const MethodDescriptor& method, const std::string& request,
                        std::string* answer = nullptr,
                        std::chrono::milliseconds patience = std::chrono::seconds(20)) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + patience);
    grpc::CompletionQueue queue;
    const auto wait = [&queue] {
      void* tag = nullptr;
      bool ok = false;
      return queue.Next(&tag, &ok) && ok;
    };
    const auto call =
        stub_->PrepareCall(&context, "/" + method.service()->full_name() + "/" + method.name(), &queue);
    call->StartCall(nullptr);
    wait();
    const grpc::Slice slice(request);
    call->WriteLast(grpc::ByteBuffer(&slice, 1), grpc::WriteOptions(), nullptr);
    wait();
    bool first = true;
    while (true) {
      grpc::ByteBuffer buffer;
      call->Read(&buffer, nullptr);
      if (!wait()) break;
      grpc::Slice whole;
      if (first && answer != nullptr && buffer.DumpToSingleSlice(&whole).ok()) {
        answer->assign(reinterpret_cast<const char*>(whole.begin()), whole.size());
      }
      first = false;
    }
    grpc::Status status;
    call->Finish(&status, nullptr);
    wait();
    queue.Shutdown();
    while (wait()) {
    }
    return status;
  }
  grpc::Status Call(const MethodDescriptor& method, const Message& request, std::string* answer = nullptr) {
    return CallWith(method, request.SerializeAsString(), answer);
  }
  const MethodDescriptor& Method(const std::string& name) {
    for (const MethodDescriptor* method : AllMethods()) {
      if (ShortName(*method) == name) return *method;
    }
    ADD_FAILURE() << name;
    return *AllMethods().front();
  }
  StatusCode Submit(const v1::SubmitRequest& request) {
    return Call(Method("RunService/Submit"), request).error_code();
  }
  StatusCode ListRuns(const v1::ListRunsRequest& request) {
    return Call(Method("ResultService/ListRuns"), request).error_code();
  }
  size_t CountRuns() {
    std::string bytes;
    EXPECT_TRUE(Call(Method("ResultService/ListRuns"), v1::ListRunsRequest(), &bytes).ok());
    v1::ListRunsResponse response;
    EXPECT_TRUE(response.ParseFromString(bytes));
    return static_cast<size_t>(response.runs_size());
  }
  size_t CountWorkers() {
    std::string bytes;
    EXPECT_TRUE(Call(Method("FleetService/ListWorkers"), v1::ListWorkersRequest(), &bytes).ok());
    v1::ListWorkersResponse response;
    EXPECT_TRUE(response.ParseFromString(bytes));
    return static_cast<size_t>(response.workers_size());
  }

  std::string folder_;
  std::unique_ptr<CoordinatorServer> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<grpc::GenericStub> stub_;
};

TEST_F(HostileCallsTest, EveryRpcIsKnownHere) {
  size_t known = 0;
  for (const MethodDescriptor* method : AllMethods()) {
    EXPECT_TRUE(Kinds().contains(ShortName(*method)))
        << ShortName(*method) << " is new: add its line to Kinds, and what is hostile to it below";
    EXPECT_FALSE(method->client_streaming()) << ShortName(*method);
    ++known;
  }
  EXPECT_EQ(known, Kinds().size());
}

TEST_F(HostileCallsTest, WhatNobodyHasIsNotFoundAndWhatNobodyCanHaveIsRefused) {
  for (const MethodDescriptor* method : MethodsOf(Kind::kLooksUp)) {
    for (const std::string& name : HostileNames()) {
      SCOPED_TRACE(ShortName(*method) + ": " + std::to_string(name.size()) + " bytes " + name.substr(0, 30));
      const std::unique_ptr<Message> request = NewRequest(*method);
      SetText(*request, KeyOf(*method), name);
      const grpc::Status status = Call(*method, *request);
      EXPECT_EQ(status.error_code(),
                name.size() > kLongestId ? StatusCode::INVALID_ARGUMENT : StatusCode::NOT_FOUND)
          << status.error_message().substr(0, 200);
      EXPECT_LT(status.error_message().size(), 2000u);
    }
  }
}

TEST_F(HostileCallsTest, BytesThatAreNoRequestAreRefused) {
  const std::string junk[] = {
      "\xFF\xFF\xFF\xFF",
      std::string(kLong, '\xFF'),
      std::string("\x0A\xFF\xFF\xFF\xFF\x0F", 6),  // a first field of 4 GiB
      std::string("\x0A\x02\xC0\xAE", 4),          // one that is no UTF-8
      std::string("\x0A\x01", 2),                  // one that ends too early
  };
  for (const MethodDescriptor* method : AllMethods()) {
    // Where the first field is no text, these may be fields that nobody knows.
    const FieldDescriptor* first = method->input_type()->FindFieldByNumber(1);
    if (first == nullptr || first->type() != FieldDescriptor::TYPE_STRING) continue;
    for (const std::string& bytes : junk) {
      SCOPED_TRACE(ShortName(*method));
      // gRPC's own answers: it depends on its version which.
      EXPECT_THAT(CallWith(*method, bytes).error_code(),
                  AnyOf(StatusCode::INTERNAL, StatusCode::UNIMPLEMENTED));
    }
  }
  EXPECT_EQ(CountRuns(), 0u);
}

TEST_F(HostileCallsTest, PlansThatAreNoneAreRefusedAndValidatedAsWrong) {
  for (const std::string& text : HostileNames()) {
    SCOPED_TRACE(text.substr(0, 30));
    for (const MethodDescriptor* method : MethodsOf(Kind::kTakesPlan)) {
      const std::unique_ptr<Message> request = NewRequest(*method);
      SetText(*request, "plan", text);
      EXPECT_EQ(Call(*method, *request).error_code(), StatusCode::INVALID_ARGUMENT) << ShortName(*method);
    }
    for (const MethodDescriptor* method : MethodsOf(Kind::kValidates)) {
      const std::unique_ptr<Message> request = NewRequest(*method);
      SetText(*request, "plan", text);
      std::string bytes;
      EXPECT_TRUE(Call(*method, *request, &bytes).ok());
      v1::ValidatePlanResponse response;
      ASSERT_TRUE(response.ParseFromString(bytes));
      EXPECT_FALSE(response.valid());
      EXPECT_GT(response.errors_size(), 0);
    }
  }
}

TEST_F(HostileCallsTest, PlansThatAreTooLargeAreRefusedByAllWhoTakeOne) {
  for (const Kind kind : {Kind::kTakesPlan, Kind::kValidates}) {
    for (const MethodDescriptor* method : MethodsOf(kind)) {
      SCOPED_TRACE(ShortName(*method));
      const auto refused = [&](const std::string& field, const std::string& text) {
        const std::unique_ptr<Message> request = NewRequest(*method);
        SetText(*request, "plan", kPlan);
        SetText(*request, field, text);
        return Call(*method, *request).error_code();
      };
      EXPECT_EQ(refused("plan", std::string(100 << 20, ' ')), StatusCode::INVALID_ARGUMENT);
      EXPECT_EQ(refused("source_name", std::string(kLong, '/')), StatusCode::INVALID_ARGUMENT);
      EXPECT_EQ(refused("overrides", std::string(kLong + 1, 'x')), StatusCode::INVALID_ARGUMENT);
    }
  }
}

TEST_F(HostileCallsTest, SubmissionsWithWrongLabelsKeysAndWaitsAreRefused) {
  v1::SubmitRequest honest;
  honest.set_plan(kPlan);
  ASSERT_EQ(Submit(honest), StatusCode::FAILED_PRECONDITION);  // there is no worker
  for (const auto spoil : std::vector<void (*)(v1::SubmitRequest&)>{
           [](v1::SubmitRequest& r) { (*r.mutable_labels())["commit"] = std::string(kLong, 'x'); },
           [](v1::SubmitRequest& r) { (*r.mutable_labels())[std::string(kLong, 'x')] = "1"; },
           [](v1::SubmitRequest& r) { (*r.mutable_labels())[""] = "1"; },
           [](v1::SubmitRequest& r) {
             for (int i = 0; i < 1000; ++i) (*r.mutable_labels())[std::to_string(i)] = "1";
           },
           [](v1::SubmitRequest& r) { r.set_user(std::string(kLong, 'x')); },
           [](v1::SubmitRequest& r) { r.set_idempotency_key(std::string(kLong, 'x')); },
           [](v1::SubmitRequest& r) { r.set_idempotency_key("a\nb"); },
           [](v1::SubmitRequest& r) { r.set_idempotency_key(std::string("a\0b", 3)); },
           [](v1::SubmitRequest& r) { r.set_max_wait_ns(-1); },
           [](v1::SubmitRequest& r) { r.set_max_wait_ns(INT64_MIN); },
           [](v1::SubmitRequest& r) { r.set_max_wait_ns(INT64_MAX); },
           [](v1::SubmitRequest& r) { r.add_overrides("no value"); },
           [](v1::SubmitRequest& r) { r.add_overrides("../../x=1"); }}) {
    v1::SubmitRequest request = honest;
    spoil(request);
    EXPECT_EQ(Submit(request), StatusCode::INVALID_ARGUMENT) << request.ShortDebugString().substr(0, 400);
  }
  EXPECT_EQ(CountRuns(), 0u);
}

TEST_F(HostileCallsTest, ListsTakeNumbersThatAreOddAndRefuseTokensThatAreNone) {
  for (const auto fill : std::vector<void (*)(v1::ListRunsRequest&)>{
           [](v1::ListRunsRequest& r) { r.set_status(static_cast<v1::RunStatus>(9999)); },
           [](v1::ListRunsRequest& r) { r.set_status(static_cast<v1::RunStatus>(-1)); },
           [](v1::ListRunsRequest& r) { r.set_page_runs(UINT32_MAX); },
           [](v1::ListRunsRequest& r) { r.set_since_unix_ns(INT64_MAX); },
           [](v1::ListRunsRequest& r) { r.set_until_unix_ns(INT64_MIN); },
           [](v1::ListRunsRequest& r) { r.set_kernel("[?*[!]*-\\%_"); },
           [](v1::ListRunsRequest& r) { r.set_page_token("9223372036854775807"); }}) {
    v1::ListRunsRequest request;
    fill(request);
    EXPECT_EQ(ListRuns(request), StatusCode::OK) << request.ShortDebugString();
  }
  for (const char* token : {"-1", "0", "1x", " 1", "+1", "01", "1.0", "99999999999999999999", "x"}) {
    v1::ListRunsRequest request;
    request.set_page_token(token);
    EXPECT_EQ(ListRuns(request), StatusCode::INVALID_ARGUMENT) << token;
  }
  for (const auto fill : std::vector<void (*)(v1::ListRunsRequest&)>{
           [](v1::ListRunsRequest& r) { r.set_text(std::string(kLong, 'x')); },
           [](v1::ListRunsRequest& r) { r.set_plan_name(std::string(kLong, 'x')); },
           [](v1::ListRunsRequest& r) { r.set_host(std::string(kLong, 'x')); },
           [](v1::ListRunsRequest& r) { r.set_fingerprint(std::string(kLong, 'x')); },
           [](v1::ListRunsRequest& r) { r.set_kernel(std::string(kLong, '*')); },
           [](v1::ListRunsRequest& r) { r.set_page_token(std::string(kLong, '1')); },
           [](v1::ListRunsRequest& r) { (*r.mutable_labels())["k"] = std::string(kLong, 'x'); },
           [](v1::ListRunsRequest& r) {
             for (int i = 0; i < 1000; ++i) (*r.mutable_labels())[std::to_string(i)] = "x";
           }}) {
    v1::ListRunsRequest request;
    fill(request);
    EXPECT_EQ(ListRuns(request), StatusCode::INVALID_ARGUMENT) << request.ShortDebugString().substr(0, 200);
  }
}

TEST_F(HostileCallsTest, DrainsWithTextsThatNoLineHoldsAreRefused) {
  const SilentWorker a(channel_, "a");
  ASSERT_TRUE(a.registered());
  v1::ForgetWorkerRequest forget;
  forget.set_name("a");
  EXPECT_EQ(Call(Method("FleetService/ForgetWorker"), forget).error_code(), StatusCode::FAILED_PRECONDITION);
  for (const char* field : {"reason", "user"}) {
    for (const std::string& text :
         {std::string(kLong, 'x'), std::string("a\nb"), std::string("\x1B[2J"), std::string("a\0b", 3)}) {
      v1::DrainWorkerRequest request;
      request.set_name("a");
      SetText(request, field, text);
      EXPECT_EQ(Call(Method("FleetService/DrainWorker"), request).error_code(), StatusCode::INVALID_ARGUMENT)
          << field << " " << text.substr(0, 20);
    }
  }
}

TEST_F(HostileCallsTest, AWatcherOfTheFleetWithANumberThatWasNeverGivenWaitsLikeAnother) {
  v1::WatchFleetRequest request;
  request.set_after_sequence(UINT64_MAX);
  const grpc::Status status = CallWith(Method("FleetService/WatchFleet"), request.SerializeAsString(),
                                       nullptr, std::chrono::milliseconds(300));
  EXPECT_EQ(status.error_code(), StatusCode::DEADLINE_EXCEEDED);
}

TEST_F(HostileCallsTest, ARunThatWasDeletedIsNotFoundByAnybody) {
  const SilentWorker a(channel_, "a");
  const SilentWorker b(channel_, "b");
  v1::SubmitRequest submit;
  submit.set_plan(kPlan);
  std::string bytes;
  ASSERT_TRUE(Call(Method("RunService/Submit"), submit, &bytes).ok());
  v1::SubmitResponse submitted;
  ASSERT_TRUE(submitted.ParseFromString(bytes));
  const std::string& id = submitted.run_id();

  // A number that the run has not given yet is no place to go on from.
  v1::WatchRequest watch;
  watch.set_run_id(id);
  watch.set_after_sequence(UINT64_MAX);
  EXPECT_EQ(Call(Method("RunService/Watch"), watch).error_code(), StatusCode::INVALID_ARGUMENT);

  v1::CancelRequest cancel;
  cancel.set_run_id(id);
  ASSERT_TRUE(Call(Method("RunService/Cancel"), cancel).ok());
  v1::DeleteRunRequest removal;
  removal.set_run_id(id);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  grpc::Status removed;
  do {
    removed = Call(Method("ResultService/DeleteRun"), removal);
    if (removed.ok()) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  } while (removed.error_code() == StatusCode::FAILED_PRECONDITION &&
           std::chrono::steady_clock::now() < deadline);
  ASSERT_TRUE(removed.ok()) << removed.error_message();
  for (const MethodDescriptor* method : MethodsOf(Kind::kLooksUp)) {
    if (KeyOf(*method) != "run_id") continue;
    const std::unique_ptr<Message> request = NewRequest(*method);
    SetText(*request, "run_id", id);
    EXPECT_EQ(Call(*method, *request).error_code(), StatusCode::NOT_FOUND) << ShortName(*method);
  }
  EXPECT_EQ(CountRuns(), 0u);
}

TEST_F(HostileCallsTest, NothingIsLeftOfCallsThatWereRefused) {
  const auto call_all = [&] {
    for (const MethodDescriptor* method : AllMethods()) {
      if (Kinds().at(ShortName(*method)) == Kind::kWatchesFleet) continue;
      for (const std::string& name : HostileNames()) {
        const std::unique_ptr<Message> request = NewRequest(*method);
        for (int i = 0; i < method->input_type()->field_count(); ++i) {
          const FieldDescriptor& field = *method->input_type()->field(i);
          if (field.type() == FieldDescriptor::TYPE_STRING) SetText(*request, field.name(), name);
        }
        Call(*method, *request);
      }
    }
  };
  call_all();  // what is opened once is open now
  const size_t files = http::OpenFiles();
  for (int i = 0; i < 3; ++i) call_all();
  EXPECT_TRUE(http::ComesDownTo(files)) << http::OpenFiles() << " files are open, " << files << " were";
  EXPECT_EQ(CountRuns(), 0u);
  EXPECT_EQ(CountWorkers(), 0u);
}

}  // namespace
}  // namespace tutti::api
