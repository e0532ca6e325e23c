#include "coordinator/cli/run_flow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "coordinator/cli/exit_codes.h"
#include "coordinator/report/report.h"
#include "tests/unit/coordinator/cli/refusing_client.h"
#include "tests/unit/temporary_folder.h"

namespace tutti::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

tutti::v1::RunEvent Ended(tutti::v1::RunStatus status, int exit_code) {
  tutti::v1::RunEvent event;
  event.mutable_ended()->set_schema_version(1);
  event.mutable_ended()->set_run_id("run-7");
  event.mutable_ended()->set_status(status);
  event.mutable_ended()->set_exit_code(exit_code);
  return event;
}

std::string TextOf(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Replays `events`. With `until_cancelled` the watch goes on until Cancel is called and then ends with a
// cancelled result.
class FakeClient final : public RefusingClient {
 public:
  absl::StatusOr<tutti::v1::SubmitResponse> Submit(const tutti::v1::SubmitRequest& request) override {
    submitted = request;
    if (!submit_status.ok()) return submit_status;
    return submit_response;
  }
  absl::Status Watch(const tutti::v1::WatchRequest&, const OnRunEvent& on_event,
                     const std::stop_token&) override {
    ++watches;
    for (const tutti::v1::RunEvent& event : events) on_event(event);
    if (!until_cancelled) return watch_status;
    raise(SIGINT);
    while (cancels == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    on_event(Ended(tutti::v1::RUN_STATUS_CANCELLED, 8));
    return absl::OkStatus();
  }
  absl::Status Cancel(const std::string&) override {
    ++cancels;
    return absl::OkStatus();
  }
  absl::StatusOr<tutti::v1::Result> GetResult(const tutti::v1::GetResultRequest&) override { return stored; }

  std::vector<tutti::v1::RunEvent> events;
  bool until_cancelled = false;
  absl::Status submit_status;
  tutti::v1::SubmitResponse submit_response;
  absl::Status watch_status;
  absl::StatusOr<tutti::v1::Result> stored = absl::UnavailableError("gone");
  tutti::v1::SubmitRequest submitted;
  int watches = 0;
  std::atomic<int> cancels{0};
};

class RunFlowTest : public ::testing::Test {
 protected:
  RunFlowTest() {
    setenv("XDG_STATE_HOME", folder_.path().c_str(), 1);
    plan_ = {.source_name = "p.yaml", .text = "version: 1\n"};
    client_.submit_response.set_run_id("run-7");
    options_.patience.most_ns = 0;
  }
  ~RunFlowTest() override { unsetenv("XDG_STATE_HOME"); }
  int Run() { return RunPlan(client_, plan_, options_, Screens{.out = out_, .live = live_}); }
  absl::StatusOr<tutti::v1::Result> ResultIn(const fs::path& path) { return report::ParseJson(TextOf(path)); }

  const TemporaryFolder folder_;
  FakeClient client_;
  PlanText plan_;
  RunOptions options_;
  std::ostringstream out_;
  std::ostringstream live_;
};

TEST_F(RunFlowTest, SubmitsTheTextItsNameAndTheOverridesInOrder) {
  client_.events = {Ended(tutti::v1::RUN_STATUS_PASSED, 0)};
  options_.overrides = {"repeat=1", "timing.measure=1s"};
  EXPECT_EQ(Run(), kPassed);
  EXPECT_EQ(client_.submitted.plan(), "version: 1\n");
  EXPECT_EQ(client_.submitted.source_name(), "p.yaml");
  EXPECT_THAT(client_.submitted.overrides(), ElementsAre("repeat=1", "timing.measure=1s"));
  EXPECT_FALSE(client_.submitted.user().empty());
}

TEST_F(RunFlowTest, SubmitsTheRunsLabels) {
  client_.events = {Ended(tutti::v1::RUN_STATUS_PASSED, 0)};
  options_.labels = {{"branch", "main"}, {"commit", "3fa1"}};
  EXPECT_EQ(Run(), kPassed);
  EXPECT_EQ(client_.submitted.labels_size(), 2);
  EXPECT_EQ(client_.submitted.labels().at("commit"), "3fa1");
}

TEST_F(RunFlowTest, SubmitsTheKeyAndHowLongItMayWaitIfTheyAreGiven) {
  client_.events = {Ended(tutti::v1::RUN_STATUS_PASSED, 0)};
  EXPECT_EQ(Run(), kPassed);
  EXPECT_EQ(client_.submitted.idempotency_key(), "");
  EXPECT_FALSE(client_.submitted.has_max_wait_ns());
  options_.idempotency_key = "build-41";
  options_.max_wait_ns = 600'000'000'000;
  EXPECT_EQ(Run(), kPassed);
  EXPECT_EQ(client_.submitted.idempotency_key(), "build-41");
  EXPECT_EQ(client_.submitted.max_wait_ns(), 600'000'000'000);
}

TEST_F(RunFlowTest, ARunOfAnEarlierSubmissionIsFollowedAndCalledThat) {
  client_.submit_response.set_repeated_key(true);
  client_.events = {Ended(tutti::v1::RUN_STATUS_PARTIAL, 7)};
  EXPECT_EQ(Run(), kPartial);
  EXPECT_THAT(live_.str(), HasSubstr("run-7 was submitted earlier with this idempotency key"));
}

TEST_F(RunFlowTest, WhoDetachesGetsTheIdAloneAndDoesNotWait) {
  options_.detach = true;
  const auto leave = [this] {
    out_.str("");
    return SubmitAndLeave(client_, plan_, options_, Screens{.out = out_, .live = live_});
  };
  EXPECT_EQ(leave(), kPassed);
  EXPECT_EQ(out_.str(), "run-7\n");
  EXPECT_EQ(live_.str(), "");
  EXPECT_EQ(client_.watches, 0);
  EXPECT_EQ(client_.submitted.plan(), "version: 1\n");
  options_.format = "json";
  EXPECT_EQ(leave(), kPassed);
  tutti::v1::SubmitResponse printed;
  ASSERT_TRUE(report::ParseMessageJson(out_.str(), printed).ok()) << out_.str();
  EXPECT_EQ(printed.run_id(), "run-7");
  options_.format = "yaml";
  EXPECT_EQ(leave(), kPassed);
  EXPECT_THAT(out_.str(), HasSubstr("run_id: run-7\n"));
}

TEST_F(RunFlowTest, WhoDetachesFromNobodyHasNoIdAndTheCodeOfTheReason) {
  client_.submit_status = absl::UnavailableError("refused");
  EXPECT_EQ(SubmitAndLeave(client_, plan_, options_, Screens{.out = out_, .live = live_}), kUnreachable);
  EXPECT_EQ(out_.str(), "");
  EXPECT_EQ(live_.str(), "tutti: refused\n");
}

TEST_F(RunFlowTest, ReportsDoNotGoWithDetaching) {
  options_.detach = true;
  for (const char* format : {"table", "json", "yaml"}) {
    options_.format = format;
    EXPECT_TRUE(CheckRunOptions(options_).ok()) << format;
  }
  for (const char* format : {"csv", "jsonl", "tabel"}) {
    options_.format = format;
    EXPECT_EQ(CheckRunOptions(options_).code(), absl::StatusCode::kInvalidArgument) << format;
  }
}

TEST_F(RunFlowTest, ExitsAsTheResultSaysAndLeavesItInBothPlaces) {
  client_.events = {Ended(tutti::v1::RUN_STATUS_LIMIT_FAILED, 4)};
  options_.json_path = (folder_ / "out.json").string();
  EXPECT_EQ(Run(), kLimitFailed);
  EXPECT_EQ(ResultIn(folder_ / "out.json")->run_id(), "run-7");
  EXPECT_EQ(ResultIn(folder_ / "tutti/results/run-7.json")->exit_code(), 4);
  EXPECT_THAT(live_.str(), HasSubstr((folder_ / "tutti/results/run-7.json").string()));
}

TEST_F(RunFlowTest, AJsonFileThatCannotBeWrittenMakesAPassedRunAnInternalError) {
  options_.json_path = "/dev/full";
  client_.events = {Ended(tutti::v1::RUN_STATUS_PASSED, 0)};
  EXPECT_EQ(Run(), kInternal);
  EXPECT_THAT(live_.str(), HasSubstr("tutti: --json: write /dev/full: No space left on device"));
  EXPECT_THAT(live_.str(), Not(HasSubstr("result: /dev/full")));
  // What the run itself says is worth more.
  client_.events = {Ended(tutti::v1::RUN_STATUS_PARTIAL, 7)};
  EXPECT_EQ(Run(), kPartial);
}

TEST_F(RunFlowTest, WhatOthersWroteReachesTheTerminalWithoutControlCharacters) {
  client_.submit_status = absl::FailedPreconditionError("role a: its rack is \x1b[2Jb\nsecond line");
  EXPECT_EQ(Run(), kInvalidPlan);
  EXPECT_THAT(live_.str(), HasSubstr("its rack is \\x1B[2Jb\nsecond line\n"));
  EXPECT_EQ(live_.str().find('\x1b'), std::string::npos);
}

TEST_F(RunFlowTest, AReportHasNoControlCharactersOfNamesAndJsonKeepsThem) {
  client_.events = {Ended(tutti::v1::RUN_STATUS_PASSED, 0)};
  client_.events[0].mutable_ended()->mutable_plan()->set_name("odd\x1b[2J");
  EXPECT_EQ(Run(), kPassed);
  EXPECT_THAT(out_.str(), HasSubstr("odd\\x1B[2J"));
  options_.format = "json";
  out_.str("");
  EXPECT_EQ(Run(), kPassed);
  EXPECT_EQ(report::ParseJson(out_.str())->plan().name(), "odd\x1b[2J");
}

TEST_F(RunFlowTest, TheFirstInterruptCancelsAndTheResultIsStillLeft) {
  client_.until_cancelled = true;
  options_.json_path = (folder_ / "out.json").string();
  EXPECT_EQ(Run(), kCancelled);
  EXPECT_EQ(client_.cancels, 1);
  EXPECT_EQ(ResultIn(folder_ / "out.json")->status(), tutti::v1::RUN_STATUS_CANCELLED);
}

TEST_F(RunFlowTest, ALostWatchFetchesTheResult) {
  client_.watch_status = absl::UnavailableError("connection reset");
  client_.stored = Ended(tutti::v1::RUN_STATUS_PARTIAL, 7).ended();
  EXPECT_EQ(Run(), kPartial);
}

TEST_F(RunFlowTest, ALostCoordinatorIsSaidAndItsCodeIs9) {
  client_.watch_status = absl::UnavailableError("coordinator 10.0.0.1: connection reset");
  EXPECT_EQ(Run(), kUnreachable);
  EXPECT_THAT(live_.str(), HasSubstr("run-7 has no result"));
  EXPECT_THAT(live_.str(), HasSubstr("connection reset"));
}

TEST_F(RunFlowTest, ARefusedPlanIs3AndAnUnreachableCoordinator9) {
  client_.submit_status = absl::InvalidArgumentError("p.yaml:1:1: bad");
  EXPECT_EQ(Run(), kInvalidPlan);
  EXPECT_THAT(live_.str(), HasSubstr("p.yaml:1:1: bad"));
  client_.submit_status = absl::UnavailableError("refused");
  EXPECT_EQ(Run(), kUnreachable);
}

TEST_F(RunFlowTest, QuietStillSaysWhatTheRunWaitsFor) {
  tutti::v1::RunEvent queued;
  queued.set_run_id("run-7");
  queued.mutable_queued()->add_waits_for("host a: runs run-6 of alice since 13:50:02");
  tutti::v1::RunEvent trial;
  trial.mutable_trial_started()->set_repetition(1);
  trial.mutable_trial_started()->set_repetitions(3);
  client_.events = {queued, trial, Ended(tutti::v1::RUN_STATUS_PASSED, 0)};
  options_.quiet = true;
  EXPECT_EQ(Run(), kPassed);
  EXPECT_THAT(live_.str(), HasSubstr("host a: runs run-6"));
  EXPECT_THAT(live_.str(), Not(HasSubstr("trial 1/3")));
}

TEST_F(RunFlowTest, JsonFormatPrintsOneDocumentAndNothingElse) {
  client_.events = {Ended(tutti::v1::RUN_STATUS_PASSED, 0)};
  options_.format = "json";
  EXPECT_EQ(Run(), kPassed);
  EXPECT_EQ(report::ParseJson(out_.str())->run_id(), "run-7");
}

tutti::v1::RunEvent OneInterval() {
  tutti::v1::RunEvent event;
  event.set_run_id("run-7");
  event.mutable_interval()->set_interval(3);
  return event;
}

TEST_F(RunFlowTest, EveryEventIsALineInTheFileOfEventsBesideTheReport) {
  client_.events = {OneInterval(), Ended(tutti::v1::RUN_STATUS_PASSED, 0)};
  options_.jsonl_path = (folder_ / "events.jsonl").string();
  std::ofstream(options_.jsonl_path) << "of an earlier run";
  EXPECT_EQ(Run(), kPassed);
  const std::vector<std::string> lines = LinesOf(TextOf(options_.jsonl_path));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(lines[0], HasSubstr("{\"event\":\"accepted\",\"run_id\":\"run-7\""));
  EXPECT_THAT(lines[1], HasSubstr("{\"event\":\"interval\""));
  EXPECT_THAT(lines[2], HasSubstr("\"status\":\"passed\",\"exit_code\":0"));
  EXPECT_THAT(out_.str(), HasSubstr("passed, exit code 0"));
}

TEST_F(RunFlowTest, WithTheFormatJsonlStandardOutputHasTheEventsAndNoReport) {
  client_.events = {OneInterval(), Ended(tutti::v1::RUN_STATUS_PARTIAL, 7)};
  options_.format = "jsonl";
  options_.jsonl_path = (folder_ / "events.jsonl").string();
  ASSERT_TRUE(CheckRunOptions(options_).ok());
  EXPECT_EQ(Run(), kPartial);
  EXPECT_EQ(LinesOf(out_.str()).size(), 3u);
  EXPECT_EQ(out_.str(), TextOf(options_.jsonl_path));
}

// A stream of events that is read when each of them has been told.
TEST_F(RunFlowTest, AnEventIsInTheFileWhenTheNextOneComes) {
  class ReadingClient final : public RefusingClient {
   public:
    absl::StatusOr<tutti::v1::SubmitResponse> Submit(const tutti::v1::SubmitRequest&) override {
      return tutti::v1::SubmitResponse();
    }
    absl::Status Watch(const tutti::v1::WatchRequest&, const OnRunEvent& on_event,
                       const std::stop_token&) override {
      on_event(OneInterval());
      seen = TextOf(path);
      on_event(Ended(tutti::v1::RUN_STATUS_PASSED, 0));
      return absl::OkStatus();
    }
    std::string path;
    std::string seen;
  };
  ReadingClient client;
  client.path = options_.jsonl_path = (folder_ / "events.jsonl").string();
  EXPECT_EQ(RunPlan(client, plan_, options_, Screens{.out = out_, .live = live_}), kPassed);
  EXPECT_THAT(client.seen, HasSubstr("{\"event\":\"interval\""));
}

TEST_F(RunFlowTest, EventsThatCannotBeWrittenMakeAPassedRunAnInternalError) {
  client_.events = {Ended(tutti::v1::RUN_STATUS_PASSED, 0)};
  options_.jsonl_path = "/dev/full";
  EXPECT_EQ(Run(), kInternal);
  EXPECT_THAT(live_.str(), HasSubstr("tutti: --jsonl: write /dev/full: No space left on device"));
  options_.jsonl_path.clear();
  options_.format = "jsonl";
  out_.setstate(std::ios::badbit);
  EXPECT_EQ(Run(), kInternal);
  EXPECT_THAT(live_.str(), HasSubstr("the events could not be written to standard output"));
}

TEST_F(RunFlowTest, AFileOfEventsThatCannotBeOpenedIsToldBeforeThePlanIsSubmitted) {
  options_.jsonl_path = (folder_ / "no/such/events.jsonl").string();
  EXPECT_EQ(Run(), kUsage);
  EXPECT_THAT(live_.str(), HasSubstr("No such file or directory"));
  EXPECT_TRUE(client_.submitted.plan().empty());
}

TEST_F(RunFlowTest, ALostWatchStillHasItsEndAmongTheEvents) {
  client_.watch_status = absl::UnavailableError("connection reset");
  client_.stored = Ended(tutti::v1::RUN_STATUS_PARTIAL, 7).ended();
  options_.format = "jsonl";
  EXPECT_EQ(Run(), kPartial);
  EXPECT_THAT(LinesOf(out_.str()).back(), HasSubstr("{\"event\":\"ended\",\"run_id\":\"run-7\""));
}

TEST_F(RunFlowTest, NothingStandsBehindADocumentForPrograms) {
  const tutti::v1::Result result = Ended(tutti::v1::RUN_STATUS_PASSED, 0).ended();
  for (const char* format : {"json", "yaml", "csv", "csv:host", "junit", "netperf"}) {
    options_.format = format;
    options_.detail = options_.timeline = false;
    ASSERT_TRUE(CheckRunOptions(options_).ok()) << format;
    std::ostringstream alone, with;
    ASSERT_TRUE(PrintResult(result, options_, alone).ok());
    options_.detail = options_.timeline = true;
    ASSERT_TRUE(PrintResult(result, options_, with).ok());
    EXPECT_EQ(alone.str() == with.str(), options_.format != "netperf") << format;
  }
}

TEST_F(RunFlowTest, AResultHasNoEvents) {
  options_.format = "jsonl";
  const absl::Status status = PrintResult(Ended(tutti::v1::RUN_STATUS_PASSED, 0).ended(), options_, out_);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("--format json has the whole result"));
}

TEST_F(RunFlowTest, TheWholeResultMayBeYaml) {
  client_.events = {Ended(tutti::v1::RUN_STATUS_PASSED, 0)};
  options_.format = "yaml";
  EXPECT_EQ(Run(), kPassed);
  EXPECT_THAT(out_.str(), HasSubstr("\nrun_id: run-7\n"));
}

TEST_F(RunFlowTest, UsageErrorsAreToldBeforeTheStart) {
  options_.format = "tabel";
  EXPECT_EQ(CheckRunOptions(options_).code(), absl::StatusCode::kInvalidArgument);
  options_.format = "table";
  options_.json_path = (folder_ / "no/such/out.json").string();
  EXPECT_EQ(CheckRunOptions(options_).code(), absl::StatusCode::kInvalidArgument);
  options_.json_path = (folder_ / "out.json").string();
  EXPECT_TRUE(CheckRunOptions(options_).ok());
  options_.jsonl_path = (folder_ / "no/such/events.jsonl").string();
  EXPECT_THAT(std::string(CheckRunOptions(options_).message()), HasSubstr("--jsonl "));
  options_.jsonl_path = "-";
  EXPECT_THAT(std::string(CheckRunOptions(options_).message()), HasSubstr("--format jsonl"));
}

TEST(InterruptTest, ASecondInterruptEndsTheProcessAtOnce) {
  class StuckClient final : public RefusingClient {
   public:
    absl::StatusOr<tutti::v1::SubmitResponse> Submit(const tutti::v1::SubmitRequest&) override {
      return tutti::v1::SubmitResponse();
    }
    absl::Status Watch(const tutti::v1::WatchRequest&, const OnRunEvent&, const std::stop_token&) override {
      raise(SIGINT);
      raise(SIGINT);
      return absl::OkStatus();
    }
  };
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        StuckClient client;
        RunPlan(client, PlanText{}, RunOptions{}, Screens{.out = std::cout, .live = std::cerr});
      },
      ::testing::ExitedWithCode(8), "");
}

}  // namespace
}  // namespace tutti::cli
