// A whole trial over loopback: the numbers of both ends must close.
#include "worker/load/load_trial.h"

#include <numeric>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/worker/load/two_ends.h"

namespace tutti::load {
namespace {

using ::testing::Each;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

uint64_t SentMessages(const StreamReport& report) {
  return std::accumulate(report.sent_cohorts.begin(), report.sent_cohorts.end(), uint64_t{0},
                         [](uint64_t sum, const SentCohort& cohort) { return sum + cohort.messages; });
}

uint64_t ArrivedMessages(const StreamReport& report) {
  return std::accumulate(report.received_cohorts.begin(), report.received_cohorts.end(), uint64_t{0},
                         [](uint64_t sum, const ReceivedCohort& cohort) {
                           return sum + cohort.in_order + cohort.reordered + cohort.late;
                         });
}

uint64_t CohortBytes(const StreamReport& report) {
  uint64_t bytes = 0;
  for (const SentCohort& cohort : report.sent_cohorts) bytes += cohort.bytes;
  for (const ReceivedCohort& cohort : report.received_cohorts) bytes += cohort.bytes;
  return bytes;
}

TEST(LoadTrial, TcpReceivesExactlyWhatWasSent) {
  for (const char* address : {"127.0.0.1", "::1"}) {
    TwoEnds ends;
    ASSERT_NO_FATAL_FAILURE(ends.RunAll({End(1, Side::kSend, Protocol::kTcp, 131072, address)},
                                        {End(1, Side::kReceive, Protocol::kTcp, 131072, address)}));
    const StreamReport& sent = ends.sent.streams[0];
    const StreamReport& received = ends.received.streams[0];
    EXPECT_EQ(sent.error, "");
    EXPECT_EQ(received.error, "");
    EXPECT_GT(sent.total_bytes, 0u);
    EXPECT_EQ(received.total_bytes, sent.total_bytes);
    EXPECT_EQ(ends.finals[0].bytes, sent.total_bytes);
    EXPECT_TRUE(received.drained);
    ASSERT_TRUE(sent.tcp && received.tcp);
    EXPECT_EQ(received.tcp->bytes_received, sent.total_bytes);
    EXPECT_EQ(sent.tcp->bytes_acked, sent.total_bytes);
    EXPECT_EQ(sent.tcp->bytes_sent - sent.tcp->bytes_retrans, sent.total_bytes);
    EXPECT_EQ(sent.max_send_call_bytes, 131072u);
    EXPECT_EQ(received.read_size_bytes, 131072u);
  }
}

TEST(LoadTrial, TinyTcpMessagesAreReadOneByOneUnlessThePlanSaysOtherwise) {
  StreamConfig receiver = End(1, Side::kReceive, Protocol::kTcp, 128);
  EXPECT_EQ(DefaultReadSizeBytes(receiver), 128u);
  receiver.message_size_bytes = 129;
  EXPECT_EQ(DefaultReadSizeBytes(receiver), 131072u);
  EXPECT_EQ(DefaultReadSizeBytes(ExchangeEnd(Side::kReceive, Protocol::kTcp, 1, 1)), 131072u);
  receiver.message_size_bytes = 64;
  receiver.read_size_bytes = 4096;
  TwoEnds ends;
  ASSERT_NO_FATAL_FAILURE(ends.RunAll({End(1, Side::kSend, Protocol::kTcp, 64)}, {receiver}));
  EXPECT_EQ(ends.received.streams[0].read_size_bytes, 4096u);
  EXPECT_EQ(ends.received.streams[0].total_bytes, ends.sent.streams[0].total_bytes);
}

TEST(LoadTrial, UdpCountsCloseOnBothEnds) {
  for (const char* address : {"127.0.0.1", "::1"}) {
    TwoEnds ends;
    auto sender = End(1, Side::kSend, Protocol::kUdp, 1000, address);
    sender.rate_bps = 8'000'000;  // 1,000 a second: the default buffer bridges a busy machine
    ASSERT_NO_FATAL_FAILURE(ends.RunAll({sender}, {End(1, Side::kReceive, Protocol::kUdp, 1000, address)}));
    const StreamReport& sent = ends.sent.streams[0];
    const StreamReport& received = ends.received.streams[0];
    EXPECT_EQ(sent.error, "");
    EXPECT_EQ(received.error, "");
    // 110 ms window in 50 ms intervals: three of them, and what is before and after.
    ASSERT_THAT(sent.sent_cohorts, SizeIs(5));
    ASSERT_THAT(received.received_cohorts, SizeIs(5));
    EXPECT_EQ(SentMessages(sent), sent.total_messages);
    EXPECT_EQ(CohortBytes(sent), sent.total_bytes);
    EXPECT_EQ(ArrivedMessages(received), received.total_messages);
    EXPECT_EQ(CohortBytes(received), received.total_bytes);
    EXPECT_TRUE(received.drained);
    EXPECT_EQ(received.total_messages, sent.total_messages);
    for (size_t i = 0; i < 5; ++i)
      EXPECT_EQ(received.received_cohorts[i].bytes, sent.sent_cohorts[i].bytes) << i;
    EXPECT_TRUE(received.jitter_ns.has_value());
    EXPECT_EQ(received.socket_drops, 0u);
    EXPECT_EQ(received.socket_drops_window, 0u);
    EXPECT_EQ(received.foreign, 0u);
  }
}

TEST(LoadTrial, SaturatedUdpSocketCountsItsDropsAndTheSumCloses) {
  TwoEnds ends;
  auto receiver = End(1, Side::kReceive, Protocol::kUdp, 1472);
  receiver.socket_buffer_bytes = 16384;
  ASSERT_NO_FATAL_FAILURE(ends.RunAll({End(1, Side::kSend, Protocol::kUdp, 1472)}, {receiver}));
  const StreamReport& sent = ends.sent.streams[0];
  const StreamReport& received = ends.received.streams[0];
  ASSERT_TRUE(received.socket_drops);
  // On loopback nothing is lost but in the receiver's socket.
  EXPECT_EQ(received.total_messages + *received.socket_drops, sent.total_messages);
}

TEST(LoadTrial, EdgesLieOnTheGridAndTheLastIsTheWindowsEnd) {
  TwoEnds ends;
  ASSERT_NO_FATAL_FAILURE(ends.RunAll({End(1, Side::kSend, Protocol::kTcp, 65536)},
                                      {End(1, Side::kReceive, Protocol::kTcp, 65536)}));
  for (const std::vector<Edge>* edges : {&ends.sender_edges, &ends.receiver_edges}) {
    ASSERT_THAT(*edges, SizeIs(4));
    const int64_t due[] = {30 * kMs, 80 * kMs, 130 * kMs, 140 * kMs};
    for (size_t i = 0; i < 4; ++i) {
      const Edge& edge = (*edges)[i];
      EXPECT_EQ(edge.index, i);
      EXPECT_EQ(edge.due_trial_ns, due[i]);
      EXPECT_GE(edge.begin_trial_ns, edge.due_trial_ns - 2);
      EXPECT_GE(edge.end_trial_ns, edge.begin_trial_ns);
      EXPECT_GT(edge.kernel_bytes[0], 0u);
      if (i == 0) continue;
      const Edge& before = (*edges)[i - 1];
      EXPECT_GE(edge.bytes[0], before.bytes[0]);
      EXPECT_GE(edge.thread_cpu_ns[0], before.thread_cpu_ns[0]);
      EXPECT_GE(edge.kernel_bytes[0], before.kernel_bytes[0]);
    }
  }
  EXPECT_GT(ends.sender_edges[0].rtt_us[0], 0u);
  EXPECT_GT(ends.sender_edges[0].cwnd_segments[0], 0u);
  EXPECT_GT(ends.sent.load_thread_cpu_ns, 0u);
  EXPECT_GT(ends.sent.sampler_cpu_ns, 0u);
  EXPECT_GT(ends.sender_edges[3].bytes[0], ends.sender_edges[0].bytes[0]);
  EXPECT_LE(ends.sender_edges[3].bytes[0], ends.sent.streams[0].total_bytes);
}

TEST(LoadTrial, InstantsOfASenderAreInOrder) {
  TwoEnds ends;
  ASSERT_NO_FATAL_FAILURE(ends.RunAll({End(1, Side::kSend, Protocol::kUdp, 1472)},
                                      {End(1, Side::kReceive, Protocol::kUdp, 1472)}));
  const StreamReport& sent = ends.sent.streams[0];
  ASSERT_TRUE(sent.first_send_before_trial_ns && sent.first_send_after_trial_ns && sent.running_trial_ns &&
              sent.last_send_trial_ns);
  EXPECT_GE(*sent.first_send_before_trial_ns, 0);
  EXPECT_LT(*sent.first_send_before_trial_ns, *sent.first_send_after_trial_ns);
  EXPECT_LT(*sent.first_send_after_trial_ns, *sent.running_before_trial_ns);
  EXPECT_LT(*sent.running_before_trial_ns, *sent.running_trial_ns);
  EXPECT_LT(*sent.running_trial_ns, *sent.last_send_trial_ns);
  EXPECT_LT(*sent.last_send_trial_ns, 160 * kMs);
  const StreamReport& received = ends.received.streams[0];
  ASSERT_TRUE(received.first_receive_trial_ns && received.last_receive_trial_ns);
  EXPECT_GT(*received.first_receive_trial_ns, *sent.first_send_before_trial_ns);
}

// The host's clock and the timeline are days apart and drift: only the mapping joins them.
TEST(LoadTrial, ATimelineDaysAwayChangesNoNumber) {
  constexpr int64_t kDays = int64_t{5} * 24 * 3600 * 1'000'000'000;
  TwoEnds ends;
  const HostTime now = SystemClock::Get().Now();
  ends.mapping = ClockMapping(now, {now.ns - kDays}, 50e-6, 1000, 1e-6);
  auto sender = End(1, Side::kSend, Protocol::kUdp, 1000);
  sender.rate_bps = 8'000'000;
  ASSERT_NO_FATAL_FAILURE(ends.RunAll({sender}, {End(1, Side::kReceive, Protocol::kUdp, 1000)}));
  EXPECT_EQ(ends.received.streams[0].total_messages, ends.sent.streams[0].total_messages);
  EXPECT_GT(ends.sent.streams[0].total_messages, 0u);
  ASSERT_THAT(ends.sender_edges, SizeIs(4));
  EXPECT_EQ(ends.sender_edges[3].due_trial_ns, 140 * kMs);
  EXPECT_GE(*ends.sent.streams[0].first_send_before_trial_ns, 0);
  EXPECT_LT(*ends.sent.streams[0].last_send_trial_ns, 160 * kMs);
}

class ShiftedClock final : public Clock {
 public:
  HostTime Now() const override { return SystemClock::Get().Now() + int64_t{3} * 24 * 3600 * 1'000'000'000; }
};

TEST(LoadTrial, AnInjectedClockDaysAwayFromTheKernelsChangesNoNumber) {
  const ShiftedClock clock;
  TwoEnds ends;
  ends.clock = &clock;
  ASSERT_NO_FATAL_FAILURE(ends.RunAll({End(1, Side::kSend, Protocol::kTcp, 65536)},
                                      {End(1, Side::kReceive, Protocol::kTcp, 65536)}));
  EXPECT_EQ(ends.received.streams[0].total_bytes, ends.sent.streams[0].total_bytes);
  ASSERT_TRUE(ends.sent.streams[0].first_send_before_trial_ns);
  EXPECT_GE(*ends.sent.streams[0].first_send_before_trial_ns, 0);
  EXPECT_LT(*ends.sent.streams[0].first_send_before_trial_ns, 100 * kMs);
}

TEST(LoadTrial, BothEndsMayLiveInOneTrial) {
  auto trial = LoadTrial::Prepare(
      {End(7, Side::kSend, Protocol::kTcp, 65536), End(7, Side::kReceive, Protocol::kTcp, 65536),
       End(8, Side::kSend, Protocol::kUdp, 1000), End(8, Side::kReceive, Protocol::kUdp, 1000)},
      kShort, SystemClock::Get());
  ASSERT_TRUE(trial.ok()) << trial.status();
  ASSERT_TRUE((*trial)->Connect((*trial)->bound_ports(), InNs(2000 * kMs)).ok());
  const ClockMapping identity;
  ASSERT_TRUE((*trial)->Arm(identity, identity.Convert(InNs(20 * kMs)), nullptr).ok());
  const auto finals = (*trial)->WaitSenders();
  (*trial)->Drain(finals, InNs(2500 * kMs));
  const LoadReport report = (*trial)->Report();
  ASSERT_THAT(report.streams, SizeIs(4));
  EXPECT_GT(report.streams[0].total_bytes, 0u);
  EXPECT_EQ(report.streams[1].total_bytes, report.streams[0].total_bytes);
  EXPECT_GT(report.streams[3].total_messages, 0u);
}

TEST(LoadTrial, SixtyFourStreamsRunAtOnce) {
  std::vector<StreamConfig> senders, receivers;
  for (uint32_t id = 0; id < 64; ++id) {
    const Protocol protocol = id % 2 == 0 ? Protocol::kTcp : Protocol::kUdp;
    senders.push_back(End(id, Side::kSend, protocol, 1000));
    senders.back().rate_bps = 1'000'000;
    receivers.push_back(End(id, Side::kReceive, protocol, 1000));
  }
  TwoEnds ends;
  ASSERT_NO_FATAL_FAILURE(ends.RunAll(senders, receivers, kShort, 500 * kMs));
  for (size_t i = 0; i < 64; ++i) {
    EXPECT_GT(ends.sent.streams[i].total_bytes, 0u) << i;
    EXPECT_EQ(ends.received.streams[i].total_bytes, ends.sent.streams[i].total_bytes) << i;
    EXPECT_EQ(ends.sent.streams[i].stream_id, i);
  }
}

TEST(LoadTrial, NullWorkloadCountsWithoutASocket) {
  TwoEnds ends;
  ASSERT_NO_FATAL_FAILURE(ends.RunAll({End(1, Side::kSend, Protocol::kNull, 1472)},
                                      {End(1, Side::kReceive, Protocol::kNull, 1472)}));
  EXPECT_GT(ends.sent.streams[0].total_messages, 1000u);
  EXPECT_EQ(ends.sent.streams[0].total_bytes, ends.sent.streams[0].total_messages * 1472);
}

TEST(LoadTrial, MessagesWithoutRoomForAHeaderHaveNoLossDetailAndSaySo) {
  TwoEnds ends;
  auto sender = End(1, Side::kSend, Protocol::kUdp, 23);
  sender.rate_bps = 1'000'000;
  ASSERT_NO_FATAL_FAILURE(ends.RunAll({sender}, {End(1, Side::kReceive, Protocol::kUdp, 23)}));
  EXPECT_THAT(ends.sent.streams[0].sent_cohorts, IsEmpty());
  EXPECT_THAT(ends.received.streams[0].received_cohorts, IsEmpty());
  EXPECT_FALSE(ends.received.streams[0].jitter_ns);
  EXPECT_GT(ends.sent.streams[0].total_messages, 0u);
  EXPECT_EQ(ends.received.streams[0].total_messages, ends.sent.streams[0].total_messages);
  ASSERT_THAT(ends.sent.streams[0].warnings, SizeIs(1));
  EXPECT_THAT(ends.sent.streams[0].warnings[0], HasSubstr("23B has no room for the header of 24B"));
  EXPECT_THAT(ends.received.streams[0].warnings, SizeIs(1));
}

TEST(LoadTrial, TheLargestDatagramIsReadWhole) {
  TwoEnds ends;
  auto sender = End(1, Side::kSend, Protocol::kUdp, 65507);
  sender.rate_bps = 20'000'000;
  auto receiver = End(1, Side::kReceive, Protocol::kUdp, 65507);
  receiver.socket_buffer_bytes = 1 << 20;
  ASSERT_NO_FATAL_FAILURE(ends.RunAll({sender}, {receiver}));
  EXPECT_GT(ends.received.streams[0].total_messages, 0u);
  EXPECT_EQ(ends.received.streams[0].total_bytes, ends.received.streams[0].total_messages * 65507);
  EXPECT_EQ(ends.received.streams[0].total_bytes, ends.sent.streams[0].total_bytes);
}

TEST(LoadTrial, DrainEndsAfterSilenceWhenSomethingIsMissing) {
  TwoEnds ends;
  auto sender = End(1, Side::kSend, Protocol::kUdp, 1000);
  sender.rate_bps = 1'000'000;
  ASSERT_NO_FATAL_FAILURE(ends.Prepare({sender}, {End(1, Side::kReceive, Protocol::kUdp, 1000)}));
  ASSERT_NO_FATAL_FAILURE(ends.Connect());
  ASSERT_NO_FATAL_FAILURE(ends.Arm());
  ends.finals = ends.sender->WaitSenders();
  ends.receiver->WaitSenders();
  ends.finals[0].messages += 3;  // as if three had been lost
  const HostTime begin = SystemClock::Get().Now();
  ends.receiver->Drain(ends.finals, InNs(5000 * kMs));
  const int64_t took_ns = SystemClock::Get().Now() - begin;
  EXPECT_GE(took_ns, 200 * kMs);
  EXPECT_LT(took_ns, 1000 * kMs);
  EXPECT_FALSE(ends.receiver->Report().streams[0].drained);
}

TEST(LoadTrial, ArmingAfterTheStartIsRefused) {
  TwoEnds ends;
  ASSERT_NO_FATAL_FAILURE(ends.Prepare({End(1, Side::kSend, Protocol::kUdp, 1000)},
                                       {End(1, Side::kReceive, Protocol::kUdp, 1000)}));
  ASSERT_NO_FATAL_FAILURE(ends.Connect());
  const ClockMapping identity;
  const absl::Status status = ends.sender->Arm(identity, identity.Convert(SystemClock::Get().Now()), nullptr);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace tutti::load
