// Every way to send and to receive a TCP stream: the same bytes, counted the same.
#include <sys/socket.h>
#include <sys/time.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/worker/load/plain_sockets.h"
#include "tests/unit/worker/load/two_ends.h"
#include "worker/load/message_buffer.h"
#include "worker/load/payload.h"
#include "worker/load/way_outcome.h"

namespace tutti::load {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr SendWay kSendWays[] = {SendWay::kWrite, SendWay::kSendfile, SendWay::kZerocopy};

TEST(TcpWays, EveryPairMovesExactlyWhatTheKernelCounts) {
  for (const SendWay way : kSendWays) {
    for (const bool discard : {false, true}) {
      for (const uint64_t size : {64u, 100'001u}) {
        for (const char* address : {"127.0.0.1", "::1"}) {
          SCOPED_TRACE(std::string(NameOf(way)) + (discard ? ", discarded, " : ", ") + std::to_string(size) +
                       " over " + address);
          StreamConfig sender = End(1, Side::kSend, Protocol::kTcp, size, address);
          StreamConfig receiver = End(1, Side::kReceive, Protocol::kTcp, size, address);
          sender.ways = {.send = way, .discard = discard};
          receiver.ways = sender.ways;
          TwoEnds ends;
          ASSERT_NO_FATAL_FAILURE(ends.RunAll({sender}, {receiver}, kShort, 20 * kMs));
          const StreamReport& sent = ends.sent.streams[0];
          const StreamReport& received = ends.received.streams[0];
          EXPECT_EQ(sent.error, "");
          EXPECT_EQ(received.error, "");
          EXPECT_GT(sent.total_bytes, 0u);
          EXPECT_EQ(received.total_bytes, sent.total_bytes);
          EXPECT_TRUE(received.drained);
          ASSERT_TRUE(sent.tcp && received.tcp);
          EXPECT_EQ(received.tcp->bytes_received, received.total_bytes);
          EXPECT_EQ(sent.tcp->bytes_acked, sent.total_bytes);
          EXPECT_EQ(sent.ways.send, way);
          EXPECT_EQ(received.ways.discard, discard);
          EXPECT_EQ(sent.max_send_call_bytes, size);
          EXPECT_GE(sent.calls, sent.total_messages);
          EXPECT_EQ(received.calls, received.total_messages);
          // A message that the end of the trial cut is in the bytes, not in the messages.
          EXPECT_LT(sent.total_bytes - sent.total_messages * size, size);
        }
      }
    }
  }
}

// Saturated it polls, paced it blocks most of the time: what is counted is the same.
TEST(TcpWays, AReceiverThatPollsCountsTheSame) {
  for (const uint64_t rate_bps : {uint64_t{0}, uint64_t{8'000'000}}) {
    for (const uint64_t size : {64u, 100'001u}) {
      SCOPED_TRACE(std::to_string(size) + "B at " + std::to_string(rate_bps));
      StreamConfig sender = End(1, Side::kSend, Protocol::kTcp, size);
      if (rate_bps > 0) sender.rate_bps = rate_bps;
      StreamConfig receiver = End(1, Side::kReceive, Protocol::kTcp, size);
      receiver.ways.receive_wait = ReceiveWait::kPoll;
      TwoEnds ends;
      ASSERT_NO_FATAL_FAILURE(ends.RunAll({sender}, {receiver}));
      const StreamReport& received = ends.received.streams[0];
      EXPECT_EQ(received.error, "");
      EXPECT_GT(received.total_bytes, 0u);
      EXPECT_EQ(received.total_bytes, ends.sent.streams[0].total_bytes);
      EXPECT_EQ(received.calls, received.total_messages);
      EXPECT_TRUE(received.drained);
      EXPECT_EQ(received.ways.receive_wait, ReceiveWait::kPoll);
    }
  }
}

TEST(TcpWays, ZerocopyOverLoopbackReportsEveryCallAsCopied) {
  StreamConfig sender = End(1, Side::kSend, Protocol::kTcp, 65536);
  sender.ways.send = SendWay::kZerocopy;
  TwoEnds ends;
  ASSERT_NO_FATAL_FAILURE(ends.RunAll({sender}, {End(1, Side::kReceive, Protocol::kTcp, 65536)}));
  const StreamReport& sent = ends.sent.streams[0];
  EXPECT_GT(sent.calls, 0u);
  EXPECT_EQ(sent.zerocopy_completions, sent.calls);
  EXPECT_EQ(sent.zerocopy_copied, sent.calls);
  EXPECT_THAT(sent.warnings, SizeIs(0));
  EXPECT_FALSE(ends.received.streams[0].zerocopy_completions);
}

// The first messages of a stream, read by a socket of the test's own.
std::vector<unsigned char> FirstBytes(SendWay way, uint64_t size, size_t bytes) {
  const FileDescriptor listener = BoundSocket(SOCK_STREAM);
  StreamConfig sender = End(1, Side::kSend, Protocol::kTcp, size);
  sender.ways.send = way;
  auto trial = LoadTrial::Prepare({sender}, kShort, SystemClock::Get());
  EXPECT_TRUE(trial.ok()) << trial.status();
  EXPECT_TRUE((*trial)->Connect({{1, PortOf(listener)}}, InNs(2000 * kMs)).ok());
  const FileDescriptor connection(accept(listener.get(), nullptr, nullptr));
  const ClockMapping identity;
  EXPECT_TRUE((*trial)->Arm(identity, identity.Convert(InNs(10 * kMs)), nullptr).ok());
  const timeval patience{.tv_sec = 2, .tv_usec = 0};
  setsockopt(connection.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  std::vector<unsigned char> data(bytes);
  EXPECT_EQ(recv(connection.get(), data.data(), bytes, MSG_WAITALL), static_cast<ssize_t>(bytes));
  return data;
}

TEST(TcpWays, EveryWaySendsTheSameBytes) {
  constexpr size_t kBytes = 50'001;  // no multiple of a page
  MessageBuffer message;
  ASSERT_TRUE(message.Allocate(kBytes).ok());
  ASSERT_TRUE(FillPayload(message, [] { return false; }));
  std::vector<unsigned char> twice(message.data(), message.data() + kBytes);
  twice.insert(twice.end(), message.data(), message.data() + kBytes);
  for (const SendWay way : kSendWays) {
    EXPECT_TRUE(FirstBytes(way, kBytes, 2 * kBytes) == twice) << NameOf(way);
  }
}

// sendfile has no MSG_NOSIGNAL: without care SIGPIPE would end the program.
TEST(TcpWays, AReceiverThatGoesAwayFailsTheStreamAndNothingElse) {
  for (const SendWay way : kSendWays) {
    SCOPED_TRACE(NameOf(way));
    StreamConfig sender = End(1, Side::kSend, Protocol::kTcp, 65536);
    sender.ways.send = way;
    TwoEnds ends;
    ASSERT_NO_FATAL_FAILURE(ends.Prepare({sender}, {End(1, Side::kReceive, Protocol::kTcp, 65536)}));
    ASSERT_NO_FATAL_FAILURE(ends.Connect());
    ASSERT_NO_FATAL_FAILURE(ends.Arm());
    ends.receiver.reset();
    ends.sender->WaitSenders();
    const StreamReport report = ends.sender->Report().streams[0];
    EXPECT_THAT(report.error, HasSubstr("the receiving worker closed the connection"));
  }
}

}  // namespace
}  // namespace tutti::load
