// Streams that run where their packets arrive. Over loopback that is the CPU of the peer's thread: what it
// sends is put on its own CPU's backlog and handled there (netif_rx, net/core/dev.c), unless RPS is on.
#include <algorithm>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/worker/load/two_ends.h"
#include "worker/load/cpu_pinning.h"

namespace tutti::load {
namespace {

using ::testing::HasSubstr;

constexpr TrialTiming kWithWarmup{
    .warmup_ns = 120 * kMs, .measure_ns = 110 * kMs, .cooldown_ns = 20 * kMs, .interval_ns = 50 * kMs};

const OptionOutcome* CpuOutcome(const StreamReport& report) {
  for (const OptionOutcome& option : report.options) {
    if (option.name == "cpu") return &option;
  }
  return nullptr;
}

void ExpectTogether(const StreamReport& follower, uint32_t cpu) {
  EXPECT_EQ(follower.error, "");
  EXPECT_EQ(follower.cpu, cpu);
  EXPECT_EQ(follower.rx_cpu, cpu);
  const OptionOutcome* outcome = CpuOutcome(follower);
  ASSERT_NE(outcome, nullptr);
  EXPECT_EQ(outcome->asked, "with_rx");
  EXPECT_EQ(outcome->got, std::to_string(cpu));
  EXPECT_TRUE(outcome->applied) << outcome->note;
}

TEST(WithRx, AReceiverGoesToTheCpuOfItsPackets) {
  for (const Protocol protocol : {Protocol::kTcp, Protocol::kUdp}) {
    for (const uint32_t cpu : AllowedCpus()) {
      SCOPED_TRACE(cpu);
      StreamConfig sender = End(1, Side::kSend, protocol, 1000);
      sender.cpu = cpu;
      sender.rate_bps = 8'000'000;
      StreamConfig receiver = End(1, Side::kReceive, protocol, 1000);
      receiver.with_rx = true;
      TwoEnds ends;
      ASSERT_NO_FATAL_FAILURE(ends.RunAll({sender}, {receiver}, kWithWarmup));
      ExpectTogether(ends.received.streams[0], cpu);
      EXPECT_GT(ends.received.streams[0].total_bytes, 0u);
      // A full machine may let the socket's buffer overflow.
      const uint64_t dropped_bytes = 1000 * ends.received.streams[0].socket_drops.value_or(0);
      EXPECT_EQ(ends.received.streams[0].total_bytes + dropped_bytes, ends.sent.streams[0].total_bytes);
    }
  }
}

TEST(WithRx, BothEndsOfTransactionsMayFollow) {
  for (const Protocol protocol : {Protocol::kTcp, Protocol::kUdp}) {
    const uint32_t cpu = AllowedCpus().back();
    StreamConfig client = ExchangeEnd(Side::kSend, protocol, 100, 100);
    StreamConfig server = client;
    server.side = Side::kReceive;
    (protocol == Protocol::kTcp ? client : server).with_rx = true;
    (protocol == Protocol::kTcp ? server : client).cpu = cpu;
    TwoEnds ends;
    ASSERT_NO_FATAL_FAILURE(ends.RunAll({client}, {server}, kWithWarmup));
    ExpectTogether(protocol == Protocol::kTcp ? ends.sent.streams[0] : ends.received.streams[0], cpu);
    EXPECT_GT(ends.sent.streams[0].total_messages, 0u);
  }
}

TEST(WithRx, WhereNothingArrivesNothingIsPinnedAndTheReportSaysSo) {
  StreamConfig sender = End(1, Side::kSend, Protocol::kUdp, 1000);
  sender.rate_bps = 8'000;  // one message a second: at T0, and not again in this trial
  StreamConfig receiver = End(1, Side::kReceive, Protocol::kUdp, 1000);
  receiver.with_rx = true;
  receiver.nonce = sender.nonce + 1;  // what arrives is not the stream's
  TwoEnds ends;
  ASSERT_NO_FATAL_FAILURE(ends.RunAll({sender}, {receiver}, kWithWarmup));
  const StreamReport& report = ends.received.streams[0];
  EXPECT_FALSE(report.cpu);
  EXPECT_FALSE(report.rx_cpu);
  const OptionOutcome* outcome = CpuOutcome(report);
  ASSERT_NE(outcome, nullptr);
  EXPECT_FALSE(outcome->applied);
  EXPECT_THAT(outcome->note, HasSubstr("make the warm-up longer"));
}

TEST(WithRx, IsRefusedWhereItHasNoMeaning) {
  const auto error = [](StreamConfig config, TrialTiming timing = kWithWarmup) {
    config.with_rx = true;
    const auto trial = LoadTrial::Prepare({config}, timing, SystemClock::Get());
    return trial.ok() ? std::string() : std::string(trial.status().message());
  };
  EXPECT_THAT(error(End(1, Side::kSend, Protocol::kUdp, 100)), HasSubstr("nothing arrives at this end"));
  EXPECT_EQ(error(End(1, Side::kSend, Protocol::kTcp, 100)), "");
  EXPECT_THAT(error(End(1, Side::kReceive, Protocol::kUdp, 100), kShort), HasSubstr("lasts 30ms"));
  StreamConfig in_turn = End(1, Side::kReceive, Protocol::kUdp, 100);
  in_turn.threads = ThreadChoice::kPerCpu;
  EXPECT_THAT(error(in_turn), HasSubstr("stays on its CPU"));
  StreamConfig crr = ExchangeEnd(Side::kReceive, Protocol::kTcp, 1, 1);
  crr.request_response.exchange = Exchange::kConnectRequestResponse;
  EXPECT_THAT(error(crr), HasSubstr("a connection of its own"));
}

}  // namespace
}  // namespace tutti::load
