#include "coordinator/cli/run_info_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/coordinator/cli/in_utc.h"

namespace tutti::cli {
namespace {

using ::testing::HasSubstr;

tutti::v1::RunInfo Waiting() {
  tutti::v1::RunInfo run;
  run.mutable_summary()->set_run_id("run-3");
  run.mutable_summary()->set_status(tutti::v1::RUN_STATUS_RUNNING);
  run.mutable_summary()->set_plan_name("incast");
  run.mutable_summary()->set_user("bob@lab7");
  run.mutable_summary()->set_cases(1);
  run.mutable_summary()->set_submitted_unix_ns(kInstant);
  run.set_state(tutti::v1::RunInfo::STATE_WAITING);
  run.set_state_since_unix_ns(kInstant);
  run.set_state_deadline_unix_ns(kInstant + 3600 * kSecond);
  run.mutable_queued()->set_position(2);
  run.mutable_queued()->add_waits_for("host a: runs run-2 of alice since 13:50:02");
  run.mutable_queued()->add_waits_for("host b: is lost");
  run.add_hosts("a");
  run.add_hosts("b");
  return run;
}

tutti::v1::RunInfo Running() {
  tutti::v1::RunInfo run;
  run.mutable_summary()->set_run_id("run-2");
  run.mutable_summary()->set_status(tutti::v1::RUN_STATUS_RUNNING);
  run.mutable_summary()->set_plan_name("ring\x1b[2J");
  run.set_state(tutti::v1::RunInfo::STATE_RUNNING);
  run.set_state_since_unix_ns(kInstant + kSecond);
  run.mutable_progress()->set_case_index(1);
  run.mutable_progress()->set_cases(8);
  run.mutable_progress()->set_repetition(1);
  run.mutable_progress()->set_repetitions(3);
  run.mutable_progress()->set_phase("MEASURE");
  run.mutable_progress()->set_expected_left_ns(80 * kSecond);
  return run;
}

tutti::v1::RunInfo Failed() {
  tutti::v1::RunInfo run;
  run.mutable_summary()->set_run_id("run-1");
  run.mutable_summary()->set_status(tutti::v1::RUN_STATUS_LIMIT_FAILED);
  run.mutable_summary()->set_exit_code(4);
  run.mutable_summary()->set_plan_name("gate");
  run.mutable_summary()->set_user("ci");
  run.mutable_summary()->set_cases(2);
  run.mutable_summary()->set_submitted_unix_ns(kInstant);
  run.mutable_summary()->set_started_unix_ns(kInstant + kSecond);
  run.mutable_summary()->set_finished_unix_ns(kInstant + 61 * kSecond);
  (*run.mutable_summary()->mutable_labels())["commit"] = "3fa1";
  (*run.mutable_summary()->mutable_labels())["branch"] = "main";
  run.set_state(tutti::v1::RunInfo::STATE_ENDED);
  run.set_state_since_unix_ns(kInstant + 61 * kSecond);
  run.add_reasons("case 1: throughput.received >= 9.4Gbps: 8.1 Gbps");
  return run;
}

using RunInfoTest = InUtc;

TEST_F(RunInfoTest, ALineSaysWhatARunWaitsForHowFarItIsOrHowItEnded) {
  EXPECT_EQ(RenderRunInfos({Waiting(), Running(), Failed()}),
            "RUN    STATE         SINCE                PLAN         USER      WHAT\n"
            "run-3  waiting       2026-11-30 14:05:00  incast       bob@lab7  "
            "place 2: host a: runs run-2 of alice since 13:50:02; host b: is lost\n"
            "run-2  running       2026-11-30 14:05:01  ring\\x1B[2J  -         "
            "case 2/8, trial 1/3, MEASURE, about 80s left\n"
            "run-1  limit_failed  2026-11-30 14:06:01  gate         ci        exit code 4\n");
}

TEST_F(RunInfoTest, WhatIsNotKnownIsADashAndNoRunsAreSaid) {
  EXPECT_EQ(RenderRunInfos({}), "no runs\n");
  EXPECT_EQ(RenderRunInfos({tutti::v1::RunInfo()}),
            "RUN  STATE  SINCE  PLAN  USER  WHAT\n"
            "-    -      -      -     -     -\n");
}

TEST_F(RunInfoTest, BeforeTheFirstTrialOfACaseThereIsNoTrialAndNoPhase) {
  tutti::v1::RunInfo run = Running();
  run.mutable_progress()->set_repetition(0);
  run.mutable_progress()->clear_phase();
  EXPECT_THAT(RenderRunInfos({run}), HasSubstr("case 2/8, about 80s left\n"));
}

TEST_F(RunInfoTest, OneRunThatWaitsIsToldLineByLine) {
  EXPECT_EQ(RenderRunInfo(Waiting()),
            "run        run-3\n"
            "state      waiting, since 2026-11-30 14:05:00, until 2026-11-30 15:05:00 at the latest\n"
            "place      2\n"
            "waits for  host a: runs run-2 of alice since 13:50:02\n"
            "           host b: is lost\n"
            "plan       incast (1 case)\n"
            "user       bob@lab7\n"
            "submitted  2026-11-30 14:05:00\n"
            "hosts      a, b\n");
}

TEST_F(RunInfoTest, OneRunThatHasEndedIsToldWithItsReasons) {
  EXPECT_EQ(RenderRunInfo(Failed()),
            "run        run-1\n"
            "state      limit_failed, exit code 4, since 2026-11-30 14:06:01\n"
            "reasons    case 1: throughput.received >= 9.4Gbps: 8.1 Gbps\n"
            "plan       gate (2 cases)\n"
            "user       ci\n"
            "submitted  2026-11-30 14:05:00\n"
            "started    2026-11-30 14:05:01\n"
            "finished   2026-11-30 14:06:01\n"
            "labels     branch=main,commit=3fa1\n");
}

TEST_F(RunInfoTest, ADocumentHasTheMessagesAsTheyAre) {
  const std::string json = report::DocumentJson(RunInfosDocument({Waiting()}));
  EXPECT_THAT(json, HasSubstr("\"runs\": ["));
  EXPECT_THAT(json, HasSubstr("\"state\": \"waiting\""));
  EXPECT_THAT(json, HasSubstr("\"position\": 2"));
}

TEST(RenderRunEndTest, SaysStatusCodeAndReasonsWithoutControlCharacters) {
  tutti::v1::Result result;
  result.set_run_id("run-7");
  result.set_status(tutti::v1::RUN_STATUS_CANCELLED);
  result.set_exit_code(8);
  result.add_reasons("by \x1b[2Jbob");
  EXPECT_EQ(RenderRunEnd(result), "run-7: cancelled, exit code 8\n  by \\x1B[2Jbob\n");
}

}  // namespace
}  // namespace tutti::cli
