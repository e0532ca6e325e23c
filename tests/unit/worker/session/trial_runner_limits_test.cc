// Commands with spans and instants that no clock shows.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/worker/session/fake_trial_kernel.h"
#include "tests/unit/worker/session/trial_messages.h"
#include "worker/session/trial_runner.h"

namespace tutti::session {
namespace {

class TrialRunnerLimitsTest : public ::testing::Test {
 protected:
  TrialRunnerLimitsTest() { runner.SetFacts(MakeFacts()); }

  void Give(const v1::CoordinatorMessage& message) {
    runner.Handle(message, clock.Now());
    do {
      trial_thread.RunReady();
      executor.RunReady();
    } while (trial_thread.pending() > 0);
  }
  // Why the trial failed; empty: it did not.
  std::string Failure() const {
    for (const v1::WorkerMessage& message : sent) {
      if (message.has_failed()) return message.failed().reason();
    }
    return "";
  }

  ManualExecutor executor{100 * kMs};
  ManualExecutor trial_thread;
  ManualClock clock{executor};
  FakeTrialKernel kernel;
  std::vector<v1::WorkerMessage> sent;
  TrialRunner runner{executor, trial_thread, clock, kernel,
                     [this](v1::WorkerMessage message) { sent.push_back(std::move(message)); }};
};

TEST_F(TrialRunnerLimitsTest, AWindowOfCenturiesIsRefused) {
  v1::CoordinatorMessage prepare = MakePrepare();
  prepare.mutable_prepare()->mutable_timing()->set_warmup_ns(INT64_MAX);
  prepare.mutable_prepare()->mutable_timing()->set_measure_ns(INT64_MAX);
  prepare.mutable_prepare()->mutable_timing()->set_interval_ns(INT64_MAX);
  Give(prepare);
  EXPECT_NE(Failure().find("timing:"), std::string::npos) << Failure();
  EXPECT_TRUE(runner.idle());
}

TEST_F(TrialRunnerLimitsTest, DeadlinesBeyondAllTimeAreFarAwayOnes) {
  for (const int64_t deadline_ns : {INT64_MAX, INT64_MIN}) {
    sent.clear();
    v1::CoordinatorMessage prepare = MakePrepare();
    prepare.mutable_prepare()->set_deadline_ns(INT64_MAX);
    Give(prepare);
    v1::CoordinatorMessage connect = MakeConnect();
    connect.mutable_connect()->set_deadline_ns(deadline_ns);
    Give(connect);
    EXPECT_EQ(Failure(), "");
    Give(MakeAbort());
    EXPECT_TRUE(runner.idle());
  }
}

TEST_F(TrialRunnerLimitsTest, AStartThatNoClockShowsIsRefused) {
  Give(MakePrepare());
  Give(MakeConnect());
  v1::CoordinatorMessage arm = MakeArm();
  arm.mutable_arm()->set_t0_host_ns(INT64_MAX);
  arm.mutable_arm()->set_t0_timeline_ns(INT64_MIN);
  Give(arm);
  EXPECT_NE(Failure().find("no clock shows"), std::string::npos) << Failure();
  EXPECT_TRUE(runner.idle());
}

}  // namespace
}  // namespace tutti::session
