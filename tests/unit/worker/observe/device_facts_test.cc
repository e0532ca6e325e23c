#include "worker/observe/device_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tests/unit/worker/observe/kernel_tree.h"
#include "tests/unit/worker/observe/missing_reason.h"

namespace tutti::observe {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr uint32_t kRoot = 0xffffffff;
constexpr uint32_t kIngress = 0xfffffff1;

v1::QdiscCounters Qdisc(const std::string& device, const std::string& kind, uint32_t parent) {
  v1::QdiscCounters qdisc;
  qdisc.set_device(device);
  qdisc.set_kind(kind);
  qdisc.set_parent(parent);
  return qdisc;
}

TEST(HasHardwareTest, BelievesTheKernelFirst) {
  Link link;
  link.parent_name = "0000:01:00.0";
  EXPECT_TRUE(HasHardware(link, {}));
}

TEST(HasHardwareTest, JudgesByBusInfoOnOlderKernels) {
  Link plain;
  EthtoolFacts pci;
  pci.driver = "ixgbe";
  pci.bus_info = "0000:01:00.0";
  EXPECT_TRUE(HasHardware(plain, pci));
  EXPECT_FALSE(HasHardware(plain, {}));  // lo
  Link veth;
  veth.kind = "veth";
  EthtoolFacts veth_driver;
  veth_driver.driver = "veth";
  EXPECT_FALSE(HasHardware(veth, veth_driver));
  Link vlan;  // passes on the bus_info of the device below
  vlan.kind = "vlan";
  EXPECT_FALSE(HasHardware(vlan, pci));
  EthtoolFacts tap;
  tap.driver = "tun";
  tap.bus_info = "tap";
  EXPECT_FALSE(HasHardware(plain, tap));
}

TEST(FillQdiscsTest, TellsTheRootFromWhatIsBelowIt) {
  const std::vector<v1::QdiscCounters> qdiscs = {
      Qdisc("lo", "noqueue", kRoot),         Qdisc("eth0", "mq", kRoot),
      Qdisc("eth0", "fq_codel", 0x00010001), Qdisc("eth0", "fq_codel", 0x00010002),
      Qdisc("eth0", "clsact", kIngress),
  };
  v1::HostDevice eth0;
  eth0.set_name("eth0");
  ASSERT_TRUE(FillQdiscs(qdiscs, &eth0).ok());
  EXPECT_EQ(eth0.qdisc(), "mq");
  EXPECT_THAT(eth0.child_qdiscs(), ElementsAre("clsact", "fq_codel"));
}

TEST(FillQdiscsTest, ADeviceWithoutARootHasNone) {
  v1::HostDevice eth1;
  eth1.set_name("eth1");
  const absl::Status status = FillQdiscs({Qdisc("eth0", "mq", kRoot)}, &eth1);
  EXPECT_THAT(std::string(status.message()), HasSubstr("no root"));
  EXPECT_FALSE(eth1.has_qdisc());
}

// The host's own loopback, between a /proc and a /sys in which nothing is.
class LoopbackFactsTest : public ::testing::Test {
 protected:
  void Fill() {
    auto socket = EthtoolSocket::Open();
    ASSERT_TRUE(socket.ok()) << socket.status();
    auto links = ListLinks();
    ASSERT_TRUE(links.ok()) << links.status();
    std::vector<Link> loopback;
    for (const Link& link : *links) {
      if (link.name == "lo") loopback.push_back(link);
    }
    ASSERT_EQ(loopback.size(), 1u);
    FillDevices({tree_.path("proc"), tree_.path("sys")}, *socket, loopback, &facts_);
    ASSERT_EQ(facts_.devices_size(), 1);
  }

  KernelTree tree_;
  v1::HostFacts facts_;
};

TEST_F(LoopbackFactsTest, WithAnAddressItIsDescribedAndWhatItDoesNotHaveHasAReason) {
  v1::HostAddress* address = facts_.add_addresses();
  address->set_address("127.0.0.1");
  address->set_device("lo");
  ASSERT_NO_FATAL_FAILURE(Fill());
  const v1::HostDevice& lo = facts_.devices(0);
  EXPECT_EQ(lo.rx_queues(), 1u);
  EXPECT_EQ(lo.tx_queues(), 1u);
  EXPECT_GT(lo.offloads_size(), 0);
  EXPECT_TRUE(lo.has_qdisc());
  EXPECT_FALSE(lo.has_driver());
  for (const char* field : {"driver", "rings", "coalescing", "channels"}) {
    EXPECT_THAT(MissingReason(facts_, std::string("devices[lo].") + field), HasSubstr("EOPNOTSUPP")) << field;
  }
  EXPECT_THAT(MissingReason(facts_, "devices[lo].firmware"), HasSubstr("ETHTOOL_GDRVINFO"));
  EXPECT_THAT(MissingReason(facts_, "devices[lo].local_cpus"), HasSubstr("no hardware stands behind it"));
  EXPECT_THAT(MissingReason(facts_, "devices[lo].interrupt_affinities"),
              HasSubstr("no hardware stands behind it"));
  EXPECT_FALSE(lo.has_steering());
  EXPECT_THAT(MissingReason(facts_, "devices[lo].steering"), HasSubstr("network namespace"));
  EXPECT_NE(MissingReason(facts_, "devices[lo].speed_bps"), "");
  EXPECT_EQ(MissingReason(facts_, "devices[lo].qdisc"), "");
}

TEST_F(LoopbackFactsTest, WithoutAnAddressItIsOnlyNamed) {
  ASSERT_NO_FATAL_FAILURE(Fill());
  EXPECT_GT(facts_.devices(0).mtu_bytes(), 0u);
  EXPECT_EQ(facts_.devices(0).offloads_size(), 0);
  EXPECT_FALSE(facts_.devices(0).has_qdisc());
  EXPECT_THAT(MissingReason(facts_, "devices[lo]"), HasSubstr("neither hardware nor an address"));
}

}  // namespace
}  // namespace tutti::observe
