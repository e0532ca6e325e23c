// The session over a real channel, against a coordinator in this process.
#include "worker/session/grpc_session.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/net/channels.h"
#include "common/sync/thread_annotations.h"
#include "tutti/v1/session.grpc.pb.h"

namespace tutti::session {
namespace {

// For what happens at once; only a machine that is busy otherwise, or a sanitizer, takes longer.
constexpr auto kPatience = std::chrono::seconds(60);

// Collects what the worker says; `script` is one session from the coordinator's side.
class FakeCoordinator final : public v1::WorkerService::Service {
 public:
  using Stream = grpc::ServerReaderWriter<v1::CoordinatorMessage, v1::WorkerMessage>;

  explicit FakeCoordinator(std::function<grpc::Status(Stream&)> script) : script_(std::move(script)) {
    const std::string address = "unix:/tmp/tutti-session-test-" + std::to_string(getpid()) + ".sock";
    endpoint_.is_unix = true;
    endpoint_.loopback = true;
    endpoint_.path = address.substr(5);
    endpoint_.target = address;
    unlink(endpoint_.path.c_str());
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address, grpc::InsecureServerCredentials());
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~FakeCoordinator() override {
    if (server_) server_->Shutdown(std::chrono::system_clock::now());
    unlink(endpoint_.path.c_str());
  }

  grpc::Status Session(grpc::ServerContext*, Stream* stream) override { return script_(*stream); }
  const net::Endpoint& endpoint() const { return endpoint_; }
  void Shutdown() {
    server_->Shutdown(std::chrono::system_clock::now());
    server_.reset();
  }

 private:
  const std::function<grpc::Status(Stream&)> script_;
  net::Endpoint endpoint_;
  std::unique_ptr<grpc::Server> server_;
};

v1::WorkerMessage Hello() {
  v1::WorkerMessage message;
  message.mutable_hello()->set_name("alpha");
  return message;
}

// The worker's side: opens a session and runs `on_message` on the executor.
class Client {
 public:
  using OnMessage = std::function<void(SessionStream&, const v1::CoordinatorMessage&, HostTime)>;

  Client(const net::Endpoint& endpoint, OnMessage on_message)
      : dialer_(std::make_unique<GrpcSessionDialer>(endpoint, net::ChannelOptions{}, executor_,
                                                    SystemClock::Get())) {
    executor_.Post([this, on_message] {
      SessionHandlers handlers;
      handlers.on_message = [this, on_message](const v1::CoordinatorMessage& message, HostTime received) {
        on_message(*stream_, message, received);
      };
      handlers.on_closed = [this](const absl::Status& status) { closed_.set_value(status); };
      auto stream = dialer_->Dial(std::move(handlers));
      ASSERT_TRUE(stream.ok()) << stream.status();
      stream_ = std::move(*stream);
      stream_->Send(Hello());
    });
  }
  ~Client() {
    RunOnExecutor([this] { stream_.reset(); });
    dialer_.reset();
  }

  void RunOnExecutor(std::function<void()> task) {
    std::promise<void> done;
    executor_.Post([&] {
      task();
      done.set_value();
    });
    done.get_future().wait();
  }
  SessionStream& stream() { return *stream_; }
  std::optional<absl::Status> WaitClosed(std::chrono::milliseconds patience = kPatience) {
    if (closing_.wait_for(patience) != std::future_status::ready) return std::nullopt;
    return closing_.get();
  }

