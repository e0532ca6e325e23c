#include "coordinator/lab/addressing.h"

#include <gtest/gtest.h>

#include <set>

#include "coordinator/lab/lab.h"

namespace tutti::lab {
namespace {

TEST(Addressing, CountsFromEleven) {
  EXPECT_EQ(HostName(1), "host1");
  EXPECT_EQ(HostIpv4(1), "10.77.0.11");
  EXPECT_EQ(HostIpv6(1), "fd74:7574:7469::b");
  EXPECT_EQ(HostLoopbackIpv4(1), "127.0.0.11");
}

TEST(Addressing, GoesOnIntoTheThirdByte) {
  EXPECT_EQ(HostIpv4(245), "10.77.0.255");
  EXPECT_EQ(HostIpv4(246), "10.77.1.0");
  EXPECT_EQ(HostIpv4(1000), "10.77.3.242");
  EXPECT_EQ(HostLoopbackIpv4(1000), "127.0.3.242");
  EXPECT_EQ(HostIpv6(1000), "fd74:7574:7469::3f2");
}

TEST(Addressing, NoTwoHostsShareAnAddressWithEachOtherOrTheBridge) {
  std::set<std::string> seen = {BridgeIpv4(), BridgeIpv6()};
  for (int index = 1; index <= kMaxHosts; ++index) {
    EXPECT_TRUE(seen.insert(HostIpv4(index)).second) << index;
    EXPECT_TRUE(seen.insert(HostIpv6(index)).second) << index;
  }
}

TEST(Addressing, ClocksAreMoreThanTwoDaysApart) {
  EXPECT_EQ(ClockOffsetNs(1), 172'801'234'567'891);
  EXPECT_EQ(ClockOffsetNs(3), 518'403'703'703'673);
}

}  // namespace
}  // namespace tutti::lab
