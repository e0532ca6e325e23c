#include "coordinator/plan/written_place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/coordinator/plan/plan_texts.h"

namespace tutti::plan {
namespace {

using ::testing::HasSubstr;

// Three senders to a receiver, of which only placement knows.
const char kPlan[] = R"(version: 1
name: n
roles: {a: {count: all}, b: {count: 1}}
matrix:
  range: [5201-5300, 5201-5202]
traffic:
  - name: other
    from: a
    to: b
    pattern: fan_in
    protocol: udp
  - name: bulk
    from: a
    to: b
    pattern: fan_in
    protocol: tcp
    ports: ${range}
)";

// What is wrong with the case on four hosts of one network.
std::string Wrong(const std::string& text, int case_index, const std::vector<std::string>& overrides = {}) {
  const auto plan = LoadValidPlan(text, "p.yaml", overrides);
  if (!plan.ok()) return "not loaded: " + std::string(plan.status().message());
  const std::vector<Candidate> fleet = {Worker("h1", 1), Worker("h2", 2), Worker("h3", 3), Worker("h4", 4)};
  const auto placement = Place(*plan, fleet);
  if (!placement.ok()) return "not placed: " + std::string(placement.status().message());
  const absl::Status status =
      ExpandFlows(plan->cases(case_index), placement->cases[case_index], fleet).status();
  const absl::Status placed = WithPlace(*plan, case_index, status);
  EXPECT_EQ(placed.code(), status.code());
  return std::string(placed.message());
}

TEST(WithPlace, PointsAtTheValueThatTheCaseHas) {
  EXPECT_EQ(Wrong(kPlan, 0), "");
  EXPECT_EQ(Wrong(kPlan, 1),
            "p.yaml:5:22: traffic[1].ports: traffic bulk: host h1 receives 3 streams, and ports 5201-5202 "
            "are 2: write a "
            "range of 3 ports or more");
}

TEST(WithPlace, NamesTheOverrideThatBroughtTheValue) {
  EXPECT_EQ(Wrong(kPlan, 0, {"matrix.range=[7]"}),
            "p.yaml: traffic[1].ports: traffic bulk: host h1 receives 3 streams, and port 7 is one: write a "
            "range of 3 "
            "ports or more (from --set matrix.range=[7])");
}

TEST(WithPlace, PointsAtTheEntryWhereTheKeyIsLeftOut) {
  std::string text = MinimalPlan("    network: 10.9.0.0/16\n");
  EXPECT_THAT(Wrong(text, 0),
              HasSubstr("p.yaml:11:14: traffic[0].network: traffic bulk: host h1 has no address in"));
  text.replace(text.find("b: {count: 1}"), 13, "b: {count: all}");
  text.replace(text.find("    network: 10.9.0.0/16\n"), 25, "");
  EXPECT_THAT(Wrong(text, 0),
              HasSubstr("p.yaml:7:5: traffic[0].pattern: traffic bulk: pattern pairs wants as many hosts"));
}

TEST(WithPlace, LeavesOtherErrorsAlone) {
  const absl::Status status = absl::FailedPreconditionError("no worker");
  EXPECT_EQ(WithPlace(tutti::v1::Plan(), 0, status), status);
  EXPECT_EQ(std::string(WithPlace(tutti::v1::Plan(), 0, InEntry(status, 0, "ports")).message()), "no worker");
  EXPECT_TRUE(WithPlace(tutti::v1::Plan(), 0, absl::OkStatus()).ok());
}

}  // namespace
}  // namespace tutti::plan
