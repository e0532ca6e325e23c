// A rate, judged by when each message was sent: the test receives the datagrams and reads their headers.
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/worker/load/plain_sockets.h"
#include "tests/unit/worker/load/two_ends.h"
#include "worker/load/pace_wait.h"
#include "worker/load/udp_header.h"

namespace tutti::load {
namespace {

// 100 B at 800 kbps are one message a ms, due at 0, 1, ... 159 ms: kShort ends at 160 ms.
constexpr uint64_t kSizeBytes = 100;
constexpr uint64_t kRateBps = 800'000;
constexpr int64_t kStepNs = 1 * kMs;
constexpr int64_t kStopNs = 160 * kMs;
constexpr int64_t kDueMessages = kStopNs / kStepNs;
constexpr int kTrials = 5;

StreamConfig PacedSender(Protocol protocol) {
  StreamConfig sender = End(1, Side::kSend, protocol, kSizeBytes);
  sender.rate_bps = kRateBps;
  return sender;
}

// ns since T0, in the order of sending.
std::vector<int64_t> SendTimes(const ClockMapping& mapping) {
  const FileDescriptor socket = BoundSocket(SOCK_DGRAM);
  const timeval patience{.tv_sec = 1, .tv_usec = 0};
  EXPECT_EQ(setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)), 0);
  auto trial = LoadTrial::Prepare({PacedSender(Protocol::kUdp)}, kShort, SystemClock::Get());
  EXPECT_TRUE(trial.ok()) << trial.status();
  EXPECT_TRUE((*trial)->Connect({{1, PortOf(socket)}}, InNs(2000 * kMs)).ok());
  EXPECT_TRUE((*trial)->Arm(mapping, mapping.Convert(InNs(60 * kMs)), nullptr).ok());
  const uint64_t messages = (*trial)->WaitSenders().front().messages;
  std::vector<int64_t> times;
  std::array<unsigned char, 2 * kSizeBytes> datagram{};
  while (times.size() < messages &&
         recv(socket.get(), datagram.data(), datagram.size(), 0) == static_cast<ssize_t>(kSizeBytes)) {
    times.push_back(DecodeUdpHeader(datagram.data()).send_trial_ns);
  }
  EXPECT_EQ(times.size(), messages);
  return times;
}

// What of the trial's time the sender did not get to run in: it sleeps for one step, and what it missed in
// less than two it makes up for at once. A sender that is merely slow has no such gaps.
int64_t HeldUpNs(std::vector<int64_t> times) {
  times.push_back(kStopNs);
  int64_t held_up_ns = 0;
  int64_t before_ns = 0;
  for (const int64_t time_ns : times) {
    const int64_t gap_ns = time_ns - before_ns;
    if (gap_ns > 2 * kStepNs) held_up_ns += gap_ns;
    before_ns = time_ns;
  }
  return held_up_ns;
}

// A busy machine may take the CPU away in one trial, hardly in all of them.
void ExpectRateKept(const ClockMapping& mapping) {
  int64_t least_held_up_ns = kStopNs;
  for (int trial = 0; trial < kTrials && least_held_up_ns > kStopNs / 50; ++trial) {
    const std::vector<int64_t> times = SendTimes(mapping);
    for (size_t i = 0; i < times.size(); ++i) {
      ASSERT_GE(times[i], static_cast<int64_t>(i) * kStepNs) << "message " << i << " is ahead of the rate";
    }
    const int64_t held_up_ns = HeldUpNs(times);
    // The last one may be due when the trial ends.
    EXPECT_GE(static_cast<int64_t>(times.size()), (kStopNs - held_up_ns) / kStepNs - 2)
        << "held up for " << held_up_ns << " ns";
    least_held_up_ns = std::min(least_held_up_ns, held_up_ns);
  }
  EXPECT_LT(least_held_up_ns, kStopNs / 2) << "no trial had the CPU for long enough to tell";
}

TEST(PacedSender, IsNeverAheadOfItsRateAndBehindItOnlyWhereItWasHeldUp) { ExpectRateKept(ClockMapping()); }

TEST(PacedSender, KeepsTheRateOfATimelineThatIsDaysAwayAndDrifts) {
  constexpr int64_t kDaysNs = int64_t{5} * 24 * 3600 * 1'000'000'000;
  const HostTime now = SystemClock::Get().Now();
  ExpectRateKept(ClockMapping(now, {now.ns - kDaysNs}, 50e-6, 1000, 1e-6));
}

