#include "coordinator/cli/event_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "coordinator/cli/exit_codes.h"
#include "tests/unit/coordinator/cli/paused_clock.h"
#include "tests/unit/coordinator/cli/watched_run.h"
#include "tests/unit/temporary_folder.h"

namespace tutti::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class EventStreamTest : public ::testing::Test {
 protected:
  EventStreamTest() {
    options_.patience = clock_.PatienceOf(30'000'000'000);
    client_.events = {IntervalEvent(1), IntervalEvent(2), EndedEvent(3, tutti::v1::RUN_STATUS_PARTIAL, 7)};
    client_.events.back().mutable_ended()->add_reasons("host2 was lost");
  }
  int Show(Output output) {
    return ShowEvents(client_, "run-7", output, options_, Screens{.out = out_, .live = live_});
  }

  PausedClock clock_;
  WatchedRun client_;
  RunOptions options_;
  std::ostringstream out_;
  std::ostringstream live_;
};

TEST_F(EventStreamTest, LiveLinesAreTheOutputAndTheRunsVerdictIsNotTheExitCode) {
  EXPECT_EQ(Show(Output::kTable), kPassed);
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("1.00 Gbps"), HasSubstr("2.00 Gbps"),
                                HasSubstr("run-7: partial, exit code 7\n  host2 was lost\n")));
  EXPECT_EQ(live_.str(), "");
}

TEST_F(EventStreamTest, AnEventIsALineOfJson) {
  EXPECT_EQ(Show(Output::kJson), kPassed);
  std::istringstream lines(out_.str());
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  EXPECT_THAT(line, StartsWith(R"({"event":"interval","run_id":"run-7")"));
  ASSERT_TRUE(std::getline(lines, line));
  ASSERT_TRUE(std::getline(lines, line));
  EXPECT_THAT(line, HasSubstr(R"("status":"partial","exit_code":7)"));
  EXPECT_FALSE(std::getline(lines, line));
}

TEST_F(EventStreamTest, AnEventIsADocumentOfAYamlStream) {
  EXPECT_EQ(Show(Output::kYaml), kPassed);
  EXPECT_THAT(out_.str(), StartsWith("---\nevent: interval\nrun_id: run-7\n"));
  EXPECT_THAT(out_.str(), HasSubstr("\n---\nevent: ended\n"));
}

TEST_F(EventStreamTest, TheFileOfEventsHasTheSameLinesBesideWhateverIsShown) {
  EXPECT_EQ(Show(Output::kJson), kPassed);
  const std::string printed = out_.str();
  const TemporaryFolder folder;
  options_.jsonl_path = (folder / "events.jsonl").string();
  EXPECT_EQ(Show(Output::kTable), kPassed);
  std::ostringstream written;
  written << std::ifstream(options_.jsonl_path).rdbuf();
  EXPECT_EQ(written.str(), printed);
}

TEST_F(EventStreamTest, ABrokenConnectionLosesAndRepeatsNothing) {
  client_.most = 1;
  EXPECT_EQ(Show(Output::kTable), kPassed);
  EXPECT_THAT(client_.asked, ElementsAre(0, 1, 2));
  const size_t first = out_.str().find("1.00 Gbps");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(first, out_.str().rfind("1.00 Gbps"));
  EXPECT_THAT(live_.str(), HasSubstr("trying again"));
  EXPECT_THAT(out_.str(), Not(HasSubstr("trying again")));
}

TEST_F(EventStreamTest, ACoordinatorThatStaysAwayIsUnreachable) {
  client_.most = 0;
  EXPECT_EQ(Show(Output::kTable), kUnreachable);
  EXPECT_THAT(live_.str(), HasSubstr("given up after 30s"));
}

TEST_F(EventStreamTest, AnInterruptLeavesTheRunAlone) {
  client_.events.pop_back();
  client_.interrupted = true;
  EXPECT_EQ(Show(Output::kTable), kCancelled);
  EXPECT_EQ(client_.cancels, 0);
}

TEST_F(EventStreamTest, ARunThatNobodyKnowsIsAUsageError) {
  client_.known = absl::NotFoundError("no run run-7");
  EXPECT_EQ(Show(Output::kTable), kUsage);
  EXPECT_THAT(live_.str(), HasSubstr("no run run-7"));
}

TEST_F(EventStreamTest, WhatCannotBeWrittenIsNoSuccess) {
  options_.jsonl_path = "/dev/full";
  EXPECT_EQ(Show(Output::kTable), kInternal);
  EXPECT_THAT(live_.str(), HasSubstr("No space left on device"));
}

}  // namespace
}  // namespace tutti::cli
