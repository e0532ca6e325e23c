// How a whole trial's clocks are measured, followed and stated, on hosts whose clocks lie days apart.
#include <cstdlib>

#include "tests/integration/cluster.h"
#include "tests/nanoseconds.h"

namespace tutti::integration {
namespace {

constexpr char kPlan[] =
    "version: 1\nname: t\nroles:\n  sender: {hosts: [a]}\n  receiver: {hosts: [b]}\n"
    "traffic:\n  - {name: bulk, from: sender, to: receiver, pattern: pairs, streams: 2, protocol: udp, "
    "message_size: 1000B, rate: 8Mbps}\n"
    "timing: {warmup: 100ms, measure: 2300ms, cooldown: 50ms, interval: 10ms}\n";

class OverTcp : public Cluster {
 protected:
  std::string Listen() const override { return "127.0.0.1:0"; }
  void SetUp() override {
    Cluster::SetUp();
    Join("a", {.boot_id = "aaaa", .address = "10.99.0.11", .clock_shift_ns = 5 * kDay, .cpus = {0, 1}});
    Join("b", {.boot_id = "bbbb", .address = "10.99.0.12", .clock_shift_ns = -3 * kDay, .cpus = {0}});
  }
};

void ExpectOffset(const tutti::v1::HostClock& clock, int64_t shift_ns) {
  // timeline - host is minus what the host's clock is ahead.
  EXPECT_LE(std::llabs(clock.offset_ns() + shift_ns), clock.bound_before_ns()) << clock.ShortDebugString();
}

TEST_F(OverTcp, ATrialFollowsClocksThatTheKernelsStampsMeasure) {
  const tutti::v1::Result result = Run(kPlan);
  ASSERT_EQ(result.cases_size(), 1) << result.ShortDebugString();
  const auto& trial = result.cases(0).trials(0);
  ASSERT_EQ(trial.status(), tutti::v1::TRIAL_STATUS_GOOD) << trial.ShortDebugString();
  ASSERT_EQ(trial.hosts_size(), 2);
  ExpectOffset(trial.hosts(0).clock(), 5 * kDay);
  ExpectOffset(trial.hosts(1).clock(), -3 * kDay);
  for (const auto& host : trial.hosts()) {
    const auto& clock = host.clock();
    EXPECT_EQ(clock.source(), tutti::v1::CLOCK_SOURCE_KERNEL);
    // 2.45 s, renewed each second.
    EXPECT_EQ(clock.refits(), 2u);
    EXPECT_EQ(clock.restarts(), 0u);
    EXPECT_GT(clock.bound_during_ns(), 0);
    EXPECT_LE(std::llabs(clock.moved_ns()), clock.bound_during_ns() + clock.bound_after_ns());
  }
}

TEST_F(OverTcp, IntervalsOfTenMillisecondsAreAllThereAndTheirSumIsTheTotal) {
  const tutti::v1::Result result = Run(kPlan);
  const auto& trial = result.cases(0).trials(0);
  ASSERT_EQ(trial.timeline_size(), 230) << trial.ShortDebugString();
  uint64_t received = 0;
  int64_t begin_ns = 100'000'000;
  for (const auto& interval : trial.timeline()) {
    EXPECT_EQ(interval.begin_trial_ns(), begin_ns);
    begin_ns += 10'000'000;
    for (const auto& host : interval.hosts()) received += host.received_bytes();
  }
  EXPECT_EQ(received, trial.entries(0).received_bytes().value());
}

TEST_F(OverTcp, AWorkerIsSeenWithItsClockBeforeAnythingIsRun) {
  tutti::v1::WorkerInfo worker;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (worker.clock_source() != tutti::v1::CLOCK_SOURCE_KERNEL &&
         std::chrono::steady_clock::now() < deadline) {
    worker = Worker("a");
  }
  EXPECT_EQ(worker.clock_source(), tutti::v1::CLOCK_SOURCE_KERNEL);
  EXPECT_LE(std::llabs(worker.clock_offset_ns() + 5 * kDay), worker.clock_bound_ns());
  EXPECT_TRUE(worker.has_clock_drift_bound_ppm());
}

using OverUnixSocket = Cluster;

TEST_F(OverUnixSocket, ClocksAreMeasuredOverTheSessionAndTheResultSaysSo) {
  Join("a", {.boot_id = "aaaa", .address = "10.99.0.11", .clock_shift_ns = 5 * kDay, .cpus = {0, 1}});
  Join("b", {.boot_id = "bbbb", .address = "10.99.0.12", .clock_shift_ns = -3 * kDay, .cpus = {0}});
  const tutti::v1::Result result = Run(kPlan);
  const auto& trial = result.cases(0).trials(0);
  ASSERT_EQ(trial.hosts_size(), 2) << trial.ShortDebugString();
  ExpectOffset(trial.hosts(0).clock(), 5 * kDay);
  EXPECT_EQ(trial.hosts(0).clock().source(), tutti::v1::CLOCK_SOURCE_SESSION);
}

}  // namespace
}  // namespace tutti::integration
