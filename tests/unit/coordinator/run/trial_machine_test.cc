#include "coordinator/run/trial_machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "trial_fixture.h"

namespace tutti::run {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using tutti::v1::CoordinatorMessage;
using tutti::v1::WorkerMessage;

// Host a's clock is 5 s behind the timeline, b's 7 s ahead of it.
constexpr int64_t kOffsetA = 5'000 * kMs;
constexpr int64_t kOffsetB = -7'000 * kMs;
constexpr Phase kAllPhases[] = {Phase::kPrepare,  Phase::kConnect, Phase::kClocks,
                                Phase::kArm,      Phase::kWarmup,  Phase::kMeasure,
                                Phase::kCooldown, Phase::kDrain,   Phase::kReport};

class TrialMachineTest : public testing::Test {
 protected:
  // Starts a trial and takes it, without a fault, to the beginning of `phase`.
  void GoTo(Phase phase, TrialSetup setup = MakeSetup()) {
    now_ = TimelineTime{1'000'000 * kMs};
    machine_.emplace(std::move(setup));
    sent_.clear();
    machine_->Start(now_);
    if (phase == Phase::kPrepare) return Take();
    Say("a", PreparedMessage({}));
    Say("b", PreparedMessage({{0, 4711}}));
    if (phase == Phase::kConnect) return Take();
    Say("a", ConnectedMessage());
    Say("b", ConnectedMessage());
    if (phase == Phase::kClocks) return Take();
    TellClocks();
    if (phase == Phase::kArm) return Take();
    Say("a", ArmedMessage());
    Say("b", ArmedMessage());
    if (phase == Phase::kWarmup) return Take();
    PassTo(T0() + 100 * kMs);
    if (phase == Phase::kMeasure) return Take();
    PassTo(T0() + 1100 * kMs);
    if (phase == Phase::kCooldown) return Take();
    now_ = T0() + 1150 * kMs;
    Say("a", StoppedMessage({{0, 5000}}));
    Say("b", StoppedMessage({}));
    if (phase == Phase::kDrain) return Take();
    Say("b", DrainedMessage());
    Take();
  }
  void TellClocks(int64_t round_trip_ns = 0) {
    machine_->OnClocks(now_, {{"a", {Mapping(kOffsetA), round_trip_ns}}, {"b", {Mapping(kOffsetB), 0}}});
    t0_ = *machine_->deadline();
  }
  ClockMapping Mapping(int64_t offset_ns) const {
    return ClockMapping(HostTime{now_.ns - offset_ns}, now_, 0, 1000, 0);
  }
  TimelineTime T0() const { return t0_; }
  void Say(const std::string& host, const WorkerMessage& message) {
    machine_->OnMessage(now_, host, message);
    Take();
  }
  void PassTo(TimelineTime time) {
    while (machine_->deadline().has_value() && *machine_->deadline() <= time) {
      now_ = *machine_->deadline();
      machine_->OnTime(now_);
    }
    now_ = time;
    Take();
  }
  void PassDeadline() { PassTo(*machine_->deadline()); }
  void Take() {
    for (Outgoing& each : machine_->TakeOutgoing()) sent_.push_back(std::move(each));
  }
  // The last message of this kind to the host; null: none.
  const CoordinatorMessage* Sent(const std::string& host, CoordinatorMessage::BodyCase kind) const {
    for (auto each = sent_.rbegin(); each != sent_.rend(); ++each) {
      if (each->host == host && each->message.body_case() == kind) return &each->message;
    }
    return nullptr;
  }
  bool Aborted(const std::string& host) const {
    const CoordinatorMessage* message = Sent(host, CoordinatorMessage::kAbort);
    return message != nullptr && message->abort().trial_id() == kTrialId;
  }
  void BothIdle() {
    Say("a", IdleMessage());
    Say("b", IdleMessage());
  }

  std::optional<TrialMachine> machine_;
  TimelineTime now_;
  TimelineTime t0_;
  std::vector<Outgoing> sent_;
};

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
}

// --- Each phase: a failure told by a host -------------------------------------------------------

TEST_F(TrialMachineTest, AFailureBeforeTheStartEndsTheTrialWithPhaseHostAndReason) {
  const std::vector<std::pair<Phase, std::string>> phases = {{Phase::kPrepare, "PREPARE"},
                                                             {Phase::kConnect, "CONNECT"},
                                                             {Phase::kClocks, "ARM"},
                                                             {Phase::kArm, "ARM"}};
  for (const auto& [phase, name] : phases) {
    GoTo(phase);
    WorkerMessage failed = FailedMessage(name, name + ": bind 10.0.0.2:5201: Address already in use");
    failed.mutable_failed()->add_streams()->mutable_error()->set_errno_value(98);
    Say("b", failed);
    EXPECT_TRUE(Aborted("a")) << name;
    EXPECT_EQ(machine_->phase(), Phase::kAbort) << name;
    BothIdle();
    ASSERT_TRUE(machine_->finished()) << name;
    const TrialOutcome outcome = machine_->TakeOutcome();
    EXPECT_EQ(outcome.failure, name + " on host b: bind 10.0.0.2:5201: Address already in use");
    ASSERT_EQ(outcome.hosts[1].failed_streams.size(), 1u);
    EXPECT_EQ(outcome.hosts[1].failed_streams[0].error().errno_value(), 98);
  }
}

