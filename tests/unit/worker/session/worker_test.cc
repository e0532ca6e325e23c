#include "worker/session/worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/worker/session/worker_fixture.h"

namespace tutti::session {
namespace {

using ::testing::HasSubstr;

TEST_F(WorkerTest, IntroducesItself) {
  worker.Start();
  Run();
  ASSERT_EQ(dialer.sessions.size(), 1u);
  ASSERT_EQ(session().sent.size(), 1u);
  const v1::Hello& hello = session().sent[0].hello();
  EXPECT_EQ(hello.name(), "alpha");
  EXPECT_EQ(hello.protocol_version(), 1u);
  EXPECT_EQ(hello.incarnation(), 99u);
  EXPECT_EQ(hello.labels().at("rack"), "a");
  EXPECT_EQ(hello.facts().online_cpus_size(), 4);
  EXPECT_EQ(hello.control_address(), "10.0.0.1");
  EXPECT_EQ(registrations, 0);
  Register();
  EXPECT_EQ(registrations, 1);
}

TEST_F(WorkerTest, AnswersProbesWithTheTimeOfTheirArrival) {
  StartAndRegister();
  v1::CoordinatorMessage message;
  message.mutable_clock_probe()->set_sequence(17);
  message.mutable_clock_probe()->set_sent_timeline_ns(555);
  session().handlers.on_message(message, HostTime{98 * kMs});
  Run();
  const v1::ClockReply& reply = session().sent.back().clock_reply();
  EXPECT_EQ(reply.sequence(), 17u);
  EXPECT_EQ(reply.probe_sent_timeline_ns(), 555);
  EXPECT_EQ(reply.received_host_ns(), 98 * kMs);
}

TEST_F(WorkerTest, KeepsItsSessionWhileProbesArrive) {
  StartAndRegister();
  for (int i = 0; i < 20; ++i) {
    Advance(kLeaseNs / 4);
    Probe();
  }
  EXPECT_EQ(dialer.sessions.size(), 1u);
  EXPECT_FALSE(session().cancelled);
}

TEST_F(WorkerTest, SilenceForTheLeaseEndsTheTrialAndTheSession) {
  StartAndRegister();
  Advance(300 * kMs);
  StartTrial();
  Advance(kLeaseNs - 10 * kMs);
  EXPECT_FALSE(session().cancelled);
  EXPECT_FALSE(kernel.script.Released());
  Advance(10 * kMs);
  EXPECT_TRUE(dialer.sessions[0]->cancelled);
  EXPECT_TRUE(kernel.script.Released());
  Advance(100 * kMs);
  EXPECT_EQ(dialer.sessions.size(), 2u);  // tries again
}

TEST_F(WorkerTest, ABrokenSessionEndsTheTrialBeforeTheNextBegins) {
  StartAndRegister();
  StartTrial();
  session().handlers.on_closed(absl::UnavailableError("connection reset"));
  executor.AdvanceBy(1'000 * kMs);  // the trial's thread is still busy with the trial
  EXPECT_EQ(dialer.sessions.size(), 1u);
  Run();
  EXPECT_TRUE(kernel.script.Released());
  EXPECT_EQ(dialer.sessions.size(), 2u);
  // Nothing of the old trial is said in the new session.
  ASSERT_EQ(session().sent.size(), 1u);
  EXPECT_TRUE(session().sent[0].has_hello());
  Register();
  EXPECT_EQ(registrations, 2);
  Give(MakeConnect());
  EXPECT_THAT(session().sent[1].failed().reason(), HasSubstr("no trial"));
}

TEST_F(WorkerTest, RetriesWithGrowingDelaysUntilStopped) {
  worker.Start();
  Run();
  for (const int64_t ceiling_ms : {100, 200, 400, 800, 1600, 2000}) {
    const size_t before = dialer.sessions.size();
    session().handlers.on_closed(absl::UnavailableError("connection refused"));
    Advance(ceiling_ms * kMs / 2 - 10 * kMs);
    EXPECT_EQ(dialer.sessions.size(), before);
    Advance(ceiling_ms * kMs / 2 + 10 * kMs);
    EXPECT_EQ(dialer.sessions.size(), before + 1);
  }
}

TEST_F(WorkerTest, AnUnansweredHelloIsGivenUp) {
  worker.Start();
  Run();
  Advance(5'000 * kMs);
  EXPECT_TRUE(dialer.sessions[0]->cancelled);
  Advance(100 * kMs);
  EXPECT_EQ(dialer.sessions.size(), 2u);
}

TEST_F(WorkerTest, ARefusalForGoodEndsTheWorker) {
  worker.Start();
  Run();
  Refuse(/*retry=*/false);
  EXPECT_EQ(refusal, "name in use by 10.0.0.9, use --name");
  Advance(10'000 * kMs);
  EXPECT_EQ(dialer.sessions.size(), 1u);
  bool stopped = false;
  worker.Stop([&] { stopped = true; });
  Run();
  EXPECT_TRUE(stopped);
}

TEST_F(WorkerTest, ARefusalForNowIsRetried) {
  worker.Start();
  Run();
  Refuse(/*retry=*/true);
  EXPECT_TRUE(refusal.empty());
  Advance(100 * kMs);
  EXPECT_EQ(dialer.sessions.size(), 2u);
}

TEST_F(WorkerTest, AnAddressThatPolicyForbidsEndsTheWorker) {
  dialer.policy = absl::FailedPreconditionError("plain text beyond loopback needs --insecure");
  worker.Start();
  Run();
  EXPECT_THAT(refusal, HasSubstr("--insecure"));
}

TEST_F(WorkerTest, StopEndsTrialAndSessionWithinASecond) {
  for (const bool answers : {true, false}) {
    FakeStream::closes_when_finished = answers;
    ManualExecutor own_executor{100 * kMs};
    bool stopped = false;
    if (answers) {
      StartAndRegister();
      StartTrial();
      worker.Stop([&] { stopped = true; });
      Run();
      EXPECT_TRUE(kernel.script.Released());
    } else {
      FakeDialer silent_dialer(own_executor);
      Worker silent(Options(), own_executor, trial_thread, clock, silent_dialer, kernel, {});
      silent.Start();
      own_executor.RunReady();
      trial_thread.RunReady();
      own_executor.RunReady();
      ASSERT_EQ(silent_dialer.sessions.size(), 1u);
      silent.Stop([&] { stopped = true; });
      own_executor.RunReady();
      EXPECT_FALSE(stopped);
      own_executor.AdvanceBy(999 * kMs);
    }
    EXPECT_TRUE(stopped);
  }
}

TEST_F(WorkerTest, StopWhileWaitingToRetry) {
  worker.Start();
  Run();
  session().handlers.on_closed(absl::UnavailableError("refused"));
  bool stopped = false;
  worker.Stop([&] { stopped = true; });
  Run();
  EXPECT_TRUE(stopped);
  Advance(5'000 * kMs);
  EXPECT_EQ(dialer.sessions.size(), 1u);
}

TEST_F(WorkerTest, MeasuresTheBackgroundWithoutWaitingInTheExecutor) {
  StartAndRegister();
  v1::CoordinatorMessage message;
  message.mutable_measure_background()->set_request_id(5);
  message.mutable_measure_background()->set_duration_ns(1'000 * kMs);
  Give(message);
  Advance(990 * kMs);
  const size_t before = session().sent.size();
  Probe();
  EXPECT_EQ(session().sent.size(), before + 1);
  Advance(10 * kMs);
  ASSERT_TRUE(session().sent.back().has_background());
  const v1::BackgroundReading& reading = session().sent.back().background();
  EXPECT_EQ(reading.request_id(), 5u);
  EXPECT_EQ(reading.begin().host_ns(), 1);
  EXPECT_EQ(reading.end().host_ns(), 2);
}

TEST_F(WorkerTest, ABackgroundThatCannotBeReadIsUnset) {
  kernel.cpu_status = absl::InternalError("gone");
  StartAndRegister();
  v1::CoordinatorMessage message;
  message.mutable_measure_background()->set_request_id(5);
  Give(message);
  ASSERT_TRUE(session().sent.back().has_background());
  EXPECT_FALSE(session().sent.back().background().has_begin());
}

TEST_F(WorkerTest, TakesNoCommandsBeforeItIsRegistered) {
  worker.Start();
  Run();
  Give(MakePrepare());
  EXPECT_TRUE(kernel.script.calls.empty());
  EXPECT_EQ(session().sent.size(), 1u);
}

}  // namespace
}  // namespace tutti::session
