#include "coordinator/plan/placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coordinator/plan/natural_order.h"
#include "tests/unit/coordinator/plan/plan_texts.h"

namespace tutti::plan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A plan whose every role is used: `roles` in YAML flow style, sending from the first to the second.
tutti::v1::Plan PlanOf(const std::string& roles, const std::string& first = "a",
                       const std::string& second = "b", const std::string& matrix = "") {
  const std::string text = "version: 1\nname: n\nroles: " + roles + "\n" + matrix +
                           "traffic:\n  - {from: " + first + ", to: " + second +
                           ", pattern: all_to_all, protocol: udp}\n";
  auto plan = LoadValidPlan(text, "p.yaml", {});
  EXPECT_TRUE(plan.ok()) << std::string(plan.status().message());
  return plan.ok() ? *plan : tutti::v1::Plan();
}

Placement Placed(const tutti::v1::Plan& plan, const std::vector<Candidate>& workers) {
  auto placement = Place(plan, workers);
  EXPECT_TRUE(placement.ok()) << std::string(placement.status().message());
  return placement.ok() ? *placement : Placement();
}

std::string Refused(const tutti::v1::Plan& plan, const std::vector<Candidate>& workers) {
  auto placement = Place(plan, workers);
  if (placement.ok()) return "placed";
  EXPECT_EQ(placement.status().code(), absl::StatusCode::kFailedPrecondition);
  return std::string(placement.status().message());
}

TEST(Place, TakesDistinctHostsInNameOrder) {
  const Placement placement = Placed(PlanOf("{a: {count: 2}, b: {count: 1}}"),
                                     {Worker("host10", 10), Worker("host2", 2), Worker("host1", 1)});
  ASSERT_EQ(placement.cases.size(), 1u);
  EXPECT_THAT(placement.cases[0].at("a"), ElementsAre("host1", "host2"));
  EXPECT_THAT(placement.cases[0].at("b"), ElementsAre("host10"));
  EXPECT_THAT(placement.hosts, ElementsAre("host1", "host2", "host10"));
}

TEST(Place, NamedHostsComeFirstAndKeepTheirOrder) {
  const Placement placement = Placed(PlanOf("{a: {count: 1}, b: {hosts: [h3, h1]}}"),
                                     {Worker("h1", 1), Worker("h2", 2), Worker("h3", 3)});
  EXPECT_THAT(placement.cases[0].at("a"), ElementsAre("h2"));
  EXPECT_THAT(placement.cases[0].at("b"), ElementsAre("h3", "h1"));
}

TEST(Place, ARoleThatCouldTakeAnotherHostGivesWay) {
  const std::vector<Candidate> workers = {Worker("h1", 1, {{"rack", "x"}}), Worker("h2", 2), Worker("h3", 3)};
  const Placement placement = Placed(PlanOf("{a: {count: 2}, b: {count: 1, labels: {rack: x}}}"), workers);
  EXPECT_THAT(placement.cases[0].at("a"), ElementsAre("h2", "h3"));
  EXPECT_THAT(placement.cases[0].at("b"), ElementsAre("h1"));
}

TEST(Place, GivesWayOverSeveralRoles) {
  // a could take h1 h2, b h2 h3, c only h1: a -> h2, b -> h3, c -> h1 is the only way.
  const std::vector<Candidate> workers = {Worker("h1", 1, {{"p", "1"}, {"r", "1"}}),
                                          Worker("h2", 2, {{"p", "1"}, {"q", "1"}}),
                                          Worker("h3", 3, {{"q", "1"}})};
  const std::string text = R"(version: 1
name: n
roles:
  a: {count: 1, labels: {p: 1}}
  b: {count: 1, labels: {q: 1}}
  c: {count: 1, labels: {r: 1}}
traffic:
  - {from: a, to: b, protocol: udp}
  - {from: b, to: c, protocol: udp}
)";
  const Placement placement = Placed(*LoadValidPlan(text, "", {}), workers);
  EXPECT_THAT(placement.cases[0].at("a"), ElementsAre("h2"));
  EXPECT_THAT(placement.cases[0].at("b"), ElementsAre("h3"));
  EXPECT_THAT(placement.cases[0].at("c"), ElementsAre("h1"));
}

TEST(Place, AllTakesWhatTheOthersLeave) {
  const std::vector<Candidate> workers = {Worker("h1", 1), Worker("h2", 2), Worker("h3", 3)};
  const Placement placement = Placed(PlanOf("{a: {count: all}, b: {count: 1}}"), workers);
  EXPECT_THAT(placement.cases[0].at("b"), ElementsAre("h1"));
  EXPECT_THAT(placement.cases[0].at("a"), ElementsAre("h2", "h3"));
}

TEST(Place, SameAsSharesTheHosts) {
  const Placement placement =
      Placed(*LoadValidPlan("version: 1\nname: n\nroles: {b: {same_as: a}, a: {count: 1}}\n"
                            "traffic:\n  - {from: a, to: b, protocol: udp}\n",
                            "", {}),
             {Worker("h1", 1)});
  EXPECT_THAT(placement.cases[0].at("b"), ElementsAre("h1"));
  EXPECT_THAT(placement.hosts, ElementsAre("h1"));
}