TEST_F(TrialMachineTest, AFailureInTheMiddleLetsTheOthersReportWhatTheyHave) {
  for (const Phase phase : {Phase::kWarmup, Phase::kMeasure}) {
    GoTo(phase);
    Say("b", ProgressMessage(0, 100 * kMs, {1}));
    Say("b", FailedMessage("RUN", "the CPU went away"));
    EXPECT_EQ(machine_->phase(), Phase::kReport);
    EXPECT_NE(Sent("a", CoordinatorMessage::kFinish), nullptr);
    EXPECT_EQ(Sent("b", CoordinatorMessage::kFinish), nullptr);
    Say("a", ReportMessage(1));
    BothIdle();
    ASSERT_TRUE(machine_->finished());
    const TrialOutcome outcome = machine_->TakeOutcome();
    EXPECT_EQ(outcome.failure, std::string(PhaseName(phase)) + " on host b: the CPU went away");
    EXPECT_TRUE(outcome.hosts[0].report.has_value());
    EXPECT_EQ(outcome.hosts[1].progress.size(), 1u);
    EXPECT_THAT(outcome.hosts[1].missing, HasSubstr("the CPU went away"));
  }
}

TEST_F(TrialMachineTest, AFailureAfterTheWindowCostsOnlyThatHostsReport) {
  for (const Phase phase : {Phase::kCooldown, Phase::kDrain, Phase::kReport}) {
    GoTo(phase);
    Say("b", FailedMessage("REPORT", "out of memory"));
    if (phase == Phase::kCooldown) Say("a", StoppedMessage({}));
    Say("a", ReportMessage(1));
    BothIdle();
    ASSERT_TRUE(machine_->finished()) << PhaseName(phase);
    const TrialOutcome outcome = machine_->TakeOutcome();
    EXPECT_EQ(outcome.failure, "");
    EXPECT_TRUE(outcome.hosts[0].report.has_value());
    EXPECT_THAT(outcome.hosts[1].missing, AllOf(HasSubstr(PhaseName(phase)), HasSubstr("out of memory")));
  }
}

// --- Each phase: a host that is lost -----------------------------------------------------------

TEST_F(TrialMachineTest, AHostLostBeforeTheStartEndsTheTrial) {
  const std::vector<std::pair<Phase, std::string>> phases = {{Phase::kPrepare, "PREPARE"},
                                                             {Phase::kConnect, "CONNECT"},
                                                             {Phase::kClocks, "ARM"},
                                                             {Phase::kArm, "ARM"}};
  for (const auto& [phase, name] : phases) {
    GoTo(phase);
    machine_->OnLost(now_, "b", "the worker ended");
    Take();
    EXPECT_TRUE(Aborted("a"));
    EXPECT_FALSE(Aborted("b"));
    Say("a", IdleMessage());
    ASSERT_TRUE(machine_->finished()) << name;
    EXPECT_EQ(machine_->TakeOutcome().failure, name + " on host b: session lost: the worker ended");
  }
}

TEST_F(TrialMachineTest, AHostLostInTheMiddleKeepsItsProgressAndTheOthersReport) {
  GoTo(Phase::kMeasure);
  Say("b", ProgressMessage(0, 100 * kMs, {1}));
  Say("b", ProgressMessage(1, 200 * kMs, {2}));
  machine_->OnLost(now_, "b", "killed");
  Take();
  EXPECT_NE(Sent("a", CoordinatorMessage::kFinish), nullptr);
  Say("a", ReportMessage(1));
  Say("a", IdleMessage());
  ASSERT_TRUE(machine_->finished());
  const TrialOutcome outcome = machine_->TakeOutcome();
  EXPECT_EQ(outcome.failure, "MEASURE on host b: session lost: killed");
  EXPECT_EQ(outcome.hosts[1].progress.size(), 2u);
  EXPECT_EQ(outcome.hosts[1].missing, "MEASURE: session lost: killed");
  EXPECT_TRUE(outcome.hosts[0].report.has_value());
}

