#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coordinator/results/merge.h"

namespace tutti::results {
namespace {

namespace v1 = tutti::v1;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

v1::TrialResult TrialOf(v1::TrialStatus status, double received_bps, uint32_t repetition = 1) {
  v1::TrialResult trial;
  trial.set_status(status);
  trial.set_repetition(repetition);
  v1::EntryResult& entry = *trial.add_entries();
  entry.set_entry("bulk");
  entry.set_protocol(v1::PROTOCOL_UDP);
  entry.set_streams(4);
  entry.set_sent_bps(received_bps * 2);
  entry.set_received_bps(received_bps);
  entry.mutable_loss()->set_lost_ratio(0.5);
  entry.set_running_skew_ns(1000);
  entry.mutable_sender_cpu()->set_cores_busy(1.5);
  entry.mutable_sender_cpu()->set_service_demand_us_per_kb(received_bps / 10);
  return trial;
}

v1::Case Wanting(uint32_t repeat) {
  v1::Case plan_case;
  plan_case.set_index(3);
  plan_case.set_repeat(repeat);
  v1::AxisValue& value = *plan_case.add_values();
  value.set_axis("streams");
  value.set_value("4");
  return plan_case;
}

TEST(SummarizeTest, RowHasTheMedianOfTheGoodTrialsAlone) {
  const v1::CaseResult result =
      SummarizeCase(Wanting(5),
                    {TrialOf(v1::TRIAL_STATUS_GOOD, 100), TrialOf(v1::TRIAL_STATUS_GOOD, 300),
                     TrialOf(v1::TRIAL_STATUS_GOOD, 200), TrialOf(v1::TRIAL_STATUS_SUSPECT, 1e9),
                     TrialOf(v1::TRIAL_STATUS_PARTIAL, 1)},
                    false);
  ASSERT_EQ(result.rows_size(), 1);
  const v1::Row& row = result.rows(0);
  EXPECT_EQ(row.received_bps().median(), 200);
  EXPECT_EQ(row.received_bps().min(), 100);
  EXPECT_EQ(row.received_bps().max(), 300);
  EXPECT_EQ(row.received_bps().trials(), 3u);
  EXPECT_EQ(row.lost_ratio().median(), 0.5);
  EXPECT_EQ(row.sender_cpu().service_demand_us_per_kb().median(), 20);
  EXPECT_EQ(row.streams(), 4u);
  EXPECT_FALSE(row.has_retransmits());
  EXPECT_FALSE(row.has_both_ends());
  EXPECT_EQ(result.status(), v1::CASE_STATUS_PARTIAL);
  EXPECT_EQ(result.good_trials(), 3u);
  EXPECT_EQ(result.wanted_trials(), 5u);
  EXPECT_EQ(result.trials_size(), 5);
}

TEST(SummarizeTest, WithoutAGoodTrialTheRowIsThereWithoutFigures) {
  const v1::CaseResult result = SummarizeCase(Wanting(1), {TrialOf(v1::TRIAL_STATUS_SUSPECT, 100)}, false);
  ASSERT_EQ(result.rows_size(), 1);
  EXPECT_FALSE(result.rows(0).has_received_bps());
  EXPECT_EQ(result.status(), v1::CASE_STATUS_PARTIAL);
}

TEST(SummarizeTest, OverLimitTrialsDoNotCountAndDoNotMakeTheCasePartial) {
  const v1::CaseResult result = SummarizeCase(
      Wanting(2), {TrialOf(v1::TRIAL_STATUS_GOOD, 100), TrialOf(v1::TRIAL_STATUS_OVER_LIMIT, 900)}, false);
  EXPECT_EQ(result.status(), v1::CASE_STATUS_OVER_LIMIT);
  EXPECT_EQ(result.rows(0).received_bps().median(), 100);
  EXPECT_EQ(SummarizeCase(Wanting(3),
                          {TrialOf(v1::TRIAL_STATUS_FAILED, 1), TrialOf(v1::TRIAL_STATUS_GOOD, 100),
                           TrialOf(v1::TRIAL_STATUS_OVER_LIMIT, 9)},
                          false)
                .status(),
            v1::CASE_STATUS_PARTIAL);
}

TEST(SummarizeTest, StatusOfACaseFollowsItsTrials) {
  EXPECT_EQ(SummarizeCase(Wanting(1), {TrialOf(v1::TRIAL_STATUS_GOOD, 1)}, false).status(),
            v1::CASE_STATUS_GOOD);
  EXPECT_EQ(SummarizeCase(Wanting(1), {TrialOf(v1::TRIAL_STATUS_GOOD, 1)}, true).status(),
            v1::CASE_STATUS_GOOD);
  EXPECT_EQ(SummarizeCase(Wanting(2), {TrialOf(v1::TRIAL_STATUS_GOOD, 1)}, true).status(),
            v1::CASE_STATUS_CANCELLED);
  EXPECT_EQ(SummarizeCase(Wanting(2), {TrialOf(v1::TRIAL_STATUS_GOOD, 1)}, false).status(),
            v1::CASE_STATUS_PARTIAL);
  EXPECT_EQ(SummarizeCase(Wanting(1), {TrialOf(v1::TRIAL_STATUS_FAILED, 1)}, false).status(),
            v1::CASE_STATUS_FAILED);
  EXPECT_EQ(SummarizeCase(Wanting(1), {}, false).status(), v1::CASE_STATUS_NOT_RUN);
  EXPECT_EQ(SummarizeCase(Wanting(1), {}, true).status(), v1::CASE_STATUS_NOT_RUN);
}

TEST(SummarizeTest, ReasonsNameTheirTrial) {
  v1::TrialResult partial = TrialOf(v1::TRIAL_STATUS_PARTIAL, 1, 2);
  partial.add_reasons("host b: its report is missing");
  const v1::CaseResult result =
      SummarizeCase(Wanting(3), {TrialOf(v1::TRIAL_STATUS_GOOD, 1), partial}, false);
  EXPECT_THAT(result.reasons(), Contains("trial 2 is partial: host b: its report is missing"));
  EXPECT_THAT(result.reasons(), Contains("2 of 3 trials were run"));
}

v1::Result RunOf(std::vector<v1::CaseResult> cases) {
  v1::Result result;
  for (v1::CaseResult& each : cases) *result.add_cases() = std::move(each);
  return result;
}

v1::CaseResult CaseOf(v1::TrialStatus status) {
  return SummarizeCase(Wanting(1), {TrialOf(status, 1)}, false);
}

TEST(JudgeTest, ExitCodeIsThatOfTheWorstInTheOrderOfTheDesign) {
  struct Expectation {
    std::vector<v1::TrialStatus> trials;
    bool cancelled;
    v1::RunStatus status;
    int exit_code;
  };
  const Expectation expectations[] = {
      {{v1::TRIAL_STATUS_GOOD, v1::TRIAL_STATUS_GOOD}, false, v1::RUN_STATUS_PASSED, 0},
      {{v1::TRIAL_STATUS_GOOD, v1::TRIAL_STATUS_OVER_LIMIT}, false, v1::RUN_STATUS_LIMIT_FAILED, 4},
      {{v1::TRIAL_STATUS_OVER_LIMIT, v1::TRIAL_STATUS_SUSPECT}, false, v1::RUN_STATUS_PARTIAL, 7},
      {{v1::TRIAL_STATUS_GOOD, v1::TRIAL_STATUS_PARTIAL}, false, v1::RUN_STATUS_PARTIAL, 7},
      {{v1::TRIAL_STATUS_PARTIAL, v1::TRIAL_STATUS_FAILED}, false, v1::RUN_STATUS_FAILED, 11},
      {{v1::TRIAL_STATUS_FAILED, v1::TRIAL_STATUS_GOOD}, true, v1::RUN_STATUS_CANCELLED, 8},
  };
  for (const Expectation& expected : expectations) {
    std::vector<v1::CaseResult> cases;
    for (const v1::TrialStatus status : expected.trials) cases.push_back(CaseOf(status));
    v1::Result result = RunOf(std::move(cases));
    JudgeRun(result, expected.cancelled);
    EXPECT_EQ(result.status(), expected.status);
    EXPECT_EQ(result.exit_code(), expected.exit_code);
  }
}

// A case whose one trial received 100 bps, and has to receive `limit_bps`.
v1::CaseResult CaseWithThreshold(double limit_bps, v1::Severity severity,
                                 v1::TrialStatus status = v1::TRIAL_STATUS_GOOD) {
  v1::Case plan_case = Wanting(1);
  v1::TrafficEntry& entry = *plan_case.add_traffic();
  entry.set_name("bulk");
  entry.set_protocol(v1::PROTOCOL_UDP);
  v1::Threshold& threshold = *plan_case.add_thresholds();
  threshold.set_metric("throughput.received");
  threshold.set_comparison(v1::COMPARISON_AT_LEAST);
  threshold.set_limit(limit_bps);
  threshold.set_scope(v1::THRESHOLD_SCOPE_TOTAL);
  threshold.set_window(v1::THRESHOLD_WINDOW_MEASURE);
  threshold.set_severity(severity);
  return SummarizeCase(plan_case, {TrialOf(status, 100)}, false);
}

TEST(JudgeTest, AFailedThresholdIsExitCode4AndAWarningIsNone) {
  const auto judged = [](std::vector<v1::CaseResult> cases, bool cancelled = false) {
    v1::Result result = RunOf(std::move(cases));
    JudgeRun(result, cancelled);
    return result;
  };
  EXPECT_EQ(judged({CaseWithThreshold(100, v1::SEVERITY_FAIL)}).exit_code(), 0);
  const v1::Result failed = judged({CaseWithThreshold(101, v1::SEVERITY_FAIL)});
  EXPECT_EQ(failed.status(), v1::RUN_STATUS_LIMIT_FAILED);
  EXPECT_EQ(failed.exit_code(), 4);
  EXPECT_EQ(failed.cases(0).status(), v1::CASE_STATUS_GOOD);  // its trials are to be trusted
  EXPECT_THAT(failed.reasons(),
              Contains("case 4 (streams=4): threshold throughput.received >= 101bps failed for "
                       "entry bulk: 100bps"));
  const v1::Result warned = judged({CaseWithThreshold(101, v1::SEVERITY_WARN)});
  EXPECT_EQ(warned.exit_code(), 0);
  EXPECT_THAT(warned.reasons(), IsEmpty());
  EXPECT_FALSE(warned.cases(0).thresholds(0).passed());
}

TEST(JudgeTest, WhatIsWorseThanAFailedThresholdCountsFirst) {
  const auto exit_code = [](v1::TrialStatus status, bool cancelled) {
    v1::Result result = RunOf({CaseWithThreshold(101, v1::SEVERITY_FAIL, status)});
    JudgeRun(result, cancelled);
    return result.exit_code();
  };
  EXPECT_EQ(exit_code(v1::TRIAL_STATUS_OVER_LIMIT, false), 4);
  EXPECT_EQ(exit_code(v1::TRIAL_STATUS_SUSPECT, false), 7);
  EXPECT_EQ(exit_code(v1::TRIAL_STATUS_FAILED, false), 11);
  EXPECT_EQ(exit_code(v1::TRIAL_STATUS_GOOD, true), 8);
}

TEST(JudgeTest, ACaseThatWasNotRunMakesTheRunPartial) {
  v1::Result result = RunOf({CaseOf(v1::TRIAL_STATUS_GOOD), SummarizeCase(Wanting(1), {}, false)});
  JudgeRun(result, false);
  EXPECT_EQ(result.exit_code(), 7);
}

TEST(JudgeTest, AnAbortIsExitCode4WhateverIsNotRunAfterIt) {
  v1::TrialResult aborted = TrialOf(v1::TRIAL_STATUS_ABORTED, 1);
  aborted.add_reasons("throughput.received of entry bulk was 3Gbps over 5s");
  v1::Result result = RunOf({CaseOf(v1::TRIAL_STATUS_GOOD), SummarizeCase(Wanting(3), {aborted}, false),
                             SummarizeCase(Wanting(1), {}, false)});
  JudgeRun(result, false);
  EXPECT_EQ(result.cases(1).status(), v1::CASE_STATUS_ABORTED);
  EXPECT_EQ(result.status(), v1::RUN_STATUS_LIMIT_FAILED);
  EXPECT_EQ(result.exit_code(), 4);
  EXPECT_THAT(result.reasons(),
              Contains(HasSubstr("trial 1 is aborted: throughput.received of entry bulk was 3Gbps over 5s")));
  v1::Result with_partial = RunOf({CaseOf(v1::TRIAL_STATUS_PARTIAL), CaseOf(v1::TRIAL_STATUS_ABORTED)});
  JudgeRun(with_partial, false);
  EXPECT_EQ(with_partial.exit_code(), 7);
  JudgeRun(result, true);
  EXPECT_EQ(result.exit_code(), 8);
}

TEST(JudgeTest, ARunThatLacksCasesOfItsPlanIsPartialAndOneWithoutAnyIsFailed) {
  v1::Result result = RunOf({CaseOf(v1::TRIAL_STATUS_GOOD)});
  result.mutable_plan()->add_cases();
  result.mutable_plan()->add_cases();
  JudgeRun(result, false);
  EXPECT_EQ(result.exit_code(), 7);
  EXPECT_THAT(result.reasons(), Contains("1 of 2 cases were run"));
  v1::Result empty;
  JudgeRun(empty, false);
  EXPECT_EQ(empty.exit_code(), 11);
  v1::Result cancelled;
  JudgeRun(cancelled, true);
  EXPECT_EQ(cancelled.exit_code(), 8);
}

TEST(JudgeTest, ReasonsNameTheirCaseAndItsValues) {
  v1::Result result = RunOf({CaseOf(v1::TRIAL_STATUS_PARTIAL)});
  JudgeRun(result, false);
  EXPECT_THAT(result.reasons(), Contains(HasSubstr("case 4 (streams=4): trial 1 is partial")));
  v1::Result good = RunOf({CaseOf(v1::TRIAL_STATUS_GOOD)});
  JudgeRun(good, false);
  EXPECT_THAT(good.reasons(), IsEmpty());
}

}  // namespace
}  // namespace tutti::results
