#include "worker/session/cpu_placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace tutti::session {
namespace {

using ::testing::HasSubstr;

// CPUs 0 to 7 online, 0 and 4 to 7 allowed; node 0 has 0-3, node 1 has 4-7; eth0 is near 4 and 5.
v1::HostFacts Facts() {
  v1::HostFacts facts;
  for (uint32_t cpu = 0; cpu < 8; ++cpu) facts.add_online_cpus(cpu);
  for (const uint32_t cpu : {0u, 4u, 5u, 6u, 7u}) facts.add_allowed_cpus(cpu);
  for (uint32_t id = 0; id < 2; ++id) {
    v1::NumaNode* node = facts.add_numa_nodes();
    node->set_id(id);
    for (uint32_t cpu = 0; cpu < 4; ++cpu) node->add_cpus(id * 4 + cpu);
  }
  v1::HostDevice* eth0 = facts.add_devices();
  eth0->set_name("eth0");
  eth0->add_local_cpus(4);
  eth0->add_local_cpus(5);
  v1::HostDevice* veth = facts.add_devices();
  veth->set_name("veth1");
  veth->set_driver("veth");
  v1::HostAddress* address = facts.add_addresses();
  address->set_address("10.0.0.1");
  address->set_device("eth0");
  address = facts.add_addresses();
  address->set_address("10.1.0.1");
  address->set_device("veth1");
  return facts;
}

v1::StreamEnd Stream(v1::CpuChoice::Kind kind, uint32_t ordinal, std::vector<uint32_t> cpus = {}) {
  v1::StreamEnd stream;
  stream.set_stream_id(3);
  stream.set_local_address("10.0.0.1");
  stream.set_cpu_ordinal(ordinal);
  stream.mutable_cpus()->set_kind(kind);
  for (const uint32_t cpu : cpus) stream.mutable_cpus()->add_cpus(cpu);
  return stream;
}

// eth0's interrupts go to 0, 2 and 4; veth1 has none.
absl::StatusOr<std::vector<uint32_t>> Interrupts(const std::string& device) {
  if (device == "eth0") return std::vector<uint32_t>{0, 2, 4};
  return absl::NotFoundError("which CPUs serve its interrupts is not known: no hardware stands behind it");
}

absl::StatusOr<CpuPlacement> Place(const v1::StreamEnd& stream, const v1::HostFacts& facts) {
  return PlaceOnCpu(stream, facts, Interrupts);
}

std::string ErrorOf(const v1::StreamEnd& stream) {
  const auto placement = Place(stream, Facts());
  return placement.ok() ? "" : std::string(placement.status().message());
}

TEST(CpuPlacementTest, AnyIsNotPinned) {
  const auto placement = Place(Stream(v1::CpuChoice::KIND_ANY, 5), Facts());
  ASSERT_TRUE(placement.ok());
  EXPECT_FALSE(placement->cpu.has_value());
  EXPECT_FALSE(placement->missed.has_value());
}

TEST(CpuPlacementTest, AListIsTakenInItsOrderRoundRobin) {
  const uint32_t expected[] = {6, 0, 4, 6, 0};
  for (uint32_t ordinal = 0; ordinal < 5; ++ordinal) {
    EXPECT_EQ(*Place(Stream(v1::CpuChoice::KIND_LIST, ordinal, {6, 0, 4}), Facts())->cpu, expected[ordinal]);
  }
}

TEST(CpuPlacementTest, AListedCpuMustExistAndBeAllowed) {
  EXPECT_THAT(ErrorOf(Stream(v1::CpuChoice::KIND_LIST, 0, {8})),
              HasSubstr("stream 3: cpus [8]: CPU 8 does not exist"));
  EXPECT_THAT(ErrorOf(Stream(v1::CpuChoice::KIND_LIST, 0, {2})), HasSubstr("CPU 2 is not allowed"));
  EXPECT_THAT(ErrorOf(Stream(v1::CpuChoice::KIND_LIST, 0)), HasSubstr("empty"));
  // The others of the list are not taken instead.
  EXPECT_EQ(ErrorOf(Stream(v1::CpuChoice::KIND_LIST, 1, {2, 4})), "");
}

TEST(CpuPlacementTest, ANodeGivesItsAllowedCpus) {
  v1::StreamEnd stream = Stream(v1::CpuChoice::KIND_NUMA, 0);
  for (const uint32_t ordinal : {0u, 1u, 2u}) {
    stream.set_cpu_ordinal(ordinal);
    EXPECT_EQ(*Place(stream, Facts())->cpu, 0u);  // of 0-3 only 0 is allowed
  }
  stream.mutable_cpus()->set_numa_node(1);
  stream.set_cpu_ordinal(6);
  EXPECT_EQ(*Place(stream, Facts())->cpu, 6u);
  stream.mutable_cpus()->set_numa_node(2);
  EXPECT_THAT(ErrorOf(stream), HasSubstr("NUMA node 2 does not exist; nodes: 0, 1"));
}

TEST(CpuPlacementTest, ANodeWithoutAnAllowedCpuIsAnError) {
  v1::HostFacts facts = Facts();
  facts.clear_allowed_cpus();
  facts.add_allowed_cpus(7);
  const auto placement = Place(Stream(v1::CpuChoice::KIND_NUMA, 0), facts);
  EXPECT_EQ(placement.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(placement.status().message()), HasSubstr("NUMA node 0 (0, 1, 2, 3) may be used"));
}

TEST(CpuPlacementTest, NicLocalFollowsTheDeviceOfTheAddress) {
  EXPECT_EQ(*Place(Stream(v1::CpuChoice::KIND_NIC_LOCAL, 1), Facts())->cpu, 5u);
  v1::StreamEnd stream = Stream(v1::CpuChoice::KIND_NIC_LOCAL, 0);
  stream.set_local_address("10.1.0.1");
  EXPECT_THAT(ErrorOf(stream), HasSubstr("which CPUs are near veth1 is not known"));
  stream.set_device("eth0");  // asked for by name
  EXPECT_EQ(*Place(stream, Facts())->cpu, 4u);
  stream.clear_device();
  stream.set_local_address("10.9.9.9");
  EXPECT_THAT(ErrorOf(stream), HasSubstr("10.9.9.9"));
}

TEST(CpuPlacementTest, BestEffortMarksInsteadOfFailing) {
  v1::StreamEnd stream = Stream(v1::CpuChoice::KIND_LIST, 0, {8});
  stream.set_best_effort(true);
  const auto placement = Place(stream, Facts());
  ASSERT_TRUE(placement.ok());
  EXPECT_FALSE(placement->cpu.has_value());
  ASSERT_TRUE(placement->missed.has_value());
  EXPECT_EQ(placement->missed->asked(), "[8]");
  EXPECT_EQ(placement->missed->got(), "any");
  EXPECT_FALSE(placement->missed->applied());
  EXPECT_THAT(placement->missed->note(), HasSubstr("does not exist"));
}

TEST(DeviceOfAddressTest, KnowsLoopbackAndScopes) {
  EXPECT_EQ(DeviceOfAddress(Facts(), "10.0.0.1"), "eth0");
  EXPECT_EQ(DeviceOfAddress(Facts(), "127.0.0.9"), "lo");
  EXPECT_EQ(DeviceOfAddress(Facts(), "fe80::1%eth7"), "eth7");
  EXPECT_EQ(DeviceOfAddress(Facts(), "10.0.0.2"), "");
}

// Allowed are 0 and 4 to 7; 0 and 4 serve interrupts, and of the others 5 is near the device.
TEST(CpuPlacementTest, AvoidIrqTakesTheNearCpusThatServeNoInterrupt) {
  for (const uint32_t ordinal : {0u, 1u, 2u}) {
    EXPECT_EQ(*Place(Stream(v1::CpuChoice::KIND_AVOID_IRQ, ordinal), Facts())->cpu, 5u);
  }
}

TEST(CpuPlacementTest, AvoidIrqGoesFurtherAwayWhereAllNearCpusServeInterrupts) {
  v1::HostFacts facts = Facts();
  facts.mutable_devices(0)->clear_local_cpus();
  facts.mutable_devices(0)->add_local_cpus(4);
  const uint32_t expected[] = {5, 6, 7, 5};
  for (uint32_t ordinal = 0; ordinal < 4; ++ordinal) {
    EXPECT_EQ(*Place(Stream(v1::CpuChoice::KIND_AVOID_IRQ, ordinal), facts)->cpu, expected[ordinal]);
  }
}

TEST(CpuPlacementTest, AvoidIrqWithoutAFreeCpuSaysWhoServesWhat) {
  v1::HostFacts facts = Facts();
  facts.clear_allowed_cpus();
  facts.add_allowed_cpus(0);
  facts.add_allowed_cpus(4);
  const auto placement = Place(Stream(v1::CpuChoice::KIND_AVOID_IRQ, 0), facts);
  EXPECT_EQ(placement.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(placement.status().message()),
              HasSubstr("stream 3: cpus avoid_irq: each of them serves an interrupt of eth0 (0, 2, 4); CPUs "
                        "allowed to the worker: 0, 4"));
}

TEST(CpuPlacementTest, AvoidIrqOfADeviceWithoutInterruptsIsAnErrorOrMarked) {
  v1::StreamEnd stream = Stream(v1::CpuChoice::KIND_AVOID_IRQ, 0);
  stream.set_local_address("10.1.0.1");
  EXPECT_THAT(ErrorOf(stream), HasSubstr("veth1: which CPUs serve its interrupts is not known: no hardware"));
  stream.set_best_effort(true);
  const auto placement = Place(stream, Facts());
  ASSERT_TRUE(placement.ok());
  EXPECT_FALSE(placement->cpu.has_value());
  ASSERT_TRUE(placement->missed.has_value());
  EXPECT_EQ(placement->missed->asked(), "avoid_irq");
  stream.set_local_address("10.9.0.1");
  stream.set_best_effort(false);
  EXPECT_THAT(ErrorOf(stream), HasSubstr("no device holds the address 10.9.0.1"));
}

TEST(CpuPlacementTest, WithRxIsLeftToTheTrial) {
  const auto placement = Place(Stream(v1::CpuChoice::KIND_WITH_RX, 0), Facts());
  ASSERT_TRUE(placement.ok());
  EXPECT_FALSE(placement->cpu.has_value());
  EXPECT_FALSE(placement->missed.has_value());
}

}  // namespace
}  // namespace tutti::session
