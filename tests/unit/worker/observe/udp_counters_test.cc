#include "worker/observe/udp_counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::observe {
namespace {

using ::testing::HasSubstr;

constexpr char kSnmp[] =
    "Tcp: RtoAlgorithm RtoMin\n"
    "Tcp: 1 200\n"
    "Udp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors\n"
    "Udp: 100 1 7 200 5 0\n"
    "UdpLite: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors\n"
    "UdpLite: 9 9 9 9 9 9\n";
constexpr char kSnmp6[] =
    "Ip6InReceives                   \t1\n"
    "Udp6InDatagrams                 \t1000\n"
    "Udp6InErrors                    \t70\n"
    "Udp6OutDatagrams                \t2000\n"
    "Udp6RcvbufErrors                \t50\n"
    "UdpLite6InDatagrams             \t9\n";

TEST(UdpCountersTest, SumsBothFamilies) {
  const auto counters = ParseUdpCounters(kSnmp, kSnmp6);
  ASSERT_TRUE(counters.ok()) << counters.status();
  EXPECT_EQ(counters->in_datagrams(), 1100u);
  EXPECT_EQ(counters->out_datagrams(), 2200u);
  EXPECT_EQ(counters->rcvbuf_errors(), 55u);
  EXPECT_EQ(counters->in_errors(), 77u);
}

TEST(UdpCountersTest, WorksWithoutIpv6) { EXPECT_EQ(ParseUdpCounters(kSnmp, "")->in_datagrams(), 100u); }

TEST(UdpCountersTest, RefusesTextsWithoutTheCounters) {
  EXPECT_FALSE(ParseUdpCounters("", "").ok());
  EXPECT_FALSE(ParseUdpCounters("Udp: InDatagrams\nUdp: 1 2\n", "").ok());
  EXPECT_FALSE(ParseUdpCounters("Udp: InDatagrams\nUdp: x\n", "").ok());
  const auto counters = ParseUdpCounters("Udp: InDatagrams\nUdp: 1\n", "");
  EXPECT_THAT(std::string(counters.status().message()), HasSubstr("OutDatagrams"));
  EXPECT_FALSE(ParseUdpCounters(kSnmp, "Udp6InDatagrams many\n").ok());
}

TEST(UdpCountersTest, ReadsThisNamespace) {
  auto reader = UdpCounterReader::Open();
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_TRUE((*reader)->Read().ok());
}

}  // namespace
}  // namespace tutti::observe
