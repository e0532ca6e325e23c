#include "coordinator/cli/fake_fleet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

tutti::v1::Role* AddRole(tutti::v1::Plan& plan, const std::string& name) {
  if (plan.cases().empty()) plan.add_cases();
  tutti::v1::Role* role = plan.mutable_cases(0)->add_roles();
  role->set_name(name);
  return role;
}

std::vector<std::string> Names(const std::vector<plan::Candidate>& fleet) {
  std::vector<std::string> names;
  for (const plan::Candidate& host : fleet) names.push_back(host.name);
  return names;
}

TEST(HostsNeededTest, SumsTheRolesOfTheLargestCase) {
  tutti::v1::Plan plan;
  AddRole(plan, "sender")->set_count(3);
  AddRole(plan, "receiver")->set_count(1);
  *plan.add_cases() = plan.cases(0);
  plan.mutable_cases(1)->mutable_roles(0)->set_count(7);
  EXPECT_EQ(HostsNeeded(plan), 8);
}

TEST(HostsNeededTest, ARoleThatSharesHostsNeedsNoneOfItsOwn) {
  tutti::v1::Plan plan;
  AddRole(plan, "sender")->set_count(1);
  AddRole(plan, "receiver")->set_same_as("sender");
  EXPECT_EQ(HostsNeeded(plan), 1);
}

TEST(HostsNeededTest, NamesOfLabHostsNeedThatManyHosts) {
  tutti::v1::Plan plan;
  AddRole(plan, "sender")->add_hosts("host5");
  AddRole(plan, "receiver")->set_count(1);
  EXPECT_EQ(HostsNeeded(plan), 5);
}

TEST(HostsNeededTest, AllMeansAtLeastTwo) {
  tutti::v1::Plan plan;
  AddRole(plan, "node")->set_all(true);
  EXPECT_EQ(HostsNeeded(plan), 2);
}

TEST(HostsNeededTest, HostsThatOneCaseNamesAreNotThoseThatAnotherCounts) {
  tutti::v1::Plan plan;
  AddRole(plan, "sender")->add_hosts("host1");
  AddRole(plan, "receiver")->set_count(1);
  *plan.add_cases() = plan.cases(0);
  plan.mutable_cases(1)->mutable_roles(0)->clear_hosts();
  plan.mutable_cases(1)->mutable_roles(0)->set_count(1);
  EXPECT_EQ(HostsNeeded(plan), 3);
  EXPECT_TRUE(plan::Place(plan, LabFleet(3, {})).ok());
  EXPECT_FALSE(plan::Place(plan, LabFleet(2, {})).ok());
}

TEST(HostsNeededTest, EachSetOfLabelsHasHostsOfItsOwn) {
  tutti::v1::Plan plan;
  for (const char* rack : {"a", "b"}) {
    tutti::v1::Role* role = plan.add_cases()->add_roles();
    role->set_name("node");
    role->set_count(2);
    (*role->mutable_labels())["rack"] = rack;
  }
  EXPECT_EQ(HostsNeeded(plan), 4);
  EXPECT_TRUE(plan::Place(plan, FakeFleet(plan, 4)).ok());
}

TEST(HostsNeededTest, APlanWithoutCasesNeedsNone) { EXPECT_EQ(HostsNeeded(tutti::v1::Plan()), 0); }

TEST(FakeFleetTest, HasTheNamesAndAddressesOfALab) {
  const auto fleet = FakeFleet(tutti::v1::Plan(), 2);
  EXPECT_THAT(Names(fleet), ElementsAre("host1", "host2"));
  EXPECT_EQ(fleet[1].facts.addresses(0).address(), "10.77.0.12");
  EXPECT_EQ(fleet[1].control_address, "10.77.0.12");
  EXPECT_EQ(fleet[0].facts.addresses(0).prefix_length(), 16u);
}

TEST(LabFleetTest, HostsHaveTheirNamesAsLabelsAndThoseThatWereGiven) {
  const auto fleet = LabFleet(2, {{"host2", {{"rack", "a"}}}});
  EXPECT_THAT(fleet[0].labels, ElementsAre(Pair("host", "host1")));
  EXPECT_THAT(fleet[1].labels, ElementsAre(Pair("host", "host2"), Pair("rack", "a")));
}

TEST(FakeFleetTest, NamesOfThePlanDoNotReplaceOneAnother) {
  tutti::v1::Plan plan;
  AddRole(plan, "sender")->add_hosts("alpha");
  AddRole(plan, "receiver")->add_hosts("host2");
  EXPECT_THAT(Names(FakeFleet(plan, HostsNeeded(plan))), ElementsAre("alpha", "host2"));
}

TEST(FakeFleetTest, LabelsGoToHostsThatThePlanDoesNotName) {
  tutti::v1::Plan plan;
  AddRole(plan, "sender")->add_hosts("host2");
  tutti::v1::Role* receiver = AddRole(plan, "receiver");
  receiver->set_count(1);
  (*receiver->mutable_labels())["rack"] = "a";
  EXPECT_TRUE(plan::Place(plan, FakeFleet(plan, HostsNeeded(plan))).ok());
}

TEST(FakeFleetTest, AHostThatHasTheLabelsIsTaken) {
  tutti::v1::Plan plan;
  tutti::v1::Role* sender = AddRole(plan, "sender");
  sender->set_count(1);
  (*sender->mutable_labels())["host"] = "host1";
  const auto fleet = FakeFleet(plan, 2);
  EXPECT_EQ(fleet[0].labels.at("host"), "host1");
  EXPECT_EQ(fleet[1].labels.at("host"), "host2");
}

TEST(FakeFleetTest, HasTheHostsThatThePlanNames) {
  tutti::v1::Plan plan;
  AddRole(plan, "sender")->add_hosts("alpha");
  AddRole(plan, "receiver")->add_hosts("host1");
  EXPECT_THAT(Names(FakeFleet(plan, HostsNeeded(plan))), ElementsAre("alpha", "host1"));
}

TEST(FakeFleetTest, GivesLabelsToAsManyHostsAsARoleAsksFor) {
  tutti::v1::Plan plan;
  AddRole(plan, "sender")->set_count(1);
  tutti::v1::Role* receiver = AddRole(plan, "receiver");
  receiver->set_count(2);
  (*receiver->mutable_labels())["rack"] = "a";
  const auto fleet = FakeFleet(plan, HostsNeeded(plan));
  ASSERT_EQ(fleet.size(), 3u);
  EXPECT_EQ(fleet[0].labels.count("rack"), 0u);
  EXPECT_EQ(fleet[1].labels.at("rack"), "a");
  EXPECT_EQ(fleet[2].labels.at("rack"), "a");
}

TEST(FakeFleetTest, AnAllRoleGetsItsLabelsOnEveryHostThatIsLeft) {
  tutti::v1::Plan plan;
  tutti::v1::Role* node = AddRole(plan, "node");
  node->set_all(true);
  (*node->mutable_labels())["rack"] = "a";
  tutti::v1::Role* sink = AddRole(plan, "sink");
  sink->set_count(1);
  (*sink->mutable_labels())["rack"] = "b";
  const auto fleet = FakeFleet(plan, 4);
  EXPECT_EQ(fleet[3].labels.at("rack"), "b");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(fleet[i].labels.at("rack"), "a");
}

}  // namespace
}  // namespace tutti::cli