// A stream of bytes has no send times to read: the best of several trials tells.
TEST(PacedSender, OverTcpComesWithin5PercentOfItsRateAndNeverBeyond) {
  uint64_t best = 0;
  for (int trial = 0; trial < kTrials && best < kDueMessages * 95 / 100; ++trial) {
    TwoEnds ends;
    ASSERT_NO_FATAL_FAILURE(
        ends.RunAll({PacedSender(Protocol::kTcp)}, {End(1, Side::kReceive, Protocol::kTcp, kSizeBytes)}));
    EXPECT_LE(ends.sent.streams[0].total_messages, static_cast<uint64_t>(kDueMessages));
    best = std::max(best, ends.sent.streams[0].total_messages);
  }
  EXPECT_GE(best, static_cast<uint64_t>(kDueMessages) * 95 / 100);
}

int64_t ThreadCpuNs() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return used.tv_sec * 1'000'000'000 + used.tv_nsec;
}

// What a wait of 40 ms took of the CPU.
int64_t CpuOfWaiting(PaceKeeper keeper) {
  const SlewedMapping identity{ClockMapping()};
  const TrialClock clock(identity, identity.Convert(SystemClock::Get().Now()), 0);
  TrialControl control(1);
  EXPECT_TRUE(control.Open().ok());
  const int64_t before_ns = ThreadCpuNs();
  WaitUntilDue({.keeper = keeper}, clock, control, 40 * kMs);
  EXPECT_GE(clock.NowNs(), 40 * kMs);
  return ThreadCpuNs() - before_ns;
}

// A machine that is busy otherwise leaves the thread but a part of those 40 ms.
TEST(PacedSender, WaitsAsleepOrWithABusyCpuAsThePlanSays) {
  EXPECT_LT(CpuOfWaiting(PaceKeeper::kSleep), 1 * kMs);
  EXPECT_GT(CpuOfWaiting(PaceKeeper::kSpin), 1 * kMs);
}

// Pacing of TCP needs no qdisc. The window begins behind the ten segments that the kernel never paces.
TEST(PacedSender, TheKernelPacesTcpByItsPayload) {
  constexpr uint64_t kKernelRateBps = 160'000'000;
  constexpr TrialTiming kTiming{
      .warmup_ns = 200 * kMs, .measure_ns = 300 * kMs, .cooldown_ns = 20 * kMs, .interval_ns = 300 * kMs};
  constexpr double kWantBytes = 160e6 / 8 * 0.3;
  StreamConfig sender = End(1, Side::kSend, Protocol::kTcp, 16'384);
  sender.rate_bps = kKernelRateBps;
  sender.pacing.keeper = PaceKeeper::kKernel;
  double best = 0;
  for (int trial = 0; trial < kTrials && best < 0.97 * kWantBytes; ++trial) {
    TwoEnds ends;
    ASSERT_NO_FATAL_FAILURE(ends.RunAll({sender}, {End(1, Side::kReceive, Protocol::kTcp, 16'384)}, kTiming));
    ASSERT_EQ(ends.receiver_edges.size(), 2u);
    const Edge& first = ends.receiver_edges[0];
    const Edge& last = ends.receiver_edges[1];
    const double elapsed = static_cast<double>(last.begin_trial_ns - first.begin_trial_ns) / 300e6;
    const auto bytes = static_cast<double>(last.bytes[0] - first.bytes[0]);
    EXPECT_LE(bytes, 1.03 * kWantBytes * elapsed + 131'072) << "a read and a segment may be at the edges";
    best = std::max(best, bytes);
    EXPECT_EQ(ends.sent.streams[0].worst_behind_ns, std::nullopt);
    const std::vector<OptionOutcome>& options = ends.sent.streams[0].options;
    EXPECT_TRUE(std::any_of(options.begin(), options.end(), [](const OptionOutcome& option) {
      return option.name == "SO_MAX_PACING_RATE" && option.got == "20000000B/s" && option.applied;
    }));
  }
  EXPECT_GE(best, 0.97 * kWantBytes);
}

}  // namespace
}  // namespace tutti::load
