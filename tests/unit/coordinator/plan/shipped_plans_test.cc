#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "coordinator/plan/placement.h"
#include "tests/unit/coordinator/plan/plan_texts.h"

namespace tutti::plan {
namespace {

using ::testing::IsEmpty;

std::map<std::string, std::string> ShippedPlans() {
  std::map<std::string, std::string> plans;
  for (const auto& file : std::filesystem::directory_iterator(std::string(TUTTI_SOURCE_DIR) + "/plans")) {
    std::ifstream in(file.path());
    std::ostringstream text;
    text << in.rdbuf();
    plans[file.path().filename().string()] = text.str();
  }
  return plans;
}

std::vector<Candidate> Fleet(int hosts) {
  std::vector<Candidate> fleet;
  for (int i = 1; i <= hosts; ++i) fleet.push_back(Worker("host" + std::to_string(i), i));
  return fleet;
}

// Streams of each case on a fleet of so many hosts.
std::vector<size_t> DryRun(const std::string& text, int hosts) {
  std::vector<size_t> streams;
  auto plan = LoadValidPlan(text, "plan", {});
  EXPECT_TRUE(plan.ok()) << std::string(plan.status().message());
  if (!plan.ok()) return streams;
  const std::vector<Candidate> fleet = Fleet(hosts);
  auto placement = Place(*plan, fleet);
  EXPECT_TRUE(placement.ok()) << std::string(placement.status().message());
  if (!placement.ok()) return streams;
  for (int i = 0; i < plan->cases_size(); ++i) {
    auto flows = ExpandFlows(plan->cases(i), placement->cases[i], fleet);
    EXPECT_TRUE(flows.ok()) << std::string(flows.status().message());
    streams.push_back(flows.ok() ? flows->size() : 0);
  }
  return streams;
}

TEST(ShippedPlans, LoadWithoutErrorOrWarningAndDryRun) {
  const auto plans = ShippedPlans();
  EXPECT_EQ(plans.size(), 13u);
  for (const auto& [name, text] : plans) {
    SCOPED_TRACE(name);
    const LoadedPlan loaded = LoadPlan(text, name, {});
    EXPECT_THAT(loaded.warnings, IsEmpty());
    for (size_t streams : DryRun(text, 4)) EXPECT_GT(streams, 0u);
    EXPECT_EQ(loaded.plan.name() + ".yaml", name);
    EXPECT_EQ(text.rfind("# ", 0), 0u) << "a plan begins with what it answers";
    EXPECT_THAT(text, testing::HasSubstr("tutti lab run plans/" + name));
  }
}

TEST(ShippedPlans, HaveTheStreamsThatTheirHeadsSpeakOf) {
  const auto plans = ShippedPlans();
  using testing::ElementsAre;
  EXPECT_THAT(DryRun(plans.at("stream-test.yaml"), 2), ElementsAre(1, 2, 4, 8, 1, 2, 4, 8));
  EXPECT_THAT(DryRun(plans.at("stream-test-loopback.yaml"), 1), ElementsAre(1, 2, 4, 8, 1, 2, 4, 8));
  EXPECT_THAT(DryRun(plans.at("stream-test-tcp.yaml"), 2), ElementsAre(1, 2, 4, 8, 1, 2, 4, 8));
  EXPECT_THAT(DryRun(plans.at("pinned-pair.yaml"), 1), ElementsAre(1, 1));
  EXPECT_THAT(DryRun(plans.at("incast.yaml"), 4), ElementsAre(1, 2, 3, 1, 2, 3));
  EXPECT_THAT(DryRun(plans.at("all-to-all.yaml"), 3), ElementsAre(6));
  EXPECT_THAT(DryRun(plans.at("ring.yaml"), 3), ElementsAre(3));
  EXPECT_THAT(DryRun(plans.at("two-way.yaml"), 2), ElementsAre(1, 4, 2, 8));
  EXPECT_THAT(DryRun(plans.at("tcp-rr.yaml"), 2), ElementsAre(1, 1, 1));
  EXPECT_THAT(DryRun(plans.at("latency-under-load.yaml"), 2), ElementsAre(3, 3, 3));
  EXPECT_THAT(DryRun(plans.at("ci-gate.yaml"), 2), ElementsAre(5));
}

TEST(ShippedPlans, TheDemoTakesAboutTwentySeconds) {
  auto plan = LoadValidPlan(ShippedPlans().at("stream-test.yaml"), "", {});
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(ExpectedDurationNs(*plan), 19'200'000'000 /* 8 cases of 1.4 s and a background second */);
  for (const auto& plan_case : plan->cases()) EXPECT_GE(plan_case.timing().measure_ns(), 1'000'000'000);
}

}  // namespace
}  // namespace tutti::plan
