#include "coordinator/fleet/session_service.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "common/net/channels.h"
#include "common/time/clock.h"
#include "common/version/version.h"

namespace tutti::fleet {
namespace {

using testing::HasSubstr;
using tutti::v1::CoordinatorMessage;
using tutti::v1::WorkerInfo;
using tutti::v1::WorkerMessage;

// The worker's end of a session, blocking.
class Client {
 public:
  explicit Client(const std::string& address)
      : channel_(*net::MakeChannel(*net::ParseEndpoint(address), {})),
        stub_(tutti::v1::WorkerService::NewStub(channel_)),
        stream_(stub_->Session(&context_)) {}
  ~Client() { context_.TryCancel(); }

  void SayHello(const std::string& name, uint32_t version = kProtocolVersion) {
    WorkerMessage message;
    message.mutable_hello()->set_protocol_version(version);
    message.mutable_hello()->set_name(name);
    stream_->Write(message);
  }
  // The next message that is no clock probe; probes are answered on the way.
  bool Read(CoordinatorMessage& message) {
    while (stream_->Read(&message)) {
      if (!message.has_clock_probe()) return true;
      AnswerProbe(message.clock_probe());
    }
    return false;
  }
  CoordinatorMessage ReadProbe() {
    CoordinatorMessage message;
    while (stream_->Read(&message) && !message.has_clock_probe()) {
    }
    return message;
  }
  void AnswerProbe(const tutti::v1::ClockProbe& probe) {
    WorkerMessage reply;
    reply.mutable_clock_reply()->set_sequence(probe.sequence());
    reply.mutable_clock_reply()->set_probe_sent_timeline_ns(probe.sent_timeline_ns());
    reply.mutable_clock_reply()->set_received_host_ns(SystemClock::Get().Now().ns);
    reply.mutable_clock_reply()->set_sent_host_ns(SystemClock::Get().Now().ns);
    stream_->Write(reply);
  }
  void Write(const WorkerMessage& message) { stream_->Write(message); }
  void WritesDone() { stream_->WritesDone(); }
  void HangUp() { context_.TryCancel(); }
  grpc::Status Finish() { return stream_->Finish(); }

