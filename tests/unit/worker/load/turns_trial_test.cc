// Whole trials whose streams share a thread per CPU: what they count, how they end, and that none is starved.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/worker/load/plain_sockets.h"
#include "tests/unit/worker/load/two_ends.h"
#include "worker/load/cpu_pinning.h"

namespace tutti::load {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

StreamConfig Shared(uint32_t id, Side side, Protocol protocol, uint64_t size_bytes,
                    const std::string& address = "127.0.0.1") {
  StreamConfig config = End(id, side, protocol, size_bytes, address);
  config.threads = ThreadChoice::kPerCpu;
  config.cpu = AllowedCpus().front();
  return config;
}

struct Ends {
  std::vector<StreamConfig> senders;
  std::vector<StreamConfig> receivers;
};

Ends SharedStreams(uint32_t count, Protocol protocol, uint64_t size_bytes) {
  Ends ends;
  for (uint32_t id = 0; id < count; ++id) {
    ends.senders.push_back(Shared(id, Side::kSend, protocol, size_bytes));
    ends.receivers.push_back(Shared(id, Side::kReceive, protocol, size_bytes));
  }
  return ends;
}

uint64_t LeastBytes(const LoadReport& report) {
  uint64_t least = UINT64_MAX;
  for (const StreamReport& stream : report.streams) least = std::min(least, stream.total_bytes);
  return least;
}

void ExpectNoErrors(const LoadReport& report) {
  for (const StreamReport& stream : report.streams) EXPECT_THAT(stream.error, IsEmpty());
}

TEST(TurnsTrial, TcpStreamsOfOneThreadArriveInFullAndInOneThread) {
  constexpr uint32_t kStreams = 9;
  Ends streams = SharedStreams(kStreams, Protocol::kTcp, 20'000);
  TwoEnds ends;
  ASSERT_NO_FATAL_FAILURE(ends.RunAll(streams.senders, streams.receivers));
  ExpectNoErrors(ends.sent);
  ExpectNoErrors(ends.received);
  EXPECT_EQ(ends.sent.load_threads, 1u);
  EXPECT_EQ(ends.received.load_threads, 1u);
  for (uint32_t i = 0; i < kStreams; ++i) {
    EXPECT_GT(ends.sent.streams[i].total_bytes, 0u);
    EXPECT_EQ(ends.received.streams[i].total_bytes, ends.sent.streams[i].total_bytes);
    EXPECT_TRUE(ends.received.streams[i].drained);
    EXPECT_EQ(ends.sent.streams[i].cpu, AllowedCpus().front());
  }
}

TEST(TurnsTrial, UdpStreamsOfOneThreadAccountForEveryDatagram) {
  constexpr uint32_t kStreams = 5;
  Ends streams = SharedStreams(kStreams, Protocol::kUdp, 1000);
  for (StreamConfig& sender : streams.senders) sender.rate_bps = 8'000'000;
  TwoEnds ends;
  ASSERT_NO_FATAL_FAILURE(ends.RunAll(streams.senders, streams.receivers));
  ExpectNoErrors(ends.sent);
  ExpectNoErrors(ends.received);
  for (uint32_t i = 0; i < kStreams; ++i) {
    EXPECT_GT(ends.sent.streams[i].total_messages, 0u);
    EXPECT_LE(ends.sent.streams[i].total_messages, 160u);  // one a ms until 160 ms
    EXPECT_TRUE(ends.sent.streams[i].worst_behind_ns.has_value());
    ReceivedCohort all;
    for (const ReceivedCohort& cohort : ends.received.streams[i].received_cohorts) {
      all.in_order += cohort.in_order;
      all.reordered += cohort.reordered;
    }
    EXPECT_EQ(all.in_order + all.reordered, ends.sent.streams[i].total_messages);
    EXPECT_TRUE(ends.received.streams[i].drained);
  }
}

TEST(TurnsTrial, SaturatingStreamsShareOneThreadEvenly) {
  constexpr uint32_t kStreams = 8;
  Ends streams = SharedStreams(kStreams, Protocol::kTcp, 16'384);
  TwoEnds ends;
  ASSERT_NO_FATAL_FAILURE(ends.RunAll(streams.senders, streams.receivers));
  const uint64_t sum =
      std::accumulate(ends.sent.streams.begin(), ends.sent.streams.end(), uint64_t{0},
                      [](uint64_t bytes, const StreamReport& stream) { return bytes + stream.total_bytes; });
  EXPECT_GE(LeastBytes(ends.sent), sum / kStreams / 2);
}

// One of them is never read from: its socket fills, and the others must not notice.
TEST(TurnsTrial, AStreamWhosePeerDoesNotReadHoldsUpNoOther) {
  const FileDescriptor deaf = BoundSocket(SOCK_STREAM);
  Ends streams = SharedStreams(3, Protocol::kTcp, 16'384);
  TwoEnds ends;
  std::vector<StreamConfig> senders = streams.senders;
  senders.push_back(Shared(3, Side::kSend, Protocol::kTcp, 16'384));
  ASSERT_NO_FATAL_FAILURE(ends.Prepare(senders, streams.receivers));
  std::vector<BoundPort> targets = ends.receiver->bound_ports();
  targets.push_back({3, PortOf(deaf)});
  ASSERT_TRUE(ends.sender->Connect(targets, InNs(2000 * kMs)).ok());
  ASSERT_TRUE(ends.receiver->Connect({}, InNs(2000 * kMs)).ok());
  ASSERT_NO_FATAL_FAILURE(ends.Arm());
  ends.Finish();
  for (uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(ends.received.streams[i].total_bytes, ends.sent.streams[i].total_bytes);
    EXPECT_GT(ends.sent.streams[i].total_bytes, ends.sent.streams[3].total_bytes);
  }
}

TEST(TurnsTrial, AStreamWhosePeerIsGoneFailsAloneAndSaysWhy) {
  FileDescriptor gone = BoundSocket(SOCK_STREAM);
  Ends streams = SharedStreams(2, Protocol::kTcp, 1000);
  TwoEnds ends;
  ASSERT_NO_FATAL_FAILURE(ends.Prepare(streams.senders, {streams.receivers[0]}));
  std::vector<BoundPort> targets = ends.receiver->bound_ports();
  targets.push_back({1, PortOf(gone)});
  ASSERT_TRUE(ends.sender->Connect(targets, InNs(2000 * kMs)).ok());
  ASSERT_TRUE(ends.receiver->Connect({}, InNs(2000 * kMs)).ok());
  gone.Close();  // resets what waits in its backlog
  ASSERT_NO_FATAL_FAILURE(ends.Arm());
  ends.Finish();
  EXPECT_THAT(ends.sent.streams[0].error, IsEmpty());
  EXPECT_EQ(ends.received.streams[0].total_bytes, ends.sent.streams[0].total_bytes);
  EXPECT_THAT(ends.sent.streams[1].error, HasSubstr("tcp send to 127.0.0.1"));
}

TEST(TurnsTrial, ServesSendersAndReceiversOfOneHostInOneThreadOverIpv6Too) {
  std::vector<StreamConfig> a = {Shared(0, Side::kSend, Protocol::kTcp, 1000, "::1"),
                                 Shared(1, Side::kReceive, Protocol::kTcp, 1000, "::1")};
  std::vector<StreamConfig> b = {Shared(0, Side::kReceive, Protocol::kTcp, 1000, "::1"),
                                 Shared(1, Side::kSend, Protocol::kTcp, 1000, "::1")};
  TwoEnds ends;
  ASSERT_NO_FATAL_FAILURE(ends.Prepare(a, b));
  const std::vector<BoundPort> of_a = ends.sender->bound_ports();
  const HostTime deadline = InNs(2000 * kMs);
  std::thread other([&] { EXPECT_TRUE(ends.receiver->Connect(of_a, deadline).ok()); });
  EXPECT_TRUE(ends.sender->Connect(ends.receiver->bound_ports(), deadline).ok());
  other.join();
  ASSERT_NO_FATAL_FAILURE(ends.Arm());
  std::vector<SenderFinal> of_b;
  std::thread waiter([&] { of_b = ends.receiver->WaitSenders(); });
  const std::vector<SenderFinal> finals = ends.sender->WaitSenders();
  waiter.join();
  ends.sender->Drain(of_b, InNs(2500 * kMs));
  ends.receiver->Drain(finals, InNs(2500 * kMs));
  const LoadReport report_a = ends.sender->Report();
  const LoadReport report_b = ends.receiver->Report();
  EXPECT_EQ(report_a.load_threads, 1u);
  EXPECT_GT(report_a.streams[0].total_bytes, 0u);
  EXPECT_EQ(report_b.streams[0].total_bytes, report_a.streams[0].total_bytes);
  EXPECT_EQ(report_a.streams[1].total_bytes, report_b.streams[1].total_bytes);
}

// The thread's CPU time is known, a stream's part of it is not.
TEST(TurnsTrial, TheThreadsCpuTimeIsCountedOnce) {
  Ends streams = SharedStreams(4, Protocol::kTcp, 16'384);
  TwoEnds ends;
  ASSERT_NO_FATAL_FAILURE(ends.RunAll(streams.senders, streams.receivers));
  ASSERT_FALSE(ends.sender_edges.empty());
  const Edge& first = ends.sender_edges.front();
  const Edge& last = ends.sender_edges.back();
  EXPECT_GT(last.thread_cpu_ns[0], first.thread_cpu_ns[0]);
  for (size_t i = 1; i < 4; ++i) EXPECT_EQ(last.thread_cpu_ns[i], 0u);
  EXPECT_EQ(ends.sent.load_thread_cpu_ns, last.thread_cpu_ns[0] - first.thread_cpu_ns[0]);
}

long ResidentBytes() {
  long pages = 0;
  long resident = 0;
  FILE* statm = std::fopen("/proc/self/statm", "r");
  if (statm == nullptr) return -1;
  EXPECT_EQ(std::fscanf(statm, "%ld %ld", &pages, &resident), 2);
  std::fclose(statm);
  return resident * sysconf(_SC_PAGESIZE);
}

TEST(TurnsTrial, AThousandStreamsTakeNoMemoryForEachOne) {
  const long before_bytes = ResidentBytes();
  constexpr uint32_t kStreams = 1100;
  Ends streams = SharedStreams(kStreams, Protocol::kTcp, 1 << 20);
  for (StreamConfig& sender : streams.senders) sender.rate_bps = 1'000'000;
  TwoEnds ends;
  ASSERT_NO_FATAL_FAILURE(ends.Prepare(streams.senders, streams.receivers));
  ASSERT_NO_FATAL_FAILURE(ends.Connect());
  ASSERT_GT(before_bytes, 0);
  EXPECT_LT(ResidentBytes() - before_bytes, 300'000'000);  // of their own 1.2 GB of messages and reads
}

TEST(TurnsTrial, WhatOneThreadCannotServeIsRefused) {
  const auto refusal = [](StreamConfig config) {
    const auto trial = LoadTrial::Prepare({config}, kShort, SystemClock::Get());
    EXPECT_FALSE(trial.ok());
    return std::string(trial.status().message());
  };
  StreamConfig zerocopy = Shared(0, Side::kSend, Protocol::kTcp, 1000);
  zerocopy.ways.send = SendWay::kZerocopy;
  EXPECT_THAT(refusal(zerocopy), HasSubstr("does not send by zerocopy"));
  StreamConfig spinning = Shared(0, Side::kSend, Protocol::kUdp, 1000);
  spinning.rate_bps = 1'000'000;
  spinning.pacing.keeper = PaceKeeper::kSpin;
  EXPECT_THAT(refusal(spinning), HasSubstr("does not spin"));
  StreamConfig polling = Shared(0, Side::kReceive, Protocol::kUdp, 1000);
  polling.ways.receive_wait = ReceiveWait::kPoll;
  EXPECT_THAT(refusal(polling), HasSubstr("does not poll for one"));
  EXPECT_THAT(refusal(Shared(0, Side::kSend, Protocol::kNull, 1000)), HasSubstr("serves sockets only"));
}

}  // namespace
}  // namespace tutti::load
