#include "coordinator/cli/run_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "coordinator/cli/instant.h"
#include "coordinator/cli/run_labels.h"
#include "tests/unit/coordinator/cli/in_utc.h"

namespace tutti::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

using InstantTest = InUtc;
using RunTableTest = InUtc;

TEST_F(InstantTest, AnInstantIsADayATimeOrHowLongAgo) {
  EXPECT_EQ(*ParseInstant("2026-11-30T14:05:00", 0), kInstant);
  EXPECT_EQ(*ParseInstant("2026-11-30", 0), kInstant - 50'700 * kSecond);
  EXPECT_EQ(*ParseInstant("90m", kInstant), kInstant - 5'400 * kSecond);
  EXPECT_EQ(FormatInstant(kInstant), "2026-11-30 14:05:00");
}

TEST_F(InstantTest, AnInstantWithAZoneIsTheSameEverywhere) {
  setenv("TZ", "EST5", 1);  // 5 h behind UTC
  tzset();
  EXPECT_EQ(*ParseInstant("2026-11-30T14:05:00", 0), kInstant + 18'000 * kSecond);
  EXPECT_EQ(*ParseInstant("2026-11-30T14:05:00Z", 0), kInstant);
  EXPECT_EQ(*ParseInstant("2026-11-30T14:05:00.5Z", 0), kInstant + kSecond / 2);
  EXPECT_EQ(*ParseInstant("2026-11-30T16:05:00+02:00", 0), kInstant);
}

TEST_F(InstantTest, WhatIsNoneSaysWhatToWrite) {
  for (const char* text : {"", "yesterday", "2026-11-30 x", "2026-13-01", "24", "2026-11-30T14:05:00X",
                           "2026-11-30Z", "infinite-future"}) {
    const absl::Status status = ParseInstant(text, kInstant).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(status.message()), HasSubstr("2026-11-30T14:05:00"));
  }
}

TEST_F(RunTableTest, ALineForEachRunAndADashForWhatIsNotKnown) {
  tutti::v1::ListRunsResponse runs;
  tutti::v1::RunSummary& passed = *runs.add_runs();
  passed.set_run_id("run-2");
  passed.set_status(tutti::v1::RUN_STATUS_LIMIT_FAILED);
  passed.set_exit_code(4);
  passed.set_plan_name("incast");
  passed.set_user("alice@lab7");
  passed.set_submitted_unix_ns(kInstant);
  passed.set_started_unix_ns(kInstant + kSecond);
  passed.set_finished_unix_ns(kInstant + 13 * kSecond + 520'000'000);
  (*passed.mutable_labels())["commit"] = "3fa1";
  (*passed.mutable_labels())["branch"] = "main";
  tutti::v1::RunSummary& running = *runs.add_runs();
  running.set_run_id("run-1");
  running.set_status(tutti::v1::RUN_STATUS_RUNNING);
  running.set_plan_name("ring\x1b[2J");
  running.set_submitted_unix_ns(kInstant);
  EXPECT_EQ(RenderRuns(runs),
            "RUN    STATUS        EXIT  PLAN         USER        SUBMITTED            RAN    LABELS\n"
            "run-2  limit_failed  4     incast       alice@lab7  2026-11-30 14:05:00  12.5s  "
            "branch=main,commit=3fa1\n"
            "run-1  running       -     ring\\x1B[2J  -           2026-11-30 14:05:00  -      -\n");
  runs.set_next_page_token("17");
  EXPECT_THAT(RenderRuns(runs), HasSubstr("\nmore: --page 17\n"));
}

TEST_F(RunTableTest, AnEmptyListSaysSo) { EXPECT_EQ(RenderRuns({}), "no runs\n"); }

TEST(RunLabelsTest, KeysAndValuesAreDividedAtTheFirstEqualsSign) {
  EXPECT_THAT(*ParseLabels({"commit=3fa1", "url=https://ci/?job=7", "empty="}),
              ElementsAre(Pair("commit", "3fa1"), Pair("empty", ""), Pair("url", "https://ci/?job=7")));
}

TEST(RunLabelsTest, WhatIsNoLabelIsNamed) {
  for (const char* text : {"commit", "=3fa1", ""}) {
    EXPECT_EQ(ParseLabels({text}).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
  EXPECT_THAT(std::string(ParseLabels({"a=1", "a=2"}).status().message()), HasSubstr("a=2"));
}

TEST(RunLabelsTest, OneHas1024BytesOfKeyAndValueAtTheMost) {
  EXPECT_TRUE(ParseLabels({"k=" + std::string(1023, 'v')}).ok());
  EXPECT_THAT(std::string(ParseLabels({"k=" + std::string(1024, 'v')}).status().message()),
              HasSubstr("1025 bytes, at most 1024"));
}

}  // namespace
}  // namespace tutti::cli
