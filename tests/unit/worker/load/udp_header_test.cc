#include "worker/load/udp_header.h"

#include <array>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tutti::load {
namespace {

using ::testing::ElementsAreArray;

TEST(UdpHeader, IsBigEndianOnTheWire) {
  std::array<unsigned char, UdpHeader::kBytes> bytes{};
  EncodeUdpHeader(
      {.nonce = 0x0102030405060708, .sequence = 0x1112131415161718, .send_trial_ns = 0x2122232425262728},
      bytes.data());
  const unsigned char want[24] = {1,    2,    3,    4,    5,    6,    7,    8,    0x11, 0x12, 0x13, 0x14,
                                  0x15, 0x16, 0x17, 0x18, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28};
  EXPECT_THAT(bytes, ElementsAreArray(want));
}

TEST(UdpHeader, ATimeBeforeTheStartKeepsItsSign) {
  std::array<unsigned char, UdpHeader::kBytes> bytes{};
  EncodeUdpHeader({.nonce = UINT64_MAX, .sequence = 0, .send_trial_ns = -2}, bytes.data());
  EXPECT_EQ(bytes[16], 0xff);
  EXPECT_EQ(bytes[23], 0xfe);
  const UdpHeader header = DecodeUdpHeader(bytes.data());
  EXPECT_EQ(header.nonce, UINT64_MAX);
  EXPECT_EQ(header.sequence, 0u);
  EXPECT_EQ(header.send_trial_ns, -2);
}

}  // namespace
}  // namespace tutti::load