TEST_F(TrialMachineTest, SurvivorsThatDoNotReportAfterALossAreAbortedInTwoSeconds) {
  GoTo(Phase::kMeasure);
  const TimelineTime lost_at = now_;
  Say("a", ProgressMessage(0, 100 * kMs, {9}));
  machine_->OnLost(now_, "b", "killed");
  PassDeadline();
  EXPECT_TRUE(Aborted("a"));
  Say("a", IdleMessage());
  ASSERT_TRUE(machine_->finished());
  EXPECT_LE(now_ - lost_at, 2000 * kMs);
  const TrialOutcome outcome = machine_->TakeOutcome();
  EXPECT_EQ(outcome.hosts[0].progress.size(), 1u);
  EXPECT_THAT(outcome.hosts[0].missing, HasSubstr("did not arrive in time"));
}

TEST_F(TrialMachineTest, AHostLostAfterTheWindowDoesNotEndTheTrial) {
  GoTo(Phase::kCooldown);
  machine_->OnLost(now_, "b", "killed");
  EXPECT_EQ(machine_->phase(), Phase::kCooldown);
  Say("a", StoppedMessage({{0, 1}}));
  EXPECT_EQ(machine_->phase(), Phase::kReport);  // there is no receiver left to drain
  Say("a", ReportMessage(1));
  Say("a", IdleMessage());
  ASSERT_TRUE(machine_->finished());
  EXPECT_EQ(machine_->TakeOutcome().hosts[1].missing, "COOLDOWN: session lost: killed");
}

TEST_F(TrialMachineTest, LosingEveryHostEndsTheTrialInEachPhase) {
  for (const Phase phase : kAllPhases) {
    GoTo(phase);
    machine_->OnLost(now_, "a", "power");
    machine_->OnLost(now_, "b", "power");
    EXPECT_TRUE(machine_->finished()) << PhaseName(phase);
    const TrialOutcome outcome = machine_->TakeOutcome();
    EXPECT_THAT(outcome.hosts[0].missing, HasSubstr("power")) << PhaseName(phase);
    EXPECT_THAT(outcome.hosts[1].missing, HasSubstr("power")) << PhaseName(phase);
  }
}

TEST_F(TrialMachineTest, AHostLostWhileItIsAbortedCountsAsIdle) {
  GoTo(Phase::kArm);
  machine_->OnCancel(now_);
  Say("a", IdleMessage());
  machine_->OnLost(now_, "b", "killed");
  EXPECT_TRUE(machine_->finished());
}

TEST_F(TrialMachineTest, AWorkerThatGivesUpByItselfCountsAsLost) {
  GoTo(Phase::kMeasure);
  Say("b", IdleMessage());
  EXPECT_EQ(machine_->phase(), Phase::kReport);
  Say("a", ReportMessage(1));
  Say("a", IdleMessage());
  ASSERT_TRUE(machine_->finished());
  EXPECT_THAT(machine_->TakeOutcome().failure, HasSubstr("MEASURE on host b: the worker gave the trial up"));
}

// --- Each phase: cancel ------------------------------------------------------------------------

TEST_F(TrialMachineTest, CancelAbortsEveryHostInEachPhaseAndIsIdempotent) {
  for (const Phase phase : kAllPhases) {
    GoTo(phase);
    machine_->OnCancel(now_);
    machine_->OnCancel(now_);
    Take();
    EXPECT_TRUE(Aborted("a")) << PhaseName(phase);
    EXPECT_TRUE(Aborted("b")) << PhaseName(phase);
    EXPECT_LT(*machine_->deadline() - now_, 1000 * kMs) << PhaseName(phase);
    BothIdle();
    ASSERT_TRUE(machine_->finished()) << PhaseName(phase);
    machine_->OnCancel(now_);
    const TrialOutcome outcome = machine_->TakeOutcome();
    EXPECT_TRUE(outcome.cancelled) << PhaseName(phase);
    EXPECT_EQ(outcome.failure, "") << PhaseName(phase);
  }
}

TEST_F(TrialMachineTest, CancelKeepsTheProgress) {
  GoTo(Phase::kMeasure);
  Say("a", ProgressMessage(0, 100 * kMs, {3}));
  machine_->OnCancel(now_);
  BothIdle();
  const TrialOutcome outcome = machine_->TakeOutcome();
  EXPECT_EQ(outcome.hosts[0].progress.size(), 1u);
  EXPECT_EQ(outcome.hosts[0].missing, "cancelled");
}

TEST_F(TrialMachineTest, CancelWhileTheTrialFailsKeepsTheFailure) {
  GoTo(Phase::kPrepare);
  Say("b", FailedMessage("PREPARE", "no"));
  machine_->OnCancel(now_);
  BothIdle();
  const TrialOutcome outcome = machine_->TakeOutcome();
  EXPECT_TRUE(outcome.cancelled);
  EXPECT_EQ(outcome.failure, "PREPARE on host b: no");
}

// --- What does not belong ----------------------------------------------------------------------

