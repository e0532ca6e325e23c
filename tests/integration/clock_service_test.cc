// The two ends of the UDP clock service over real sockets, on hosts whose clocks lie days apart.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "common/net/channels.h"
#include "common/sync/executor.h"
#include "common/time/clock_estimator.h"
#include "coordinator/fleet/clock_server.h"
#include "gtest/gtest.h"
#include "tests/integration/cluster.h"
#include "worker/session/clock_responder.h"

namespace tutti::integration {
namespace {

constexpr int64_t kDaysNs = 3 * 86'400'000'000'000;

class ClockServiceTest : public ::testing::Test {
 protected:
  ClockServiceTest() {
    server_ = fleet::ClockServer::Start(executor_, {net::ParseEndpoint("127.0.0.1:0").value()},
                                        SystemBracketReader::Get())
                  .value();
    token_ = OnExecutor([this] {
      return server_->Admit(
          [this](const fleet::ClockMeasurement& measurement) { measurements_.push_back(measurement); });
    });
  }
  ~ClockServiceTest() override {
    responder_.reset();
    OnExecutor([this] {
      server_.reset();
      return true;
    });
  }

  template <typename Task>
  auto OnExecutor(Task task) -> decltype(task()) {
    std::promise<decltype(task())> done;
    executor_.Post([&] { done.set_value(task()); });
    return done.get_future().get();
  }

  void StartResponder(const net::ClockToken& token) {
    session::ClockResponder::Options options;
    options.coordinator = "127.0.0.1";
    options.ports = {static_cast<uint16_t>(server_->ports().at(0))};
    options.token = token;
    responder_ = session::ClockResponder::Start(options, host_, host_).value();
  }

  // Probes until so many exchanges are complete; what there is after 5 s.
  std::vector<fleet::ClockMeasurement> Measure(size_t count) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (std::chrono::steady_clock::now() < deadline) {
      const size_t have = OnExecutor([this] {
        server_->Probe(token_);
        return measurements_.size();
      });
      if (have >= count) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return OnExecutor([this] { return measurements_; });
  }

