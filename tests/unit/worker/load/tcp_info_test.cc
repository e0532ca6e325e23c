#include "worker/load/tcp_info.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>

#include "gtest/gtest.h"
#include "worker/load/file_descriptor.h"

namespace tutti::load {
namespace {

TEST(TcpInfo, UnreadBytesAreThoseThatArrivedAndWereNotReadYet) {
  const FileDescriptor listener(socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{
      .sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  socklen_t length = sizeof(address);
  ASSERT_EQ(bind(listener.get(), any, length), 0);
  ASSERT_EQ(listen(listener.get(), 1), 0);
  ASSERT_EQ(getsockname(listener.get(), any, &length), 0);
  const FileDescriptor sender(socket(AF_INET, SOCK_STREAM, 0));
  ASSERT_EQ(connect(sender.get(), any, length), 0);
  const FileDescriptor receiver(accept(listener.get(), nullptr, nullptr));
  EXPECT_EQ(UnreadBytes(receiver.get()), 0u);
  std::array<char, 1000> bytes{};
  ASSERT_EQ(send(sender.get(), bytes.data(), bytes.size(), 0), 1000);
  // Loopback delivers within the call that sends.
  ASSERT_EQ(recv(receiver.get(), bytes.data(), 400, MSG_WAITALL), 400);
  EXPECT_EQ(UnreadBytes(receiver.get()), 600u);
  EXPECT_EQ(ReadTcpInfo(receiver.get(), Side::kReceive)->bytes_received, 1000u);
  ASSERT_EQ(shutdown(sender.get(), SHUT_WR), 0);
  EXPECT_EQ(UnreadBytes(receiver.get()), 600u);
  EXPECT_EQ(UnreadBytes(-1), 0u);
}

// What Linux showed for 1000 payload bytes (states of include/net/tcp_states.h).
TEST(TcpInfo, TheFinThatWasReceivedIsNotPayload) {
  const TcpInfo open{.bytes_received = 1000};
  const TcpInfo ended{.bytes_received = 1001};
  EXPECT_EQ(WithoutSynAndFin(open, Side::kReceive, 1 /* ESTABLISHED */).bytes_received, 1000u);
  EXPECT_EQ(WithoutSynAndFin(ended, Side::kReceive, 8 /* CLOSE_WAIT */).bytes_received, 1000u);
}

TEST(TcpInfo, TheSynAndTheFinThatWereAcknowledgedAreNotPayload) {
  EXPECT_EQ(WithoutSynAndFin({.bytes_acked = 1}, Side::kSend, 1).bytes_acked, 0u);
  EXPECT_EQ(WithoutSynAndFin({.bytes_acked = 1001}, Side::kSend, 1).bytes_acked, 1000u);
  EXPECT_EQ(WithoutSynAndFin({.bytes_acked = 1001}, Side::kSend, 4 /* FIN_WAIT1 */).bytes_acked, 1000u);
  EXPECT_EQ(WithoutSynAndFin({.bytes_acked = 1002}, Side::kSend, 5 /* FIN_WAIT2 */).bytes_acked, 1000u);
  EXPECT_EQ(WithoutSynAndFin({.bytes_acked = 0}, Side::kSend, 7).bytes_acked, 0u);
}

TEST(TcpInfo, KernelBytesOfASenderLeaveRetransmissionsOut) {
  EXPECT_EQ(KernelBytes({.bytes_sent = 5000, .bytes_retrans = 1200}, Side::kSend), 3800u);
  EXPECT_EQ(KernelBytes({.bytes_received = 77, .bytes_sent = 5}, Side::kReceive), 77u);
}

TEST(TcpInfo, ASocketThatIsNoneGivesNothing) { EXPECT_FALSE(ReadTcpInfo(-1, Side::kSend)); }

}  // namespace
}  // namespace tutti::load
