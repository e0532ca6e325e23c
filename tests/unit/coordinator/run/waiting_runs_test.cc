// Where runs stand, what keeps them from starting, and how long they may wait.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runs_fixture.h"

namespace tutti::run {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;
using tutti::v1::Obstacle;
using tutti::v1::Result;
using tutti::v1::RunEvent;
using tutti::v1::RunInfo;
using tutti::v1::WhyNotResponse;

class WaitingRunsTest : public RunsTest {
 protected:
  RunInfo InfoOf(const std::string& id) {
    const auto info = runs_.Describe(id);
    EXPECT_TRUE(info.ok()) << info.status();
    return info.ok() ? *info : RunInfo();
  }
  WhyNotResponse WhyNot(const std::string& id) {
    const auto why = runs_.WhyNot(id);
    EXPECT_TRUE(why.ok()) << why.status();
    return why.ok() ? *why : WhyNotResponse();
  }
};

TEST_F(WaitingRunsTest, ARunThatWaitedAsLongAsItMayEndsAsFailedAndSaysForWhat) {
  Submit(MakePlan("a", "b", 1, 100), "alice");
  const std::string second = Submit({.plan = MakePlan("b", "c"), .max_wait_ns = 10 * kSecond});
  const auto recorder = Watch(second);
  executor_.AdvanceBy(10 * kSecond - kMs);
  EXPECT_FALSE(recorder->ended);
  executor_.AdvanceBy(2 * kMs);
  ASSERT_TRUE(recorder->ended);
  EXPECT_THAT(recorder->Of(RunEvent::kStarted), IsEmpty());
  const Result result = ResultOf(second);
  EXPECT_EQ(result.status(), tutti::v1::RUN_STATUS_FAILED);
  EXPECT_EQ(result.exit_code(), 11);
  EXPECT_EQ(result.started_unix_ns(), 0);
  ASSERT_EQ(result.cases_size(), 1);
  EXPECT_EQ(result.cases(0).status(), tutti::v1::CASE_STATUS_NOT_RUN);
  EXPECT_THAT(result.reasons(0), AllOf(HasSubstr("it waited 10s for its hosts and has not run"),
                                       HasSubstr("host b: runs run-1 of alice since")));
}

TEST_F(WaitingRunsTest, ARunThatStartedInTimeMayTakeLongerThanItMightHaveWaited) {
  const std::string id = Submit({.plan = MakePlan("a", "b", 1, 5), .max_wait_ns = kSecond});
  executor_.AdvanceBy(20 * kSecond);
  EXPECT_EQ(ResultOf(id).cases(0).trials_size(), 5);
  EXPECT_NE(ResultOf(id).status(), tutti::v1::RUN_STATUS_FAILED);
}

TEST_F(WaitingRunsTest, ARunThatIsCancelledBeforeItsWaitIsOverIsCancelledAndNotFailed) {
  Submit(MakePlan("a", "b", 1, 100));
  const std::string second = Submit({.plan = MakePlan("b", "c"), .max_wait_ns = 10 * kSecond});
  EXPECT_TRUE(runs_.Cancel(second).ok());
  executor_.AdvanceBy(20 * kSecond);
  EXPECT_EQ(ResultOf(second).status(), tutti::v1::RUN_STATUS_CANCELLED);
}

TEST_F(WaitingRunsTest, ARunTellsWhereItStandsWhileItWaits) {
  Submit(MakePlan("a", "b"), "alice");
  const std::string second =
      Submit({.plan = MakePlan("b", "c", 2), .user = "bob", .labels = {{"commit", "3fa1"}}});
  const RunInfo info = InfoOf(second);
  EXPECT_EQ(info.state(), RunInfo::STATE_WAITING);
  EXPECT_EQ(info.state_since_unix_ns(), info.summary().submitted_unix_ns());
  EXPECT_EQ(info.state_deadline_unix_ns() - info.state_since_unix_ns(), 24 * 3600 * kSecond);
  EXPECT_THAT(info.hosts(), ElementsAre("b", "c"));
  EXPECT_EQ(info.queued().position(), 1u);
  EXPECT_THAT(info.queued().waits_for(), SizeIs(1));
  EXPECT_FALSE(info.has_progress());
  EXPECT_EQ(info.summary().run_id(), second);
  EXPECT_EQ(info.summary().user(), "bob");
  EXPECT_EQ(info.summary().cases(), 2u);
  EXPECT_EQ(info.summary().labels().at("commit"), "3fa1");
  EXPECT_EQ(info.summary().status(), tutti::v1::RUN_STATUS_RUNNING);
  EXPECT_FALSE(info.summary().has_started_unix_ns());
  EXPECT_FALSE(info.summary().has_exit_code());
}

TEST_F(WaitingRunsTest, ARunTellsHowFarItIs) {
  const std::string id = Submit(MakePlan("a", "b", 2, 2));
  const auto recorder = Watch(id);
  executor_.AdvanceBy(500 * kMs);
  RunInfo info = InfoOf(id);
  EXPECT_EQ(info.state(), RunInfo::STATE_RUNNING);
  EXPECT_FALSE(info.has_queued());
  // Half of the background second; two trials of 550 ms; a second case.
  EXPECT_EQ(info.progress().expected_left_ns(), 500 * kMs + 1'100 * kMs + 2'100 * kMs);
  EXPECT_EQ(info.progress().repetition(), 0u);
  EXPECT_EQ(info.progress().repetitions(), 2u);
  EXPECT_EQ(info.progress().cases(), 2u);
  EXPECT_EQ(info.progress().phase(), "");
  EXPECT_GT(info.state_deadline_unix_ns(), info.state_since_unix_ns() + 4'200 * kMs);
  ASSERT_TRUE(PassTo(*recorder, "MEASURE"));
  info = InfoOf(id);
  EXPECT_EQ(info.progress().phase(), "MEASURE");
  EXPECT_EQ(info.progress().repetition(), 1u);
  EXPECT_EQ(info.progress().case_index(), 0u);
  EXPECT_NEAR(static_cast<double>(info.progress().expected_left_ns()),
              static_cast<double>(450 * kMs + 550 * kMs + 2'100 * kMs), static_cast<double>(kMs));
  executor_.AdvanceBy(20 * kSecond);
  info = InfoOf(id);
  EXPECT_EQ(info.state(), RunInfo::STATE_ENDED);
  EXPECT_EQ(info.state_since_unix_ns(), info.summary().finished_unix_ns());
  EXPECT_FALSE(info.has_state_deadline_unix_ns());
  EXPECT_FALSE(info.has_progress());
  EXPECT_TRUE(info.summary().has_exit_code());
  EXPECT_EQ(info.summary().status(), ResultOf(id).status());
  EXPECT_EQ(info.reasons_size(), ResultOf(id).reasons_size());
}

TEST_F(WaitingRunsTest, WhyNotNamesWhoIsInTheWayOnEachHost) {
  Submit(MakePlan("a", "b", 2, 2), "alice");
  const std::string second = Submit(MakePlan("b", "c"), "bob");
  const std::string third = Submit(MakePlan("c", "d"));
  const WhyNotResponse busy = WhyNot(second);
  EXPECT_EQ(busy.position(), 1u);
  ASSERT_EQ(busy.obstacles_size(), 1);
  EXPECT_EQ(busy.obstacles(0).host(), "b");
  EXPECT_EQ(busy.obstacles(0).kind(), Obstacle::KIND_BUSY);
  EXPECT_EQ(busy.obstacles(0).expected_left_ns(), 4'200 * kMs);
  EXPECT_THAT(busy.summary(),
              AllOf(StartsWith("b runs run-1 of alice since "), HasSubstr(", about 4s left")));
  workers_["d"]->Die();
  executor_.AdvanceBy(2'500 * kMs);
  const WhyNotResponse next = WhyNot(third);
  EXPECT_EQ(next.position(), 2u);
  ASSERT_EQ(next.obstacles_size(), 2);
  EXPECT_EQ(next.obstacles(0).kind(), Obstacle::KIND_NEXT);
  EXPECT_EQ(next.obstacles(0).run_id(), second);
  EXPECT_EQ(next.obstacles(1).host(), "d");
  EXPECT_EQ(next.obstacles(1).kind(), Obstacle::KIND_LOST);
  EXPECT_NE(next.obstacles(1).reason(), "");
  EXPECT_THAT(next.summary(), StartsWith("c goes to run-2 of bob first; d is lost since "));
}

TEST_F(WaitingRunsTest, NothingKeepsARunThatHasStarted) {
  const std::string id = Submit(MakePlan("a", "b"));
  const WhyNotResponse running = WhyNot(id);
  EXPECT_EQ(running.position(), 0u);
  EXPECT_EQ(running.obstacles_size(), 0);
  // The background second and one trial of 550 ms.
  EXPECT_THAT(running.summary(), AllOf(StartsWith("run-1 runs since "), HasSubstr("about 2s left")));
  executor_.AdvanceBy(10 * kSecond);
  EXPECT_EQ(WhyNot(id).summary(), "run-1 has ended");
}

TEST_F(WaitingRunsTest, UnknownRunsAreNotFound) {
  EXPECT_EQ(runs_.Describe("nobody").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(runs_.WhyNot("nobody").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(WaitingRunsTest, AWatcherThatComesBackIsToldWhatItMissedAndEachEventOnce) {
  const std::string id = Submit(MakePlan("a", "b", 1, 2));
  const auto before = Watch(id);
  ASSERT_TRUE(PassTo(*before, "MEASURE"));
  runs_.Unwatch(id, before.get());
  const auto after = std::make_shared<Recorder>();
  executor_.AdvanceBy(20 * kSecond);
  ASSERT_TRUE(runs_.Watch(id, after, before->events.back()->sequence()).ok());
  EXPECT_TRUE(after->ended);
  std::vector<uint64_t> numbers;
  for (const auto& events : {before->events, after->events}) {
    for (const SharedEvent& each : events) numbers.push_back(each->sequence());
  }
  for (size_t i = 1; i < numbers.size(); ++i) EXPECT_LT(numbers[i - 1], numbers[i]);
  EXPECT_THAT(after->Of(RunEvent::kTrialEnded), SizeIs(2));
  EXPECT_THAT(after->Of(RunEvent::kEnded), SizeIs(1));
}

TEST_F(WaitingRunsTest, AnEventThatTheRunHasNotHadIsNoPlaceToResume) {
  const std::string id = Submit(MakePlan("a", "b"));
  const auto recorder = std::make_shared<Recorder>();
  const absl::Status status = runs_.Watch(id, recorder, 1'000);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("no event 1000"));
  EXPECT_THAT(recorder->events, IsEmpty());
}

TEST_F(WaitingRunsTest, ADrainedWorkerGetsNoNewRunAndThoseThatHaveOrAwaitItGoOn) {
  const auto first = Watch(Submit(MakePlan("a", "b")));
  const auto second = Watch(Submit(MakePlan("b", "c")));
  tutti::v1::DrainWorkerRequest drain;
  drain.set_name("b");
  drain.set_user("alice");
  drain.set_reason("new NIC");
  std::vector<absl::Status> drained;
  fleet_.Drain(drain, [&](const absl::Status& status) { drained.push_back(status); });
  executor_.RunReady();
  EXPECT_THAT(drained, ElementsAre(absl::OkStatus()));
  const auto refused = SubmitTo(runs_, {.plan = MakePlan("b", "d")});
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(refused.status().message()),
              AllOf(HasSubstr("worker b is drained since"), HasSubstr("by alice: new NIC")));
  executor_.AdvanceBy(20 * kSecond);
  EXPECT_TRUE(first->ended);
  EXPECT_THAT(second->Of(RunEvent::kTrialEnded), SizeIs(1));
}

TEST_F(WaitingRunsTest, ADryRunPlacesThePlanAndLeavesNothingBehind) {
  const auto dry = PrepareDryRun(MakePlan("a", "b", 2), runs_.Input());
  ASSERT_TRUE(dry.ok()) << dry.status();
  EXPECT_EQ(dry->head().run_id(), "");
  EXPECT_EQ(dry->head().submitted_unix_ns(), 0);
  EXPECT_EQ(dry->head().hosts_size(), 2);
  EXPECT_EQ(dry->head().pairs_size(), 1);
  EXPECT_EQ(dry->head().cases_size(), 0);
  EXPECT_THAT(dry->streams_of_case(), ElementsAre(1u, 1u));
  EXPECT_EQ(PrepareDryRun(MakePlan("a", "nobody"), runs_.Input()).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Submit(MakePlan("a", "b")), "run-1");
}

TEST_F(WaitingRunsTest, TheSameKeyIsTheSameRunUntilThatIsForgotten) {
  std::vector<std::string> told;
  const auto tell = [&told](const std::string& id, const absl::Status& kept) {
    told.push_back(id + (kept.ok() ? "" : " is not kept"));
  };
  EXPECT_FALSE(runs_.Repeat("build-7", tell));
  const std::string id = Submit({.plan = MakePlan("a", "b"), .key = "build-7"});
  EXPECT_TRUE(runs_.Repeat("build-7", tell));
  EXPECT_FALSE(runs_.Repeat("build-8", tell));
  EXPECT_FALSE(runs_.Repeat("", tell));
  executor_.AdvanceBy(10 * kSecond);
  EXPECT_TRUE(runs_.Repeat("build-7", tell));
  EXPECT_THAT(told, ElementsAre(id, id));
  runs_.Forget(id);
  EXPECT_FALSE(runs_.Repeat("build-7", tell));
}

TEST_F(WaitingRunsTest, AKeyGoesWithItsRunOutOfMemory) {
  Submit({.plan = MakePlan("a", "b"), .key = "build-7"});
  for (int i = 0; i < 4; ++i) {
    executor_.AdvanceBy(10 * kSecond);
    Submit(MakePlan("a", "b"));
  }
  EXPECT_FALSE(runs_.Repeat("build-7", {}));
}

TEST_F(WaitingRunsTest, HostsThatGoAndComeHoldATrialUpForTenSecondsAtMost) {
  const std::string id = Submit(MakePlan("a", "b", 1, 2));
  const auto recorder = Watch(id);
  ASSERT_TRUE(PassTo(*recorder, "MEASURE"));
  workers_["b"]->Die();
  executor_.AdvanceBy(kSecond);
  ASSERT_THAT(recorder->Of(RunEvent::kTrialStarted), SizeIs(1));
  // a goes when b would be given up, b has come back and goes when a would be.
  executor_.AdvanceBy(3 * kSecond);
  workers_["a"]->Die();
  executor_.AdvanceBy(4 * kSecond);
  const auto again = std::make_shared<ScriptedWorker>(executor_, fleet_, "b", 3 * kSecond);
  again->Dial(2);
  executor_.RunReady();
  again->Die();
  executor_.AdvanceBy(kSecond);
  EXPECT_THAT(recorder->Of(RunEvent::kTrialStarted), SizeIs(1));
  executor_.AdvanceBy(3'500 * kMs);
  EXPECT_THAT(recorder->Of(RunEvent::kTrialStarted), SizeIs(2));
}

}  // namespace
}  // namespace tutti::run
