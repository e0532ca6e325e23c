#include "coordinator/cli/explanation_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "coordinator/cli/plan_differences.h"
#include "coordinator/plan/plan_loader.h"

namespace tutti::cli {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

tutti::v1::Plan Load(const std::string& streams, const std::vector<std::string>& overrides = {}) {
  const std::string text =
      "version: 1\n"
      "name: two\n"
      "roles: {a: {count: 1}, b: {count: 1}}\n"
      "matrix: {streams: " +
      streams +
      "}\n"
      "traffic:\n"
      "  - {from: a, to: b, protocol: udp, streams: \"${streams}\"}\n";
  const auto loaded = plan::LoadValidPlan(text, "p.yaml", overrides);
  EXPECT_TRUE(loaded.ok()) << std::string(loaded.status().message());
  return loaded.ok() ? *loaded : tutti::v1::Plan();
}

TEST(RenderExplanationTest, WhatAllCasesShareStandsOnce) {
  const tutti::v1::Plan loaded = Load("[1, 4]", {"timing.measure=2s"});
  const std::string text = RenderExplanation(loaded, plan::ExplainPlan(loaded));
  EXPECT_EQ(text.find("all 2 cases\n"), 0u);
  EXPECT_THAT(text, ContainsRegex("\n  timing.measure +2s +--set timing.measure=2s\n"));
  EXPECT_THAT(text, ContainsRegex("\n  timing.warmup +1s +default\n"));
  EXPECT_THAT(text, ContainsRegex("\ncase 1 of 2: streams=1\n"
                                  "  matrix.streams +1 +p.yaml:4:20\n"
                                  "  traffic.0..streams +1 +axis streams, p.yaml:4:20\n"));
  EXPECT_THAT(text, ContainsRegex("\ncase 2 of 2: streams=4\n"
                                  "  matrix.streams +4 +p.yaml:4:23\n"));
  EXPECT_EQ(text.find("timing.warmup"), text.rfind("timing.warmup"));
}

TEST(RenderExplanationTest, OneCaseAloneHasAllOfItsValues) {
  const tutti::v1::Plan loaded = Load("[1, 4]");
  const std::string text = RenderExplanation(loaded, {plan::ExplainPlan(loaded).at(1)});
  EXPECT_EQ(text.find("case 2 of 2: streams=4\n"), 0u);
  EXPECT_THAT(text, AllOf(HasSubstr("timing.warmup"), Not(HasSubstr("all 2 cases"))));
}

TEST(ExplanationDocumentTest, HasThePlacesAsNumbers) {
  const tutti::v1::Plan loaded = Load("[1]", {"repeat=3"});
  const std::string json = report::DocumentJson(ExplanationDocument(loaded, plan::ExplainPlan(loaded)));
  EXPECT_THAT(json, HasSubstr("\"source_name\": \"p.yaml\""));
  EXPECT_THAT(json, ContainsRegex("\"path\": \"traffic.0..streams\",\n *\"value\": \"1\",\n *"
                                  "\"origin\": \"axis\",\n *\"line\": 4,\n *\"column\": 20,\n *"
                                  "\"set\": null"));
  EXPECT_THAT(json, ContainsRegex("\"path\": \"repeat\",\n *\"value\": \"3\",\n *\"origin\": \"set\",\n *"
                                  "\"line\": null,\n *\"column\": null,\n *\"set\": \"repeat=3\""));
}

TEST(PlanDifferencesTest, NamesWhatIsReadOtherwise) {
  const tutti::v1::Plan now = Load("[1, 4]");
  EXPECT_THAT(PlanDifferences(now, now), IsEmpty());
  tutti::v1::Plan earlier = now;
  earlier.mutable_cases(1)->set_repeat(2);
  EXPECT_THAT(PlanDifferences(earlier, now), ElementsAre("modified: cases[1].repeat: 2 -> 1"));
  for (int i = 0; i < 2; ++i) earlier.mutable_cases(i)->mutable_timing()->Clear();
  EXPECT_THAT(PlanDifferences(earlier, now), testing::SizeIs(5));
}

}  // namespace
}  // namespace tutti::cli
