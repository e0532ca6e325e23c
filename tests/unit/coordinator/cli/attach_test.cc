// Following a run that somebody else submitted: AttachToRun of run_flow.h.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>

#include "coordinator/cli/exit_codes.h"
#include "coordinator/cli/run_flow.h"
#include "tests/unit/coordinator/cli/paused_clock.h"
#include "tests/unit/coordinator/cli/watched_run.h"
#include "tests/unit/temporary_folder.h"

namespace tutti::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class AttachTest : public ::testing::Test {
 protected:
  AttachTest() {
    setenv("XDG_STATE_HOME", folder_.path().c_str(), 1);
    options_.patience = clock_.PatienceOf(30'000'000'000);
  }
  ~AttachTest() override { unsetenv("XDG_STATE_HOME"); }
  int Attach() { return AttachToRun(client_, "run-7", options_, Screens{.out = out_, .live = live_}); }

  const TemporaryFolder folder_;
  PausedClock clock_;
  WatchedRun client_;
  RunOptions options_;
  std::ostringstream out_;
  std::ostringstream live_;
};

TEST_F(AttachTest, ReportFilesAndExitCodeAreThoseOfTheRun) {
  client_.events = {IntervalEvent(1), EndedEvent(2, tutti::v1::RUN_STATUS_LIMIT_FAILED, 4)};
  options_.json_path = (folder_ / "out.json").string();
  EXPECT_EQ(Attach(), kLimitFailed);
  EXPECT_THAT(out_.str(), HasSubstr("exit code 4"));
  EXPECT_THAT(live_.str(), HasSubstr("1.00 Gbps"));
  EXPECT_TRUE(fs::exists(folder_ / "out.json"));
  EXPECT_TRUE(fs::exists(folder_ / "tutti/results/run-7.json"));
}

TEST_F(AttachTest, AnInterruptLeavesTheRunAloneAndSaysHowToGoOn) {
  client_.events = {IntervalEvent(1)};
  client_.interrupted = true;
  EXPECT_EQ(Attach(), kCancelled);
  EXPECT_EQ(client_.cancels, 0);
  EXPECT_EQ(out_.str(), "");
  EXPECT_THAT(live_.str(), AllOf(HasSubstr("the run goes on"), HasSubstr("tutti attach run-7"),
                                 HasSubstr("tutti cancel run-7")));
  EXPECT_FALSE(fs::exists(folder_ / "tutti/results/run-7.json"));
}

TEST_F(AttachTest, ABrokenConnectionLosesAndRepeatsNothing) {
  client_.events = {IntervalEvent(1), IntervalEvent(2), IntervalEvent(3),
                    EndedEvent(4, tutti::v1::RUN_STATUS_PASSED, 0)};
  client_.most = 2;
  options_.format = "jsonl";
  EXPECT_EQ(Attach(), kPassed);
  EXPECT_THAT(client_.asked, ElementsAre(0, 2));
  std::vector<std::string> events;
  std::istringstream lines(out_.str());
  for (std::string line; std::getline(lines, line);) events.push_back(line.substr(0, 20));
  EXPECT_THAT(events,
              ElementsAre(R"({"event":"accepted",)", R"({"event":"interval",)", R"({"event":"interval",)",
                          R"({"event":"interval",)", HasSubstr(R"({"event":"ended")")));
}

TEST_F(AttachTest, ACoordinatorThatStaysAwayEndsItAsUnreachable) {
  client_.events = {IntervalEvent(1), IntervalEvent(2)};
  client_.most = 0;
  EXPECT_EQ(Attach(), kUnreachable);
  EXPECT_EQ(clock_.now.ns, 30'000'000'000);
  EXPECT_THAT(live_.str(), AllOf(HasSubstr("run-7 has no result"), HasSubstr("given up after 30s")));
}

TEST_F(AttachTest, ARunThatNobodyKnowsAndACoordinatorThatIsNotThereAreNotWaitedFor) {
  client_.known = absl::NotFoundError("no run run-7");
  EXPECT_EQ(Attach(), kUsage);
  EXPECT_THAT(live_.str(), HasSubstr("tutti: no run run-7"));
  client_.known = absl::UnavailableError("refused");
  EXPECT_EQ(Attach(), kUnreachable);
  EXPECT_THAT(client_.asked, IsEmpty());
  EXPECT_THAT(live_.str(), Not(HasSubstr("trying again")));
}

}  // namespace
}  // namespace tutti::cli
