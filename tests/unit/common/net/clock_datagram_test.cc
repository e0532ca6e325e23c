#include "common/net/clock_datagram.h"

#include <vector>

#include "gtest/gtest.h"

namespace tutti::net {
namespace {

ClockDatagram FullReply() {
  ClockDatagram reply{.kind = ClockDatagramKind::kReply, .sequence = 0x0102030405060708};
  for (size_t i = 0; i < reply.token.size(); ++i) reply.token[i] = static_cast<uint8_t>(0xa0 + i);
  reply.has_received = true;
  reply.received = {-2};
  reply.received_bound_ns = 0x11223344;
  reply.has_sent = true;
  reply.sent_by_kernel = true;
  reply.sent_sequence = 0x0a0b0c0d0e0f1011;
  reply.sent = {0x2122232425262728};
  reply.sent_bound_ns = 7;
  return reply;
}

TEST(ClockDatagram, IsLaidOutAsDocumented) {
  const std::vector<uint8_t> expected = {
      't',  'C',  'K',  '1',  3,    7,    0,    0,                            // magic, kind, flags, 0
      0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7,                         // token
      0xa8, 0xa9, 0xaa, 0xab, 0xac, 0xad, 0xae, 0xaf,                         //
      1,    2,    3,    4,    5,    6,    7,    8,                            // sequence
      0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe,                         // received
      0x11, 0x22, 0x33, 0x44, 0,    0,    0,    7,                            // bounds
      0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11,                         // sent sequence
      0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28,                         // sent
      0,    0,    0,    0,    0,    0,    0,    0,    0, 0, 0, 0, 0, 0, 0, 0  // padding
  };
  const auto bytes = EncodeClockDatagram(FullReply());
  EXPECT_EQ(std::vector<uint8_t>(bytes.begin(), bytes.end()), expected);
}

TEST(ClockDatagram, ComesBackAsItWas) {
  EXPECT_EQ(DecodeClockDatagram(EncodeClockDatagram(FullReply())), FullReply());
  const ClockDatagram hello{.kind = ClockDatagramKind::kHello};
  EXPECT_EQ(DecodeClockDatagram(EncodeClockDatagram(hello)), hello);
  ClockDatagram probe{.kind = ClockDatagramKind::kProbe, .sequence = 9};
  probe.wants_follow_up = true;
  EXPECT_EQ(DecodeClockDatagram(EncodeClockDatagram(probe)), probe);
  EXPECT_EQ(EncodeClockDatagram(probe)[5], 8);
  ClockDatagram follow_up = FullReply();
  follow_up.kind = ClockDatagramKind::kFollowUp;
  EXPECT_EQ(DecodeClockDatagram(EncodeClockDatagram(follow_up)), follow_up);
}

TEST(ClockDatagram, WhatIsNotExactlyOneIsRefused) {
  const auto good = EncodeClockDatagram(FullReply());
  EXPECT_FALSE(DecodeClockDatagram({}));
  EXPECT_FALSE(DecodeClockDatagram({good.data(), good.size() - 1}));
  std::vector<uint8_t> longer(good.begin(), good.end());
  longer.push_back(0);
  EXPECT_FALSE(DecodeClockDatagram(longer));
  // A byte of the magic, the kinds beside the four, an unknown flag, the reserved bytes.
  const std::pair<size_t, uint8_t> faults[] = {{0, 'T'}, {4, 0}, {4, 5}, {5, 16}, {6, 1}, {7, 1}};
  for (const auto& [at, value] : faults) {
    auto bad = good;
    bad[at] = value;
    EXPECT_FALSE(DecodeClockDatagram(bad)) << "byte " << at << " = " << int{value};
  }
}

}  // namespace
}  // namespace tutti::net
