// What a client tells of servers whose delays, stalls and losses are known.
#include <errno.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/worker/load/own_server.h"
#include "worker/load/udp_header.h"

namespace tutti::load {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr uint32_t kP50 = 500'000;
constexpr uint32_t kP99 = 990'000;

void SendByte(int fd) { EXPECT_EQ(send(fd, "x", 1, MSG_NOSIGNAL), 1); }

TEST(Latency, IsThatOfAServerWhichWaitsForAKnownTime) {
  OneByteServer server([](int fd) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    SendByte(fd);
  });
  LoneClient client(server.port());
  ASSERT_NO_FATAL_FAILURE(client.Start(
      ExchangeEnd(Side::kSend, Protocol::kTcp, 1, 1),
      {.warmup_ns = 20 * kMs, .measure_ns = 400 * kMs, .cooldown_ns = 20 * kMs, .interval_ns = 100 * kMs}));
  const StreamReport& report = client.Finish();
  ASSERT_EQ(report.error, "");
  EXPECT_GE(*report.latency->min_ns(), 5 * kMs);
  EXPECT_LT(*report.latency->PercentileNs(kP50), 10 * kMs);
  // One at a time: the sum of the window's latencies fits into it, and all but the turn-around fills it.
  EXPECT_LE(report.latency->sum_ns(), static_cast<uint64_t>(400 * kMs + *report.latency->max_ns()));
  EXPECT_GE(report.latency->sum_ns(), static_cast<uint64_t>(300 * kMs));
}

// 1000 transactions a second, and once the server stands still for 100 ms. About 100 users would have waited
// for 0 to 100 ms; a client that waits itself sees one slow transaction.
TEST(Latency, CorrectedShowsAStallThatTheClientsOwnWaitingHides) {
  for (const uint32_t outstanding : {1u, 8u}) {
    int requests = 0;
    OneByteServer server([&requests](int fd) {
      if (++requests == 400) std::this_thread::sleep_for(std::chrono::milliseconds(100));
      SendByte(fd);
    });
    StreamConfig config = ExchangeEnd(Side::kSend, Protocol::kTcp, 1, 1, outstanding);
    config.rate_bps = 8'000;
    config.nodelay = true;
    LoneClient client(server.port());
    ASSERT_NO_FATAL_FAILURE(client.Start(config, {.warmup_ns = 100 * kMs,
                                                  .measure_ns = 900 * kMs,
                                                  .cooldown_ns = 20 * kMs,
                                                  .interval_ns = 100 * kMs}));
    const StreamReport& report = client.Finish();
    ASSERT_EQ(report.error, "");
    ASSERT_GE(requests, 400);
    EXPECT_GE(*report.latency->max_ns(), 95 * kMs);
    EXPECT_LT(*report.latency->PercentileNs(kP99 - 2000), 50 * kMs) << outstanding;
    EXPECT_GE(*report.corrected_latency->PercentileNs(kP99), 75 * kMs) << outstanding;
    EXPECT_LT(*report.corrected_latency->PercentileNs(kP50), 30 * kMs) << outstanding;
    // Every transaction that was due in the window is there.
    EXPECT_NEAR(static_cast<double>(report.corrected_latency->count()), 900, 15) << outstanding;
  }
}

// Answers datagrams of 24 bytes, but for those of two sequences; one it answers twice, and once with the
// nonce of somebody else.
void ServeWithLoss(int fd, std::atomic<bool>& stop) {
  std::array<unsigned char, 100> datagram{};
  sockaddr_storage from{};
  while (!stop) {
    socklen_t length = sizeof(from);
    const auto* to = reinterpret_cast<sockaddr*>(&from);
    const ssize_t size =
        recvfrom(fd, datagram.data(), datagram.size(), 0, reinterpret_cast<sockaddr*>(&from), &length);
    if (size < 24) continue;
    UdpHeader header = DecodeUdpHeader(datagram.data());
    if (header.sequence == 5 || header.sequence == 7) continue;
    if (header.sequence == 9) sendto(fd, datagram.data(), 24, 0, to, length);
    sendto(fd, datagram.data(), 24, 0, to, length);
    if (header.sequence != 11) continue;
    ++header.nonce;
    EncodeUdpHeader(header, datagram.data());
    sendto(fd, datagram.data(), 24, 0, to, length);
  }
}

TEST(Latency, DatagramsThatAreNotAnsweredWithinASecondAreLostAndNotTriedAgain) {
  const FileDescriptor socket = BoundSocket(SOCK_DGRAM);
  const timeval timeout{0, 20'000};
  ASSERT_EQ(setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)), 0);
  std::atomic<bool> stop = false;
  std::thread server([&] { ServeWithLoss(socket.get(), stop); });
  LoneClient client(PortOf(socket));
  client.Start(ExchangeEnd(Side::kSend, Protocol::kUdp, 24, 24, 4),
               {.warmup_ns = 0, .measure_ns = 100 * kMs, .cooldown_ns = 10 * kMs, .interval_ns = 50 * kMs});
  const StreamReport& report = client.Finish();
  stop = true;
  server.join();
  ASSERT_EQ(report.error, "");
  EXPECT_EQ(report.lost_transactions, 2u);
  EXPECT_EQ(report.stray_responses, 1u);
  EXPECT_EQ(report.foreign, 1u);
  uint64_t requests = 0;
  for (const SentCohort& cohort : report.sent_cohorts) requests += cohort.messages;
  EXPECT_EQ(report.total_messages + 2, requests);
  EXPECT_EQ(report.total_bytes, requests * 24);
  EXPECT_LT(*report.latency->max_ns(), 1'000 * kMs);  // what is lost has no latency
}

