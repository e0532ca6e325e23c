// Streams of a fixed volume end by themselves, and their receivers know when they had all of it.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/worker/load/two_ends.h"

namespace tutti::load {
namespace {

StreamConfig VolumeEnd(Side side, Protocol protocol, uint64_t message_size_bytes, uint64_t volume_bytes) {
  StreamConfig config = End(1, side, protocol, message_size_bytes);
  config.volume_bytes = volume_bytes;
  return config;
}

void RunVolume(TwoEnds& ends, StreamConfig sender) {
  StreamConfig receiver = sender;
  receiver.side = Side::kReceive;
  receiver.rate_bps.reset();
  receiver.ways.send = SendWay::kWrite;
  ends.RunAll({sender}, {receiver});
}

TEST(Volume, TcpSendsExactlySoManyBytesAndThenEnds) {
  for (const uint64_t message : {uint64_t{4096}, uint64_t{131072}, uint64_t{5'000'000}}) {
    TwoEnds ends;
    ASSERT_NO_FATAL_FAILURE(RunVolume(ends, VolumeEnd(Side::kSend, Protocol::kTcp, message, 1'000'003)));
    const StreamReport& sent = ends.sent.streams[0];
    const StreamReport& received = ends.received.streams[0];
    EXPECT_EQ(sent.error, "");
    EXPECT_EQ(sent.total_bytes, 1'000'003u);
    EXPECT_EQ(sent.total_messages, (1'000'003 + message - 1) / message);
    EXPECT_EQ(received.total_bytes, 1'000'003u);
    EXPECT_TRUE(received.drained);
    ASSERT_TRUE(received.completed_trial_ns);
    EXPECT_EQ(received.completed_trial_ns, received.last_receive_trial_ns);
    EXPECT_GE(*received.completed_trial_ns, *sent.first_send_before_trial_ns);
    EXPECT_FALSE(sent.completed_trial_ns);
    // Fewer messages than make a steady start: the last one is it.
    EXPECT_TRUE(sent.running_trial_ns);
  }
}

TEST(Volume, UdpSendsWholeMessages) {
  for (const SendWay way : {SendWay::kWrite, SendWay::kSendmmsg}) {
    StreamConfig sender = VolumeEnd(Side::kSend, Protocol::kUdp, 1000, 50'500);
    sender.ways.send = way;
    sender.ways.batch = way == SendWay::kWrite ? 1 : 32;
    TwoEnds ends;
    ASSERT_NO_FATAL_FAILURE(RunVolume(ends, sender));
    EXPECT_EQ(ends.sent.streams[0].total_messages, 51u);
    EXPECT_EQ(ends.sent.streams[0].total_bytes, 51'000u);
    // 51 datagrams, some 2.3 kB each in the kernel, fit into a socket's default buffer, so that none is lost.
    EXPECT_EQ(ends.received.streams[0].total_bytes, 51'000u);
    EXPECT_TRUE(ends.received.streams[0].completed_trial_ns);
  }
}

// 100 kB at 8 Mbps are 100 messages, one each ms: the last one is due 99 ms after T0.
TEST(Volume, APacedOneIsCompleteWhenItsRateSaysSo) {
  for (const Protocol protocol : {Protocol::kTcp, Protocol::kUdp}) {
    StreamConfig sender = VolumeEnd(Side::kSend, protocol, 1000, 100'000);
    sender.rate_bps = 8'000'000;
    TwoEnds ends;
    ASSERT_NO_FATAL_FAILURE(RunVolume(ends, sender));
    ASSERT_TRUE(ends.received.streams[0].completed_trial_ns);
    EXPECT_GE(*ends.received.streams[0].completed_trial_ns, 99 * kMs);
    EXPECT_LT(*ends.received.streams[0].completed_trial_ns, 150 * kMs);
    EXPECT_LT(*ends.sent.streams[0].last_send_trial_ns, 150 * kMs);
  }
}

TEST(Volume, OneThatTheTrialIsTooShortForIsNotComplete) {
  StreamConfig sender = VolumeEnd(Side::kSend, Protocol::kUdp, 1000, 1'000'000);
  sender.rate_bps = 8'000'000;  // takes 1 s
  TwoEnds ends;
  ASSERT_NO_FATAL_FAILURE(RunVolume(ends, sender));
  EXPECT_FALSE(ends.received.streams[0].completed_trial_ns);
  EXPECT_LT(ends.sent.streams[0].total_bytes, 1'000'000u);
}

TEST(Volume, WithoutOneNothingIsEverComplete) {
  TwoEnds ends;
  ASSERT_NO_FATAL_FAILURE(ends.RunAll({End(1, Side::kSend, Protocol::kTcp, 65536)},
                                      {End(1, Side::kReceive, Protocol::kTcp, 65536)}));
  EXPECT_FALSE(ends.received.streams[0].completed_trial_ns);
}

}  // namespace
}  // namespace tutti::load
