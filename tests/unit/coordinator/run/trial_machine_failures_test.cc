#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "coordinator/run/trial_machine.h"
#include "trial_machine_fixture.h"

namespace tutti::run {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

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

// --- Ended by a threshold -------------------------------------------------------------------------

TEST_F(TrialMachineTest, AStopInTheWindowLetsEveryHostReportWhatItHas) {
  GoTo(Phase::kMeasure);
  machine_->OnStop(now_, "too slow");
  Take();
  EXPECT_EQ(machine_->phase(), Phase::kReport);
  for (const char* host : {"a", "b"}) EXPECT_NE(Sent(host, CoordinatorMessage::kFinish), nullptr) << host;
  Say("a", ReportMessage(1));
  Say("b", ReportMessage(1));
  BothIdle();
  ASSERT_TRUE(machine_->finished());
  const TrialOutcome outcome = machine_->TakeOutcome();
  EXPECT_EQ(outcome.aborted, "too slow");
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.hosts[0].report.has_value());
  EXPECT_TRUE(outcome.hosts[1].report.has_value());
}

TEST_F(TrialMachineTest, AStopBeforeTheStartOrAfterTheWindowIsNone) {
  for (const Phase phase : {Phase::kPrepare, Phase::kArm, Phase::kCooldown, Phase::kDrain, Phase::kReport}) {
    GoTo(phase);
    machine_->OnStop(now_, "too slow");
    EXPECT_EQ(machine_->phase(), phase);
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

TEST_F(TrialMachineTest, AReportWithInstantsThatNoClockShowsIsNotUsed) {
  for (const auto spoil : std::vector<void (*)(tutti::v1::TrialReport&)>{
           [](tutti::v1::TrialReport& report) { report.add_edges()->set_begin_trial_ns(INT64_MIN); },
           [](tutti::v1::TrialReport& report) { report.add_edges()->mutable_cpu()->set_host_ns(INT64_MAX); },
           [](tutti::v1::TrialReport& report) {
             report.mutable_clock()->set_window_end_host_ns(INT64_MIN);
           }}) {
    GoTo(Phase::kReport);
    WorkerMessage report = ReportMessage(1);
    spoil(*report.mutable_report());
    Say("a", report);
    Say("b", ReportMessage(1));
    BothIdle();
    ASSERT_TRUE(machine_->finished());
    const TrialOutcome outcome = machine_->TakeOutcome();
    EXPECT_FALSE(outcome.hosts[0].report.has_value());
    EXPECT_THAT(outcome.hosts[0].missing, HasSubstr("no clock shows"));
    EXPECT_TRUE(outcome.hosts[1].report.has_value());
  }
}

TEST_F(TrialMachineTest, AReportWhoseCountersCannotBeAddedIsNotUsed) {
  for (const uint64_t bytes : {uint64_t{1} << 62, uint64_t{1} << 63, UINT64_MAX}) {
    GoTo(Phase::kReport);
    WorkerMessage report = ReportMessage(1);
    report.mutable_report()->mutable_streams(0)->set_total_bytes(bytes);
    Say("a", report);
    Say("b", ReportMessage(1));
    BothIdle();
    ASSERT_TRUE(machine_->finished());
    const TrialOutcome outcome = machine_->TakeOutcome();
    EXPECT_FALSE(outcome.hosts[0].report.has_value());
    EXPECT_THAT(outcome.hosts[0].missing, HasSubstr("its report has total_bytes of more than"));
    EXPECT_TRUE(outcome.hosts[1].report.has_value());
  }
}

TEST_F(TrialMachineTest, OfEachEdgeOneReadingIsKeptAndNoneThatIsNotOfTheWindow) {
  GoTo(Phase::kMeasure);
  // The window has 10 intervals and so 11 edges.
  Say("b", ProgressMessage(11, 1200 * kMs, {1}));
  Say("b", ProgressMessage(0, 100 * kMs, {UINT64_MAX}));
  for (int i = 0; i < 100; ++i) Say("b", ProgressMessage(0, 100 * kMs, {1}));
  machine_->OnCancel(now_);
  BothIdle();
  const TrialOutcome outcome = machine_->TakeOutcome();
  EXPECT_EQ(outcome.hosts[1].progress.size(), 11u);
  for (const auto& edge : outcome.hosts[1].progress) EXPECT_EQ(edge.bytes(0), 1u);
}

TEST_F(TrialMachineTest, AHostIsHeardOnlyAboutItsOwnEndsOfStreams) {
  GoTo(Phase::kPrepare);
  Say("a", PreparedMessage({{0, 22}, {7, 1}}));
  Say("b", PreparedMessage({{0, 4711}}));
  ASSERT_NE(Sent("a", CoordinatorMessage::kConnect), nullptr);
  EXPECT_EQ(Sent("a", CoordinatorMessage::kConnect)->connect().targets(0).port(), 4711u);

  GoTo(Phase::kCooldown);
  Say("b", StoppedMessage({{0, 1}}));
  Say("a", StoppedMessage({{0, 5000}, {9, 9}}));
  ASSERT_NE(Sent("b", CoordinatorMessage::kDrain), nullptr);
  ASSERT_EQ(Sent("b", CoordinatorMessage::kDrain)->drain().finals_size(), 1);
  EXPECT_EQ(Sent("b", CoordinatorMessage::kDrain)->drain().finals(0).bytes(), 5000u);
}

TEST_F(TrialMachineTest, APortThatIsNoneEndsTheTrial) {
  for (const uint32_t port : {0u, 65'536u, UINT32_MAX}) {
    GoTo(Phase::kPrepare);
    Say("b", PreparedMessage({{0, port}}));
    BothIdle();
    ASSERT_TRUE(machine_->finished());
    EXPECT_THAT(machine_->TakeOutcome().failure, HasSubstr("no port for stream 0"));
  }
}

TEST_F(TrialMachineTest, OfAStreamThatFailedTheErrorIsKeptWhateverElseItSays) {
  GoTo(Phase::kMeasure);
  WorkerMessage failed = FailedMessage("MEASURE", "it broke");
  tutti::v1::StreamReport& stream = *failed.mutable_failed()->add_streams();
  stream.set_side(tutti::v1::SIDE_SEND);
  stream.set_total_bytes(UINT64_MAX);
  stream.mutable_error()->set_message("no route");
  // Both are too many: one stream is all that the host has, and one without an error did not fail.
  failed.mutable_failed()->add_streams()->set_total_bytes(5);
  failed.mutable_failed()->add_streams()->mutable_error()->set_message("again");
  Say("a", failed);
  machine_->OnCancel(now_);
  BothIdle();
  const TrialOutcome outcome = machine_->TakeOutcome();
  ASSERT_EQ(outcome.hosts[0].failed_streams.size(), 1u);
  EXPECT_EQ(outcome.hosts[0].failed_streams[0].error().message(), "no route");
  EXPECT_EQ(outcome.hosts[0].failed_streams[0].side(), tutti::v1::SIDE_SEND);
  EXPECT_EQ(outcome.hosts[0].failed_streams[0].total_bytes(), 0u);
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