TEST(Place, SmallerCasesTakeTheFirstHostsOfTheLargest) {
  const Placement placement =
      Placed(PlanOf("{a: {count: \"${n}\"}, b: {count: 1}}", "a", "b", "matrix: {n: [1, 3, 2]}\n"),
             {Worker("h1", 1), Worker("h2", 2), Worker("h3", 3), Worker("h4", 4), Worker("h5", 5)});
  ASSERT_EQ(placement.cases.size(), 3u);
  EXPECT_THAT(placement.cases[0].at("a"), ElementsAre("h1"));
  EXPECT_THAT(placement.cases[1].at("a"), ElementsAre("h1", "h2", "h3"));
  EXPECT_THAT(placement.cases[2].at("a"), ElementsAre("h1", "h2"));
  for (const RoleHosts& roles : placement.cases) EXPECT_THAT(roles.at("b"), ElementsAre("h4"));
  EXPECT_THAT(placement.hosts, ElementsAre("h1", "h2", "h3", "h4"));
}

TEST(Place, HostsMayVaryBetweenCases) {
  const Placement placement =
      Placed(PlanOf("{a: {hosts: [\"${h}\"]}, b: {count: 1}}", "a", "b", "matrix: {h: [h1, h2]}\n"),
             {Worker("h1", 1), Worker("h2", 2), Worker("h3", 3)});
  EXPECT_THAT(placement.cases[0].at("a"), ElementsAre("h1"));
  EXPECT_THAT(placement.cases[1].at("a"), ElementsAre("h2"));
  EXPECT_THAT(placement.cases[1].at("b"), ElementsAre("h3"));
}

TEST(Place, SaysWhichWorkersExistAndWhyEachDidNotMatch) {
  const std::string message = Refused(PlanOf("{a: {hosts: [h1]}, b: {count: 2, labels: {rack: x}}}"),
                                      {Worker("h1", 1, {{"rack", "x"}}), Worker("h2", 2, {{"rack", "y"}}),
                                       Worker("h3", 3), Worker("h4", 4, {{"rack", "x"}})});
  EXPECT_EQ(message,
            "role b wants 2 workers with rack=x, and only 1 is to be had:\n"
            "  h1: is named by role a\n"
            "  h2: its rack is y, not x\n"
            "  h3: has no label rack\n"
            "  h4: matches, taken for role b");
}

TEST(Place, NamesEveryRoleThatCannotBeFilled) {
  const std::string message = Refused(PlanOf("{a: {hosts: [gone]}, b: {count: 3}}"), {Worker("h1", 1)});
  EXPECT_THAT(message, HasSubstr("role a: there is no worker \"gone\": workers are h1"));
  EXPECT_THAT(message, HasSubstr("role b wants 3 workers, and only 1 is to be had"));
  EXPECT_THAT(Refused(PlanOf("{a: {count: 1}, b: {count: all}}"), {}), HasSubstr("no worker is connected"));
  EXPECT_THAT(Refused(PlanOf("{a: {count: 1}, b: {count: all}}"), {Worker("h1", 1)}),
              HasSubstr("role b wants all workers that are left, and none is"));
}

TEST(Place, IsQuickWithAThousandWorkers) {
  std::vector<Candidate> workers;
  for (int i = 0; i < 1000; ++i)
    workers.push_back(Worker("h" + std::to_string(i), 1, {{"odd", i % 2 ? "1" : "0"}}));
  const auto pairs = [](const std::string& a, const std::string& b) {
    return *LoadValidPlan("version: 1\nname: n\nroles: {a: " + a + ", b: " + b +
                              "}\ntraffic:\n  - {from: a, to: b, protocol: udp}\n",
                          "", {});
  };
  const Placement placement = Placed(pairs("{count: 500}", "{count: 500, labels: {odd: 0}}"), workers);
  ASSERT_EQ(placement.cases.size(), 1u);
  EXPECT_EQ(placement.hosts.size(), 1000u);
  EXPECT_EQ(placement.cases[0].at("a")[0], "h1");
  EXPECT_EQ(placement.cases[0].at("b")[499], "h998");
  EXPECT_THAT(Refused(pairs("{count: 501}", "{count: 501}"), workers), HasSubstr("only 499 are"));
}

TEST(NaturalOrder, CountsAsPeopleDo) {
  EXPECT_TRUE(NaturalLess("host2", "host10"));
  EXPECT_FALSE(NaturalLess("host10", "host2"));
  EXPECT_TRUE(NaturalLess("a9b1", "a10a"));
  EXPECT_TRUE(NaturalLess("a", "ab"));
  EXPECT_TRUE(NaturalLess("host01", "host1") != NaturalLess("host1", "host01"));
  EXPECT_FALSE(NaturalLess("x", "x"));
  EXPECT_TRUE(NaturalLess("n99999999999999999998", "n99999999999999999999"));
}

}  // namespace
}  // namespace tutti::plan
