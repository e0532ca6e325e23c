#include "worker/load/trial_validation.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/worker/load/two_ends.h"

namespace tutti::load {
namespace {

using ::testing::HasSubstr;

std::string Refusal(const StreamConfig& config, const TrialTiming& timing = kShort) {
  const absl::Status status = ValidateTrial({config}, timing);
  EXPECT_TRUE(status.ok() || status.code() == absl::StatusCode::kInvalidArgument) << status;
  return std::string(status.message());
}

TEST(TrialValidation, TakesTheLargestDatagramAndNoLarger) {
  EXPECT_EQ(Refusal(End(1, Side::kSend, Protocol::kUdp, 65507)), "");
  EXPECT_THAT(Refusal(End(1, Side::kSend, Protocol::kUdp, 65508)), HasSubstr("must be 1B to 65507B"));
  EXPECT_THAT(Refusal(End(4, Side::kSend, Protocol::kTcp, 0)), HasSubstr("stream 4: message size 0B"));
}

TEST(TrialValidation, RefusesZeroRateNamesAndMixedFamilies) {
  StreamConfig config = End(1, Side::kSend, Protocol::kUdp, 100);
  config.rate_bps = 0;
  EXPECT_THAT(Refusal(config), HasSubstr("rate 0 bps"));
  config = End(1, Side::kSend, Protocol::kUdp, 100);
  config.peer_address = "example.org";
  EXPECT_THAT(Refusal(config), HasSubstr("\"example.org\" is not a numeric"));
  config.peer_address = "::1";
  EXPECT_THAT(Refusal(config), HasSubstr("two address families"));
  config = End(1, Side::kReceive, Protocol::kUdp, 100);
  config.last_port = 100;
  EXPECT_THAT(Refusal(config), HasSubstr("ports 0 to 100"));
}

TEST(TrialValidation, RefusesAStreamTwiceOnOneSide) {
  const StreamConfig send = End(1, Side::kSend, Protocol::kUdp, 100);
  const StreamConfig receive = End(1, Side::kReceive, Protocol::kUdp, 100);
  EXPECT_TRUE(ValidateTrial({send, receive}, kShort).ok());
  EXPECT_FALSE(ValidateTrial({send, send}, kShort).ok());
}

TEST(TrialValidation, RefusesTimingsThatMakeNoGrid) {
  const StreamConfig config = End(1, Side::kSend, Protocol::kUdp, 100);
  EXPECT_NE(Refusal(config, {.warmup_ns = -1, .measure_ns = 1, .interval_ns = 1}), "");
  EXPECT_NE(Refusal(config, {.measure_ns = 0, .interval_ns = 1}), "");
  EXPECT_NE(Refusal(config, {.measure_ns = 1, .interval_ns = 0}), "");
  EXPECT_NE(Refusal(config, {.measure_ns = INT64_MAX, .interval_ns = 1}), "");
  EXPECT_THAT(Refusal(config, {.measure_ns = 1'000'000'000, .interval_ns = 1}),
              HasSubstr("make the interval longer"));
}

TEST(TrialValidation, RefusesWaysThatTheProtocolOrTheSizesDoNotAllow) {
  const auto refusal = [](Side side, Protocol protocol, uint64_t size, const Ways& ways) {
    StreamConfig config = End(1, side, protocol, size);
    config.ways = ways;
    return Refusal(config);
  };
  const Ways gso{.send = SendWay::kGso, .batch = 44};
  EXPECT_EQ(refusal(Side::kSend, Protocol::kUdp, 1472, gso), "");
  EXPECT_THAT(refusal(Side::kSend, Protocol::kUdp, 1489, gso), HasSubstr("44 segments of 1489B"));
  EXPECT_THAT(refusal(Side::kSend, Protocol::kUdp, 64, {.send = SendWay::kGso, .batch = 65}),
              HasSubstr("at most 64 of them"));
  EXPECT_THAT(refusal(Side::kSend, Protocol::kTcp, 64, gso), HasSubstr("send gso is UDP's"));
  EXPECT_THAT(refusal(Side::kSend, Protocol::kUdp, 64, {.send = SendWay::kSendfile}),
              HasSubstr("sendfile is TCP's"));
  EXPECT_THAT(refusal(Side::kReceive, Protocol::kTcp, 64, {.receive = ReceiveWay::kRecvmmsg}),
              HasSubstr("receive recvmmsg is UDP's"));
  EXPECT_THAT(refusal(Side::kSend, Protocol::kUdp, 64, {.batch = 0}), HasSubstr("batch 0"));
  EXPECT_THAT(refusal(Side::kSend, Protocol::kUdp, 64, {.batch = 1025}), HasSubstr("1 to 1024"));
  const Ways discard{.discard = true};
  EXPECT_EQ(refusal(Side::kReceive, Protocol::kUdp, 24, discard), "");
  EXPECT_EQ(refusal(Side::kReceive, Protocol::kTcp, 1, discard), "");
  EXPECT_THAT(refusal(Side::kReceive, Protocol::kUdp, 23, discard), HasSubstr("no payload behind a header"));
  EXPECT_THAT(refusal(Side::kReceive, Protocol::kUdp, 64, {.receive = ReceiveWay::kGro, .discard = true}),
              HasSubstr("gro's headers unread"));
}

TEST(TrialValidation, RefusesReadSizesThatAWayCannotUse) {
  StreamConfig config = End(1, Side::kReceive, Protocol::kUdp, 64);
  config.read_size_bytes = 65535;
  EXPECT_EQ(Refusal(config), "");
  config.ways.receive = ReceiveWay::kGro;
  EXPECT_THAT(Refusal(config), HasSubstr("gro needs 65536B"));
  config.ways = {.discard = true};
  EXPECT_THAT(Refusal(config), HasSubstr("discard reads the header's 24B"));
}

}  // namespace
}  // namespace tutti::load
