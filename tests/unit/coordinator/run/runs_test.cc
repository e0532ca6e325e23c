#include "coordinator/run/runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "coordinator/plan/plan_loader.h"
#include "runs_fixture.h"

namespace tutti::run {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using tutti::v1::CoordinatorMessage;
using tutti::v1::Plan;
using tutti::v1::Result;
using tutti::v1::RunEvent;

TEST_F(RunsTest, ARunTellsItsCourseAndEndsWithItsResult) {
  const std::string id = Submit(MakePlan("a", "b", 2, 2), "alice");
  const auto recorder = Watch(id);
  executor_.AdvanceBy(10 * kSecond);
  ASSERT_TRUE(recorder->ended);
  EXPECT_THAT(recorder->Of(RunEvent::kStarted), SizeIs(1));
  EXPECT_THAT(recorder->Of(RunEvent::kCaseStarted), SizeIs(2));
  EXPECT_THAT(recorder->Of(RunEvent::kTrialStarted), SizeIs(4));
  EXPECT_THAT(recorder->Of(RunEvent::kInterval), SizeIs(4 * 4));
  EXPECT_THAT(recorder->Of(RunEvent::kTrialEnded), SizeIs(4));
  EXPECT_THAT(recorder->Of(RunEvent::kCaseEnded), SizeIs(2));
  const std::vector<std::string> phases = recorder->Phases();
  ASSERT_GE(phases.size(), 8u);
  EXPECT_THAT(std::vector<std::string>(phases.begin(), phases.begin() + 8),
              ElementsAre("PREPARE", "CONNECT", "ARM", "WARMUP", "MEASURE", "COOLDOWN", "DRAIN", "REPORT"));
  const Result result = ResultOf(id);
  EXPECT_EQ(result.run_id(), id);
  EXPECT_EQ(result.user(), "alice");
  ASSERT_EQ(result.cases_size(), 2);
  ASSERT_EQ(result.cases(0).trials_size(), 2);
  EXPECT_EQ(result.hosts_size(), 2);
  EXPECT_EQ(result.machines_size(), 2);
  EXPECT_EQ(result.pairs_size(), 1);
  EXPECT_EQ(result.pairs(0).from_address(), "10.0.0.1");
  EXPECT_GT(result.finished_unix_ns(), 0);
  EXPECT_NE(result.status(), tutti::v1::RUN_STATUS_RUNNING);
  EXPECT_NE(result.status(), tutti::v1::RUN_STATUS_UNSPECIFIED);
}

TEST_F(RunsTest, TheBackgroundSecondIsMeasuredBeforeEachCaseAndReachesTheResult) {
  const std::string id = Submit(MakePlan("a", "b", 2, 1));
  executor_.AdvanceBy(10 * kSecond);
  EXPECT_EQ(std::count(workers_["a"]->heard.begin(), workers_["a"]->heard.end(),
                       CoordinatorMessage::kMeasureBackground),
            2);
  const Result result = ResultOf(id);
  ASSERT_EQ(result.cases(0).trials(0).machines_size(), 2);
  // Two CPUs, a quarter of each busy.
  EXPECT_NEAR(result.cases(0).trials(0).machines(0).background_cores(), 0.5, 0.01);
}

TEST_F(RunsTest, BeyondTheTimingATrialCostsLessThan200Ms) {
  const std::string id = Submit(MakePlan("a", "b", 1, 5));
  const auto recorder = Watch(id);
  const int64_t begin_ns = executor_.NowNs();
  while (!recorder->ended) executor_.AdvanceBy(kMs);
  const int64_t cost_ns = executor_.NowNs() - begin_ns - kSecond - 5 * 550 * kMs;
  EXPECT_LT(cost_ns / 5, 200 * kMs);
}

// The workers move 8 Mbps; the window has four intervals.
TEST_F(RunsTest, AThresholdWithAbortEndsTheTrialAndWithItTheRun) {
  Plan plan = MakePlan("a", "b", 2, 3);
  for (tutti::v1::Case& each : *plan.mutable_cases()) {
    tutti::v1::Threshold& threshold = *each.add_thresholds();
    threshold.set_metric("throughput.received");
    threshold.set_comparison(tutti::v1::COMPARISON_AT_LEAST);
    threshold.set_limit(9e6);
    threshold.set_scope(tutti::v1::THRESHOLD_SCOPE_TOTAL);
    threshold.set_severity(tutti::v1::SEVERITY_FAIL);
    threshold.set_abort(true);
    threshold.set_abort_grace_ns(200 * kMs);
  }
  const std::string id = Submit(plan);
  const auto recorder = Watch(id);
  executor_.AdvanceBy(10 * kSecond);
  ASSERT_TRUE(recorder->ended);
  EXPECT_THAT(recorder->Of(RunEvent::kInterval), SizeIs(2));
  ASSERT_THAT(recorder->Of(RunEvent::kTrialEnded), SizeIs(1));
  EXPECT_EQ(recorder->Of(RunEvent::kTrialEnded)[0]->trial_ended().status(), tutti::v1::TRIAL_STATUS_ABORTED);
  const Result result = ResultOf(id);
  EXPECT_EQ(result.status(), tutti::v1::RUN_STATUS_LIMIT_FAILED);
  EXPECT_EQ(result.exit_code(), 4);
  ASSERT_EQ(result.cases_size(), 2);
  EXPECT_EQ(result.cases(0).status(), tutti::v1::CASE_STATUS_ABORTED);
  EXPECT_EQ(result.cases(1).status(), tutti::v1::CASE_STATUS_NOT_RUN);
  EXPECT_THAT(result.reasons(),
              AllOf(Contains(HasSubstr("case 1: trial 1 is aborted: throughput.received of entry bulk was "
                                       "8Mbps over 200ms, wanted >= 9Mbps")),
                    Contains("case 2: the run was aborted in case 1")));
}

TEST_F(RunsTest, TrialIdsAndNoncesDiffer) {
  Submit(MakePlan("a", "b", 1, 2));
  executor_.AdvanceBy(10 * kSecond);
  const auto& prepared = workers_["a"]->prepared;
  ASSERT_EQ(prepared.size(), 2u);
  EXPECT_NE(prepared[0].trial_id(), prepared[1].trial_id());
  EXPECT_NE(prepared[0].streams(0).nonce(), prepared[1].streams(0).nonce());
}

TEST_F(RunsTest, RunsOnTheSameHostWaitAndSayForWhat) {
  const std::string first = Submit(MakePlan("a", "b"), "alice");
  const std::string second = Submit(MakePlan("b", "c"), "bob");
  const auto recorder = Watch(second);
  ASSERT_THAT(recorder->Of(RunEvent::kQueued), SizeIs(1));
  EXPECT_EQ(recorder->events[0]->queued().position(), 1u);
  EXPECT_THAT(recorder->events[0]->queued().waits_for(0),
              HasSubstr("host b: runs " + first + " of alice since"));
  executor_.AdvanceBy(10 * kSecond);
  EXPECT_TRUE(recorder->ended);
  EXPECT_THAT(recorder->Of(RunEvent::kTrialEnded), SizeIs(1));
}

TEST_F(RunsTest, RunsOnOtherHostsGoSideBySide) {
  const auto first = Watch(Submit(MakePlan("a", "b")));
  const auto second = Watch(Submit(MakePlan("c", "d")));
  executor_.AdvanceBy(1500 * kMs);
  EXPECT_THAT(first->Phases(), Contains("MEASURE"));
  EXPECT_THAT(second->Phases(), Contains("MEASURE"));
}

TEST_F(RunsTest, WorkersAreBusyWhileTheirRunLastsAndIdleAfterwards) {
  const std::string id = Submit(MakePlan("a", "b"));
  executor_.AdvanceBy(kSecond);
  EXPECT_EQ(fleet_.Snapshot()[0].run_id(), id);
  executor_.AdvanceBy(10 * kSecond);
  EXPECT_EQ(fleet_.Snapshot()[0].state(), tutti::v1::WorkerInfo::STATE_IDLE);
}

TEST_F(RunsTest, CancelEndsARunInEachPhaseWithinASecond) {
  for (const char* phase :
       {"PREPARE", "CONNECT", "ARM", "WARMUP", "MEASURE", "COOLDOWN", "DRAIN", "REPORT"}) {
    const std::string id = Submit(MakePlan("a", "b", 2, 2));
    const auto recorder = Watch(id);
    ASSERT_TRUE(PassTo(*recorder, phase)) << phase;
    // The worst of workers: it never says that it is idle.
    workers_["b"]->silent_at = {CoordinatorMessage::kAbort};
    EXPECT_TRUE(runs_.Cancel(id).ok());
    EXPECT_TRUE(runs_.Cancel(id).ok());
    executor_.AdvanceBy(999 * kMs);
    EXPECT_TRUE(recorder->ended) << phase;
    const Result result = ResultOf(id);
    EXPECT_EQ(result.status(), tutti::v1::RUN_STATUS_CANCELLED) << phase;
    EXPECT_EQ(result.exit_code(), 8) << phase;
    EXPECT_EQ(result.cases_size(), 2) << phase;
    // Nobody gets a host that may still be busy; it comes back by itself once it is not. In REPORT it had
    // become idle.
    if (std::string(phase) != "REPORT") {
      EXPECT_EQ(fleet_.Snapshot()[1].state(), tutti::v1::WorkerInfo::STATE_LOST) << phase;
      EXPECT_THAT(fleet_.Snapshot()[1].state_reason(), HasSubstr("did not end its part")) << phase;
    }
    EXPECT_EQ(fleet_.Snapshot()[0].state(), tutti::v1::WorkerInfo::STATE_IDLE) << phase;
    workers_["b"]->silent_at.clear();
    workers_["b"]->Dial();
    executor_.AdvanceBy(2 * kSecond);
  }
}

TEST_F(RunsTest, CancelEndsARunInItsBackgroundSecond) {
  const std::string id = Submit(MakePlan("a", "b"));
  executor_.AdvanceBy(500 * kMs);
  EXPECT_TRUE(runs_.Cancel(id).ok());
  executor_.AdvanceBy(kMs);
  EXPECT_EQ(ResultOf(id).status(), tutti::v1::RUN_STATUS_CANCELLED);
}

TEST_F(RunsTest, ARunThatIsCancelledWhileItWaitsNeverRuns) {
  Submit(MakePlan("a", "b"));
  const std::string second = Submit(MakePlan("a", "b"));
  const std::string third = Submit(MakePlan("b", "c"));
  const auto recorder = Watch(second);
  EXPECT_TRUE(runs_.Cancel(second).ok());
  executor_.AdvanceBy(kMs);
  EXPECT_TRUE(recorder->ended);
  EXPECT_THAT(recorder->Of(RunEvent::kStarted), SizeIs(0));
  EXPECT_EQ(ResultOf(second).status(), tutti::v1::RUN_STATUS_CANCELLED);
  const auto last = Watch(third);
  EXPECT_EQ(last->Of(RunEvent::kQueued).back()->queued().position(), 1u);
  executor_.AdvanceBy(10 * kSecond);
  EXPECT_TRUE(last->ended);
}

TEST_F(RunsTest, AFailedPrepareFailsTheTrialWithHostAndReasonAndTheRunGoesOn) {
  workers_["b"]->fails_at = {CoordinatorMessage::kPrepare};
  const std::string id = Submit(MakePlan("a", "b", 1, 2));
  executor_.AdvanceBy(1500 * kMs);
  workers_["b"]->fails_at.clear();
  executor_.AdvanceBy(10 * kSecond);
  const Result result = ResultOf(id);
  ASSERT_EQ(result.cases(0).trials_size(), 2);
  EXPECT_THAT(result.cases(0).trials(0).reasons(),
              Contains(HasSubstr("PREPARE on host b: it was told to fail")));
}

TEST_F(RunsTest, ACaseThatAHostsLimitsForbidIsLeftOutWithTheReasonAndTheOthersRun) {
  Plan plan = MakePlan("a", "b", 2);
  plan.mutable_cases(0)->mutable_traffic(0)->set_receive_buffer_bytes(1 << 20);
  const std::string id = Submit(plan);
  const auto recorder = Watch(id);
  executor_.AdvanceBy(10 * kSecond);
  const Result result = ResultOf(id);
  ASSERT_EQ(result.cases_size(), 2);
  EXPECT_EQ(result.cases(0).status(), tutti::v1::CASE_STATUS_NOT_RUN);
  EXPECT_EQ(result.cases(0).trials_size(), 0);
  EXPECT_THAT(result.cases(0).reasons(), ElementsAre(HasSubstr("sysctl -w net.core.rmem_max=1048576")));
  EXPECT_EQ(result.cases(1).trials_size(), 1);
  EXPECT_THAT(recorder->Of(RunEvent::kTrialStarted), SizeIs(1));
  EXPECT_THAT(recorder->Of(RunEvent::kCaseEnded), SizeIs(2));
}

TEST_F(RunsTest, AWorkerThatDiesInTheMiddleMakesItsTrialPartialAndTheNextOneWaitsForItsReturn) {
  const std::string id = Submit(MakePlan("a", "b", 1, 2));
  const auto recorder = Watch(id);
  ASSERT_TRUE(PassTo(*recorder, "MEASURE"));
  executor_.AdvanceBy(250 * kMs);
  workers_["b"]->Die();
  executor_.AdvanceBy(kSecond);
  ASSERT_THAT(recorder->Of(RunEvent::kTrialEnded), SizeIs(1));
  EXPECT_THAT(recorder->Of(RunEvent::kTrialEnded)[0]->trial_ended().reasons(),
              Contains(HasSubstr("MEASURE on host b: session lost: the worker ended")));
  EXPECT_THAT(recorder->Of(RunEvent::kTrialStarted), SizeIs(1));
  const auto again = std::make_shared<ScriptedWorker>(executor_, fleet_, "b", 3 * kSecond);
  again->Dial(2);
  executor_.AdvanceBy(5 * kSecond);
  ASSERT_TRUE(recorder->ended);
  const Result result = ResultOf(id);
  ASSERT_EQ(result.cases(0).trials_size(), 2);
  EXPECT_NE(result.cases(0).trials(0).status(), tutti::v1::TRIAL_STATUS_GOOD);
  EXPECT_EQ(again->prepared.size(), 1u);
}

TEST_F(RunsTest, TrialsWithoutAHostThatStaysAwayFailByName) {
  const std::string id = Submit(MakePlan("a", "b", 1, 3));
  const auto recorder = Watch(id);
  ASSERT_TRUE(PassTo(*recorder, "MEASURE"));
  workers_["b"]->Die();
  executor_.AdvanceBy(12 * kSecond);
  ASSERT_TRUE(recorder->ended);
  const Result result = ResultOf(id);
  ASSERT_EQ(result.cases(0).trials_size(), 3);
  EXPECT_THAT(result.cases(0).trials(2).reasons(),
              Contains(HasSubstr("PREPARE on host b: session lost: the worker ended")));
}

// Breaks a worker's connection in the instant in which the first trial has ended.
class BreaksAfterTheFirstTrial final : public EventWatcher {
 public:
  explicit BreaksAfterTheFirstTrial(std::shared_ptr<ScriptedWorker> worker) : worker_(std::move(worker)) {}
  void OnEvent(const SharedEvent& event) override {
    if (!event->has_trial_ended() || broken_) return;
    broken_ = true;
    worker_->BreakConnection();
  }
  void OnEnd() override {}

