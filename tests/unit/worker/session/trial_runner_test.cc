#include "worker/session/trial_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <string>
#include <vector>

#include "tests/unit/worker/session/fake_trial_kernel.h"
#include "tests/unit/worker/session/trial_messages.h"

namespace tutti::session {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Body = v1::WorkerMessage::BodyCase;

// Nothing runs on the trial's thread until the test lets it: a phase "blocks" as long as `trial_thread` is
// not run.
class TrialRunnerTest : public ::testing::Test {
 protected:
  TrialRunnerTest() {
    runner.SetFacts(MakeFacts());
    kernel.script.ports = {{2, 40001}};
    kernel.script.finals = {{1, 11, 16'192}};
    load::StreamReport sender;
    sender.stream_id = 1;
    load::StreamReport receiver;
    receiver.stream_id = 2;
    receiver.side = load::Side::kReceive;
    kernel.script.report.streams = {sender, receiver};
  }
  ~TrialRunnerTest() override { RunAll(); }

  void Give(const v1::CoordinatorMessage& message) { runner.Handle(message, clock.Now()); }
  void RunAll() {
    do {
      trial_thread.RunReady();
      executor.RunReady();
    } while (trial_thread.pending() > 0);
  }
  // Gives the commands of a trial up to and including the `count`-th, each one done.
  void GoThrough(int count) {
    const std::vector<v1::CoordinatorMessage> commands = {MakePrepare(), MakeConnect(), MakeArm(),
                                                          MakeDrain(), MakeFinish()};
    for (int i = 0; i < count; ++i) {
      Give(commands[static_cast<size_t>(i)]);
      RunAll();
    }
  }
  std::vector<Body> Cases() const {
    std::vector<Body> cases;
    for (const v1::WorkerMessage& message : sent) cases.push_back(message.body_case());
    return cases;
  }

  ManualExecutor executor{100 * kMs};
  ManualExecutor trial_thread;
  ManualClock clock{executor};
  FakeTrialKernel kernel;
  std::vector<v1::WorkerMessage> sent;
  TrialRunner runner{executor, trial_thread, clock, kernel,
                     [this](v1::WorkerMessage message) { sent.push_back(std::move(message)); }};
};

TEST_F(TrialRunnerTest, GoesThroughATrialInOrder) {
  Give(MakePrepare());
  RunAll();
  ASSERT_THAT(Cases(), ElementsAre(Body::kPrepared));
  ASSERT_EQ(sent[0].prepared().ports_size(), 1);
  EXPECT_EQ(sent[0].prepared().ports(0).stream_id(), 2u);
  EXPECT_EQ(sent[0].prepared().ports(0).port(), 40001u);
  Give(MakeConnect());
  RunAll();
  Give(MakeArm());
  RunAll();
  load::Edge edge;
  edge.index = 0;
  edge.bytes = {5, 6};
  kernel.script.on_edge(edge);
  RunAll();
  Give(MakeDrain());
  RunAll();
  Give(MakeFinish());
  RunAll();
  EXPECT_THAT(Cases(), ElementsAre(Body::kPrepared, Body::kConnected, Body::kArmed, Body::kSendersStopped,
                                   Body::kProgress, Body::kDrained, Body::kReport, Body::kIdle));
  EXPECT_THAT(kernel.script.calls, ElementsAre("prepare", "connect", "arm", "wait", "drain", "report"));
  EXPECT_TRUE(runner.idle());
  EXPECT_TRUE(kernel.script.Released());
  for (const v1::WorkerMessage& message : sent) {
    if (message.has_idle()) {
      EXPECT_EQ(message.idle().trial_id(), kTrial);
    }
  }
}

TEST_F(TrialRunnerTest, PassesOnWhatTheCommandsSay) {
  GoThrough(4);
  ASSERT_EQ(kernel.script.configs.size(), 2u);
  EXPECT_EQ(kernel.script.configs[0].stream_id, 1u);
  ASSERT_EQ(kernel.script.targets.size(), 1u);
  EXPECT_EQ(kernel.script.targets[0].port, 5201);
  EXPECT_EQ(kernel.script.connect_deadline.ns, 3'100 * kMs);
  ASSERT_EQ(kernel.script.drained.size(), 1u);
  EXPECT_EQ(kernel.script.drained[0].messages, 11u);
  EXPECT_EQ(kernel.script.drain_deadline.ns, 2'100 * kMs);
}

TEST_F(TrialRunnerTest, DeadlinesCountFromTheArrivalOfTheMessage) {
  GoThrough(1);
  runner.Handle(MakeConnect(), HostTime{60 * kMs});
  RunAll();
  EXPECT_EQ(kernel.script.connect_deadline.ns, 3'060 * kMs);
}

TEST_F(TrialRunnerTest, ReportHasTheEdgesWithTheReadingsBesideThem) {
  GoThrough(3);
  for (const uint32_t index : {0u, 1u}) {
    load::Edge edge;
    edge.index = index;
    edge.begin_trial_ns = 7 + index;
    kernel.script.on_edge(edge);
  }
  RunAll();
  Give(MakeFinish());
  RunAll();
  const v1::TrialReport* report = nullptr;
  for (const auto& message : sent) {
    if (message.has_report()) report = &message.report();
  }
  ASSERT_NE(report, nullptr);
  ASSERT_EQ(report->edges_size(), 2);
  EXPECT_EQ(report->edges(1).begin_trial_ns(), 8);
  EXPECT_EQ(report->edges(1).cpu().host_ns(), 2);
  EXPECT_EQ(report->edges(1).udp().in_datagrams(), 42u);
  ASSERT_EQ(report->streams_size(), 2);
  EXPECT_EQ(report->streams(0).egress_device(), "eth0");
  EXPECT_EQ(report->streams(1).egress_device(), "");
  // Read once before the load was armed, at each edge, once at the end.
  ASSERT_EQ(report->devices_begin_size(), 1);
  EXPECT_EQ(report->devices_begin(0).tx_bytes(), 1000u);
  ASSERT_EQ(report->edges(1).devices_size(), 1);
  EXPECT_EQ(report->edges(1).devices(0).tx_bytes(), 3000u);
  ASSERT_EQ(report->edges(1).qdiscs_size(), 1);
  EXPECT_EQ(report->edges(1).qdiscs(0).kind(), "fq");
  EXPECT_EQ(report->edges(1).softnet().processed(), 200u);
  EXPECT_EQ(report->devices_end(0).tx_bytes(), 4000u);
}

TEST_F(TrialRunnerTest, AFinishInTheMiddleStopsTheStreamsAndReports) {
  GoThrough(2);
  Give(MakeArm());
  trial_thread.RunReady();
  executor.RunReady();  // armed; WaitSenders waits on the trial's thread
  kernel.script.on_edge(load::Edge{});
  EXPECT_EQ(kernel.script.Aborts(), 0);
  Give(MakeFinish());
  EXPECT_EQ(kernel.script.Aborts(), 1);
  RunAll();
  ASSERT_THAT(Cases(), ElementsAre(Body::kPrepared, Body::kConnected, Body::kArmed, Body::kProgress,
                                   Body::kReport, Body::kIdle));
  EXPECT_EQ(sent[4].report().edges_size(), 1);
  EXPECT_EQ(sent[4].report().streams_size(), 2);
}

v1::CoordinatorMessage MakeClockUpdate(uint64_t trial, double drift) {
  v1::CoordinatorMessage message;
  message.mutable_clock_update()->set_trial_id(trial);
  message.mutable_clock_update()->mutable_mapping()->set_reference_timeline_ns(1'500 * kMs);
  message.mutable_clock_update()->mutable_mapping()->set_drift(drift);
  return message;
}

TEST_F(TrialRunnerTest, PassesNewerFitsOfItsClockToTheLoad) {
  GoThrough(3);
  Give(MakeClockUpdate(kTrial, 0.001));
  Give(MakeClockUpdate(kTrial + 1, 0.002));  // another trial's
  Give(MakeClockUpdate(kTrial, 0.5));        // no clock drifts like that
  MutexLock lock(kernel.script.mutex);
  ASSERT_EQ(kernel.script.followed.size(), 1u);
  EXPECT_EQ(kernel.script.followed[0].reference_timeline().ns, 1'500 * kMs);
  EXPECT_EQ(kernel.script.followed[0].drift(), 0.001);
}

TEST_F(TrialRunnerTest, ReportsWhatItFollowedAndWhenItsWindowEnded) {
  GoThrough(3);
  executor.AdvanceBy(600 * kMs);  // 700 ms: 200 ms of the trial
  v1::CoordinatorMessage update;
  update.mutable_clock_update()->set_trial_id(kTrial);
  v1::ClockMappingProto* fitted = update.mutable_clock_update()->mutable_mapping();
  fitted->set_reference_host_ns(700 * kMs);
  fitted->set_reference_timeline_ns(1'702 * kMs);  // 2 ms on from where the trial is
  fitted->set_bound_ns(1'000);
  Give(update);
  Give(MakeDrain());
  RunAll();
  Give(MakeFinish());
  RunAll();
  ASSERT_GE(sent.size(), 2u);
  const v1::TrialReport& report = sent[sent.size() - 2].report();
  EXPECT_EQ(report.clock().follows(), 1u);
  EXPECT_EQ(report.clock().largest_bound_ns(), 2'001'000);
  // 1,100 ms after T0 on the timeline, the last 900 of them at 500 ppm more: 700 + 900.35 / 1.0005 - 0.45.
  EXPECT_NEAR(static_cast<double>(report.clock().window_end_host_ns()), 1'599'550'225, 10);
}

TEST_F(TrialRunnerTest, AFitThatCrossesWithTheEndIsNoFault) {
  GoThrough(5);
  sent.clear();
  Give(MakeClockUpdate(kTrial, 0));
  RunAll();
  EXPECT_THAT(Cases(), ElementsAre());
}

TEST_F(TrialRunnerTest, LeavesACpuReadingThatFailedUnset) {
  kernel.cpu_status = absl::InternalError("no /proc");
  GoThrough(3);
  kernel.script.on_edge(load::Edge{});
  RunAll();
  ASSERT_TRUE(sent.back().has_progress());
  EXPECT_FALSE(sent.back().progress().edge().has_cpu());
}

TEST_F(TrialRunnerTest, WarnsOfAStreamThatLeavesByAnotherDevice) {
  kernel.route.device = "eth1";
  GoThrough(5);
  const auto& report = sent[sent.size() - 2].report();
  ASSERT_EQ(report.streams(0).warnings_size(), 1);
  EXPECT_THAT(report.streams(0).warnings(0), HasSubstr("leaves by eth1 and not by eth0"));
  EXPECT_EQ(report.streams(1).warnings_size(), 0);
}

// --- abort ---------------------------------------------------------------------------------------

class AbortTest : public TrialRunnerTest, public ::testing::WithParamInterface<int> {};

TEST_P(AbortTest, BetweenTheCommandsEndsInIdle) {
  GoThrough(GetParam());
  sent.clear();
  Give(MakeAbort());
  RunAll();
  EXPECT_THAT(Cases(), ElementsAre(Body::kIdle));
  EXPECT_TRUE(runner.idle());
  EXPECT_TRUE(kernel.script.Released());
}

TEST_P(AbortTest, WhileTheCommandIsBeingDoneEndsInIdle) {
  GoThrough(GetParam() - 1);
  const std::vector<v1::CoordinatorMessage> commands = {MakePrepare(), MakeConnect(), MakeArm(), MakeDrain()};
  Give(commands[static_cast<size_t>(GetParam() - 1)]);
  sent.clear();
  const int aborts_before = kernel.script.Aborts();
  Give(MakeAbort());
  EXPECT_FALSE(runner.idle());
  if (GetParam() > 1) {
    EXPECT_GT(kernel.script.Aborts(), aborts_before);  // before the phase returned
  }
  RunAll();
  EXPECT_THAT(Cases(), ElementsAre(Body::kIdle));
  EXPECT_TRUE(runner.idle());
  EXPECT_TRUE(kernel.script.Released());
}

TEST_P(AbortTest, TwiceIsAnsweredButHarmless) {
  GoThrough(GetParam());
  sent.clear();
  Give(MakeAbort());
  Give(MakeAbort());
  RunAll();
  Give(MakeAbort());
  RunAll();
  EXPECT_THAT(Cases(), ElementsAre(Body::kIdle, Body::kIdle));
}

INSTANTIATE_TEST_SUITE_P(EachPhase, AbortTest, ::testing::Values(1, 2, 3, 4));

TEST_F(TrialRunnerTest, AbortOfAnUnknownTrialIsAnsweredByIdle) {
  GoThrough(1);
  Give(MakeAbort(999));
  RunAll();
  ASSERT_THAT(Cases(), ElementsAre(Body::kPrepared, Body::kIdle));
  EXPECT_EQ(sent[1].idle().trial_id(), 999u);
  EXPECT_FALSE(runner.idle());
}

TEST_F(TrialRunnerTest, ANewTrialCanFollowAnAbort) {
  GoThrough(2);
  Give(MakeAbort());
  RunAll();
  sent.clear();
  Give(MakePrepare(78));
  RunAll();
  ASSERT_THAT(Cases(), ElementsAre(Body::kPrepared));
  EXPECT_EQ(sent[0].prepared().trial_id(), 78u);
}

TEST_F(TrialRunnerTest, EdgesOfAnEarlierTrialAreNotTakenForTheNext) {
  GoThrough(3);
  const auto late_edge = kernel.script.on_edge;
  late_edge(load::Edge{});
  Give(MakeAbort());
  trial_thread.RunReady();
  executor.RunReady();
  Give(MakePrepare(78));
  RunAll();
  for (const auto& message : sent) EXPECT_FALSE(message.has_progress());
}

// --- failures ------------------------------------------------------------------------------------

struct FailureCase {
  const char* name;
  int commands;
  absl::Status LoadScript::*status;
};

class FailureTest : public TrialRunnerTest, public ::testing::WithParamInterface<FailureCase> {};

TEST_P(FailureTest, IsToldAndEndsInIdle) {
  kernel.script.*GetParam().status = absl::UnavailableError("connect 10.0.0.2:5201: refused");
  kernel.script.report.streams[0].error = "stream 1 refused";
  kernel.script.report.streams[0].error_errno = 111;
  GoThrough(GetParam().commands);
  ASSERT_GE(sent.size(), 2u);
  const v1::WorkerMessage& failed = sent[sent.size() - 2];
  ASSERT_TRUE(failed.has_failed());
  EXPECT_EQ(failed.failed().trial_id(), kTrial);
  EXPECT_EQ(failed.failed().phase(), GetParam().name);
  EXPECT_THAT(failed.failed().reason(), HasSubstr("10.0.0.2:5201"));
  if (GetParam().commands > 1) {  // before that there is no load to ask
    ASSERT_EQ(failed.failed().streams_size(), 1);
    EXPECT_EQ(failed.failed().streams(0).error().errno_value(), 111);
  }
  EXPECT_TRUE(sent.back().has_idle());
  EXPECT_TRUE(runner.idle());
}

INSTANTIATE_TEST_SUITE_P(EachPhase, FailureTest,
                         ::testing::Values(FailureCase{"PREPARE", 1, &LoadScript::prepare},
                                           FailureCase{"CONNECT", 2, &LoadScript::connect},
                                           FailureCase{"ARM", 3, &LoadScript::arm}),
                         [](const auto& info) { return info.param.name; });

TEST_F(TrialRunnerTest, APhaseThatOutlastsItsDeadlineFails) {
  Give(MakePrepare());
  executor.AdvanceBy(1'999 * kMs);
  EXPECT_TRUE(sent.empty());
  executor.AdvanceBy(1 * kMs);
  ASSERT_THAT(Cases(), ElementsAre(Body::kFailed));
  EXPECT_THAT(sent[0].failed().reason(), HasSubstr("did not end within 2000 ms"));
  RunAll();
  EXPECT_THAT(Cases(), ElementsAre(Body::kFailed, Body::kIdle));
}

TEST_F(TrialRunnerTest, SendersThatDoNotStopFailTheTrial) {
  GoThrough(2);
  Give(MakeArm());
  trial_thread.RunReady();
  executor.RunReady();  // armed; WaitSenders waits on the trial's thread
  ASSERT_TRUE(sent.back().has_armed());
  // T0 is 400 ms ahead, the trial lasts 1.1 s, and 5 s are allowed beyond.
  executor.AdvanceBy(6'499 * kMs);
  EXPECT_TRUE(sent.back().has_armed());
  executor.AdvanceBy(1 * kMs);
  ASSERT_TRUE(sent.back().has_failed());
  EXPECT_EQ(sent.back().failed().phase(), "RUN");
}

TEST_F(TrialRunnerTest, RefusesAT0ThatHasPassed) {
  GoThrough(2);
  executor.AdvanceBy(kT0Ns);
  Give(MakeArm());
  RunAll();
  ASSERT_TRUE(sent[2].has_failed());
  EXPECT_THAT(sent[2].failed().reason(), HasSubstr("T0 passed 100000 us before"));
  EXPECT_THAT(kernel.script.calls, ::testing::Not(::testing::Contains("arm")));
}

TEST_F(TrialRunnerTest, RefusesAT0ThatContradictsTheMapping) {
  for (const int64_t off_ns : {1'001, -1'001}) {
    sent.clear();
    GoThrough(2);
    v1::CoordinatorMessage arm = MakeArm();
    arm.mutable_arm()->set_t0_host_ns(kT0Ns + off_ns);
    Give(arm);
    RunAll();
    ASSERT_TRUE(sent[2].has_failed()) << off_ns;
    EXPECT_THAT(sent[2].failed().reason(), HasSubstr("1001 ns"));
  }
  GoThrough(2);
  v1::CoordinatorMessage arm = MakeArm();
  arm.mutable_arm()->set_t0_host_ns(kT0Ns + 1'000);
  sent.clear();
  Give(arm);
  RunAll();
  EXPECT_TRUE(sent[0].has_armed());
}

TEST_F(TrialRunnerTest, RefusesACpuThatDoesNotExist) {
  v1::CoordinatorMessage prepare = MakePrepare();
  v1::CpuChoice* choice = prepare.mutable_prepare()->mutable_streams(0)->mutable_cpus();
  choice->set_kind(v1::CpuChoice::KIND_LIST);
  choice->add_cpus(9);
  Give(prepare);
  RunAll();
  ASSERT_TRUE(sent[0].has_failed());
  EXPECT_THAT(sent[0].failed().reason(), HasSubstr("CPU 9 does not exist"));
  EXPECT_TRUE(kernel.script.calls.empty());
}

TEST_F(TrialRunnerTest, MarksABestEffortCpuInTheReport) {
  v1::CoordinatorMessage prepare = MakePrepare();
  v1::StreamEnd* stream = prepare.mutable_prepare()->mutable_streams(0);
  stream->set_best_effort(true);
  stream->mutable_cpus()->set_kind(v1::CpuChoice::KIND_LIST);
  stream->mutable_cpus()->add_cpus(9);
  Give(prepare);
  RunAll();
  for (const auto& command : {MakeConnect(), MakeArm(), MakeFinish()}) {
    Give(command);
    RunAll();
  }
  const auto& report = sent[sent.size() - 2].report();
  ASSERT_EQ(report.streams(0).options_size(), 1);
  EXPECT_EQ(report.streams(0).options(0).name(), "cpu");
  EXPECT_FALSE(report.streams(0).options(0).applied());
}

// --- wrong order ---------------------------------------------------------------------------------

TEST_F(TrialRunnerTest, ACommandInTheWrongPhaseFailsTheTrial) {
  GoThrough(1);
  Give(MakeArm());
  RunAll();
  ASSERT_THAT(Cases(), ElementsAre(Body::kPrepared, Body::kFailed, Body::kIdle));
  EXPECT_THAT(sent[1].failed().reason(), HasSubstr("ARM"));
}

TEST_F(TrialRunnerTest, PreparingTwiceFailsTheTrial) {
  GoThrough(1);
  Give(MakePrepare());
  RunAll();
  EXPECT_THAT(Cases(), ElementsAre(Body::kPrepared, Body::kFailed, Body::kIdle));
}

TEST_F(TrialRunnerTest, AnotherTrialIsRefusedAndTheOwnGoesOn) {
  GoThrough(1);
  sent.clear();
  Give(MakePrepare(999));
  RunAll();
  ASSERT_THAT(Cases(), ElementsAre(Body::kFailed, Body::kIdle));
  EXPECT_EQ(sent[0].failed().trial_id(), 999u);
  EXPECT_THAT(sent[0].failed().reason(), HasSubstr("another trial"));
  EXPECT_EQ(sent[1].idle().trial_id(), 999u);
  Give(MakeConnect());
  RunAll();
  EXPECT_TRUE(sent.back().has_connected());
}

TEST_F(TrialRunnerTest, CommandsWithoutATrialAreRefused) {
  for (const auto& command : {MakeConnect(), MakeArm(), MakeDrain(), MakeFinish()}) {
    sent.clear();
    Give(command);
    RunAll();
    ASSERT_THAT(Cases(), ElementsAre(Body::kFailed, Body::kIdle));
    EXPECT_THAT(sent[0].failed().reason(), HasSubstr("no trial"));
  }
}

TEST_F(TrialRunnerTest, AbortAllCallsBackWhenNothingIsLeft) {
  int idle = 0;
  runner.AbortAll("test", [&] { ++idle; });
  EXPECT_EQ(idle, 1);
  GoThrough(3);
  runner.AbortAll("test", [&] { ++idle; });
  runner.AbortAll("test", [&] { ++idle; });
  EXPECT_EQ(idle, 1);
  RunAll();
  EXPECT_EQ(idle, 3);
  EXPECT_TRUE(kernel.script.Released());
}

// With real threads: a phase that blocks is ended from the executor's thread.
TEST(TrialRunnerThreadsTest, AbortEndsABlockingPhaseAtOnce) {
  FakeTrialKernel kernel;
  kernel.script.block_in_wait_senders = true;
  std::promise<void> armed;
  std::promise<void> idle;
  ThreadExecutor executor("test-executor");
  auto trial_thread = std::make_unique<ThreadExecutor>("test-trial");
  std::unique_ptr<TrialRunner> runner;
  const auto give = [&](v1::CoordinatorMessage message) {
    executor.Post([&, message] { runner->Handle(message, SystemClock::Get().Now()); });
  };
  executor.Post([&] {
    runner = std::make_unique<TrialRunner>(executor, *trial_thread, SystemClock::Get(), kernel,
                                           [&](v1::WorkerMessage message) {
                                             if (message.has_prepared()) give(MakeConnect());
                                             if (message.has_armed()) armed.set_value();
                                             if (message.has_idle()) idle.set_value();
                                             if (!message.has_connected()) return;
                                             const int64_t t0 = SystemClock::Get().Now().ns + 60'000 * kMs;
                                             v1::CoordinatorMessage arm = MakeArm();
                                             arm.mutable_arm()->set_t0_host_ns(t0);
                                             arm.mutable_arm()->set_t0_timeline_ns(t0 + 1'000 * kMs);
                                             give(arm);
                                           });
    runner->SetFacts(MakeFacts());
  });
  give(MakePrepare());
  ASSERT_EQ(armed.get_future().wait_for(std::chrono::seconds(60)), std::future_status::ready);
  const HostTime before = SystemClock::Get().Now();
  give(MakeAbort());
  ASSERT_EQ(idle.get_future().wait_for(std::chrono::seconds(60)), std::future_status::ready);
  EXPECT_LT(SystemClock::Get().Now() - before, 1'000 * kMs);
  EXPECT_TRUE(kernel.script.Released());
  trial_thread.reset();
  std::promise<void> destroyed;
  executor.Post([&] {
    runner.reset();
    destroyed.set_value();
  });
  destroyed.get_future().wait();
}

}  // namespace
}  // namespace tutti::session
