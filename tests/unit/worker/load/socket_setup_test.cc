#include "worker/load/socket_setup.h"

#include "gtest/gtest.h"
#include "tests/unit/worker/load/two_ends.h"

namespace tutti::load {
namespace {

// The source address on the way to an address of this host is that address itself (local routes of Linux have
// it as their preferred source, or take the destination: ip-route(8)).
TEST(SocketSetup, KnowsWhichSourceTheKernelWouldChoose) {
  const StreamConfig config = End(1, Side::kSend, Protocol::kTcp, 100);
  const auto address = [](const char* text) { return *SocketAddress::Parse(text, 5201); };
  EXPECT_TRUE(IsKernelsChoice(config, address("127.0.0.1"), address("127.0.0.1")));
  EXPECT_TRUE(IsKernelsChoice(config, address("::1"), address("::1")));
  EXPECT_FALSE(IsKernelsChoice(config, address("127.0.0.2"), address("127.0.0.1")));
  StreamConfig elsewhere = config;
  elsewhere.device = "no-such-device";
  EXPECT_FALSE(IsKernelsChoice(elsewhere, address("127.0.0.1"), address("127.0.0.1")));
}

// Of two addresses of this host the one that is asked for is the source, also where the kernel would choose
// the other.
TEST(SocketSetup, TransactionsWithConnectionsOfTheirOwnComeFromTheAddressThatIsAskedFor) {
  StreamConfig client = ExchangeEnd(Side::kSend, Protocol::kTcp, 10, 10);
  client.request_response.exchange = Exchange::kConnectRequestResponse;
  client.local_address = "127.0.0.2";
  client.peer_address = "127.0.0.1";
  StreamConfig server = client;
  server.side = Side::kReceive;
  server.local_address = "127.0.0.1";
  server.peer_address = "127.0.0.2";
  TwoEnds ends;
  ASSERT_NO_FATAL_FAILURE(ends.RunAll({client}, {server}));
  EXPECT_EQ(ends.sent.streams[0].error, "");
  EXPECT_GT(ends.sent.streams[0].total_messages, 0u);
  EXPECT_EQ(ends.received.streams[0].total_messages, ends.sent.streams[0].total_messages);
  EXPECT_EQ(ends.received.streams[0].foreign, 0u);
}

}  // namespace
}  // namespace tutti::load
