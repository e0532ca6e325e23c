// Whole trials on hosts whose clocks do what clocks should not: wall clocks that differ and are set in the
// middle, a CLOCK_MONOTONIC that jumps or drifts, a slow and lopsided way to the coordinator.
#include <cstdlib>
#include <string>

#include "gmock/gmock.h"
#include "tests/integration/cluster.h"
#include "tests/integration/slow_path.h"
#include "tests/nanoseconds.h"

namespace tutti::integration {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;

constexpr uint16_t kPort = 7411;  // the tests have a network of their own

std::string MovingPlan(int64_t measure_ms, int repeat, const std::string& limits) {
  return "version: 1\nname: t\nroles:\n  sender: {hosts: [a]}\n  receiver: {hosts: [b]}\n"
         "traffic:\n  - {name: paced, from: sender, to: receiver, pattern: pairs, streams: 2, protocol: udp, "
         "message_size: 1000B, rate: 8Mbps}\n"
         "timing: {warmup: 100ms, measure: " +
         std::to_string(measure_ms) +
         "ms, cooldown: 50ms, interval: 100ms}\nrepeat: " + std::to_string(repeat) + "\n" + limits;
}

class MovingClocks : public Cluster {
 protected:
  std::string Listen() const override { return "127.0.0.1:" + std::to_string(kPort); }
  static MachineSpec A() {
    return {.boot_id = "aaaa",
            .address = "10.99.0.11",
            .clock_shift_ns = 5 * kDay,
            .wall_ns = 40 * kDay,
            .cpus = {0, 1}};
  }
  static MachineSpec B() {
    return {.boot_id = "bbbb",
            .address = "10.99.0.12",
            .clock_shift_ns = -3 * kDay,
            .wall_ns = -7 * kHour,
            .cpus = {0}};
  }
  HostClocks& ClocksOf(const std::string& host) { return workers_.at(host == "a" ? 0 : 1)->clocks(); }

  // The run's result; `at_interval` is called at each live interval.
  template <typename AtInterval>
  tutti::v1::Result RunAnd(const std::string& plan, AtInterval at_interval) {
    const auto run_id = Submit(plan);
    EXPECT_TRUE(run_id.ok()) << run_id.status();
    if (!run_id.ok()) return {};
    return Watch(*run_id, [&](const tutti::v1::RunEvent& event) {
      if (event.has_interval()) at_interval(event.interval());
    });
  }

  // At T0 the stated offset is the true one to within its bound. The coordinator's clock is this machine's.
  void ExpectTheTruth(const tutti::v1::TrialResult& trial, const tutti::v1::HostClock& clock) {
    const int64_t t0_ns = trial.t0_timeline_ns();
    const int64_t offset_ns = t0_ns - ClocksOf(clock.host()).At(t0_ns).ns;
    EXPECT_LE(std::llabs(clock.offset_ns() - offset_ns), clock.bound_before_ns()) << clock.ShortDebugString();
  }