  HostClocks host_{{.shift_ns = -kDaysNs, .wall_ns = kDaysNs / 7}};
  ThreadExecutor executor_{"test-clocks"};
  std::vector<fleet::ClockMeasurement> measurements_;  // the executor's
  std::unique_ptr<fleet::ClockServer> server_;
  std::unique_ptr<session::ClockResponder> responder_;
  net::ClockToken token_{};
};

TEST_F(ClockServiceTest, EveryExchangeHoldsTheTrueOffsetWithinItsOwnPath) {
  StartResponder(token_);
  const auto measurements = Measure(50);
  ASSERT_GE(measurements.size(), 50u);
  for (const fleet::ClockMeasurement& measurement : measurements) {
    EXPECT_EQ(measurement.stamps, fleet::ProbeStamps::kKernel);
    const ClockExchange& exchange = measurement.exchange;
    // timeline - host: at least what the way there shows, at most what the way back shows.
    const int64_t low_ns = exchange.probe_sent.ns - exchange.probe_received.ns - exchange.uncertainty_ns;
    const int64_t high_ns = exchange.reply_received.ns - exchange.reply_sent.ns + exchange.uncertainty_ns;
    EXPECT_LE(low_ns, kDaysNs);
    EXPECT_GE(high_ns, kDaysNs);
    EXPECT_LT(exchange.uncertainty_ns, 10'000);
  }
}

TEST_F(ClockServiceTest, WithAFollowUpOneProbeIsAWholeExchange) {
  StartResponder(token_);
  const size_t before = Measure(1).size();
  OnExecutor([this] { return server_->Probe(token_, true); });
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  // That of the last probe of Measure, told by this one's reply, and this one's own.
  while (OnExecutor([this] { return measurements_.size(); }) < before + 2) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST_F(ClockServiceTest, TheEstimateIsTheTrueOffsetWithinItsBound) {
  StartResponder(token_);
  FeasibleLineEstimator estimator;
  for (const fleet::ClockMeasurement& measurement : Measure(50)) estimator.Add(measurement.exchange);
  const TimelineTime now{executor_.NowNs()};
  const auto mapping = estimator.At(now);
  ASSERT_TRUE(mapping);
  const int64_t error_ns = mapping->reference_timeline().ns - mapping->reference_host().ns - kDaysNs;
  EXPECT_LE(std::llabs(error_ns), mapping->bound_ns());
  EXPECT_EQ(estimator.restarts(), 0u);
}

TEST_F(ClockServiceTest, AWorkerWithAnotherTokenIsNobody) {
  net::ClockToken wrong = token_;
  wrong[0] = static_cast<uint8_t>(~wrong[0]);
  StartResponder(wrong);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_FALSE(OnExecutor([this] { return server_->Probe(token_); }));
}

// Sends and receives by hand.
class Speaker {
 public:
  Speaker() : socket_(net::StampedSocket::Bind("127.0.0.1", 0).value()) {}

  uint16_t port() const { return socket_.port(); }
  void Say(const net::ClockDatagram& datagram, const net::DatagramPath& path) {
    EXPECT_TRUE(socket_.Send(net::EncodeClockDatagram(datagram), path).ok());
  }
  // The next datagram of this kind, and where it came from; nullopt: none within 300 ms.
  std::optional<net::ClockDatagram> Hear(net::ClockDatagramKind kind, net::DatagramPath* path = nullptr) {
    uint8_t buffer[128];
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
    while (std::chrono::steady_clock::now() < deadline) {
      if (const auto received = socket_.Receive(buffer)) {
        const auto datagram = net::DecodeClockDatagram({buffer, received->bytes});
        if (!datagram || datagram->kind != kind) continue;
        if (path != nullptr) *path = received->path;
        return datagram;
      }
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    return std::nullopt;
  }

 private:
  net::StampedSocket socket_;
};

// A worker's door, whose coordinator is spoken by hand.
class ClockResponderTest : public ::testing::Test {
 protected:
  ClockResponderTest() {
    session::ClockResponder::Options options{
        .coordinator = "127.0.0.1", .ports = {coordinator_.port()}, .token = {}};
    responder_ =
        session::ClockResponder::Start(options, SystemClock::Get(), SystemBracketReader::Get()).value();
    EXPECT_TRUE(coordinator_.Hear(net::ClockDatagramKind::kHello, &worker_));
  }
  static net::ClockDatagram Probe(uint64_t sequence) {
    return {.kind = net::ClockDatagramKind::kProbe, .token = {}, .sequence = sequence};
  }

  Speaker coordinator_;
  net::DatagramPath worker_;
  std::unique_ptr<session::ClockResponder> responder_;
};

// Every probe goes out twice, as a network or a forger may have it.
TEST_F(ClockResponderTest, ADoubledProbeIsAnsweredOnce) {
  std::vector<uint64_t> answered;
  for (const uint64_t sequence : {1u, 1u, 2u, 2u, 1u, 3u}) coordinator_.Say(Probe(sequence), worker_);
  while (const auto reply = coordinator_.Hear(net::ClockDatagramKind::kReply)) {
    answered.push_back(reply->sequence);
    if (reply->sequence == 3) break;
  }
  EXPECT_EQ(answered, (std::vector<uint64_t>{1, 2, 3}));
}

TEST_F(ClockResponderTest, AReplyTellsWhenTheOneBeforeItLeftByTheKernelsStamp) {
  for (uint64_t sequence = 1; sequence <= 20; ++sequence) {
    coordinator_.Say(Probe(sequence), worker_);
    const auto reply = coordinator_.Hear(net::ClockDatagramKind::kReply);
    ASSERT_TRUE(reply) << sequence;
    EXPECT_EQ(reply->has_sent, sequence > 1);
    EXPECT_EQ(reply->sent_by_kernel, sequence > 1);
    EXPECT_EQ(reply->sent_sequence, sequence - 1);
  }
}

TEST_F(ClockResponderTest, AFollowUpComesAtOnceIfItIsAskedFor) {
  net::ClockDatagram probe = Probe(5);
  probe.wants_follow_up = true;
  coordinator_.Say(probe, worker_);
  const auto follow_up = coordinator_.Hear(net::ClockDatagramKind::kFollowUp);
  ASSERT_TRUE(follow_up);
  EXPECT_TRUE(follow_up->has_sent);
  EXPECT_TRUE(follow_up->sent_by_kernel);
  EXPECT_EQ(follow_up->sent_sequence, 5u);
  coordinator_.Say(Probe(6), worker_);
  EXPECT_FALSE(coordinator_.Hear(net::ClockDatagramKind::kFollowUp));
}

TEST_F(ClockResponderTest, AProbeFromElsewhereIsNotHeardAlthoughItHasTheToken) {
  Speaker stranger;
  stranger.Say(Probe(7), worker_);
  EXPECT_FALSE(stranger.Hear(net::ClockDatagramKind::kReply));
  coordinator_.Say(Probe(1), worker_);
  const auto reply = coordinator_.Hear(net::ClockDatagramKind::kReply);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->sequence, 1u);
}

TEST_F(ClockResponderTest, EndsInTheMiddleOfAFlood) {
  std::atomic<bool> stop = false;
  std::thread flood([&] {
    net::ClockDatagram noise = Probe(1);
    noise.token[0] = 1;  // nobody's
    while (!stop) coordinator_.Say(noise, worker_);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  auto ended = std::async(std::launch::async, [this] { responder_.reset(); });
  EXPECT_EQ(ended.wait_for(std::chrono::seconds(5)), std::future_status::ready);
  stop = true;
  flood.join();
}

TEST_F(ClockServiceTest, AReplyFromElsewhereIsNotTakenAlthoughItHasTheToken) {
  using Kind = net::ClockDatagramKind;
  const auto server = net::PathTo("127.0.0.1", static_cast<uint16_t>(server_->ports().at(0))).value();
  Speaker worker;
  Speaker forger;
  worker.Say({.kind = Kind::kHello, .token = token_}, server);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (!OnExecutor([this] { return server_->Probe(token_); })) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  OnExecutor([this] { return server_->Probe(token_); });
  const auto answer = [&](Speaker& speaker) {
    for (const uint64_t sequence : {1u, 2u}) {
      net::ClockDatagram reply{.kind = Kind::kReply, .token = token_, .sequence = sequence};
      reply.has_received = true;
      reply.received = host_.Now();
      reply.has_sent = sequence > 1;
      reply.sent_sequence = sequence - 1;
      reply.sent = host_.Now();
      speaker.Say(reply, server);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return OnExecutor([this] { return measurements_.size(); });
  };
  EXPECT_EQ(answer(forger), 0u);
  EXPECT_EQ(answer(worker), 1u);
}

TEST(ClockServerTest, AnAddressWhosePortIsTakenIsLeftOutAndNamed) {
  const net::StampedSocket taken = net::StampedSocket::Bind("127.0.0.2", 7433).value();
  ThreadExecutor executor("test-clocks");
  const auto start = [&](const std::vector<std::string>& addresses) {
    std::vector<net::Endpoint> listen;
    for (const std::string& address : addresses) listen.push_back(net::ParseEndpoint(address).value());
    return fleet::ClockServer::Start(executor, listen, SystemBracketReader::Get());
  };
  {
    const auto server = start({"127.0.0.1:7433", "127.0.0.2:7433", "127.0.0.3:7433"}).value();
    EXPECT_EQ(server->ports(), std::vector<uint32_t>{7433});
    ASSERT_EQ(server->closed().size(), 1u);
    EXPECT_NE(server->closed()[0].find("127.0.0.2 port 7433/udp"), std::string::npos) << server->closed()[0];
  }
  const auto none = start({"127.0.0.2:7433"});
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.status().message().find("127.0.0.2 port 7433/udp"), std::string::npos) << none.status();
}

TEST_F(ClockServiceTest, ADismissedSessionIsNotProbedAndNotListenedTo) {
  StartResponder(token_);
  ASSERT_GE(Measure(5).size(), 5u);
  const size_t before = OnExecutor([this] {
    server_->Dismiss(token_);
    return measurements_.size();
  });
  EXPECT_FALSE(OnExecutor([this] { return server_->Probe(token_); }));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(OnExecutor([this] { return measurements_.size(); }), before);
}

TEST_F(ClockServiceTest, AStepOfTheWallClockGivesNoWrongExchange) {
  StartResponder(token_);
  const size_t before = Measure(20).size();
  ASSERT_GE(before, 20u);
  for (const int64_t step_ns :
       std::initializer_list<int64_t>{-3'600'000'000'000, 3'600'000'000'000, -1'000'000, 1'000'000}) {
    host_.StepWall(step_ns);
    for (int i = 0; i < 20; ++i) {
      OnExecutor([this] { return server_->Probe(token_); });
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  EXPECT_GT(OnExecutor([this] { return measurements_.size(); }), before);
  for (const fleet::ClockMeasurement& measurement : OnExecutor([this] { return measurements_; })) {
    const ClockExchange& exchange = measurement.exchange;
    EXPECT_LE(exchange.probe_sent.ns - exchange.probe_received.ns - exchange.uncertainty_ns, kDaysNs);
    EXPECT_GE(exchange.reply_received.ns - exchange.reply_sent.ns + exchange.uncertainty_ns, kDaysNs);
  }
}

}  // namespace
}  // namespace tutti::integration
