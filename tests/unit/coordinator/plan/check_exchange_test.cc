// What request_response and bytes go together with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/coordinator/plan/plan_texts.h"

namespace tutti::plan {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string ExchangeEntry(const std::string& exchange, const std::string& lines = "",
                          const std::string& protocol = "tcp") {
  return MinimalPlan("    request_response: " + exchange + "\n" + lines, "", protocol);
}

tutti::v1::TrafficEntry LoadEntry(const std::string& text) {
  auto plan = LoadValidPlan(text, "p.yaml", {});
  EXPECT_TRUE(plan.ok()) << std::string(plan.status().message());
  return plan.ok() ? plan->cases(0).traffic(0) : tutti::v1::TrafficEntry();
}

TEST(CheckExchange, DefaultsAreTheSmallestThatTheTransportTakes) {
  const tutti::v1::TrafficEntry tcp = LoadEntry(ExchangeEntry("{}"));
  EXPECT_EQ(tcp.request_response().exchange(), tutti::v1::EXCHANGE_REQUEST_RESPONSE);
  EXPECT_EQ(tcp.request_response().request_bytes(), 1u);
  EXPECT_EQ(tcp.request_response().response_bytes(), 1u);
  EXPECT_EQ(tcp.request_response().outstanding(), 1u);
  EXPECT_EQ(tcp.message_size_bytes(), 1u);  // what one send call is given
  const tutti::v1::TrafficEntry udp = LoadEntry(ExchangeEntry("{response: 1000B}", "", "udp"));
  EXPECT_EQ(udp.request_response().request_bytes(), 24u);
  EXPECT_EQ(udp.request_response().response_bytes(), 1000u);
}

TEST(CheckExchange, ReadsAllOfItsKeys) {
  const tutti::v1::TrafficEntry entry =
      LoadEntry(ExchangeEntry("{request: 100B, response: 2KiB, connect: true}"));
  EXPECT_EQ(entry.request_response().exchange(), tutti::v1::EXCHANGE_CONNECT_REQUEST_RESPONSE);
  EXPECT_EQ(entry.message_size_bytes(), 100u);
  EXPECT_EQ(entry.request_response().response_bytes(), 2048u);
  EXPECT_EQ(
      LoadEntry(ExchangeEntry("{outstanding: 16}", "    nodelay: true\n")).request_response().outstanding(),
      16u);
}

TEST(CheckExchange, DatagramsHaveRoomForTheirHeader) {
  EXPECT_THAT(
      Errors(ExchangeEntry("{request: 23B, response: 24B}", "", "udp")),
      AllOf(HasSubstr("p.yaml:11:33: traffic[0].request_response.request: 23B has no room for the 24-byte"),
            HasSubstr("write at least 24B")));
  EXPECT_THAT(Errors(ExchangeEntry("{request: 24B, response: 64KiB}", "", "udp")),
              HasSubstr("response: 64KiB is no UDP datagram"));
  EXPECT_THAT(Errors(ExchangeEntry("{request: 1B, response: 64KiB}")), IsEmpty());
}

TEST(CheckExchange, WhatIsOfOneWayStreamsIsRefusedWithWhatToWrite) {
  EXPECT_THAT(
      Errors(ExchangeEntry("{}", "    message_size: 100B\n")),
      HasSubstr(
          "traffic[0].message_size: the sender sends requests: write request_response: {request: SIZE}"));
  EXPECT_THAT(Errors(ExchangeEntry("{}", "    read_size: 100B\n")), HasSubstr("read_size: has no meaning"));
  EXPECT_THAT(Errors(ExchangeEntry("{}", "    bytes: 1MiB\n")), HasSubstr("bytes: is of one-way streams"));
  EXPECT_THAT(Errors(ExchangeEntry("{}", "    send: sendfile\n")), HasSubstr("write send: write"));
  EXPECT_THAT(Errors(ExchangeEntry("{}", "    receive: recvmmsg\n", "udp")),
              HasSubstr("write receive: read"));
  EXPECT_THAT(Errors(ExchangeEntry("{}", "    discard: true\n")), HasSubstr("discard: "));
  EXPECT_THAT(Errors(ExchangeEntry("{}", "    receive_wait: poll\n")), HasSubstr("receive_wait: both ends"));
  EXPECT_THAT(Errors(ExchangeEntry("{}", "    receive_wait: block\n")), IsEmpty());
  EXPECT_THAT(Errors(ExchangeEntry("{}", "    threads: per_cpu\n")), HasSubstr("remove threads"));
  EXPECT_THAT(Errors(ExchangeEntry("{}", "    rate: 1Mbps\n    pacing: kernel\n")),
              HasSubstr("pacing: sleep or spin"));
  EXPECT_THAT(Errors(ExchangeEntry("{}", "    rate: 1Mbps\n    pacing: spin\n")), IsEmpty());
}

TEST(CheckExchange, AConnectionForEachTransactionIsTcpAndCarriesOne) {
  EXPECT_THAT(Errors(ExchangeEntry("{connect: true}", "", "udp")), HasSubstr("connect: is TCP's"));
  EXPECT_THAT(Errors(ExchangeEntry("{connect: true, outstanding: 2}")), HasSubstr("raise streams"));
  EXPECT_THAT(Errors(ExchangeEntry("{connect: true}", "    source_ports: 5000-5010\n")),
              HasSubstr("source_ports: "));
}

TEST(CheckExchange, SmallRequestsThatNagleMayHoldBackGetAWarning) {
  const auto warnings = [](const std::string& text) { return LoadPlan(text, "p.yaml", {}).warnings; };
  ASSERT_EQ(warnings(ExchangeEntry("{outstanding: 8}")).size(), 1u);
  EXPECT_THAT(warnings(ExchangeEntry("{outstanding: 8}"))[0], HasSubstr("nodelay: true"));
  EXPECT_THAT(warnings(ExchangeEntry("{outstanding: 8}", "    nodelay: false\n")), IsEmpty());
  EXPECT_THAT(warnings(ExchangeEntry("{outstanding: 8}", "", "udp")), IsEmpty());
}

}  // namespace
}  // namespace tutti::plan