TEST_F(TrialMachineTest, MessagesOfOtherTrialsHostsAndPhasesChangeNothing) {
  const std::vector<WorkerMessage> foreign = {PreparedMessage({{0, 1}}, 5),
                                              ConnectedMessage(5),
                                              ArmedMessage(5),
                                              StoppedMessage({}, 5),
                                              DrainedMessage(5),
                                              ReportMessage(1, 5),
                                              IdleMessage(5),
                                              ProgressMessage(0, 0, {1}, 5),
                                              FailedMessage("X", "y", 5),
                                              WorkerMessage()};
  for (const Phase phase : kAllPhases) {
    GoTo(phase);
    sent_.clear();
    const Phase before = machine_->phase();
    for (const WorkerMessage& each : foreign) {
      Say("a", each);
      Say("b", each);
    }
    Say("c", ReportMessage(1));
    machine_->OnLost(now_, "c", "never seen");
    EXPECT_EQ(machine_->phase(), before) << PhaseName(phase);
    EXPECT_THAT(sent_, IsEmpty()) << PhaseName(phase);
  }
}

TEST_F(TrialMachineTest, LateAnswersOfEarlierPhasesChangeNothing) {
  GoTo(Phase::kMeasure);
  sent_.clear();
  for (const char* host : {"a", "b"}) {
    Say(host, PreparedMessage({{0, 1}}));
    Say(host, ConnectedMessage());
    Say(host, ArmedMessage());
    Say(host, DrainedMessage());
  }
  EXPECT_EQ(machine_->phase(), Phase::kMeasure);
  EXPECT_THAT(sent_, IsEmpty());
}

TEST_F(TrialMachineTest, AnAnswerThatComesTwiceCountsOnce) {
  GoTo(Phase::kConnect);
  Say("a", ConnectedMessage());
  Say("a", ConnectedMessage());
  EXPECT_EQ(machine_->phase(), Phase::kConnect);
}

TEST_F(TrialMachineTest, NothingIsHeardAfterTheEnd) {
  GoTo(Phase::kPrepare);
  machine_->OnCancel(now_);
  BothIdle();
  sent_.clear();
  Say("a", ReportMessage(1));
  machine_->OnLost(now_, "a", "late");
  machine_->OnTime(now_ + 100'000 * kMs);
  Take();
  EXPECT_TRUE(machine_->finished());
  EXPECT_THAT(sent_, IsEmpty());
  EXPECT_FALSE(machine_->deadline().has_value());
}

TEST_F(TrialMachineTest, AReceiverWithoutAPortEndsTheTrial) {
  GoTo(Phase::kPrepare);
  Say("b", PreparedMessage({}));
  BothIdle();
  ASSERT_TRUE(machine_->finished());
  EXPECT_THAT(machine_->TakeOutcome().failure, AllOf(HasSubstr("PREPARE on host b"), HasSubstr("stream 0")));
}

TEST_F(TrialMachineTest, AReportOfTheWrongSizeIsNotUsed) {
  GoTo(Phase::kReport);
  Say("a", ReportMessage(3));
  Say("b", ReportMessage(1));
  BothIdle();
  ASSERT_TRUE(machine_->finished());
  const TrialOutcome outcome = machine_->TakeOutcome();
  EXPECT_FALSE(outcome.hosts[0].report.has_value());
  EXPECT_THAT(outcome.hosts[0].missing, HasSubstr("3 streams instead of 1"));
}

TEST_F(TrialMachineTest, AnEdgeOfTheWrongSizeIsNotKept) {
  GoTo(Phase::kMeasure);
  Say("a", ProgressMessage(0, 100 * kMs, {1, 2}));
  machine_->OnCancel(now_);
  BothIdle();
  EXPECT_THAT(machine_->TakeOutcome().hosts[0].progress, IsEmpty());
}

TEST_F(TrialMachineTest, AHostThatSendsToItselfHoldsBothEnds) {
  TrialSetup setup = MakeSetup();
  setup.ends.clear();
  setup.ends["a"] = {MakeEnd(0, tutti::v1::SIDE_SEND, tutti::v1::PROTOCOL_UDP),
                     MakeEnd(0, tutti::v1::SIDE_RECEIVE, tutti::v1::PROTOCOL_UDP)};
  machine_.emplace(std::move(setup));
  now_ = TimelineTime{kMs};
  machine_->Start(now_);
  Say("a", PreparedMessage({{0, 9}}));
  ASSERT_NE(Sent("a", CoordinatorMessage::kConnect), nullptr);
  EXPECT_EQ(Sent("a", CoordinatorMessage::kConnect)->connect().targets(0).port(), 9u);
  Say("a", ConnectedMessage());
  EXPECT_EQ(machine_->phase(), Phase::kClocks);
}

}  // namespace
}  // namespace tutti::run
