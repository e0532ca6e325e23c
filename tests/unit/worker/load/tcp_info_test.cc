#include "worker/load/tcp_info.h"

#include "gtest/gtest.h"

namespace tutti::load {
namespace {

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
