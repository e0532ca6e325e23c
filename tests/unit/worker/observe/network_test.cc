// Against the kernel of the machine that the tests run on: only loopback is taken for granted.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "worker/observe/addresses.h"
#include "worker/observe/links.h"
#include "worker/observe/qdiscs.h"
#include "worker/observe/route_lookup.h"

namespace tutti::observe {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(LinksTest, ListLoopbackWithoutHardwareBehindIt) {
  const auto links = ListLinks();
  ASSERT_TRUE(links.ok()) << links.status();
  const auto lo =
      std::find_if(links->begin(), links->end(), [](const Link& link) { return link.name == "lo"; });
  ASSERT_NE(lo, links->end());
  EXPECT_GT(lo->mtu_bytes, 0u);
  EXPECT_EQ(lo->hardware_address, "00:00:00:00:00:00");
  EXPECT_EQ(lo->kind, "");
  EXPECT_EQ(lo->parent_name, "");
  EXPECT_EQ(lo->rx_queues, 1u);
  EXPECT_EQ(lo->tx_queues, 1u);
  EXPECT_TRUE(lo->gso_max_size_bytes.has_value());
}

uint64_t LoopbackTxBytes() {
  const auto counters = ReadDeviceCounters();
  if (!counters.ok()) return 0;
  for (const v1::DeviceCounters& each : *counters) {
    if (each.device() == "lo") return each.tx_bytes();
  }
  return 0;
}

TEST(DeviceCountersTest, CountWhatIsSent) {
  const uint64_t before = LoopbackTxBytes();
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  ASSERT_GE(fd, 0);
  sockaddr_in own{};
  own.sin_family = AF_INET;
  own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(own);
  ASSERT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&own), size), 0);
  ASSERT_EQ(getsockname(fd, reinterpret_cast<sockaddr*>(&own), &size), 0);
  const std::string payload(1000, 'x');
  ASSERT_EQ(sendto(fd, payload.data(), payload.size(), 0, reinterpret_cast<sockaddr*>(&own), size), 1000);
  close(fd);
  EXPECT_GE(LoopbackTxBytes(), before + 1000 + 28 /* IPv4 and UDP headers */);
}

TEST(QdiscCountersTest, ListTheRootOfLoopback) {
  const auto qdiscs = ReadQdiscCounters();
  ASSERT_TRUE(qdiscs.ok()) << qdiscs.status();
  const auto lo = std::find_if(qdiscs->begin(), qdiscs->end(),
                               [](const v1::QdiscCounters& qdisc) { return qdisc.device() == "lo"; });
  ASSERT_NE(lo, qdiscs->end());
  EXPECT_NE(lo->kind(), "");
  EXPECT_EQ(lo->parent(), 0xffffffffu);
}

TEST(AddressesTest, ListLoopbackAsSuch) {
  const auto links = ListLinks();
  ASSERT_TRUE(links.ok());
  const auto addresses = ListAddresses(*links);
  ASSERT_TRUE(addresses.ok()) << addresses.status();
  const auto found = std::find_if(addresses->begin(), addresses->end(),
                                  [](const v1::HostAddress& each) { return each.address() == "127.0.0.1"; });
  ASSERT_NE(found, addresses->end());
  EXPECT_EQ(found->device(), "lo");
  EXPECT_EQ(found->prefix_length(), 8u);
  EXPECT_TRUE(found->loopback());
  EXPECT_FALSE(found->link_local());
}

TEST(RouteLookupTest, FindsLoopback) {
  const auto route = LookupRoute("127.0.0.1", "127.0.0.2", "");
  ASSERT_TRUE(route.ok()) << route.status();
  EXPECT_EQ(route->device, "lo");
  EXPECT_TRUE(route->local);
  EXPECT_GT(route->mtu_bytes, 0u);
}

TEST(RouteLookupTest, RefusesWhatIsNoAddress) {
  EXPECT_EQ(LookupRoute("somewhere", "127.0.0.1", "").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(LookupRoute("127.0.0.1", "::1", "").status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(RouteLookupTest, NamesTheDeviceThatDoesNotExist) {
  const auto route = LookupRoute("127.0.0.1", "127.0.0.1", "nosuchdev");
  EXPECT_THAT(std::string(route.status().message()), HasSubstr("nosuchdev"));
}

TEST(RouteLookupTest, FailsForASourceThatIsNotOfThisHost) {
  // 192.0.2.0/24 is for documentation (RFC 5737).
  const auto route = LookupRoute("192.0.2.77", "192.0.2.78", "");
  EXPECT_FALSE(route.ok());
  EXPECT_THAT(std::string(route.status().message()), HasSubstr("192.0.2.77"));
}

TEST(RouteWarningTest, NamesBothDevicesWhenTheyDiffer) {
  const Route route{"eth1", 1500, false};
  EXPECT_THAT(RouteWarning(route, "eth1", false, "10.0.0.2"), IsEmpty());
  EXPECT_THAT(RouteWarning(route, "eth0", false, "10.0.0.2"),
              ::testing::AllOf(HasSubstr("eth1"), HasSubstr("eth0"), HasSubstr("source address")));
  EXPECT_THAT(RouteWarning(route, "eth0", true, "10.0.0.2"), HasSubstr("the plan names"));
}

TEST(RouteWarningTest, IsSilentAboutTrafficThatStaysInTheHost) {
  const Route route{"lo", 65536, true};
  EXPECT_THAT(RouteWarning(route, "eth0", false, "10.0.0.1"), IsEmpty());
  EXPECT_THAT(RouteWarning(route, "eth0", true, "10.0.0.1"), HasSubstr("lo"));
}

}  // namespace
}  // namespace tutti::observe
