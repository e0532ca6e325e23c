#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coordinator/plan/placement.h"
#include "tests/unit/coordinator/plan/plan_texts.h"

namespace tutti::plan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<Candidate> kWorkers = {Worker("x", 1), Worker("y", 2), Worker("z", 3), Worker("w", 4)};

// The case of one entry, and its flows as "from>to#index", reverse ones with '<'.
std::vector<std::string> Flows(const std::string& entry, const RoleHosts& roles,
                               std::string* error = nullptr) {
  const std::string text =
      "version: 1\nname: n\nroles: {a: {count: all}, b: {count: all}}\ntraffic:\n"
      "  - {name: e, protocol: udp, from: a, " +
      entry + "}\n" + "  - {name: unused, from: a, to: b, protocol: udp}\n";
  auto plan = LoadValidPlan(text, "p.yaml", {});
  EXPECT_TRUE(plan.ok()) << std::string(plan.status().message());
  if (!plan.ok()) return {};
  tutti::v1::Case only = plan->cases(0);
  only.mutable_traffic()->RemoveLast();
  auto flows = ExpandFlows(only, roles, kWorkers);
  std::vector<std::string> shown;
  if (!flows.ok()) {
    if (error != nullptr) *error = std::string(flows.status().message());
    return {"error: " + std::string(flows.status().message())};
  }
  for (size_t i = 0; i < flows->size(); ++i) {
    const tutti::v1::Flow& flow = (*flows)[i];
    EXPECT_EQ(flow.stream_id(), i);
    EXPECT_EQ(flow.entry(), "e");
    shown.push_back(flow.from_host() + (flow.reverse() ? "<" : ">") + flow.to_host() + "#" +
                    std::to_string(flow.index()));
  }
  return shown;
}

TEST(ExpandFlows, Pairs) {
  EXPECT_THAT(Flows("to: b", {{"a", {"x", "y"}}, {"b", {"z", "w"}}}), ElementsAre("x>z#0", "y>w#0"));
  EXPECT_THAT(Flows("to: b, streams: 2", {{"a", {"x"}}, {"b", {"z"}}}), ElementsAre("x>z#0", "x>z#1"));
}

TEST(ExpandFlows, BothWaysAddsTheReversePairs) {
  EXPECT_THAT(Flows("to: b, both_ways: true, streams: 2", {{"a", {"x"}}, {"b", {"z"}}}),
              ElementsAre("x>z#0", "x>z#1", "z<x#0", "z<x#1"));
}

TEST(ExpandFlows, Fans) {
  EXPECT_THAT(Flows("to: b, pattern: fan_out", {{"a", {"x"}}, {"b", {"y", "z"}}}),
              ElementsAre("x>y#0", "x>z#0"));
  EXPECT_THAT(Flows("to: b, pattern: fan_in", {{"a", {"x", "y"}}, {"b", {"z"}}}),
              ElementsAre("x>z#0", "y>z#0"));
}

TEST(ExpandFlows, AllToAllNeverToItself) {
  EXPECT_THAT(Flows("to: a, pattern: all_to_all", {{"a", {"x", "y", "z"}}, {"b", {"w"}}}),
              ElementsAre("x>y#0", "x>z#0", "y>x#0", "y>z#0", "z>x#0", "z>y#0"));
  EXPECT_THAT(Flows("to: b, pattern: all_to_all", {{"a", {"x", "y"}}, {"b", {"y", "z"}}}),
              ElementsAre("x>y#0", "x>z#0", "y>z#0"));
}

TEST(ExpandFlows, Ring) {
  EXPECT_THAT(Flows("to: a, pattern: ring", {{"a", {"x", "y", "z"}}, {"b", {"w"}}}),
              ElementsAre("x>y#0", "y>z#0", "z>x#0"));
  EXPECT_THAT(Flows("to: a, pattern: ring", {{"a", {"x", "y"}}, {"b", {"w"}}}),
              ElementsAre("x>y#0", "y>x#0"));
}

TEST(ExpandFlows, CarriesAddressesAndDevicesOfBothDirections) {
  auto plan = LoadValidPlan(MinimalPlan("    both_ways: true\n"), "", {});
  auto flows = ExpandFlows(plan->cases(0), {{"a", {"x"}}, {"b", {"y"}}}, kWorkers);
  ASSERT_TRUE(flows.ok());
  ASSERT_EQ(flows->size(), 2u);
  EXPECT_EQ((*flows)[0].from_address(), "10.0.0.1");
  EXPECT_EQ((*flows)[0].to_address(), "10.0.0.2");
  EXPECT_EQ((*flows)[1].from_address(), "10.0.0.2");
  EXPECT_EQ((*flows)[1].to_address(), "10.0.0.1");
  EXPECT_EQ((*flows)[1].to_device(), "eth0");
}

TEST(ExpandFlows, RefusesCountsThatOnlyPlacementKnows) {
  std::string error;
  Flows("to: b", {{"a", {"x", "y"}}, {"b", {"z"}}}, &error);
  EXPECT_THAT(
      error,
      HasSubstr("traffic e: pattern pairs wants as many hosts on both sides, not 2 sending and 1 receiving"));
  Flows("to: a, pattern: ring", {{"a", {"x"}}, {"b", {"z"}}}, &error);
  EXPECT_THAT(error, HasSubstr("at least two hosts"));
  Flows("to: b, pattern: all_to_all", {{"a", {"x"}}, {"b", {"x"}}}, &error);
  EXPECT_THAT(error, HasSubstr("no pair of different hosts"));
  Flows("to: b", {{"a", {"x"}}, {"b", {"gone"}}}, &error);
  EXPECT_THAT(error, HasSubstr("there is no worker gone"));
  Flows("to: b", {{"a", {"x"}}}, &error);
  EXPECT_THAT(error, HasSubstr("the role b has no hosts"));
}

TEST(ExpandFlows, RefusesMoreStreamsThanPorts) {
  std::string error;
  Flows("to: b, pattern: fan_in, streams: 2, ports: 5201-5203", {{"a", {"x", "y"}}, {"b", {"z"}}}, &error);
  EXPECT_THAT(error, HasSubstr("host z receives 4 streams, and ports 5201-5203 are 3"));
  EXPECT_EQ(Flows("to: b, streams: 3, ports: 5201-5203", {{"a", {"x"}}, {"b", {"z"}}}).size(), 3u);
}

TEST(ExpandFlows, RefusesMoreStreamsThanACaseMayHave) {
  std::string error;
  Flows("to: b, pattern: all_to_all, streams: 50000", {{"a", {"x", "y"}}, {"b", {"z", "w"}}}, &error);
  EXPECT_THAT(error, HasSubstr("200000 streams, more than 100000"));
}

}  // namespace
}  // namespace tutti::plan
