#include "coordinator/cli/plan_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coordinator/cli/fake_fleet.h"

namespace tutti::cli {
namespace {

using ::testing::HasSubstr;

constexpr char kPlan[] = R"(version: 1
name: pair
roles:
  left: {count: 1}
  right: {count: 1}
matrix:
  streams: [1, 2]
traffic:
  - name: bulk
    from: left
    to: right
    pattern: pairs
    streams: ${streams}
    protocol: tcp
    message_size: 64KiB
timing: {warmup: 1s, measure: 10s, cooldown: 500ms, interval: 100ms}
repeat: 2
)";

TEST(PlanDocumentTest, HasThePlanAndWhereEachCaseWouldRun) {
  const absl::StatusOr<tutti::v1::Plan> plan = plan::LoadValidPlan(kPlan, "pair.yaml", {});
  ASSERT_TRUE(plan.ok()) << plan.status();
  const absl::StatusOr<report::Document> document = PlanDocument(*plan, FakeFleet(*plan, 2));
  ASSERT_TRUE(document.ok()) << document.status();
  ASSERT_EQ(document->keys, (std::vector<std::string>{"plan", "hosts", "expected_duration_ns", "cases"}));
  EXPECT_EQ(report::DocumentYaml(document->items[1]), "[host1, host2]\n");
  // 2 cases x (2 trials x 11.5 s and a second of background).
  EXPECT_EQ(document->items[2].text, "48000000000");
  const report::Document& cases = document->items[3];
  ASSERT_EQ(cases.items.size(), 2u);
  const report::Document& second = cases.items[1];
  ASSERT_EQ(second.keys, (std::vector<std::string>{"index", "roles", "flows"}));
  EXPECT_EQ(second.items[0].text, "1");
  EXPECT_EQ(report::DocumentYaml(second.items[1]), "left: [host1]\nright: [host2]\n");
  EXPECT_EQ(second.items[2].items.size(), 2u);
  EXPECT_THAT(report::DocumentYaml(second.items[2].items[0]), HasSubstr("from_host: host1\n"));
}

TEST(PlanDocumentTest, AFleetThatIsTooSmallIsTheErrorOfPlacement) {
  const absl::StatusOr<tutti::v1::Plan> plan = plan::LoadValidPlan(kPlan, "pair.yaml", {});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(PlanDocument(*plan, FakeFleet(*plan, 1)).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(CheckedPlanTest, ErrorsHaveTheirPlaceOrNull) {
  plan::LoadedPlan loaded;
  plan::PlanError error;
  error.line = 3;
  error.column = 7;
  error.path = "roles.left";
  error.message = "wrong";
  loaded.errors = {error, plan::PlanError{}};
  loaded.warnings = {"odd"};
  EXPECT_EQ(report::DocumentYaml(CheckedPlan("p.yaml", loaded)),
            "file: p.yaml\n"
            "valid: false\n"
            "cases: null\n"
            "errors:\n"
            "  - line: 3\n"
            "    column: 7\n"
            "    path: roles.left\n"
            "    message: wrong\n"
            "  - line: null\n"
            "    column: null\n"
            "    path: \"\"\n"
            "    message: \"\"\n"
            "warnings: [odd]\n");
  EXPECT_THAT(report::DocumentYaml(CheckedPlan("p.yaml", plan::LoadPlan(kPlan, "p.yaml", {}))),
              HasSubstr("valid: true\ncases: 2\nerrors: []\n"));
}

}  // namespace
}  // namespace tutti::cli
