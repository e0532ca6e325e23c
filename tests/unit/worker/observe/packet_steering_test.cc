#include "worker/observe/packet_steering.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/unit/worker/observe/kernel_tree.h"
#include "tests/unit/worker/observe/missing_reason.h"

namespace tutti::observe {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

template <typename List>
std::vector<std::pair<uint32_t, std::string>> TargetsOf(const List& list) {
  std::vector<std::pair<uint32_t, std::string>> targets;
  for (const v1::QueueTargets& each : list) targets.emplace_back(each.queue(), each.targets());
  return targets;
}

// The queues of eth0 in a /sys of the test's own.
class SteeringTest : public ::testing::Test {
 protected:
  SteeringTest() { eth0_.set_name("eth0"); }

  void WriteRx(uint32_t queue, const std::string& rps_cpus, const std::string& flows) {
    const std::string folder = absl::StrCat("sys/class/net/eth0/queues/rx-", queue);
    tree_.Write(absl::StrCat(folder, "/rps_cpus"), rps_cpus);
    tree_.Write(absl::StrCat(folder, "/rps_flow_cnt"), flows);
  }
  void WriteTx(uint32_t queue, const std::string& xps_cpus, const std::string& xps_rxqs) {
    const std::string folder = absl::StrCat("sys/class/net/eth0/queues/tx-", queue);
    tree_.Write(absl::StrCat(folder, "/xps_cpus"), xps_cpus);
    tree_.Write(absl::StrCat(folder, "/xps_rxqs"), xps_rxqs);
  }
  void Fill() { FillSteering({tree_.path("proc"), tree_.path("sys")}, &eth0_, &facts_); }
  std::string Missing(const char* field) {
    return MissingReason(facts_, absl::StrCat("devices[eth0].steering", field));
  }

  KernelTree tree_;
  v1::HostDevice eth0_;
  v1::HostFacts facts_;
};

TEST_F(SteeringTest, IsReadOfEachQueueInTheOrderOfTheirNumbers) {
  WriteRx(0, "00000000,0000000c\n", "0\n");
  WriteRx(2, "1,00000000\n", "4096\n");
  WriteRx(10, "00000000,00000000\n", "32768\n");
  WriteTx(0, "00000000,00000003\n", "0\n");
  WriteTx(1, "00000000,00000000\n", "5\n");
  Fill();
  const v1::DeviceSteering& steering = eth0_.steering();
  EXPECT_THAT(TargetsOf(steering.rps_cpus()), ElementsAre(Pair(0, "2-3"), Pair(2, "32"), Pair(10, "none")));
  EXPECT_THAT(TargetsOf(steering.xps_cpus()), ElementsAre(Pair(0, "0-1"), Pair(1, "none")));
  EXPECT_THAT(TargetsOf(steering.xps_rx_queues()), ElementsAre(Pair(0, "none"), Pair(1, "0,2")));
  ASSERT_EQ(steering.rps_flows_size(), 3);
  EXPECT_EQ(steering.rps_flows(0).flows(), 0u);
  EXPECT_EQ(steering.rps_flows(1).queue(), 2u);
  EXPECT_EQ(steering.rps_flows(1).flows(), 4096u);
  EXPECT_EQ(facts_.missing_size(), 0);
}

TEST_F(SteeringTest, NothingIsKnownOfAListWithAGap) {
  WriteRx(0, "f\n", "0\n");
  WriteRx(1, "0-3\n", "many\n");
  WriteTx(0, "1\n", "0\n");
  tree_.Write("sys/class/net/eth0/queues/tx-1/xps_cpus", "2\n");
  Fill();
  const v1::DeviceSteering& steering = eth0_.steering();
  EXPECT_THAT(steering.rps_cpus(), IsEmpty());
  EXPECT_THAT(Missing(".rps_cpus"), AllOf(HasSubstr("rx-1/rps_cpus"), HasSubstr("\"0-3\" is not a bitmap")));
  EXPECT_THAT(steering.rps_flows(), IsEmpty());
  EXPECT_THAT(Missing(".rps_flows"), AllOf(HasSubstr("rx-1/rps_flow_cnt"), HasSubstr("\"many\"")));
  EXPECT_THAT(TargetsOf(steering.xps_cpus()), ElementsAre(Pair(0, "0"), Pair(1, "1")));
  EXPECT_EQ(Missing(".xps_cpus"), "");
  EXPECT_THAT(steering.xps_rx_queues(), IsEmpty());
  EXPECT_THAT(Missing(".xps_rx_queues"), AllOf(HasSubstr("tx-1/xps_rxqs"), HasSubstr("ENOENT")));
}

TEST_F(SteeringTest, ADeviceWithOneTransmitQueueHasNoneToChoose) {
  WriteRx(0, "0\n", "0\n");
  tree_.Write("sys/class/net/eth0/queues/tx-0/tx_timeout", "0\n");
  Fill();
  EXPECT_THAT(TargetsOf(eth0_.steering().rps_cpus()), ElementsAre(Pair(0, "none")));
  EXPECT_THAT(Missing(".xps_cpus"), HasSubstr("one transmit queue"));
  EXPECT_THAT(Missing(".xps_rx_queues"), HasSubstr("one transmit queue"));
}

TEST_F(SteeringTest, OfADeviceThatSysfsDoesNotShowIsMissingAsAWhole) {
  Fill();
  EXPECT_FALSE(eth0_.has_steering());
  EXPECT_THAT(Missing(""), AllOf(HasSubstr("/class/net/eth0/queues"), HasSubstr("ENOENT")));
  EXPECT_EQ(facts_.missing_size(), 1);
}

// What the worker's namespace has, and a /sys that may be another's.
class SysfsNamespaceTest : public ::testing::Test {
 protected:
  void Show(const std::string& device, const std::string& index, const std::string& address) {
    tree_.Write(absl::StrCat("sys/class/net/", device, "/ifindex"), absl::StrCat(index, "\n"));
    tree_.Write(absl::StrCat("sys/class/net/", device, "/address"), absl::StrCat(address, "\n"));
  }
  absl::Status Check() const {
    Link lo;
    lo.index = 1;
    lo.name = "lo";
    lo.hardware_address = "00:00:00:00:00:00";
    Link eth0;
    eth0.index = 2;
    eth0.name = "eth0";
    eth0.hardware_address = "02:42:ac:11:00:02";
    return CheckSysfsNamespace({tree_.path("proc"), tree_.path("sys")}, {lo, eth0});
  }

  KernelTree tree_;
};

TEST_F(SysfsNamespaceTest, IsTheWorkersWhereADeviceIsTheSameInBoth) {
  Show("eth0", "2", "02:42:ac:11:00:02");
  EXPECT_TRUE(Check().ok()) << Check();
}

TEST_F(SysfsNamespaceTest, LoopbackProvesNothing) {
  Show("lo", "1", "00:00:00:00:00:00");
  EXPECT_THAT(std::string(Check().message()), HasSubstr("/class/net shows the worker's network namespace"));
}

TEST_F(SysfsNamespaceTest, AnotherDeviceOfTheSameNameIsNotTaken) {
  Show("lo", "1", "00:00:00:00:00:00");
  Show("eth0", "2", "02:42:ac:11:00:03");
  EXPECT_FALSE(Check().ok());
  Show("eth0", "3", "02:42:ac:11:00:02");
  EXPECT_FALSE(Check().ok());
}

}  // namespace
}  // namespace tutti::observe
