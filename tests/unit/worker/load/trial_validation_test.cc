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

}  // namespace
}  // namespace tutti::load
