// Transactions over loopback: the numbers of client and server must close.
#include <arpa/inet.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/worker/load/two_ends.h"

namespace tutti::load {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct Shape {
  Protocol protocol;
  uint64_t request_bytes;
  uint64_t response_bytes;
  uint32_t outstanding;
  const char* address;
};

void RunPair(TwoEnds& ends, const Shape& shape, Exchange exchange = Exchange::kRequestResponse) {
  StreamConfig client = ExchangeEnd(Side::kSend, shape.protocol, shape.request_bytes, shape.response_bytes,
                                    shape.outstanding, shape.address);
  client.request_response.exchange = exchange;
  StreamConfig server = client;
  server.side = Side::kReceive;
  ends.RunAll({client}, {server});
}

// All of what both ends say of a trial in which nothing was lost.
void ExpectClosed(const TwoEnds& ends, const Shape& shape) {
  const StreamReport& client = ends.sent.streams[0];
  const StreamReport& server = ends.received.streams[0];
  EXPECT_EQ(client.error, "");
  EXPECT_EQ(server.error, "");
  EXPECT_THAT(client.warnings, IsEmpty());
  EXPECT_GT(client.total_messages, 0u);
  EXPECT_EQ(client.total_bytes, client.total_messages * shape.request_bytes);
  EXPECT_EQ(server.total_bytes, client.total_bytes);
  EXPECT_EQ(server.total_messages, client.total_messages);
  EXPECT_EQ(ends.finals[0].bytes, client.total_bytes);
  EXPECT_TRUE(server.drained);
  ASSERT_TRUE(client.latency);
  EXPECT_GT(client.latency->count(), 0u);
  EXPECT_LE(client.latency->count(), client.total_messages);
  EXPECT_FALSE(client.corrected_latency);  // there is no rate
  EXPECT_FALSE(server.latency);
  // The window's transactions by their instants, and by the counters that were read near its edges.
  const uint64_t by_edges = ends.sender_edges.back().messages[0] - ends.sender_edges.front().messages[0];
  EXPECT_NEAR(static_cast<double>(client.latency->count()), static_cast<double>(by_edges),
              0.5 * static_cast<double>(by_edges) + 50);
}

TEST(RequestResponse, TcpTransactionsCloseOnBothEnds) {
  for (const Shape& shape :
       {Shape{Protocol::kTcp, 1, 1, 1, "127.0.0.1"}, Shape{Protocol::kTcp, 1, 1, 1, "::1"},
        Shape{Protocol::kTcp, 100, 2000, 16, "127.0.0.1"}, Shape{Protocol::kTcp, 300'000, 1, 1, "127.0.0.1"},
        Shape{Protocol::kTcp, 1, 300'000, 3, "127.0.0.1"}}) {
    SCOPED_TRACE(shape.request_bytes);
    TwoEnds ends;
    ASSERT_NO_FATAL_FAILURE(RunPair(ends, shape));
    ASSERT_NO_FATAL_FAILURE(ExpectClosed(ends, shape));
    ASSERT_TRUE(ends.received.streams[0].tcp);
    EXPECT_EQ(ends.received.streams[0].tcp->bytes_received, ends.sent.streams[0].total_bytes);
    EXPECT_FALSE(ends.sent.streams[0].lost_transactions);
  }
}

// Both directions fill all buffers: who only sends until it is allowed to read waits for ever.
TEST(RequestResponse, LargeTransactionsInBothDirectionsDoNotBlockEachOther) {
  const Shape shape{Protocol::kTcp, 4'000'000, 4'000'000, 8, "127.0.0.1"};
  TwoEnds ends;
  ASSERT_NO_FATAL_FAILURE(RunPair(ends, shape));
  EXPECT_GT(ends.sent.streams[0].total_messages, 0u);
  EXPECT_EQ(ends.sent.streams[0].error, "");
  EXPECT_EQ(ends.received.streams[0].total_bytes, ends.sent.streams[0].total_bytes);
}

TEST(RequestResponse, UdpTransactionsCloseOnBothEnds) {
  for (const Shape& shape :
       {Shape{Protocol::kUdp, 24, 24, 1, "127.0.0.1"}, Shape{Protocol::kUdp, 24, 24, 1, "::1"},
        Shape{Protocol::kUdp, 100, 1400, 8, "127.0.0.1"}}) {
    TwoEnds ends;
    ASSERT_NO_FATAL_FAILURE(RunPair(ends, shape));
    ASSERT_NO_FATAL_FAILURE(ExpectClosed(ends, shape));
    const StreamReport& client = ends.sent.streams[0];
    const StreamReport& server = ends.received.streams[0];
    EXPECT_EQ(client.lost_transactions, 0u);
    EXPECT_EQ(client.stray_responses, 0u);
    EXPECT_EQ(client.foreign, 0u);
    ASSERT_THAT(client.sent_cohorts, SizeIs(5));
    ASSERT_THAT(server.received_cohorts, SizeIs(5));
    for (size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(server.received_cohorts[i].in_order, client.sent_cohorts[i].messages) << i;
      EXPECT_EQ(server.received_cohorts[i].bytes, client.sent_cohorts[i].bytes) << i;
    }
  }
}

// An address of loopback that no other test has connections at, not even ones in TIME_WAIT.
std::string AddressOfThisProcess() {
  const auto id = static_cast<unsigned>(getpid());
  return absl::StrCat("127.77.", (id >> 8) & 0xff, ".", id & 0xff);
}

// The endpoint as /proc/net/tcp shows it: an IPv4 address in the host's byte order and the port, both in hex.
std::string ProcEndpoint(const std::string& address, uint16_t port) {
  in_addr parsed{};
  if (inet_pton(AF_INET, address.c_str(), &parsed) != 1) return "not an address";
  return absl::StrFormat("%08X:%04X", parsed.s_addr, port);
}

struct TimeWaits {
  int of_server = 0;
  int of_client = 0;
};

TimeWaits CountTimeWaits(const std::string& server_endpoint) {
  TimeWaits count;
  std::ifstream file("/proc/net/tcp");
  std::string line;
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = absl::StrSplit(line, ' ', absl::SkipEmpty());
    if (fields.size() < 4 || fields[3] != "06") continue;
    count.of_server += fields[1] == server_endpoint;
    count.of_client += fields[2] == server_endpoint;
  }
  return count;
}

TEST(RequestResponse, EachTransactionMayHaveAConnectionOfItsOwnThatTheServerCloses) {
  const std::string own = AddressOfThisProcess();
  for (const Shape& shape :
       {Shape{Protocol::kTcp, 1, 1, 1, own.c_str()}, Shape{Protocol::kTcp, 200, 200'000, 1, "::1"}}) {
    TwoEnds ends;
    ASSERT_NO_FATAL_FAILURE(RunPair(ends, shape, Exchange::kConnectRequestResponse));
    ASSERT_NO_FATAL_FAILURE(ExpectClosed(ends, shape));
    EXPECT_FALSE(ends.sent.streams[0].tcp);  // that of no connection is the stream's
    EXPECT_FALSE(ends.received.streams[0].tcp);
    if (shape.address[0] == ':') continue;
    const std::string& endpoint = ends.received.streams[0].local_endpoint;
    const auto port = static_cast<uint16_t>(std::stoi(endpoint.substr(own.size() + 1)));
    const TimeWaits count = CountTimeWaits(ProcEndpoint(own, port));
    EXPECT_GT(count.of_server, 0);
    EXPECT_EQ(count.of_client, 0) << "a client's port is not free";
  }
}

TEST(RequestResponse, OptionsOfEachConnectionAreReadBackOnTheFirst) {
  StreamConfig client = ExchangeEnd(Side::kSend, Protocol::kTcp, 10, 10);
  client.request_response.exchange = Exchange::kConnectRequestResponse;
  client.nodelay = true;
  client.socket_buffer_bytes = 32768;
  StreamConfig server = client;
  server.side = Side::kReceive;
  TwoEnds ends;
  ASSERT_NO_FATAL_FAILURE(ends.RunAll({client}, {server}));
  EXPECT_EQ(ends.sent.streams[0].error, "");
  EXPECT_GT(ends.sent.streams[0].total_messages, 0u);
  for (const LoadReport* report : {&ends.sent, &ends.received}) {
    for (const OptionOutcome& option : report->streams[0].options) EXPECT_TRUE(option.applied) << option.name;
    EXPECT_GE(report->streams[0].options.size(), 2u);
  }
}

TEST(RequestResponse, ARateCountsRequestsAndGivesACorrectedLatency) {
  for (const Protocol protocol : {Protocol::kTcp, Protocol::kUdp}) {
    for (const uint32_t outstanding : {1u, 4u}) {
      StreamConfig client = ExchangeEnd(Side::kSend, protocol, 100, 50, outstanding);
      client.rate_bps = 400'000;  // 500 a second
      StreamConfig server = client;
      server.side = Side::kReceive;
      server.rate_bps.reset();
      TwoEnds ends;
      ASSERT_NO_FATAL_FAILURE(ends.RunAll({client}, {server}));
      const StreamReport& sent = ends.sent.streams[0];
      EXPECT_EQ(sent.error, "");
      EXPECT_EQ(ends.received.streams[0].total_bytes, sent.total_bytes);
      // 160 ms at 500 a second are 80; those that a busy machine missed are in the corrected latency alone.
      EXPECT_LE(sent.total_messages, 82u);
      ASSERT_TRUE(sent.latency && sent.corrected_latency);
      EXPECT_GE(sent.corrected_latency->count(), sent.latency->count());
      EXPECT_NEAR(static_cast<double>(sent.corrected_latency->count()), 55, 8);  // of a window of 110 ms
      EXPECT_GE(sent.corrected_latency->max_ns(), sent.latency->max_ns());
    }
  }
}

TEST(RequestResponse, WhatCannotBeIsRefused) {
  EXPECT_THAT(PrepareError(ExchangeEnd(Side::kSend, Protocol::kUdp, 23, 24)), HasSubstr("request of 23B"));
  EXPECT_THAT(PrepareError(ExchangeEnd(Side::kSend, Protocol::kUdp, 24, 23)), HasSubstr("24B to 65507B"));
  EXPECT_THAT(PrepareError(ExchangeEnd(Side::kSend, Protocol::kTcp, 1, 0)), HasSubstr("response of 0B"));
  EXPECT_THAT(PrepareError(ExchangeEnd(Side::kSend, Protocol::kTcp, 1, 1, 0)),
              HasSubstr("0 requests at once"));
  StreamConfig config = ExchangeEnd(Side::kSend, Protocol::kUdp, 24, 24);
  config.request_response.exchange = Exchange::kConnectRequestResponse;
  EXPECT_THAT(PrepareError(config), HasSubstr("needs tcp"));
  config = ExchangeEnd(Side::kSend, Protocol::kTcp, 24, 24);
  config.message_size_bytes = 1000;
  EXPECT_THAT(PrepareError(config), HasSubstr("is not the request's"));
}

}  // namespace
}  // namespace tutti::load
