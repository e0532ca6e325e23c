#include "coordinator/plan/address_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coordinator/plan/ip_address.h"

namespace tutti::plan {
namespace {

using ::testing::HasSubstr;
using tutti::v1::IP_FAMILY_ANY;
using tutti::v1::IP_FAMILY_V4;
using tutti::v1::IP_FAMILY_V6;

struct On {
  const char* address;
  int prefix;
  const char* device;
};

Candidate Host(const std::string& name, const std::string& control, const std::vector<On>& addresses,
               const std::string& boot_id = "") {
  Candidate host;
  host.name = name;
  host.control_address = control;
  host.facts.set_boot_id(boot_id.empty() ? "boot-" + name : boot_id);
  for (const On& on : addresses) {
    tutti::v1::HostAddress* fact = host.facts.add_addresses();
    fact->set_address(on.address);
    fact->set_prefix_length(on.prefix);
    fact->set_device(on.device);
  }
  return host;
}

// "address device -> address device", or the error.
std::string Choose(const Candidate& from, const Candidate& to, const std::string& network = "",
                   tutti::v1::IpFamily family = IP_FAMILY_ANY) {
  auto pair = ChooseAddresses(from, to, network, family);
  if (!pair.ok()) return std::string(pair.status().message());
  return pair->from.address + " " + pair->from.device + " -> " + pair->to.address + " " + pair->to.device;
}

const Candidate kA = Host("a", "10.0.0.1",
                          {{"127.0.0.1", 8, "lo"},
                           {"10.0.0.1", 24, "eth0"},
                           {"10.1.0.1", 16, "eth1"},
                           {"fe80::1", 64, "eth1"},
                           {"fd00::1", 64, "eth0"}});
const Candidate kB = Host("b", "10.0.0.2",
                          {{"127.0.0.1", 8, "lo"},
                           {"10.0.0.2", 24, "eth0"},
                           {"10.1.0.2", 16, "eth1"},
                           {"fe80::2", 64, "eth1"},
                           {"fd00::2", 64, "eth0"}});

TEST(ChooseAddresses, DefaultsToThoseThatReachTheCoordinator) {
  EXPECT_EQ(Choose(kA, kB), "10.0.0.1 eth0 -> 10.0.0.2 eth0");
  EXPECT_EQ(Choose(kA, kB, "", IP_FAMILY_V4), "10.0.0.1 eth0 -> 10.0.0.2 eth0");
}

TEST(ChooseAddresses, ControlAddressesMayLieInDifferentSubnets) {
  EXPECT_EQ(Choose(Host("a", "10.0.0.1", {{"10.0.0.1", 24, "eth0"}}),
                   Host("b", "10.9.0.1", {{"10.9.0.1", 24, "eth0"}})),
            "10.0.0.1 eth0 -> 10.9.0.1 eth0");
}

TEST(ChooseAddresses, AnotherFamilyThanTheControlAddressIsFoundInTheSharedSubnet) {
  EXPECT_EQ(Choose(kA, kB, "", IP_FAMILY_V6), "fd00::1 eth0 -> fd00::2 eth0");
}

TEST(ChooseAddresses, NetworkPicksByCidrOrInterface) {
  EXPECT_EQ(Choose(kA, kB, "10.1.0.0/16"), "10.1.0.1 eth1 -> 10.1.0.2 eth1");
  EXPECT_EQ(Choose(kA, kB, "eth1"), "10.1.0.1 eth1 -> 10.1.0.2 eth1");
  EXPECT_EQ(Choose(kA, kB, "fd00::/64"), "fd00::1 eth0 -> fd00::2 eth0");
  EXPECT_EQ(Choose(kA, kB, "eth0", IP_FAMILY_V6), "fd00::1 eth0 -> fd00::2 eth0");
}

TEST(ChooseAddresses, LinkLocalOnlyWhereAnInterfaceIsNamed) {
  EXPECT_EQ(Choose(kA, kB, "eth1", IP_FAMILY_V6), "fe80::1%eth1 eth1 -> fe80::2%eth1 eth1");
  const Candidate a = Host("a", "", {{"fe80::1", 64, "eth0"}}), b = Host("b", "", {{"fe80::2", 64, "eth0"}});
  EXPECT_THAT(Choose(a, b), HasSubstr("share no subnet"));
}

TEST(ChooseAddresses, SaysWhereTheNetworkIsNot) {
  EXPECT_EQ(Choose(kA, Host("c", "10.0.0.3", {{"10.0.0.3", 24, "eth0"}}), "10.1.0.0/16"),
            "host c has no address in the network 10.1.0.0/16: c has 10.0.0.3/24 on eth0");
  EXPECT_EQ(Choose(kA, Host("c", "10.0.0.3", {{"10.0.0.3", 24, "eth0"}}), "eth1"),
            "host c has no interface eth1: it has eth0");
  EXPECT_THAT(Choose(kA, kB, "10.0.0.0/8"), HasSubstr("10.0.0.1"));  // the control address is among them
  const Candidate c = Host("c", "", {{"10.1.0.3", 16, "eth1"}, {"10.2.0.3", 16, "eth2"}});
  EXPECT_THAT(Choose(kA, c, "10.0.0.0/8"), HasSubstr("on several interfaces"));
}

TEST(ChooseAddresses, ALoopbackOrUnixControlAddressGivesWayToTheSharedSubnet) {
  for (const char* control : {"127.0.0.1", "", "::1"}) {
    Candidate beside = kA;
    beside.control_address = control;
    EXPECT_EQ(Choose(beside, kB), "10.0.0.1 eth0 -> 10.0.0.2 eth0") << control;
    EXPECT_EQ(Choose(kB, beside), "10.0.0.2 eth0 -> 10.0.0.1 eth0") << control;
  }
}

TEST(ChooseAddresses, NoneOrSeveralSharedSubnetsListBothHosts) {
  Candidate a = kA, b = kB;
  a.control_address = b.control_address = "";
  EXPECT_EQ(Choose(a, b),
            "hosts a and b share several subnets: a has 127.0.0.1/8 on lo, 10.0.0.1/24 on eth0, 10.1.0.1/16 "
            "on eth1, "
            "fe80::1/64 on eth1, fd00::1/64 on eth0; b has 127.0.0.1/8 on lo, 10.0.0.2/24 on eth0, "
            "10.1.0.2/16 on eth1, "
            "fe80::2/64 on eth1, fd00::2/64 on eth0; choose one with network: CIDR");
  EXPECT_EQ(Choose(Host("a", "", {{"10.0.0.1", 24, "e"}}), Host("b", "", {{"10.9.0.1", 24, "e"}})),
            "hosts a and b share no subnet: a has 10.0.0.1/24 on e; b has 10.9.0.1/24 on e; choose their "
            "addresses with "
            "network: CIDR or INTERFACE");
}

TEST(ChooseAddresses, SeveralAddressesOfOneSubnetOnOneDeviceAreTheFirst) {
  EXPECT_EQ(Choose(Host("a", "", {{"fd00::1", 64, "e"}, {"fd00::aaaa", 64, "e"}}),
                   Host("b", "", {{"fd00::2", 64, "e"}})),
            "fd00::1 e -> fd00::2 e");
}

TEST(ChooseAddresses, OneHostInBothRolesUsesLoopbackOrTheNetwork) {
  EXPECT_EQ(Choose(kA, kA), "127.0.0.1 lo -> 127.0.0.1 lo");
  EXPECT_EQ(Choose(kA, kA, "", IP_FAMILY_V6), "::1 lo -> ::1 lo");
  EXPECT_EQ(Choose(kA, kA, "10.1.0.0/16"), "10.1.0.1 eth1 -> 10.1.0.1 eth1");
  EXPECT_EQ(Choose(kA, kA, "lo"), "127.0.0.1 lo -> 127.0.0.1 lo");
}

TEST(ChooseAddresses, NeverLoopbackBetweenMachines) {
  EXPECT_THAT(Choose(kA, kB, "lo"), HasSubstr("have no addresses of one kind on the interface lo"));
  EXPECT_THAT(Choose(kA, kB, "127.0.0.0/8"), HasSubstr("no address in the network 127.0.0.0/8"));
}

TEST(ChooseAddresses, WorkersOfOneMachineThatDialOverLoopbackMeetThere) {
  const Candidate one = Host("a", "127.0.0.2", {}, "same"), two = Host("b", "127.0.0.3", {}, "same");
  EXPECT_EQ(Choose(one, two), "127.0.0.2 lo -> 127.0.0.3 lo");
  EXPECT_EQ(Choose(one, two, "", IP_FAMILY_V6), "::1 lo -> ::1 lo");
  EXPECT_THAT(Choose(one, Host("c", "127.0.0.3", {}, "other")), HasSubstr("share no subnet"));
}

TEST(ChooseAddresses, AnAddressThatTheWorkerKeepsBackIsNotUsed) {
  const Candidate a = Host("a", "192.168.0.1", {{"10.0.0.1", 24, "eth1"}});
  const Candidate b = Host("b", "192.168.0.2", {{"10.0.0.2", 24, "eth1"}});
  EXPECT_EQ(Choose(a, b), "10.0.0.1 eth1 -> 10.0.0.2 eth1");
}

TEST(ChooseAddresses, AMappedControlAddressIsTheIpv4One) {
  Candidate a = kA;
  a.control_address = "::ffff:10.0.0.1";
  EXPECT_EQ(Choose(a, kB), "10.0.0.1 eth0 -> 10.0.0.2 eth0");
}

TEST(ChooseAddresses, ControlAddressesOfTwoFamiliesMeetInASharedSubnet) {
  const Candidate a = Host("a", "10.0.0.1", {{"10.0.0.1", 24, "e"}, {"fd00::1", 64, "e"}});
  const Candidate b = Host("b", "fd00::2", {{"fd00::2", 64, "e"}});
  EXPECT_EQ(Choose(a, b), "fd00::1 e -> fd00::2 e");
}

TEST(Cidr, ChecksAndContains) {
  EXPECT_TRUE(ParseCidr("0.0.0.0/0").ok());
  EXPECT_TRUE(ParseCidr("10.0.0.1/32").ok());
  EXPECT_TRUE(ParseCidr("fd00::/8").ok());
  for (const char* bad : {"", "/", "10.0.0.0", "10.0.0.0/", "10.0.0.0/a", "10.0.0.0/-1", "10.0.0.0/33",
                          "::/129", "10.0.0.0/0008", "10.0.0.1/31", "fe80::%e/64", "300.0.0.0/8"}) {
    EXPECT_FALSE(ParseCidr(bad).ok()) << bad;
  }
  const Cidr cidr = *ParseCidr("10.1.128.0/17");
  EXPECT_TRUE(Contains(cidr, *ParseIpAddress("10.1.200.1")));
  EXPECT_FALSE(Contains(cidr, *ParseIpAddress("10.1.100.1")));
  EXPECT_FALSE(Contains(cidr, *ParseIpAddress("fd00::1")));
}

}  // namespace
}  // namespace tutti::plan