 private:
  const std::shared_ptr<ScriptedWorker> worker_;
  bool broken_ = false;
};

// Two trials from a to b, whose session outlives its connection: that breaks between them. The lease is 2 s.
class AwayHostTest : public RunsTest {
 protected:
  AwayHostTest() : b_(std::make_shared<ScriptedWorker>(executor_, fleet_, "b", 3 * kSecond)) {
    workers_["b"]->Die();
    workers_["b"] = b_;
    b_->resumable = true;
    b_->Dial(2);
    executor_.AdvanceBy(kSecond);
    id_ = Submit(MakePlan("a", "b", 1, 2));
    recorder_ = Watch(id_);
    EXPECT_TRUE(runs_.Watch(id_, std::make_shared<BreaksAfterTheFirstTrial>(b_)).ok());
    for (int step = 0; step < 100'000 && recorder_->Of(RunEvent::kTrialEnded).empty(); ++step) {
      executor_.AdvanceBy(kMs / 10);
    }
    EXPECT_THAT(recorder_->Of(RunEvent::kTrialEnded), SizeIs(1));
    EXPECT_TRUE(fleet_.Find("b")->away_until_ns.has_value());
  }

  const std::shared_ptr<ScriptedWorker> b_;
  std::string id_;
  std::shared_ptr<Recorder> recorder_;
};

TEST_F(AwayHostTest, ATrialDoesNotBeginWhileAHostIsAwayWithinItsLeaseAndBeginsWhenItIsBack) {
  executor_.AdvanceBy(1500 * kMs);
  EXPECT_THAT(recorder_->Of(RunEvent::kTrialStarted), SizeIs(1));
  b_->Reattach();
  executor_.AdvanceBy(10 * kMs);
  EXPECT_THAT(recorder_->Of(RunEvent::kTrialStarted), SizeIs(2));
  executor_.AdvanceBy(5 * kSecond);
  ASSERT_TRUE(recorder_->ended);
  const Result result = ResultOf(id_);
  ASSERT_EQ(result.cases(0).trials_size(), 2);
  EXPECT_NE(result.cases(0).trials(1).status(), tutti::v1::TRIAL_STATUS_FAILED);
  EXPECT_THAT(result.cases(0).trials(1).reasons(), Not(Contains(HasSubstr("session lost"))));
  EXPECT_EQ(b_->prepared.size(), 2u);
}

TEST_F(AwayHostTest, AHostThatDoesNotComeBackIsWaitedForAsALostOneFromTheEndOfItsLeaseOn) {
  // Lost 2.0 to 2.2 s after it was heard last, and waited for 5 s from then on.
  executor_.AdvanceBy(1900 * kMs);
  EXPECT_FALSE(fleet_.Find("b")->lost);
  executor_.AdvanceBy(400 * kMs);
  EXPECT_TRUE(fleet_.Find("b")->lost);
  executor_.AdvanceBy(4200 * kMs);
  EXPECT_THAT(recorder_->Of(RunEvent::kTrialStarted), SizeIs(1));
  executor_.AdvanceBy(1000 * kMs);
  EXPECT_THAT(recorder_->Of(RunEvent::kTrialStarted), SizeIs(2));
  executor_.AdvanceBy(5 * kSecond);
  ASSERT_TRUE(recorder_->ended);
  const Result result = ResultOf(id_);
  ASSERT_EQ(result.cases(0).trials_size(), 2);
  EXPECT_THAT(result.cases(0).trials(1).reasons(),
              Contains(HasSubstr("PREPARE on host b: session lost: its connection was reset")));
}

TEST_F(RunsTest, ARunWhoseRolesCannotBeFilledIsRefusedAndLostWorkersAreNamed) {
  workers_["c"]->Die();
  const auto id = SubmitTo(runs_, {.plan = MakePlan("a", "c")});
  ASSERT_FALSE(id.ok());
  EXPECT_EQ(id.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(id.status().message()), HasSubstr("worker c is lost since 0s: the worker ended"));
}

TEST_F(RunsTest, ARangeWithTooFewPortsForTheFleetIsToldAtItsPlaceInThePlan) {
  const auto plan = plan::LoadValidPlan(
      "version: 1\nname: n\nroles: {x: {count: all}, y: {count: 1}}\ntraffic:\n"
      "  - {name: e, from: x, to: y, protocol: tcp, pattern: fan_in, ports: 5201-5202}\n",
      "p.yaml", {});
  ASSERT_TRUE(plan.ok()) << plan.status();
  const auto id = SubmitTo(runs_, {.plan = *plan});
  EXPECT_EQ(id.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(id.status().message()),
              HasSubstr("p.yaml:5:70: traffic[0].ports: traffic e: host a receives 3 streams"));
}

TEST_F(RunsTest, OnlyTheLastEndedRunsAreKept) {
  std::vector<std::string> ids;
  for (int i = 0; i < 4; ++i) {
    ids.push_back(Submit(MakePlan("a", "b")));
    executor_.AdvanceBy(10 * kSecond);
  }
  EXPECT_EQ(runs_.GetResult(ids[0]).status().code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(runs_.GetResult(ids[1]).ok());
}

TEST_F(RunsTest, UnknownRunsAreNotFound) {
  EXPECT_EQ(runs_.Cancel("nobody").code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(runs_.GetResult("nobody").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(runs_.Watch("nobody", std::make_shared<Recorder>()).code(), absl::StatusCode::kNotFound);
}

TEST_F(RunsTest, ARunningRunsResultSaysSo) {
  const std::string id = Submit(MakePlan("a", "b"));
  executor_.AdvanceBy(500 * kMs);
  EXPECT_EQ(ResultOf(id).status(), tutti::v1::RUN_STATUS_RUNNING);
}

TEST_F(RunsTest, TheResultOfARunThatHasEndedIsItsLastEventsAndNoCopy) {
  const std::string id = Submit(MakePlan("a", "b"));
  const auto recorder = Watch(id);
  executor_.AdvanceBy(10 * kSecond);
  ASSERT_TRUE(recorder->ended);
  const auto first = runs_.GetResult(id);
  const auto second = runs_.GetResult(id);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->get(), &recorder->events.back()->ended());
  EXPECT_EQ(second->get(), first->get());
}

TEST_F(RunsTest, TheResultOfARunThatGoesOnIsCopiedOncePerCase) {
  const std::string id = Submit(MakePlan("a", "b", 2));
  const auto recorder = Watch(id);
  executor_.AdvanceBy(500 * kMs);
  const auto first = runs_.GetResult(id);
  const auto again = runs_.GetResult(id);
  ASSERT_TRUE(first.ok() && again.ok());
  EXPECT_EQ(again->get(), first->get());
  EXPECT_EQ((*first)->cases_size(), 0);
  for (int step = 0; step < 1000 && recorder->Of(tutti::v1::RunEvent::kCaseEnded).empty(); ++step) {
    executor_.AdvanceBy(10 * kMs);
  }
  const auto later = runs_.GetResult(id);
  ASSERT_TRUE(later.ok());
  EXPECT_EQ((*later)->cases_size(), 1);
  EXPECT_EQ((*first)->cases_size(), 0);
}

TEST_F(RunsTest, DrainRefusesNewRunsAndEndsTheOthersWithTheirResults) {
  const std::string first = Submit(MakePlan("a", "b"));
  const std::string second = Submit(MakePlan("a", "b"));
  executor_.AdvanceBy(1300 * kMs);
  bool drained = false;
  runs_.Drain([&] { drained = true; });
  EXPECT_EQ(SubmitTo(runs_, {.plan = MakePlan("c", "d")}).status().code(), absl::StatusCode::kUnavailable);
  executor_.AdvanceBy(kSecond);
  EXPECT_TRUE(drained);
  EXPECT_EQ(ResultOf(first).status(), tutti::v1::RUN_STATUS_CANCELLED);
  EXPECT_EQ(ResultOf(second).status(), tutti::v1::RUN_STATUS_CANCELLED);
}

TEST_F(RunsTest, DrainIsNamedByTheRunAndTheTrialThatItEndsAndACancelBeforeItIsNot) {
  const std::string runs = Submit(MakePlan("a", "b"));
  const std::string waits = Submit(MakePlan("a", "b"));
  const std::string asked = Submit(MakePlan("a", "b"));
  // Behind the background second, in the 550 ms of the trial.
  executor_.AdvanceBy(1300 * kMs);
  ASSERT_TRUE(runs_.Cancel(asked).ok());
  runs_.Drain([] {});
  executor_.AdvanceBy(kSecond);
  const char kCause[] = "the coordinator was shut down";
  ASSERT_EQ(ResultOf(runs).cases(0).trials_size(), 1);
  EXPECT_THAT(ResultOf(runs).cases(0).trials(0).reasons(), Contains(kCause));
  EXPECT_EQ(ResultOf(runs).reasons(0), kCause);
  EXPECT_THAT(ResultOf(runs).reasons(), Contains(HasSubstr("trial 1 is cancelled: the coordinator was")));
  EXPECT_EQ(ResultOf(waits).reasons(0), kCause);
  EXPECT_THAT(ResultOf(asked).reasons(), Not(Contains(HasSubstr("shut down"))));
}

TEST_F(RunsTest, DrainWithoutRunsIsDoneAtOnce) {
  bool drained = false;
  runs_.Drain([&] { drained = true; });
  executor_.RunReady();
  EXPECT_TRUE(drained);
}

}  // namespace
}  // namespace tutti::run
