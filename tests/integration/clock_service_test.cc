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

// Its wall clock is set back an hour in the middle, as its brackets see it.
class SteppedBrackets final : public BracketReader {
 public:
  ClockBracket Read() const override {
    ClockBracket bracket = brackets_.Read();
    if (stepped) bracket.realtime_ns -= 3'600'000'000'000;
    return bracket;
  }
  std::atomic<bool> stepped = false;

 private:
  const ShiftedBrackets brackets_{-kDaysNs};
};

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

  void StartResponder(const net::ClockToken& token, const BracketReader& brackets) {
    session::ClockResponder::Options options;
    options.coordinator = "127.0.0.1";
    options.ports = {static_cast<uint16_t>(server_->ports().at(0))};
    options.token = token;
    responder_ = session::ClockResponder::Start(options, host_, brackets).value();
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

  const ShiftedClock host_{-kDaysNs};
  const ShiftedBrackets brackets_{-kDaysNs};
  SteppedBrackets stepping_;
  ThreadExecutor executor_{"test-clocks"};
  std::vector<fleet::ClockMeasurement> measurements_;  // the executor's
  std::unique_ptr<fleet::ClockServer> server_;
  std::unique_ptr<session::ClockResponder> responder_;
  net::ClockToken token_{};
};

TEST_F(ClockServiceTest, EveryExchangeHoldsTheTrueOffsetWithinItsOwnPath) {
  StartResponder(token_, brackets_);
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

TEST_F(ClockServiceTest, TheEstimateIsTheTrueOffsetWithinItsBound) {
  StartResponder(token_, brackets_);
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
  StartResponder(wrong, brackets_);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_FALSE(OnExecutor([this] { return server_->Probe(token_); }));
}

// A worker's door, spoken to by hand: every probe goes out twice, as a network or a forger may have it.
TEST(ClockResponderTest, ADoubledProbeIsAnsweredOnce) {
  net::StampedSocket coordinator = net::StampedSocket::Bind("127.0.0.1", 0).value();
  session::ClockResponder::Options options{
      .coordinator = "127.0.0.1", .ports = {coordinator.port()}, .token = {}};
  const auto responder =
      session::ClockResponder::Start(options, SystemClock::Get(), SystemBracketReader::Get()).value();
  const auto receive = [&](net::DatagramPath* path) -> std::optional<net::ClockDatagram> {
    uint8_t buffer[128];
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
    while (std::chrono::steady_clock::now() < deadline) {
      if (const auto received = coordinator.Receive(buffer)) {
        if (path != nullptr) *path = received->path;
        const auto datagram = net::DecodeClockDatagram({buffer, received->bytes});
        if (datagram && (path != nullptr || datagram->kind == net::ClockDatagramKind::kReply))
          return datagram;
      }
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    return std::nullopt;
  };
  net::DatagramPath worker;
  ASSERT_TRUE(receive(&worker));  // its hello
  std::vector<uint64_t> answered;
  for (const uint64_t sequence : {1u, 1u, 2u, 2u, 1u, 3u}) {
    const net::ClockDatagram probe{.kind = net::ClockDatagramKind::kProbe, .token = {}, .sequence = sequence};
    ASSERT_TRUE(coordinator.Send(net::EncodeClockDatagram(probe), worker).ok());
  }
  while (const auto reply = receive(nullptr)) {
    answered.push_back(reply->sequence);
    if (reply->sequence == 3) break;
  }
  EXPECT_EQ(answered, (std::vector<uint64_t>{1, 2, 3}));
}

TEST_F(ClockServiceTest, ADismissedSessionIsNotProbedAndNotListenedTo) {
  StartResponder(token_, brackets_);
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
  StartResponder(token_, stepping_);
  const size_t before = Measure(20).size();
  ASSERT_GE(before, 20u);
  stepping_.stepped = true;
  // The packets' stamps here are still of the old wall clock, so none of them can be placed any more.
  for (int i = 0; i < 50; ++i) {
    OnExecutor([this] { return server_->Probe(token_); });
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  for (const fleet::ClockMeasurement& measurement : OnExecutor([this] { return measurements_; })) {
    const ClockExchange& exchange = measurement.exchange;
    EXPECT_LE(exchange.probe_sent.ns - exchange.probe_received.ns - exchange.uncertainty_ns, kDaysNs);
    EXPECT_GE(exchange.reply_received.ns - exchange.reply_sent.ns + exchange.uncertainty_ns, kDaysNs);
  }
}

}  // namespace
}  // namespace tutti::integration
