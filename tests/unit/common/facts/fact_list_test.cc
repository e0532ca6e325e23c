#include "common/facts/fact_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "common/facts/number_ranges.h"

namespace tutti {
namespace {

using ::testing::Contains;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;

std::map<std::string, std::string> ByPath(const v1::HostFacts& facts) {
  std::map<std::string, std::string> values;
  for (const Fact& fact : ListFacts(facts)) values[fact.path] = fact.value;
  return values;
}

bool InFingerprint(const v1::HostFacts& facts, const std::string& path) {
  for (const Fact& fact : ListFacts(facts)) {
    if (fact.path == path) return fact.in_fingerprint;
  }
  ADD_FAILURE() << path << " is not in the list";
  return false;
}

TEST(NumberRangesTest, JoinsWhatFollowsOneAnotherAndKeepsTheOrder) {
  EXPECT_EQ(NumberRanges({}), "");
  EXPECT_EQ(NumberRanges({7}), "7");
  EXPECT_EQ(NumberRanges({0, 1, 2, 3, 8, 10, 11}), "0-3,8,10-11");
  EXPECT_EQ(NumberRanges({0, 1, 0, 1}), "0-1,0-1");
  EXPECT_EQ(NumberRanges({3, 2, 2}), "3,2,2");
}

TEST(FactListTest, NamesEachFactByWhereItIs) {
  v1::HostFacts facts;
  facts.set_kernel_release("6.1.0");
  facts.set_turbo(false);
  for (const uint32_t cpu : {0u, 1u, 2u, 4u}) facts.add_online_cpus(cpu);
  for (const char* name : {"tsc", "hpet"}) facts.add_available_clock_sources(name);
  v1::NamedValue* sysctl = facts.add_sysctls();
  sysctl->set_name("net.core.rmem_max");
  sysctl->set_value("212992");
  v1::HostDevice* eth0 = facts.add_devices();
  eth0->set_name("eth0");
  eth0->mutable_rings()->set_rx(512);
  v1::DeviceOffload* offload = eth0->add_offloads();
  offload->set_name("rx-gro");
  offload->set_enabled(true);
  facts.add_numa_nodes()->set_id(1);
  const auto values = ByPath(facts);
  EXPECT_THAT(values, Contains(Pair("kernel_release", "6.1.0")));
  EXPECT_THAT(values, Contains(Pair("turbo", "false")));
  EXPECT_THAT(values, Contains(Pair("online_cpus", "0-2,4")));
  EXPECT_THAT(values, Contains(Pair("available_clock_sources", "tsc hpet")));
  EXPECT_THAT(values, Contains(Pair("sysctls[net.core.rmem_max]", "212992")));
  EXPECT_THAT(values, Contains(Pair("devices[eth0].rings.rx", "512")));
  EXPECT_THAT(values, Contains(Pair("devices[eth0].offloads[rx-gro]", "true")));
  EXPECT_THAT(values, Contains(Pair("numa_nodes[1]", "")));  // a node of memory alone
}

TEST(FactListTest, WhatIsNotKnownIsNotInIt) {
  v1::HostFacts facts;
  facts.set_fingerprint("0123456789abcdef");
  v1::MissingFact* missing = facts.add_missing();
  missing->set_fact("turbo");
  missing->set_reason("no such file");
  facts.add_devices()->set_name("lo");
  const auto values = ByPath(facts);
  for (const char* path : {"turbo", "kernel_release", "clock_source", "online_cpus", "devices[lo].rings.rx",
                           "devices[lo].speed_bps", "fingerprint", "missing[turbo]"}) {
    EXPECT_THAT(values, Not(Contains(Key(path)))) << path;
  }
}

TEST(FactListTest, WhatChangesByItselfIsNotInTheFingerprint) {
  v1::HostFacts facts;
  facts.set_boot_id("b");
  for (const char* name : {"net.ipv4.tcp_mem", "net.ipv4.udp_mem",
                           "net.ipv4.tcp_available_congestion_control", "net.ipv4.tcp_congestion_control"}) {
    v1::NamedValue* sysctl = facts.add_sysctls();
    sysctl->set_name(name);
    sysctl->set_value("1");
  }
  v1::HostDevice* eth0 = facts.add_devices();
  eth0->set_name("eth0");
  eth0->set_has_hardware(true);
  eth0->add_interrupt_affinities("0");
  v1::HostAddress* address = facts.add_addresses();
  address->set_address("10.0.0.1");
  address->set_device("eth0");
  for (const char* path : {"boot_id", "sysctls[net.ipv4.tcp_mem]", "sysctls[net.ipv4.udp_mem]",
                           "sysctls[net.ipv4.tcp_available_congestion_control]",
                           "devices[eth0].interrupt_affinities", "addresses[10.0.0.1].device"}) {
    EXPECT_FALSE(InFingerprint(facts, path)) << path;
  }
  EXPECT_TRUE(InFingerprint(facts, "sysctls[net.ipv4.tcp_congestion_control]"));
  EXPECT_TRUE(InFingerprint(facts, "devices[eth0].mtu_bytes"));
}

TEST(FactListTest, OnlyDevicesThatStayAreInTheFingerprint) {
  v1::HostFacts facts;
  facts.add_devices()->set_name("veth8a3f");
  EXPECT_FALSE(InFingerprint(facts, "devices[veth8a3f].mtu_bytes"));
  v1::HostAddress* address = facts.add_addresses();
  address->set_address("fe80::1");
  address->set_device("veth8a3f");
  address->set_link_local(true);
  EXPECT_FALSE(InFingerprint(facts, "devices[veth8a3f].mtu_bytes"));
  address->set_address("10.0.0.1");
  address->set_link_local(false);
  EXPECT_TRUE(InFingerprint(facts, "devices[veth8a3f].mtu_bytes"));
}

}  // namespace
}  // namespace tutti