 private:
  ThreadExecutor executor_{"test-executor"};
  std::unique_ptr<GrpcSessionDialer> dialer_;
  std::unique_ptr<SessionStream> stream_;
  std::promise<absl::Status> closed_;
  std::shared_future<absl::Status> closing_{closed_.get_future()};
};

TEST(GrpcSessionTest, CarriesMessagesBothWaysAndEndsInOrder) {
  std::vector<v1::WorkerMessage> heard;
  FakeCoordinator coordinator([&](FakeCoordinator::Stream& stream) {
    v1::WorkerMessage message;
    while (stream.Read(&message)) {
      heard.push_back(message);
      if (!message.has_hello()) continue;
      v1::CoordinatorMessage answer;
      answer.mutable_registered()->set_lease_ns(5);
      stream.Write(answer);
    }
    return grpc::Status::OK;
  });
  int64_t lease = 0;
  std::optional<absl::Status> closed;
  {
    Client client(coordinator.endpoint(),
                  [&](SessionStream& stream, const v1::CoordinatorMessage& message, HostTime) {
                    lease = message.registered().lease_ns();
                    v1::WorkerMessage idle;
                    idle.mutable_idle()->set_trial_id(3);
                    stream.Send(idle);
                    stream.Finish();
                    stream.Send(idle);  // too late, harmless
                  });
    closed = client.WaitClosed();
  }
  ASSERT_TRUE(closed.has_value());
  EXPECT_TRUE(closed->ok()) << *closed;
  EXPECT_EQ(lease, 5);
  ASSERT_EQ(heard.size(), 2u);
  EXPECT_EQ(heard[0].hello().name(), "alpha");
  EXPECT_EQ(heard[1].idle().trial_id(), 3u);
}

TEST(GrpcSessionTest, StampsProbesWhenTheyArriveAndRepliesWhenTheyLeave) {
  v1::ClockReply reply;
  FakeCoordinator coordinator([&](FakeCoordinator::Stream& stream) {
    v1::WorkerMessage message;
    stream.Read(&message);
    v1::CoordinatorMessage probe;
    probe.mutable_clock_probe()->set_sequence(1);
    stream.Write(probe);
    stream.Read(&message);
    reply = message.clock_reply();
    return grpc::Status::OK;
  });
  const int64_t before = SystemClock::Get().Now().ns;
  int64_t handled = 0;
  {
    Client client(coordinator.endpoint(),
                  [&](SessionStream& stream, const v1::CoordinatorMessage& message, HostTime received) {
                    handled = SystemClock::Get().Now().ns;
                    v1::WorkerMessage answer;
                    answer.mutable_clock_reply()->set_sequence(message.clock_probe().sequence());
                    answer.mutable_clock_reply()->set_received_host_ns(received.ns);
                    stream.Send(answer);
                  });
    ASSERT_TRUE(client.WaitClosed().has_value());
  }
  EXPECT_GE(reply.received_host_ns(), before);
  EXPECT_LE(reply.received_host_ns(), handled);
  EXPECT_GE(reply.sent_host_ns(), handled);
  EXPECT_LE(reply.sent_host_ns(), SystemClock::Get().Now().ns);
}

TEST(GrpcSessionTest, TellsThatNobodyListens) {
  std::optional<FakeCoordinator> coordinator;
  coordinator.emplace([](FakeCoordinator::Stream&) { return grpc::Status::OK; });
  const net::Endpoint endpoint = coordinator->endpoint();
  coordinator.reset();
  Client client(endpoint, [](SessionStream&, const v1::CoordinatorMessage&, HostTime) {});
  const auto closed = client.WaitClosed();
  ASSERT_TRUE(closed.has_value());
  EXPECT_EQ(closed->code(), absl::StatusCode::kUnavailable);
}

TEST(GrpcSessionTest, TellsThatTheCoordinatorEndedTheSession) {
  FakeCoordinator coordinator([](FakeCoordinator::Stream& stream) {
    v1::WorkerMessage message;
    stream.Read(&message);
    return grpc::Status(grpc::StatusCode::ABORTED, "enough");
  });
  Client client(coordinator.endpoint(), [](SessionStream&, const v1::CoordinatorMessage&, HostTime) {});
  const auto closed = client.WaitClosed();
  ASSERT_TRUE(closed.has_value());
  EXPECT_EQ(closed->code(), absl::StatusCode::kAborted);
}

TEST(GrpcSessionTest, CancelEndsASessionThatIsSilent) {
  FakeCoordinator coordinator([](FakeCoordinator::Stream& stream) {
    v1::WorkerMessage message;
    while (stream.Read(&message)) {
    }
    return grpc::Status::OK;
  });
  Client client(coordinator.endpoint(), [](SessionStream&, const v1::CoordinatorMessage&, HostTime) {});
  client.RunOnExecutor([&] { client.stream().Cancel(); });
  const auto closed = client.WaitClosed();
  ASSERT_TRUE(closed.has_value());
  EXPECT_EQ(closed->code(), absl::StatusCode::kCancelled);
}

TEST(GrpcSessionTest, ACoordinatorThatDoesNotReadEndsTheSessionBeforeMemoryDoes) {
  std::promise<void> leave;
  auto left = leave.get_future().share();
  FakeCoordinator coordinator([left](FakeCoordinator::Stream&) {
    left.wait_for(kPatience);
    return grpc::Status::OK;
  });
  Client client(coordinator.endpoint(), [](SessionStream&, const v1::CoordinatorMessage&, HostTime) {});
  // How much the connection swallows first is gRPC's affair.
  std::optional<absl::Status> closed;
  for (int round = 0; round < 100 && !closed; ++round) {
    client.RunOnExecutor([&] {
      for (int i = 0; i < 1000; ++i) {
        v1::WorkerMessage message;
        message.mutable_failed()->set_reason(std::string(1'000, 'x'));
        client.stream().Send(std::move(message));
      }
    });
    closed = client.WaitClosed(std::chrono::milliseconds(20));
  }
  if (!closed) closed = client.WaitClosed();
  leave.set_value();
  ASSERT_TRUE(closed.has_value());
  EXPECT_EQ(closed->code(), absl::StatusCode::kResourceExhausted);
}

TEST(GrpcSessionTest, RefusesPlainTextBeyondLoopback) {
  ThreadExecutor executor("test-executor");
  const auto endpoint = net::ParseEndpoint("192.0.2.1:7117");
  ASSERT_TRUE(endpoint.ok());
  GrpcSessionDialer dialer(*endpoint, net::ChannelOptions{}, executor, SystemClock::Get());
  EXPECT_EQ(dialer.Dial({}).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(GrpcSessionTest, KnowsBothAddressesOfTheWayToTheCoordinator) {
  ThreadExecutor executor("test-executor");
  const auto endpoint = net::ParseEndpoint("127.0.0.1:7117");
  ASSERT_TRUE(endpoint.ok());
  GrpcSessionDialer dialer(*endpoint, net::ChannelOptions{}, executor, SystemClock::Get());
  EXPECT_EQ(dialer.FindControlPath().own_address, "127.0.0.1");
  EXPECT_EQ(dialer.FindControlPath().coordinator_address, "127.0.0.1");
  net::Endpoint socket;
  socket.is_unix = true;
  GrpcSessionDialer over_socket(socket, net::ChannelOptions{}, executor, SystemClock::Get());
  EXPECT_EQ(over_socket.FindControlPath().own_address, "");
  EXPECT_EQ(over_socket.FindControlPath().coordinator_address, "");
}

}  // namespace
}  // namespace tutti::session
