// Closing what an end of the coordinator has interrupted.
#include "coordinator/run/interrupted_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>

namespace tutti::run {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using tutti::v1::Result;
using tutti::v1::RunEvent;

Result Interrupted() {
  Result result;
  result.set_run_id("run-1");
  result.set_status(tutti::v1::RUN_STATUS_RUNNING);
  for (uint32_t i = 0; i < 2; ++i) {
    result.mutable_plan()->add_cases()->set_index(i);
    result.mutable_plan()->mutable_cases(static_cast<int>(i))->set_repeat(1);
  }
  return result;
}

tutti::v1::TrialResult GoodTrial() {
  tutti::v1::TrialResult trial;
  trial.set_repetition(1);
  trial.set_status(tutti::v1::TRIAL_STATUS_GOOD);
  return trial;
}

TEST(InterruptedRunTest, WhatWasMeasuredStaysAndTheRestIsNotRun) {
  Result result = Interrupted();
  *result.add_cases()->add_trials() = GoodTrial();
  CloseInterrupted(result, {}, 77);
  ASSERT_EQ(result.cases_size(), 2);
  EXPECT_EQ(result.cases(0).status(), tutti::v1::CASE_STATUS_GOOD);
  EXPECT_EQ(result.cases(0).trials_size(), 1);
  EXPECT_EQ(result.cases(1).status(), tutti::v1::CASE_STATUS_NOT_RUN);
  EXPECT_EQ(result.status(), tutti::v1::RUN_STATUS_PARTIAL);
  EXPECT_EQ(result.exit_code(), 7);
  EXPECT_EQ(result.finished_unix_ns(), 77);
  EXPECT_THAT(result.reasons(0), HasSubstr("the coordinator ended before this run did"));
}

TEST(InterruptedRunTest, BeganWithItsFirstTrial) {
  Result result = Interrupted();
  for (const int64_t started_ns : {50, 40}) {
    *result.add_cases()->add_trials() = GoodTrial();
    result.mutable_cases(result.cases_size() - 1)->mutable_trials(0)->set_started_unix_ns(started_ns);
  }
  CloseInterrupted(result, {}, 77);
  EXPECT_EQ(result.started_unix_ns(), 40);
}

RunEvent EventAt(int64_t at_unix_ns) {
  RunEvent event;
  event.set_at_unix_ns(at_unix_ns);
  return event;
}

RunEvent TrialStartedAt(int64_t at_unix_ns, uint32_t case_index) {
  RunEvent event = EventAt(at_unix_ns);
  event.mutable_trial_started()->set_case_index(case_index);
  event.mutable_trial_started()->set_repetition(1);
  return event;
}

TEST(InterruptedRunTest, ARunThatWasCutOffInItsFirstTrialBeganAndSaysWhichTrialItWas) {
  Result result = Interrupted();
  RunEvent waited = EventAt(10);
  waited.mutable_queued();
  RunEvent started = EventAt(20);
  started.mutable_started();
  CloseInterrupted(result, {waited, started, TrialStartedAt(30, 0)}, 77);
  EXPECT_EQ(result.started_unix_ns(), 20);
  EXPECT_THAT(result.cases(0).reasons(), Contains(HasSubstr("trial 1 was cut off")));
  EXPECT_THAT(result.reasons(), Contains(HasSubstr("case 1: trial 1 was cut off")));
  EXPECT_THAT(result.cases(1).reasons(), Not(Contains(HasSubstr("cut off"))));
}

TEST(InterruptedRunTest, ATrialThatWasKeptWasNotCutOff) {
  Result result = Interrupted();
  *result.add_cases()->add_trials() = GoodTrial();
  Result between_trials = result;
  CloseInterrupted(between_trials, {TrialStartedAt(30, 0)}, 77);
  EXPECT_EQ(between_trials.started_unix_ns(), 30);
  EXPECT_THAT(between_trials.reasons(), Not(Contains(HasSubstr("cut off"))));
  CloseInterrupted(result, {TrialStartedAt(30, 0), TrialStartedAt(40, 1)}, 77);
  EXPECT_THAT(result.reasons(), Contains(HasSubstr("case 2: trial 1 was cut off")));
}

TEST(InterruptedRunTest, AnEventOfACaseThatThePlanDoesNotHaveIsNothing) {
  Result result = Interrupted();
  CloseInterrupted(result, {TrialStartedAt(30, 9)}, 77);
  EXPECT_THAT(result.reasons(), Not(Contains(HasSubstr("cut off"))));
}

TEST(InterruptedRunTest, ATrialThatHadEndedAndCannotBeReadWasNotCutOff) {
  Result result = Interrupted();
  RunEvent ended = EventAt(40);
  ended.mutable_trial_ended()->set_repetition(1);
  CloseInterrupted(result, {TrialStartedAt(30, 0), ended}, 77);
  EXPECT_THAT(result.reasons(), Not(Contains(HasSubstr("cut off"))));
}

TEST(InterruptedRunTest, WithoutItsPlanARunKeepsItsTrialsAndIsPartialAtBest) {
  Result result;
  result.set_run_id("run-1");
  result.add_reasons("the head is damaged");
  Result nothing = result;
  *result.add_cases()->add_trials() = GoodTrial();
  Result failed = result;
  CloseInterrupted(result, {}, 77);
  ASSERT_EQ(result.cases_size(), 1);
  EXPECT_EQ(result.cases(0).trials_size(), 1);
  EXPECT_EQ(result.status(), tutti::v1::RUN_STATUS_PARTIAL);
  EXPECT_EQ(result.exit_code(), 7);
  failed.mutable_cases(0)->mutable_trials(0)->set_status(tutti::v1::TRIAL_STATUS_FAILED);
  CloseInterrupted(failed, {}, 77);
  EXPECT_EQ(failed.exit_code(), 11);
  CloseInterrupted(nothing, {}, 77);
  EXPECT_EQ(nothing.status(), tutti::v1::RUN_STATUS_PARTIAL);
  EXPECT_EQ(nothing.exit_code(), 7);
}

TEST(InterruptedRunTest, ARunThatHadNotBegunIsNotPassed) {
  Result result = Interrupted();
  CloseInterrupted(result, {}, 77);
  EXPECT_EQ(result.started_unix_ns(), 0);
  EXPECT_EQ(result.cases_size(), 2);
  EXPECT_THAT(result.exit_code(), Not(0));
}

TEST(InterruptedRunTest, EndedWithItsLastEventNotWhenTheCoordinatorWasBack) {
  Result result = Interrupted();
  result.set_submitted_unix_ns(5);
  RunEvent started = EventAt(20);
  started.mutable_started();
  CloseInterrupted(result, {started, TrialStartedAt(30, 0)}, 1'000'000);
  EXPECT_EQ(result.started_unix_ns(), 20);
  EXPECT_EQ(result.finished_unix_ns(), 30);
}

TEST(InterruptedRunTest, EndedWithTheWindowOfItsLastTrialWhoseEndWasNotWrittenDown) {
  Result result = Interrupted();
  tutti::v1::TrialResult trial = GoodTrial();
  trial.set_started_unix_ns(40);
  for (const int64_t end_trial_ns : {100, 200}) trial.add_timeline()->set_end_trial_ns(end_trial_ns);
  *result.add_cases()->add_trials() = trial;
  CloseInterrupted(result, {TrialStartedAt(40, 0)}, 1'000'000);
  EXPECT_EQ(result.finished_unix_ns(), 240);
}

TEST(InterruptedRunTest, EndedWhenItWasSubmittedIfNothingElseIsKnown) {
  Result result = Interrupted();
  result.set_submitted_unix_ns(5);
  CloseInterrupted(result, {}, 1'000'000);
  EXPECT_EQ(result.finished_unix_ns(), 5);
}

TEST(InterruptedRunTest, ARunThatOnlyWaitedSaysSo) {
  Result result = Interrupted();
  RunEvent waited = EventAt(10);
  waited.mutable_queued();
  Result began = result;
  CloseInterrupted(result, {waited}, 77);
  EXPECT_THAT(result.reasons(), Contains("it had not begun: it waited for its hosts"));
  EXPECT_THAT(result.reasons(0), HasSubstr("the coordinator ended before this run did"));
  EXPECT_EQ(result.started_unix_ns(), 0);
  EXPECT_EQ(result.status(), tutti::v1::RUN_STATUS_PARTIAL);
  EXPECT_EQ(result.exit_code(), 7);
  RunEvent started = EventAt(20);
  started.mutable_started();
  CloseInterrupted(began, {waited, started}, 77);
  EXPECT_THAT(began.reasons(), Not(Contains(HasSubstr("it had not begun"))));
}

TEST(InterruptedRunTest, ARunWhoseEventsAreLostIsNotSaidToHaveWaited) {
  Result result = Interrupted();
  CloseInterrupted(result, {}, 77);
  EXPECT_THAT(result.reasons(), Not(Contains(HasSubstr("it had not begun"))));
  Result measured = Interrupted();
  *measured.add_cases()->add_trials() = GoodTrial();
  RunEvent waited = EventAt(10);
  waited.mutable_queued();
  CloseInterrupted(measured, {waited}, 77);
  EXPECT_THAT(measured.reasons(), Not(Contains(HasSubstr("it had not begun"))));
}

}  // namespace
}  // namespace tutti::run