 private:
  grpc::ClientContext context_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<tutti::v1::WorkerService::Stub> stub_;
  std::unique_ptr<grpc::ClientReaderWriter<WorkerMessage, CoordinatorMessage>> stream_;
};

class SessionServiceTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/tutti-session-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
    executor_ = std::make_unique<ThreadExecutor>("test");
    OnExecutor([this] { fleet_ = std::make_unique<Fleet>(*executor_, FleetOptions()); });
    service_ = std::make_unique<SessionService>(*executor_, *fleet_, HelloDeadlineNs());
    net::ServerOptions options;
    options.listen = {Address()};
    options.services = {service_.get()};
    auto server = net::StartServer(options);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = std::make_unique<net::Server>(*std::move(server));
  }
  void TearDown() override {
    server_->server->Shutdown(std::chrono::system_clock::now());
    server_->server->Wait();
    server_ = nullptr;
    OnExecutor([this] { fleet_ = nullptr; });
    executor_ = nullptr;
    rmdir(folder_.c_str());
  }
  virtual int64_t HelloDeadlineNs() const { return SessionService::kHelloDeadlineNs; }
  std::string Address() const { return "unix:" + folder_ + "/s"; }
  void OnExecutor(const std::function<void()>& task) {
    std::promise<void> done;
    executor_->Post([&] {
      task();
      done.set_value();
    });
    done.get_future().wait();
  }
  WorkerInfo Info() {
    WorkerInfo info;
    OnExecutor([&] {
      const auto all = fleet_->Snapshot();
      if (!all.empty()) info = all.front();
    });
    return info;
  }
  // Waits for what gRPC's threads bring about; false after 10 s.
  bool Eventually(const std::function<bool()>& holds) {
    for (int i = 0; i < 2000; ++i) {
      if (holds()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }

  std::string folder_;
  std::unique_ptr<ThreadExecutor> executor_;
  std::unique_ptr<Fleet> fleet_;
  std::unique_ptr<SessionService> service_;
  std::unique_ptr<net::Server> server_;
};

TEST_F(SessionServiceTest, AHelloIsAnsweredWithRegistered) {
  Client client(Address());
  client.SayHello("a");
  CoordinatorMessage message;
  ASSERT_TRUE(client.Read(message));
  EXPECT_EQ(message.registered().lease_ns(), 2'000'000'000);
  EXPECT_EQ(Info().name(), "a");
}

TEST_F(SessionServiceTest, ProbesAreStampedWhenTheyLeaveAndTheirRepliesGiveTheClock) {
  Client client(Address());
  client.SayHello("a");
  const int64_t before_ns = SystemClock::Get().Now().ns;
  for (int i = 0; i < 8; ++i) {
    const CoordinatorMessage message = client.ReadProbe();
    ASSERT_TRUE(message.has_clock_probe());
    EXPECT_LE(message.clock_probe().sent_timeline_ns(), SystemClock::Get().Now().ns);
    EXPECT_GT(message.clock_probe().sent_timeline_ns(), before_ns - 1'000'000'000);
    client.AnswerProbe(message.clock_probe());
  }
  ASSERT_TRUE(Eventually([&] { return Info().has_clock_offset_ns(); }));
  // One clock on both ends: the truth is 0, and the bound must hold it.
  const WorkerInfo info = Info();
  EXPECT_LE(std::abs(info.clock_offset_ns()), info.clock_bound_ns());
}

TEST_F(SessionServiceTest, ARefusalArrivesBeforeTheSessionEnds) {
  Client client(Address());
  client.SayHello("a", kProtocolVersion + 1);
  CoordinatorMessage message;
  ASSERT_TRUE(client.Read(message));
  EXPECT_THAT(message.refused().reason(), HasSubstr("install the same version"));
  EXPECT_FALSE(client.Read(message));
  EXPECT_TRUE(client.Finish().ok());
}

class ImpatientSessionServiceTest : public SessionServiceTest {
 protected:
  int64_t HelloDeadlineNs() const override { return 20'000'000; }
};

TEST_F(ImpatientSessionServiceTest, ASessionThatSaysNothingEnds) {
  Client client(Address());
  CoordinatorMessage message;
  EXPECT_FALSE(client.Read(message));
  const grpc::Status end = client.Finish();
  EXPECT_EQ(end.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_THAT(end.error_message(), HasSubstr("said nothing in time"));
}

TEST_F(SessionServiceTest, ASessionThatDoesNotBeginWithAHelloEnds) {
  Client client(Address());
  WorkerMessage first;
  first.mutable_heartbeat();
  client.Write(first);
  CoordinatorMessage message;
  EXPECT_FALSE(client.Read(message));
  EXPECT_EQ(Info().name(), "");
  const grpc::Status end = client.Finish();
  EXPECT_EQ(end.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(end.error_message(), HasSubstr("first message is no hello"));
}

TEST_F(SessionServiceTest, ASessionWithoutAReadableMessageEndsAsInvalid) {
  Client client(Address());
  client.WritesDone();
  CoordinatorMessage message;
  EXPECT_FALSE(client.Read(message));
  const grpc::Status end = client.Finish();
  EXPECT_EQ(end.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(end.error_message(), HasSubstr("before a first message that can be read"));
}

TEST_F(SessionServiceTest, AWorkerThatHangsUpIsLost) {
  Client client(Address());
  client.SayHello("a");
  CoordinatorMessage message;
  ASSERT_TRUE(client.Read(message));
  client.HangUp();
  EXPECT_TRUE(Eventually([&] { return Info().state() == WorkerInfo::STATE_LOST; }));
}

TEST_F(SessionServiceTest, MessagesArriveInOrderInBothDirections) {
  constexpr uint64_t kCount = 600;  // more than may wait unread
  class Listener final : public WorkerListener {
   public:
    void OnWorkerMessage(const std::string&, WorkerMessage message) override {
      ids.push_back(message.armed().trial_id());
      if (ids.size() == kCount) all.set_value();
    }
    void OnWorkerLost(const std::string&, const std::string&) override {}
    void OnWorkerRegistered(const std::string&) override {}
    std::vector<uint64_t> ids;
    std::promise<void> all;
  } listener;
  Client client(Address());
  client.SayHello("a");
  CoordinatorMessage message;
  ASSERT_TRUE(client.Read(message));
  OnExecutor([&] {
    fleet_->Assign({"a"}, "run-1", &listener);
    for (uint64_t id = 0; id < kCount; ++id) {
      CoordinatorMessage finish;
      finish.mutable_finish()->set_trial_id(id);
      EXPECT_TRUE(fleet_->Send("a", finish));
    }
  });
  for (uint64_t id = 0; id < kCount; ++id) {
    ASSERT_TRUE(client.Read(message));
    ASSERT_EQ(message.finish().trial_id(), id);
    WorkerMessage armed;
    armed.mutable_armed()->set_trial_id(id);
    client.Write(armed);
  }
  ASSERT_EQ(listener.all.get_future().wait_for(std::chrono::seconds(10)), std::future_status::ready);
  OnExecutor([&] {
    fleet_->Release({"a"});
    for (uint64_t id = 0; id < kCount; ++id) ASSERT_EQ(listener.ids[id], id);
  });
}

TEST_F(SessionServiceTest, AWorkerThatReadsNothingLosesItsSessionInsteadOfFillingTheMemory) {
  Client client(Address());
  client.SayHello("a");
  CoordinatorMessage message;
  ASSERT_TRUE(client.Read(message));
  OnExecutor([&] {
    CoordinatorMessage large;
    large.mutable_abort()->set_reason(std::string(16 * 1024, 'x'));
    for (int i = 0; i < 1500; ++i) fleet_->Send("a", large);
  });
  EXPECT_TRUE(Eventually([&] { return Info().state() == WorkerInfo::STATE_LOST; }));
}

}  // namespace
}  // namespace tutti::fleet
