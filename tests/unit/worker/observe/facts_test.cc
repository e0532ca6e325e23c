#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>

#include "common/facts/fact_list.h"
#include "common/facts/fingerprint.h"
#include "tests/unit/worker/observe/kernel_tree.h"
#include "tests/unit/worker/observe/missing_reason.h"
#include "worker/observe/cpu_facts.h"
#include "worker/observe/cpu_list.h"
#include "worker/observe/host_facts.h"
#include "worker/observe/socket_limits.h"

namespace tutti::observe {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(CpuListTest, ReadsRangesAndSingles) {
  EXPECT_THAT(*ParseCpuList("0-2,8,10-11\n"), ElementsAre(0, 1, 2, 8, 10, 11));
  EXPECT_THAT(*ParseCpuList("3,1,1-2"), ElementsAre(1, 2, 3));
  EXPECT_THAT(*ParseCpuList("\n"), IsEmpty());
}

TEST(CpuListTest, RefusesWhatIsNoList) {
  for (const char* text : {"a", "1-", "-1", "3-1", "1,,2", "1,", "0-99999999999", "1 2"}) {
    EXPECT_FALSE(ParseCpuList(text).ok()) << text;
  }
}

TEST(CpuFactsTest, FindsTheModelOnDifferentArchitectures) {
  EXPECT_EQ(CpuModelOf("processor\t: 0\nmodel name\t: Fast CPU @ 3GHz\nmodel name\t: other\n"),
            "Fast CPU @ 3GHz");
  EXPECT_EQ(CpuModelOf("processor : 0\ncpu\t: POWER9\n"), "POWER9");
  EXPECT_EQ(CpuModelOf("CPU implementer : 0x41\nCPU part : 0xd0c\n"), "ARM implementer 0x41 part 0xd0c");
  EXPECT_EQ(CpuModelOf("nothing here"), "");
}

TEST(CpuFactsTest, ReadsOnlineCpusAndNodes) {
  KernelTree tree;
  tree.Write("sys/devices/system/cpu/online", "0-1,4\n");
  tree.Write("sys/devices/system/node/node0/cpulist", "0-1\n");
  tree.Write("sys/devices/system/node/node3/cpulist", "4\n");
  tree.Write("sys/devices/system/node/online", "0,3\n");
  v1::HostFacts facts;
  FillCpuFacts({tree.path("proc"), tree.path("sys")}, &facts);
  EXPECT_THAT(facts.online_cpus(), ElementsAre(0, 1, 4));
  ASSERT_EQ(facts.numa_nodes_size(), 2);
  EXPECT_EQ(facts.numa_nodes(1).id(), 3u);
  EXPECT_THAT(facts.numa_nodes(1).cpus(), ElementsAre(4));
}

TEST(CpuFactsTest, TakesOnlineCpusFromProcStatWhereSysDoesNotShowThem) {
  KernelTree tree;
  tree.Write("proc/stat", "cpu0 1 2 3 4\ncpu9 1 2 3 4\n");
  v1::HostFacts facts;
  FillCpuFacts({tree.path("proc"), tree.path("sys")}, &facts);
  EXPECT_THAT(facts.online_cpus(), ElementsAre(0, 9));
}

TEST(CpuFactsTest, WhatTheKernelDoesNotShowIsUnsetWithItsReason) {
  KernelTree tree;
  tree.Write("proc/cpuinfo", "nothing here\n");
  v1::HostFacts facts;
  FillCpuFacts({tree.path("proc"), tree.path("sys")}, &facts);
  EXPECT_FALSE(facts.has_cpu_model());
  EXPECT_THAT(MissingReason(facts, "cpu_model"), HasSubstr("cpuinfo names no model"));
  EXPECT_THAT(MissingReason(facts, "online_cpus"), HasSubstr("/proc/stat"));
  EXPECT_THAT(MissingReason(facts, "numa_nodes"), HasSubstr("/devices/system/node"));
  EXPECT_EQ(MissingReason(facts, "allowed_cpus"), "");
}

TEST(CpuFactsTest, AllowedCpusAreThoseOfTheCallingThread) {
  cpu_set_t set;
  CPU_ZERO(&set);
  ASSERT_EQ(sched_getaffinity(0, sizeof(set), &set), 0);
  v1::HostFacts facts;
  FillCpuFacts({}, &facts);
  EXPECT_EQ(facts.allowed_cpus_size(), CPU_COUNT(&set));
}

TEST(CpuFactsTest, FindsTheCpusNearADeviceAtItsParent) {
  KernelTree tree;
  tree.Write("sys/devices/pci0000:00/0000:00:03.0/local_cpulist", "4-7\n");
  tree.Write("sys/devices/pci0000:00/0000:00:03.0/virtio1/status", "7\n");
  tree.Link("sys/bus/virtio/devices/virtio1", "sys/devices/pci0000:00/0000:00:03.0/virtio1");
  tree.Link("sys/bus/pci/devices/0000:00:03.0", "sys/devices/pci0000:00/0000:00:03.0");
  const KernelRoots roots{tree.path("proc"), tree.path("sys")};
  EXPECT_THAT(LocalCpusOf(roots, "pci", "0000:00:03.0"), ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(LocalCpusOf(roots, "virtio", "virtio1"), ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(LocalCpusOf(roots, "pci", "0000:ff:00.0"), IsEmpty());
  EXPECT_THAT(LocalCpusOf(roots, "", ""), IsEmpty());
}

TEST(SocketLimitsTest, AgreesWithTheSysctl) {
  const auto limits = ReadSocketLimits();
  ASSERT_TRUE(limits.ok()) << limits.status();
  uint64_t expected = 0;
  if (std::ifstream("/proc/sys/net/core/rmem_max") >> expected) {
    EXPECT_EQ(limits->rmem_max_bytes, expected);
  }
  EXPECT_GT(limits->wmem_max_bytes, 0u);
}

TEST(HostFactsTest, DescribesThisHost) {
  HostFactsOptions options;
  options.tutti_version = "1.2.3";
  const auto facts = GatherHostFacts(options);
  ASSERT_TRUE(facts.ok()) << facts.status();
  EXPECT_FALSE(facts->kernel_release().empty());
  EXPECT_GT(facts->online_cpus_size(), 0);
  EXPECT_GT(facts->max_open_files(), 0u);
  EXPECT_EQ(facts->boot_id().size(), 36u);
  EXPECT_EQ(facts->tutti_version(), "1.2.3");
  const auto lo = std::find_if(facts->devices().begin(), facts->devices().end(),
                               [](const v1::HostDevice& device) { return device.name() == "lo"; });
  ASSERT_NE(lo, facts->devices().end());
  EXPECT_FALSE(lo->has_hardware());
  EXPECT_FALSE(lo->has_speed_bps());
  EXPECT_GT(lo->mtu_bytes(), 0u);
  EXPECT_EQ(facts->fingerprint(), FingerprintOf(*facts));
  EXPECT_EQ(facts->fingerprint().size(), 16u);
}

TEST(HostFactsTest, WhatIsMissingIsAFactThatExistsAndIsNotSet) {
  const auto facts = GatherHostFacts({});
  ASSERT_TRUE(facts.ok()) << facts.status();
  std::set<std::string> known;
  for (const Fact& fact : ListFacts(*facts)) known.insert(fact.path);
  for (const v1::MissingFact& missing : facts->missing()) {
    const std::string field = missing.fact().substr(0, missing.fact().find_first_of(".["));
    EXPECT_NE(v1::HostFacts::descriptor()->FindFieldByName(field), nullptr) << missing.fact();
    EXPECT_EQ(known.count(missing.fact()), 0u) << missing.fact();
    EXPECT_NE(missing.reason(), "") << missing.fact();
  }
}

TEST(HostFactsTest, ASecondLookGivesTheSameFingerprint) {
  const auto first = GatherHostFacts({});
  const auto second = GatherHostFacts({});
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->fingerprint(), second->fingerprint());
}

TEST(HostFactsTest, TakesTheBootIdThatItIsGiven) {
  HostFactsOptions options;
  options.boot_id = "machine-b";
  EXPECT_EQ(GatherHostFacts(options)->boot_id(), "machine-b");
}

}  // namespace
}  // namespace tutti::observe
