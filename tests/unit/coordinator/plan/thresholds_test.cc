// The thresholds of a plan: what they are read as, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/coordinator/plan/plan_texts.h"

namespace tutti::plan {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string WithThresholds(const std::string& thresholds, const std::string& protocol = "udp") {
  return MinimalPlan("", "thresholds:\n" + thresholds, protocol);
}

TEST(Thresholds, ATextAloneIsOfTheWholeWindowAndFails) {
  const tutti::v1::Plan plan = Load(WithThresholds("  - throughput.received >= 9.4Gbps\n"));
  ASSERT_EQ(plan.cases(0).thresholds_size(), 1);
  const tutti::v1::Threshold& threshold = plan.cases(0).thresholds(0);
  EXPECT_EQ(threshold.metric(), "throughput.received");
  EXPECT_EQ(threshold.comparison(), tutti::v1::COMPARISON_AT_LEAST);
  EXPECT_DOUBLE_EQ(threshold.limit(), 9.4e9);
  EXPECT_EQ(threshold.entry(), "");
  EXPECT_EQ(threshold.scope(), tutti::v1::THRESHOLD_SCOPE_TOTAL);
  EXPECT_EQ(threshold.window(), tutti::v1::THRESHOLD_WINDOW_MEASURE);
  EXPECT_EQ(threshold.severity(), tutti::v1::SEVERITY_FAIL);
}

TEST(Thresholds, AMapSaysWhose) {
  const tutti::v1::Plan plan = Load(WithThresholds(
      "  - {expect: loss<0.1%, entry: bulk, scope: stream, window: worst_interval, severity: warn}\n"
      "  - {expect: throughput.received > 1Mbps, scope: \"role:b\"}\n"
      "  - {expect: throughput.sent > 1Mbps, scope: \"host:h1.lab\"}\n"
      "  - {expect: throughput.sent > 1Mbps, scope: host}\n"
      "  - {expect: throughput.sent > 1Mbps, scope: pair}\n"));
  const auto& thresholds = plan.cases(0).thresholds();
  ASSERT_EQ(thresholds.size(), 5);
  EXPECT_EQ(thresholds[0].comparison(), tutti::v1::COMPARISON_BELOW);
  EXPECT_DOUBLE_EQ(thresholds[0].limit(), 0.001);
  EXPECT_EQ(thresholds[0].entry(), "bulk");
  EXPECT_EQ(thresholds[0].scope(), tutti::v1::THRESHOLD_SCOPE_STREAM);
  EXPECT_EQ(thresholds[0].window(), tutti::v1::THRESHOLD_WINDOW_WORST_INTERVAL);
  EXPECT_EQ(thresholds[0].severity(), tutti::v1::SEVERITY_WARN);
  EXPECT_EQ(thresholds[1].scope(), tutti::v1::THRESHOLD_SCOPE_ROLE);
  EXPECT_EQ(thresholds[1].member(), "b");
  EXPECT_EQ(thresholds[2].scope(), tutti::v1::THRESHOLD_SCOPE_HOST);
  EXPECT_EQ(thresholds[2].member(), "h1.lab");
  EXPECT_EQ(thresholds[3].member(), "");
  EXPECT_EQ(thresholds[4].scope(), tutti::v1::THRESHOLD_SCOPE_PAIR);
}

TEST(Thresholds, TheMatrixAndSetReachIntoThem) {
  const std::string text = MinimalPlan("    rate: ${rate}\n",
                                       "matrix: {rate: [1Mbps, 2Mbps]}\nthresholds:\n"
                                       "  - throughput.received >= ${rate}\n"
                                       "  - {expect: loss < 1%}\n");
  const tutti::v1::Plan plan = Load(text, {"thresholds[1].severity=warn"});
  ASSERT_EQ(plan.cases_size(), 2);
  EXPECT_DOUBLE_EQ(plan.cases(0).thresholds(0).limit(), 1e6);
  EXPECT_DOUBLE_EQ(plan.cases(1).thresholds(0).limit(), 2e6);
  EXPECT_EQ(plan.cases(1).thresholds(1).severity(), tutti::v1::SEVERITY_WARN);
  EXPECT_THAT(Errors(text, {"thresholds[0].severity=warn"}), HasSubstr("set it as a whole"));
}

TEST(Thresholds, EveryErrorHasItsPlaceAndSaysWhatToWrite) {
  const std::string errors = Errors(WithThresholds(
      "  - throughput.recieved >= 1Gbps\n"
      "  - loss == 0%\n"
      "  - loss < 0.1\n"
      "  - loss\n"
      "  - {expect: throughput.sent > 1Gbps, scope: streams, window: interval, severity: error}\n"
      "  - {scope: stream}\n"
      "  - {expect: loss < 1%, stop: true}\n"));
  EXPECT_THAT(errors,
              HasSubstr("p.yaml:12:5: thresholds[0]: \"throughput.recieved\" is not a metric; did you mean "
                        "\"throughput.received\"?"));
  EXPECT_THAT(errors,
              HasSubstr("p.yaml:13:5: thresholds[1]: \"==\" is no comparison: write one of < <= > >="));
  EXPECT_THAT(errors,
              HasSubstr("p.yaml:14:5: thresholds[2]: of loss: \"0.1\" can be read two ways: write 10% or "
                        "0.1% (as in loss < 0.1%)"));
  EXPECT_THAT(errors, HasSubstr("p.yaml:15:5: thresholds[3]: \"loss\" compares nothing: write a metric"));
  EXPECT_THAT(errors,
              HasSubstr("thresholds[4].scope: \"streams\" is not known: write total, role:NAME, host, "
                        "host:NAME, pair or stream; did you mean \"stream\"?"));
  EXPECT_THAT(errors,
              HasSubstr("thresholds[4].window: \"interval\" is not known: write measure, worst_interval"));
  EXPECT_THAT(errors, HasSubstr("thresholds[4].severity: \"error\" is not known: write warn, fail"));
  EXPECT_THAT(errors, HasSubstr("p.yaml:17:5: thresholds[5]: the key \"expect\" is missing"));
  EXPECT_THAT(errors, HasSubstr("thresholds[6].stop: \"stop\" is not a key of a threshold"));
}

TEST(Thresholds, AnErrorInAValueOfTheMatrixPointsThere) {
  EXPECT_THAT(Errors(MinimalPlan("",
                                 "matrix: {least: [1Gbps, 2G]}\n"
                                 "thresholds: [\"throughput.received >= ${least}\"]\n")),
              HasSubstr("p.yaml:11:25: thresholds[0]: of throughput.received: \"2G\""));
}

TEST(Thresholds, WhatTheyNameHasToExist) {
  EXPECT_THAT(Errors(WithThresholds("  - {expect: loss < 1%, entry: bulc}\n")),
              HasSubstr("thresholds[0].entry: \"bulc\" is not a traffic entry; did you mean \"bulk\"?"));
  EXPECT_THAT(Errors(WithThresholds("  - {expect: loss < 1%, scope: \"role:servers\"}\n")),
              HasSubstr("thresholds[0].scope: \"servers\" is not a role; known are a, b"));
  const std::string named =
      "version: 1\nname: n\nroles: {a: {hosts: [x]}, b: {hosts: [y]}}\n"
      "traffic: [{from: a, to: b, protocol: udp}]\nthresholds: [{expect: loss < 1%, scope: "
      "\"host:elsewhere\"}]\n";
  EXPECT_THAT(Errors(named),
              HasSubstr("thresholds[0].scope: \"elsewhere\" is a host of no role; known are x, y"));
}

TEST(Thresholds, AMetricIsAskedOnlyForWhatItHas) {
  EXPECT_THAT(Errors(WithThresholds("  - {expect: jain > 0.9, scope: stream}\n")),
              HasSubstr("thresholds[0].scope: jain is of an entry as a whole: write total or role:NAME"));
  EXPECT_THAT(Errors(WithThresholds("  - {expect: jain > 0.9, window: worst_interval}\n")),
              AllOf(HasSubstr("thresholds[0].window: the intervals of jain are not known: write measure"),
                    HasSubstr("throughput.sent, throughput.received, loss, retransmits")));
}

TEST(Thresholds, AbortHasAGracePeriodOfFiveSecondsOrItsOwn) {
  const tutti::v1::Plan plan =
      Load(WithThresholds("  - {expect: throughput.received >= 1Gbps, abort: true}\n"
                          "  - {expect: throughput.sent >= 1Gbps, abort: true, grace: 2s}\n"
                          "  - {expect: throughput.sent >= 1Mbps, abort: false}\n"));
  const auto& thresholds = plan.cases(0).thresholds();
  ASSERT_EQ(thresholds.size(), 3);
  EXPECT_TRUE(thresholds[0].abort());
  EXPECT_EQ(thresholds[0].abort_grace_ns(), 5'000'000'000);
  EXPECT_EQ(thresholds[1].abort_grace_ns(), 2'000'000'000);
  EXPECT_FALSE(thresholds[2].abort());
  EXPECT_EQ(thresholds[2].abort_grace_ns(), 0);
}

TEST(Thresholds, AbortIsForWhatIsKnownOfAWholeEntryWhileATrialRuns) {
  EXPECT_THAT(Errors(WithThresholds("  - {expect: loss < 1%, abort: true}\n")),
              AllOf(HasSubstr("p.yaml:12:32: thresholds[0].abort: loss is not known while a trial runs"),
                    HasSubstr("throughput.sent, throughput.received, retransmits, transactions)")));
  EXPECT_THAT(Errors(WithThresholds("  - {expect: throughput.sent > 1bps, abort: true, severity: warn}\n")),
              HasSubstr("thresholds[0].severity: a warning ends nothing: write severity: fail"));
  EXPECT_THAT(Errors(WithThresholds("  - {expect: throughput.sent > 1bps, abort: true, scope: stream}\n")),
              HasSubstr("thresholds[0].scope: while a trial runs only the entry as a whole is judged"));
  EXPECT_THAT(
      Errors(WithThresholds("  - {expect: throughput.sent > 1bps, abort: true, scope: \"role:a\"}\n")),
      HasSubstr("write scope: total, or remove abort"));
  EXPECT_THAT(
      Errors(WithThresholds("  - {expect: throughput.sent > 1bps, abort: true, window: worst_interval}\n")),
      HasSubstr("thresholds[0].window: abort goes by the measure window so far"));
  EXPECT_THAT(Errors(WithThresholds("  - {expect: throughput.sent > 1bps, grace: 5s}\n")),
              HasSubstr("thresholds[0].grace: is how long a threshold with abort may be missed"));
  EXPECT_THAT(Errors(WithThresholds("  - {expect: throughput.sent > 1bps, abort: yes, grace: 5s}\n")),
              AllOf(HasSubstr("thresholds[0].abort: \"yes\" is neither true nor false"),
                    Not(HasSubstr("thresholds[0].grace"))));
}

TEST(Thresholds, AGracePeriodThatTheWindowDoesNotOutlastGetsAWarning) {
  const auto warnings = [](const std::string& measure) {
    return LoadPlan(WithThresholds("  - {expect: throughput.sent > 1bps, abort: true}\n"), "p.yaml",
                    {"timing.measure=" + measure})
        .warnings;
  };
  EXPECT_THAT(warnings("5s"),
              testing::Contains(HasSubstr("the measure window, 5s, is over before the grace period, 5s")));
  EXPECT_THAT(warnings("6s"), IsEmpty());
}

TEST(Thresholds, OneThatWouldNeverBeJudgedIsRefused) {
  EXPECT_THAT(
      Errors(WithThresholds("  - loss < 1%\n", "tcp")),
      HasSubstr(
          "p.yaml:12:5: thresholds[0]: judges nothing: it takes an entry that is udp, one-way, and there is "
          "none"));
  EXPECT_THAT(Errors(WithThresholds("  - {expect: throughput.received > 1Mbps, scope: \"role:a\"}\n")),
              HasSubstr("it takes an entry in which the role a receives, and there is none"));
  EXPECT_THAT(Errors(WithThresholds("  - {expect: throughput.sent > 1Mbps, scope: \"role:a\"}\n")),
              IsEmpty());
  EXPECT_THAT(Errors(WithThresholds("  - {expect: latency.p99 < 1ms, entry: bulk}\n")),
              HasSubstr("it takes an entry named bulk that is request_response, and there is none"));
  // In one case of the matrix it is.
  EXPECT_THAT(Errors(MinimalPlan("", "matrix: {p: [tcp, udp]}\nthresholds: [loss < 1%]\n", "${p}")),
              IsEmpty());
}

TEST(Thresholds, AComparisonAgainstTheGoodDirectionGetsAWarning) {
  const auto warnings = [](const std::string& text) {
    const LoadedPlan loaded = LoadPlan(text, "p.yaml", {});
    return loaded.warnings.empty() ? std::string() : loaded.warnings[0];
  };
  EXPECT_THAT(warnings(WithThresholds("  - throughput.received <= 1Gbps\n")),
              HasSubstr("more is better, and this passes where there is little: write > or >="));
  EXPECT_THAT(warnings(WithThresholds("  - loss > 1%\n")), HasSubstr("less is better"));
  EXPECT_THAT(warnings(WithThresholds("  - loss < 1%\n")), Not(HasSubstr("better")));
}

TEST(Thresholds, ValuesThatAskForTheSameAreOneCase) {
  EXPECT_THAT(Errors(MinimalPlan("",
                                 "matrix: {least: [1Gbps, 1000Mbps]}\n"
                                 "thresholds: [\"throughput.received >= ${least}\"]\n")),
              HasSubstr("means the same as"));
}

}  // namespace
}  // namespace tutti::plan
