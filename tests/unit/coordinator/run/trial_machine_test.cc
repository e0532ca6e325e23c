#include "coordinator/run/trial_machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "trial_machine_fixture.h"

namespace tutti::run {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// --- The course without a fault -----------------------------------------------------------------

TEST_F(TrialMachineTest, PrepareTellsEachHostItsStreams) {
  GoTo(Phase::kPrepare);
  const CoordinatorMessage* prepare = Sent("b", CoordinatorMessage::kPrepare);
  ASSERT_NE(prepare, nullptr);
  EXPECT_EQ(prepare->prepare().trial_id(), kTrialId);
  ASSERT_EQ(prepare->prepare().streams_size(), 1);
  EXPECT_EQ(prepare->prepare().streams(0).side(), tutti::v1::SIDE_RECEIVE);
  EXPECT_EQ(prepare->prepare().timing().measure_ns(), 1000 * kMs);
  EXPECT_GT(prepare->prepare().deadline_ns(), 0);
  EXPECT_NE(Sent("a", CoordinatorMessage::kPrepare), nullptr);
}

TEST_F(TrialMachineTest, ConnectTellsTheSenderTheReceiversPort) {
  GoTo(Phase::kConnect);
  const CoordinatorMessage* connect = Sent("a", CoordinatorMessage::kConnect);
  ASSERT_NE(connect, nullptr);
  ASSERT_EQ(connect->connect().targets_size(), 1);
  EXPECT_EQ(connect->connect().targets(0).stream_id(), 0u);
  EXPECT_EQ(connect->connect().targets(0).port(), 4711u);
  ASSERT_NE(Sent("b", CoordinatorMessage::kConnect), nullptr);
  EXPECT_EQ(Sent("b", CoordinatorMessage::kConnect)->connect().targets_size(), 0);
}

TEST_F(TrialMachineTest, ArmTellsEachHostT0InItsOwnClock) {
  GoTo(Phase::kClocks);
  const TimelineTime armed_at = now_;
  TellClocks(10 * kMs);
  Take();
  EXPECT_EQ(machine_->phase(), Phase::kArm);
  const auto& a = Sent("a", CoordinatorMessage::kArm)->arm();
  const auto& b = Sent("b", CoordinatorMessage::kArm)->arm();
  EXPECT_EQ(a.t0_timeline_ns(), b.t0_timeline_ns());
  EXPECT_EQ(a.t0_host_ns(), a.t0_timeline_ns() - kOffsetA);
  EXPECT_EQ(b.t0_host_ns(), b.t0_timeline_ns() - kOffsetB);
  // The lead, four of the worst round trip, and 20 us a host.
  EXPECT_EQ(a.t0_timeline_ns() - armed_at.ns, 60 * kMs + 4 * 10 * kMs + 40'000);
  EXPECT_EQ(a.mapping().reference_timeline_ns() - a.mapping().reference_host_ns(), kOffsetA);
  EXPECT_EQ(a.mapping().bound_ns(), 1000);
}

TEST_F(TrialMachineTest, TheLeadIsBounded) {
  GoTo(Phase::kClocks);
  const TimelineTime armed_at = now_;
  TellClocks(100'000 * kMs);
  EXPECT_EQ(T0() - armed_at, 60 * kMs + 2'000 * kMs + 40'000);
}

TEST_F(TrialMachineTest, ThePhasesOfSendingFollowTheTimeline) {
  GoTo(Phase::kWarmup);
  EXPECT_EQ(machine_->phase(), Phase::kWarmup);
  PassTo(T0() + (100 * kMs - 1));
  EXPECT_EQ(machine_->phase(), Phase::kWarmup);
  PassTo(T0() + 100 * kMs);
  EXPECT_EQ(machine_->phase(), Phase::kMeasure);
  PassTo(T0() + 1100 * kMs);
  EXPECT_EQ(machine_->phase(), Phase::kCooldown);
}

TEST_F(TrialMachineTest, DrainWaitsForEveryHostAndTellsTheReceiversWhatWasSent) {
  GoTo(Phase::kCooldown);
  now_ = T0() + 1150 * kMs;
  Say("a", StoppedMessage({{0, 5000}}));
  EXPECT_EQ(Sent("b", CoordinatorMessage::kDrain), nullptr);
  Say("b", StoppedMessage({}));
  const CoordinatorMessage* drain = Sent("b", CoordinatorMessage::kDrain);
  ASSERT_NE(drain, nullptr);
  ASSERT_EQ(drain->drain().finals_size(), 1);
  EXPECT_EQ(drain->drain().finals(0).bytes(), 5000u);
  EXPECT_EQ(drain->drain().deadline_ns(), 2000 * kMs);
  EXPECT_EQ(Sent("a", CoordinatorMessage::kDrain), nullptr);  // it receives nothing
}

TEST_F(TrialMachineTest, SendersThatStopBeforeTheTimerOfCooldownAreHeard) {
  GoTo(Phase::kMeasure);
  now_ = T0() + 1100 * kMs;
  Say("a", StoppedMessage({{0, 1}}));
  EXPECT_EQ(machine_->phase(), Phase::kMeasure);
  Say("b", StoppedMessage({}));
  EXPECT_EQ(machine_->phase(), Phase::kDrain);
}

TEST_F(TrialMachineTest, DrainOfTcpIsGivenTheTimeThatTheQueueTakesAtTheMeasuredRate) {
  GoTo(Phase::kMeasure, MakeSetup(tutti::v1::PROTOCOL_TCP));
  Say("b", ProgressMessage(0, 100 * kMs, {1'000}));
  PassTo(T0() + 1100 * kMs);
  Say("b", ProgressMessage(10, 1100 * kMs, {101'000}));  // 100,000 bytes a second
  Say("a", StoppedMessage({{0, 401'000}}));              // 300,000 are still under way: 3 s
  Say("b", StoppedMessage({}));
  EXPECT_EQ(Sent("b", CoordinatorMessage::kDrain)->drain().deadline_ns(), 5000 * kMs);
}

TEST_F(TrialMachineTest, DrainOfATcpStreamThatStandsStillIsBounded) {
  GoTo(Phase::kMeasure, MakeSetup(tutti::v1::PROTOCOL_TCP));
  Say("b", ProgressMessage(0, 100 * kMs, {1'000}));
  Say("b", ProgressMessage(10, 1100 * kMs, {1'000}));
  Say("a", StoppedMessage({{0, 401'000}}));
  Say("b", StoppedMessage({}));
  EXPECT_EQ(Sent("b", CoordinatorMessage::kDrain)->drain().deadline_ns(), 60'000 * kMs);
}

TEST_F(TrialMachineTest, ATrialWithoutAFaultHasEveryReportAndNoFailure) {
  GoTo(Phase::kReport);
  EXPECT_NE(Sent("a", CoordinatorMessage::kFinish), nullptr);
  EXPECT_NE(Sent("b", CoordinatorMessage::kFinish), nullptr);
  Say("a", ReportMessage(1));
  Say("a", IdleMessage());
  Say("b", ReportMessage(1));
  EXPECT_FALSE(machine_->finished());  // b has yet to say that it is idle
  Say("b", IdleMessage());
  ASSERT_TRUE(machine_->finished());
  EXPECT_FALSE(Aborted("a"));
  EXPECT_FALSE(Aborted("b"));
  const TrialOutcome outcome = machine_->TakeOutcome();
  EXPECT_EQ(outcome.failure, "");
  EXPECT_FALSE(outcome.cancelled);
  EXPECT_EQ(outcome.t0, T0());
  ASSERT_EQ(outcome.hosts.size(), 2u);
  for (const results::HostInput& host : outcome.hosts) {
    EXPECT_TRUE(host.report.has_value());
    EXPECT_EQ(host.missing, "");
    EXPECT_THAT(host.stream_ids, ElementsAre(0));
  }
  EXPECT_THAT(outcome.hosts[0].stream_sides, ElementsAre(tutti::v1::SIDE_SEND));
  EXPECT_EQ(outcome.hosts[0].mapping.reference_timeline().ns - outcome.hosts[0].mapping.reference_host().ns,
            kOffsetA);
}

// --- Each phase: its deadline ------------------------------------------------------------------

TEST_F(TrialMachineTest, ALateHostEndsThePhasesBeforeTheStartByName) {
  GoTo(Phase::kPrepare);
  Say("a", PreparedMessage({}));
  PassDeadline();
  EXPECT_EQ(machine_->phase(), Phase::kAbort);
  BothIdle();
  EXPECT_THAT(machine_->TakeOutcome().failure, AllOf(HasSubstr("PREPARE on host b:"), HasSubstr("in time")));

  GoTo(Phase::kConnect);
  Say("b", ConnectedMessage());
  PassDeadline();
  BothIdle();
  EXPECT_THAT(machine_->TakeOutcome().failure, HasSubstr("CONNECT on host a:"));

  GoTo(Phase::kArm);
  Say("a", ArmedMessage());
  EXPECT_EQ(*machine_->deadline(), T0());
  PassDeadline();
  EXPECT_TRUE(Aborted("a"));
  EXPECT_TRUE(Aborted("b"));
  BothIdle();
  const TrialOutcome outcome = machine_->TakeOutcome();
  EXPECT_THAT(outcome.failure, HasSubstr("ARM on host b:"));
  EXPECT_TRUE(outcome.armed_late);
}

TEST_F(TrialMachineTest, SeveralLateHostsAreAllNamed) {
  GoTo(Phase::kPrepare);
  PassDeadline();
  PassDeadline();
  EXPECT_THAT(machine_->TakeOutcome().failure, HasSubstr("PREPARE on hosts a, b:"));
}

TEST_F(TrialMachineTest, AClockThatIsNotKnownEndsTheTrialAtArm) {
  GoTo(Phase::kClocks);
  machine_->OnClocks(now_, {{"a", {Mapping(kOffsetA), 0}}});
  Take();
  EXPECT_TRUE(Aborted("a"));
  BothIdle();
  EXPECT_THAT(machine_->TakeOutcome().failure, AllOf(HasSubstr("ARM on host b"), HasSubstr("clock")));
}

TEST_F(TrialMachineTest, ClocksThatNeverComeEndTheTrialAtArm) {
  GoTo(Phase::kClocks);
  PassDeadline();
  EXPECT_EQ(machine_->phase(), Phase::kAbort);
  EXPECT_THAT(machine_->TakeOutcome().failure, HasSubstr("ARM on hosts a, b"));
}

TEST_F(TrialMachineTest, SendersThatDoNotStopAreNamedUnlessTheirReportComes) {
  GoTo(Phase::kCooldown);
  Say("b", StoppedMessage({}));
  PassTo(T0() + 3150 * kMs);  // 2 s after the end of the cool-down
  EXPECT_EQ(machine_->phase(), Phase::kDrain);
  Say("b", DrainedMessage());
  Say("b", ReportMessage(1));
  Say("b", IdleMessage());
  PassDeadline();
  EXPECT_TRUE(Aborted("a"));
  PassDeadline();
  ASSERT_TRUE(machine_->finished());
  const TrialOutcome outcome = machine_->TakeOutcome();
  EXPECT_THAT(outcome.hosts[0].missing, AllOf(HasSubstr("COOLDOWN"), HasSubstr("did not stop within 2s")));
  EXPECT_TRUE(outcome.hosts[1].report.has_value());
}

TEST_F(TrialMachineTest, AReceiverThatDoesNotSayThatItDrainedIsAskedForItsReport) {
  GoTo(Phase::kDrain);
  PassDeadline();
  EXPECT_EQ(machine_->phase(), Phase::kReport);
  EXPECT_NE(Sent("b", CoordinatorMessage::kFinish), nullptr);
}

TEST_F(TrialMachineTest, AReportThatDoesNotComeInTimeIsNamed) {
  GoTo(Phase::kReport);
  Say("a", ReportMessage(1));
  Say("a", IdleMessage());
  PassDeadline();
  EXPECT_FALSE(Aborted("a"));
  EXPECT_TRUE(Aborted("b"));
  Say("b", IdleMessage());
  ASSERT_TRUE(machine_->finished());
  const TrialOutcome outcome = machine_->TakeOutcome();
  EXPECT_THAT(outcome.hosts[1].missing, HasSubstr("REPORT"));
  EXPECT_FALSE(outcome.hosts[1].report.has_value());
  EXPECT_TRUE(outcome.hosts[0].report.has_value());
}

TEST_F(TrialMachineTest, AReportThatComesWhileTheOthersAreAbortedCounts) {
  GoTo(Phase::kReport);
  Say("a", ReportMessage(1));
  Say("a", IdleMessage());
  PassDeadline();
  Say("b", ReportMessage(1));
  Say("b", IdleMessage());
  const TrialOutcome outcome = machine_->TakeOutcome();
  EXPECT_TRUE(outcome.hosts[1].report.has_value());
  EXPECT_EQ(outcome.hosts[1].missing, "");
}

TEST_F(TrialMachineTest, AHostThatDoesNotBecomeIdleHoldsNothingUp) {
  GoTo(Phase::kPrepare);
  machine_->OnCancel(now_);
  const TimelineTime cancelled_at = now_;
  PassDeadline();
  EXPECT_TRUE(machine_->finished());
  EXPECT_LT(now_ - cancelled_at, 1000 * kMs);
  // Neither may be used again as it is.
  EXPECT_THAT(machine_->TakeOutcome().not_idle, ElementsAre("a", "b"));
}

TEST_F(TrialMachineTest, HostsThatBecameIdleAreNotNamedAsBusy) {
  GoTo(Phase::kPrepare);
  machine_->OnCancel(now_);
  Say("a", IdleMessage());
  PassDeadline();
  EXPECT_THAT(machine_->TakeOutcome().not_idle, ElementsAre("b"));
}

}  // namespace
}  // namespace tutti::run