TEST(Latency, RequestsThatWereLostBeforeTheWindowAreToldOfThoughTheyAreNotCountedInIt) {
  const FileDescriptor socket = BoundSocket(SOCK_DGRAM);
  const timeval timeout{0, 20'000};
  ASSERT_EQ(setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)), 0);
  std::atomic<bool> stop = false;
  std::thread server([&] { ServeWithLoss(socket.get(), stop); });
  LoneClient client(PortOf(socket));
  StreamConfig config = ExchangeEnd(Side::kSend, Protocol::kUdp, 24, 24, 4);
  config.rate_bps = 24 * 8 * 1000;  // the lost ones, 5 and 7, leave within the first 8 ms
  client.Start(
      config,
      {.warmup_ns = 400 * kMs, .measure_ns = 100 * kMs, .cooldown_ns = 10 * kMs, .interval_ns = 50 * kMs});
  const StreamReport& report = client.Finish();
  stop = true;
  server.join();
  EXPECT_EQ(report.lost_transactions, 0u);
  ASSERT_THAT(report.warnings, SizeIs(1));
  EXPECT_THAT(report.warnings[0], AllOf(HasSubstr("2 requests that were sent before the window"),
                                        HasSubstr("among the 4 outstanding")));
}

TEST(Latency, AServerThatNeverAnswersLeavesNoLatencyAndAWarning) {
  OneByteServer server([](int) {});
  LoneClient client(server.port());
  ASSERT_NO_FATAL_FAILURE(client.Start(ExchangeEnd(Side::kSend, Protocol::kTcp, 1, 1), kShort));
  const StreamReport& report = client.Finish();
  EXPECT_EQ(report.error, "");
  EXPECT_EQ(report.total_messages, 0u);
  EXPECT_EQ(report.total_bytes, 1u);
  EXPECT_EQ(report.latency->count(), 0u);
  ASSERT_THAT(report.warnings, SizeIs(1));
  EXPECT_THAT(report.warnings[0], HasSubstr("responses were missing 1 s after the last request"));
}

TEST(Latency, AnAbortEndsATransactionInTheMiddle) {
  OneByteServer server([](int) {});
  LoneClient client(server.port());
  ASSERT_NO_FATAL_FAILURE(client.Start(
      ExchangeEnd(Side::kSend, Protocol::kTcp, 1, 1),
      {.warmup_ns = 0, .measure_ns = 60'000 * kMs, .cooldown_ns = 0, .interval_ns = 1000 * kMs}));
  std::this_thread::sleep_for(std::chrono::milliseconds(80));
  const HostTime begin = SystemClock::Get().Now();
  client.trial->Abort();
  client.trial->WaitSenders();
  client.trial.reset();
  EXPECT_LT(SystemClock::Get().Now() - begin, 500 * kMs);
}

TEST(Latency, AServerThatEndsTheStreamFailsTheClient) {
  int requests = 0;
  OneByteServer server([&requests](int fd) {
    if (++requests > 10) return;  // asked before the end was seen
    SendByte(fd);
    if (requests == 10) shutdown(fd, SHUT_RDWR);
  });
  LoneClient client(server.port());
  ASSERT_NO_FATAL_FAILURE(client.Start(ExchangeEnd(Side::kSend, Protocol::kTcp, 1, 1), kShort));
  EXPECT_THAT(client.Finish().error, HasSubstr("the server's worker closed the connection"));
}

TEST(Latency, AConnectionThatIsRefusedIsNamedWithWhatCameBefore) {
  auto listener = std::make_unique<FileDescriptor>(BoundSocket(SOCK_STREAM));
  ASSERT_EQ(listen(listener->get(), 4), 0);
  const uint16_t port = PortOf(*listener);
  std::thread server([&] {
    const FileDescriptor first(accept(listener->get(), nullptr, nullptr));  // that of CONNECT
    for (int i = 0; i < 3; ++i) {
      const FileDescriptor connection(accept(listener->get(), nullptr, nullptr));
      char byte = 0;
      EXPECT_EQ(recv(connection.get(), &byte, 1, 0), 1);
      if (i == 2) listener.reset();  // before the answer lets the client connect again
      SendByte(connection.get());
    }
  });
  StreamConfig config = ExchangeEnd(Side::kSend, Protocol::kTcp, 1, 1);
  config.request_response.exchange = Exchange::kConnectRequestResponse;
  LoneClient client(port);
  client.Start(config, kShort);
  const StreamReport& report = client.Finish();
  server.join();
  EXPECT_EQ(report.error_errno, ECONNREFUSED);
  EXPECT_THAT(report.error, AllOf(HasSubstr("connect tcp 127.0.0.1 -> 127.0.0.1:" + std::to_string(port)),
                                  HasSubstr("ECONNREFUSED"), HasSubstr("after 3 transactions")));
}

}  // namespace
}  // namespace tutti::load