  // Nothing starts before T0 or arrives before it was sent, on two hosts' clocks, by more than their bounds.
  static void ExpectStartsInOrder(const tutti::v1::TrialResult& trial) {
    const int64_t slack_ns =
        trial.hosts(0).clock().bound_during_ns() + trial.hosts(1).clock().bound_during_ns();
    ASSERT_EQ(trial.streams_size(), 2);
    for (const auto& stream : trial.streams()) {
      EXPECT_GE(stream.sender().first_send_before_trial_ns(), -slack_ns);
      EXPECT_GE(stream.receiver().first_receive_trial_ns(),
                stream.sender().first_send_before_trial_ns() - slack_ns);
      // A loaded machine may be late, but not by a clock's difference.
      EXPECT_LT(stream.receiver().first_receive_trial_ns(), kSecond);
    }
  }
};

TEST_F(MovingClocks, WallClocksThatDifferAndAreSetInTheMiddleChangeNothing) {
  Join("a", A());
  Join("b", B());
  constexpr int64_t kSteps[] = {kSecond, -kSecond, kHour, -kHour};
  uint32_t stepped = 0;
  const tutti::v1::Result result =
      RunAnd(MovingPlan(1200, 4, ""), [&](const tutti::v1::LiveInterval& interval) {
        if (interval.repetition() != stepped + 1 || interval.interval() < 2) return;
        ClocksOf("a").StepWall(kSteps[stepped]);
        ClocksOf("b").StepWall(-2 * kSteps[stepped]);
        ++stepped;
      });
  EXPECT_EQ(stepped, 4u);
  EXPECT_EQ(result.exit_code(), 0) << result.ShortDebugString().substr(0, 2000);
  ASSERT_EQ(result.cases_size(), 1);
  ASSERT_EQ(result.cases(0).trials_size(), 4);
  for (const auto& trial : result.cases(0).trials()) {
    EXPECT_EQ(trial.status(), tutti::v1::TRIAL_STATUS_GOOD) << trial.ShortDebugString().substr(0, 2000);
    ASSERT_EQ(trial.hosts_size(), 2);
    for (const auto& host : trial.hosts()) {
      const auto& clock = host.clock();
      ExpectTheTruth(trial, clock);
      EXPECT_EQ(clock.source(), tutti::v1::CLOCK_SOURCE_KERNEL);
      EXPECT_EQ(clock.restarts(), 0u);  // CLOCK_MONOTONIC went on
      EXPECT_EQ(clock.refits(), 1u);    // 1.35 s, renewed each second
      EXPECT_LE(std::llabs(clock.moved_ns()), clock.bound_during_ns() + clock.bound_after_ns());
      EXPECT_LT(clock.bound_during_ns(), 10 * kMs);
    }
    ExpectStartsInOrder(trial);
  }
}

// The load goes on by the clock that it was armed with; what is told of the jump is the clock service's.
TEST_F(MovingClocks, AJumpInTheMiddleWidensTheBoundAndIsOverTheLimit) {
  Join("a", A());
  Join("b", B());
  bool jumped = false;
  const tutti::v1::Result result =
      RunAnd(MovingPlan(2300, 1, "limits: {clock_error: 50ms}\n"), [&](const tutti::v1::LiveInterval&) {
        if (!jumped) ClocksOf("b").Jump(300 * kMs);
        jumped = true;
      });
  ASSERT_EQ(result.cases_size(), 1) << result.ShortDebugString();
  const auto& trial = result.cases(0).trials(0);
  EXPECT_EQ(result.exit_code(), 4) << trial.ShortDebugString().substr(0, 2000);
  EXPECT_EQ(trial.status(), tutti::v1::TRIAL_STATUS_OVER_LIMIT);
  EXPECT_THAT(trial.reasons(), Contains(AllOf(HasSubstr("host b"), HasSubstr("limits.clock_error"),
                                              HasSubstr("let chrony or PTP settle"))));
  EXPECT_THAT(trial.reasons(), Each(Not(HasSubstr("host a"))));
  ASSERT_EQ(trial.hosts_size(), 2);
  const auto& moved = trial.hosts(1).clock();
  // The trial's time cannot have made up for it: 500 ppm.
  EXPECT_GE(moved.bound_during_ns(), 295 * kMs) << moved.ShortDebugString();
  EXPECT_GE(moved.restarts(), 1u);
  EXPECT_EQ(trial.hosts(0).clock().restarts(), 0u);
  EXPECT_LT(trial.hosts(0).clock().bound_during_ns(), 50 * kMs);
  ExpectTheTruth(trial, trial.hosts(0).clock());
}

TEST_F(MovingClocks, AJumpAfterTheLastFitIsSeenByTheEstimateThatFollows) {
  Join("a", A());
  Join("b", B());
  // 0.45 s: the next fit would be sent after a second.
  const tutti::v1::Result result =
      RunAnd(MovingPlan(300, 1, ""), [&](const tutti::v1::LiveInterval& interval) {
        if (interval.interval() == 1) ClocksOf("b").Jump(-300 * kMs);
      });
  ASSERT_EQ(result.cases_size(), 1) << result.ShortDebugString();
  const auto& trial = result.cases(0).trials(0);
  ASSERT_EQ(trial.hosts_size(), 2);
  EXPECT_EQ(trial.status(), tutti::v1::TRIAL_STATUS_SUSPECT) << trial.hosts(1).clock().ShortDebugString();
  EXPECT_THAT(trial.reasons(), Contains(HasSubstr("host b")));
  EXPECT_NEAR(static_cast<double>(std::llabs(trial.hosts(1).clock().moved_ns())), 3e8, 1e7);
}

TEST_F(MovingClocks, ClocksThatDriftApartAsFarAsTheyMayAreFollowed) {
  MachineSpec fast = A();
  fast.clock_drift = 480e-6;
  MachineSpec slow = B();
  slow.clock_drift = -480e-6;
  Join("a", fast);
  Join("b", slow);
  const tutti::v1::Result result = Run(MovingPlan(2300, 1, "limits: {clock_error: 20ms}\n"));
  ASSERT_EQ(result.cases_size(), 1) << result.ShortDebugString();
  const auto& trial = result.cases(0).trials(0);
  EXPECT_EQ(trial.status(), tutti::v1::TRIAL_STATUS_GOOD) << trial.ShortDebugString().substr(0, 2000);
  ASSERT_EQ(trial.hosts_size(), 2);
  for (const auto& host : trial.hosts()) {
    const auto& clock = host.clock();
    ExpectTheTruth(trial, clock);
    // What the timeline gains on it.
    const double gains_ppm = (1 / (1 + ClocksOf(host.host()).drift()) - 1) * 1e6;
    EXPECT_NEAR(clock.drift_ppm(), gains_ppm, clock.drift_bound_ppm() + 0.001);
    EXPECT_EQ(clock.restarts(), 0u);
    EXPECT_EQ(clock.refits(), 2u);
    EXPECT_LE(std::llabs(clock.moved_ns()), clock.bound_during_ns() + clock.bound_after_ns());
  }
  ExpectStartsInOrder(trial);
}

TEST_F(MovingClocks, ASlowAndLopsidedPathWidensTheBoundAndTheLimitNamesItsHost) {
  using std::chrono::microseconds;
  const SlowPath path("127.0.0.2", kPort, HeavyTailed(microseconds(24'000), 500),
                      HeavyTailed(microseconds(16'000), 200));

  const net::Endpoint by_path = net::ParseEndpoint("127.0.0.2:" + std::to_string(kPort)).value();
  Join("a", A());
  Join("b", B(), by_path);
  std::this_thread::sleep_for(std::chrono::seconds(1));  // some exchanges
  const tutti::v1::Result result = Run(MovingPlan(1500, 1, "limits: {clock_error: 10ms}\n"));
  ASSERT_EQ(result.cases_size(), 1) << result.ShortDebugString();
  const auto& trial = result.cases(0).trials(0);
  EXPECT_EQ(result.exit_code(), 4) << trial.ShortDebugString().substr(0, 2000);
  EXPECT_THAT(trial.reasons(), Contains(AllOf(HasSubstr("host b"), HasSubstr("quieter control path"))));
  EXPECT_THAT(trial.reasons(), Each(Not(HasSubstr("host a"))));
  ASSERT_EQ(trial.hosts_size(), 2);
  for (const auto& host : trial.hosts()) {
    ExpectTheTruth(trial, host.clock());
    EXPECT_EQ(host.clock().restarts(), 0u);
    EXPECT_EQ(host.clock().source(), tutti::v1::CLOCK_SOURCE_KERNEL);
  }
  // Half of what the path takes at least, and off by half of what its ways differ.
  const auto& far = trial.hosts(1).clock();
  EXPECT_GE(far.bound_before_ns(), 18 * kMs);
  EXPECT_GE(far.round_trip_ns(), 40 * kMs);
  const int64_t t0_ns = trial.t0_timeline_ns();
  EXPECT_GT(std::llabs(far.offset_ns() - (t0_ns - ClocksOf("b").At(t0_ns).ns)), kMs);
  ExpectStartsInOrder(trial);
}

TEST_F(MovingClocks, TheWorstWayInWhichAClockWasMeasuredIsWhatTheTrialSays) {
  const SlowPath::Delay none = [](std::mt19937_64&) { return std::chrono::microseconds(0); };
  SlowPath path("127.0.0.2", kPort, none, none);
  path.PassDatagrams(false);

  const net::Endpoint by_path = net::ParseEndpoint("127.0.0.2:" + std::to_string(kPort)).value();
  Join("a", A());
  Join("b", B(), by_path);
  const tutti::v1::Result result =
      RunAnd(MovingPlan(2300, 1, ""), [&](const tutti::v1::LiveInterval&) { path.PassDatagrams(true); });
  ASSERT_EQ(result.cases_size(), 1) << result.ShortDebugString();
  const auto& trial = result.cases(0).trials(0);
  ASSERT_EQ(trial.hosts_size(), 2);
  EXPECT_EQ(trial.hosts(0).clock().source(), tutti::v1::CLOCK_SOURCE_KERNEL);
  EXPECT_EQ(trial.hosts(1).clock().source(), tutti::v1::CLOCK_SOURCE_SESSION);
  EXPECT_THAT(trial.warnings(), Contains(HasSubstr("clocks of b: measured over the session")));
  for (const auto& host : trial.hosts()) ExpectTheTruth(trial, host.clock());
  // It was the way for a part of the trial only.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (Worker("b").clock_source() != tutti::v1::CLOCK_SOURCE_KERNEL) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace
}  // namespace tutti::integration
