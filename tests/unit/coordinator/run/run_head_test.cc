#include "coordinator/run/run_head.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tutti::run {
namespace {

using testing::ElementsAre;
using tutti::v1::Flow;
using tutti::v1::Host;

Host MakeHost(const std::string& name, const std::string& boot_id) {
  Host host;
  host.set_name(name);
  host.mutable_facts()->set_boot_id(boot_id);
  host.mutable_facts()->add_online_cpus(0);
  host.mutable_facts()->add_online_cpus(3);
  return host;
}

Flow MakeFlow(const std::string& from, const std::string& to, bool reverse = false) {
  Flow flow;
  flow.set_entry("bulk");
  flow.set_reverse(reverse);
  flow.set_from_host(from);
  flow.set_to_host(to);
  flow.set_from_device("eth0");
  flow.set_to_device("eth0");
  return flow;
}

TEST(RunHeadTest, WorkersOfOneBootIdAreOneMachine) {
  std::vector<Host> hosts = {MakeHost("a", "x"), MakeHost("b", "y"), MakeHost("c", "x")};
  const auto machines = GroupMachines(hosts);
  ASSERT_EQ(machines.size(), 2u);
  EXPECT_EQ(machines[0].id(), "m1");
  EXPECT_EQ(machines[0].boot_id(), "x");
  EXPECT_EQ(machines[0].online_cpus(), 2u);
  EXPECT_THAT(machines[0].hosts(), ElementsAre("a", "c"));
  EXPECT_THAT(machines[1].hosts(), ElementsAre("b"));
  EXPECT_EQ(hosts[2].machine(), "m1");
}

TEST(RunHeadTest, HostsWithoutABootIdAreNotTakenForOneMachine) {
  std::vector<Host> hosts = {MakeHost("a", ""), MakeHost("b", "")};
  EXPECT_EQ(GroupMachines(hosts).size(), 2u);
}

TEST(RunHeadTest, EachPairIsListedOnceOverAllCases) {
  const std::vector<Host> hosts = {MakeHost("a", "x"), MakeHost("b", "y")};
  const auto pairs = ListPairs(
      {{MakeFlow("a", "b"), MakeFlow("a", "b")}, {MakeFlow("a", "b"), MakeFlow("b", "a", true)}}, hosts);
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0].from_host(), "a");
  EXPECT_TRUE(pairs[1].reverse());
}

TEST(RunHeadTest, ASpeedThatIsNotKnownStaysUnsetAndHardwareNeedsBothEnds) {
  std::vector<Host> hosts = {MakeHost("a", "x"), MakeHost("b", "y")};
  tutti::v1::HostDevice& device = *hosts[0].mutable_facts()->add_devices();
  device.set_name("eth0");
  device.set_speed_bps(25'000'000'000);
  device.set_has_hardware(true);
  hosts[1].mutable_facts()->add_devices()->set_name("eth0");
  const auto pairs = ListPairs({{MakeFlow("a", "b")}}, hosts);
  EXPECT_EQ(pairs[0].from_speed_bps(), 25'000'000'000u);
  EXPECT_FALSE(pairs[0].has_to_speed_bps());
  EXPECT_FALSE(pairs[0].hardware());
  hosts[1].mutable_facts()->mutable_devices(0)->set_has_hardware(true);
  EXPECT_TRUE(ListPairs({{MakeFlow("a", "b")}}, hosts)[0].hardware());
}

}  // namespace
}  // namespace tutti::run
