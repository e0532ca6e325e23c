#include "coordinator/results/wire_rate.h"

#include <gtest/gtest.h>

namespace tutti::results {
namespace {

namespace v1 = tutti::v1;

TEST(WireRateTest, AFullFrameIs1538BytesOnTheWire) {
  // 1472 + 8 + 20 = 1500, with preamble, header, check sequence and gap 1538.
  EXPECT_DOUBLE_EQ(WirePerPayload({v1::PROTOCOL_UDP, false, 1472, 1500, 0}).value(), 1538.0 / 1472);
  // 1448 + 12 of timestamps + 20 + 20 = 1500.
  EXPECT_DOUBLE_EQ(WirePerPayload({v1::PROTOCOL_TCP, false, 1 << 18, 1500, 1448}).value(), 1538.0 / 1448);
  EXPECT_DOUBLE_EQ(WirePerPayload({v1::PROTOCOL_TCP, true, 1 << 18, 1500, 1428}).value(), 1538.0 / 1428);
}

TEST(WireRateTest, ALimitedSegmentDoesNotFillTheMtu) {
  EXPECT_DOUBLE_EQ(WirePerPayload({v1::PROTOCOL_TCP, false, 1 << 18, 9000, 1000}).value(),
                   (1000.0 + 52 + 38) / 1000);
}

TEST(WireRateTest, OneByteMoreMakesASecondFragment) {
  // IPv4: 1481 bytes of datagram: 1480 + 20 + 38 and 1 + 20, at least 84.
  EXPECT_DOUBLE_EQ(WirePerPayload({v1::PROTOCOL_UDP, false, 1473, 1500, 0}).value(), (1538.0 + 84) / 1473);
  // IPv6 at 1472: 1480 bytes; fragments carry 1448 (1500 - 48, in units of 8): 1448 + 48 + 38 and 32 + 48
  // + 38.
  EXPECT_DOUBLE_EQ(WirePerPayload({v1::PROTOCOL_UDP, true, 1472, 1500, 0}).value(), (1534.0 + 118) / 1472);
}

TEST(WireRateTest, ShortFramesArePadded) {
  EXPECT_DOUBLE_EQ(WirePerPayload({v1::PROTOCOL_UDP, false, 1, 1500, 0}).value(), 84);
}

TEST(WireRateTest, WithoutMtuOrMssThereIsNoEstimate) {
  EXPECT_FALSE(WirePerPayload({v1::PROTOCOL_UDP, false, 1472, 0, 0}).has_value());
  EXPECT_FALSE(WirePerPayload({v1::PROTOCOL_TCP, false, 1472, 1500, 0}).has_value());
  EXPECT_FALSE(WirePerPayload({v1::PROTOCOL_TCP, false, 1472, 0, 1448}).has_value());
  EXPECT_FALSE(WirePerPayload({v1::PROTOCOL_UNSPECIFIED, false, 1472, 1500, 1448}).has_value());
}

}  // namespace
}  // namespace tutti::results
