#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/worker/load/plain_sockets.h"
#include "tests/unit/worker/load/two_ends.h"
#include "worker/load/port_offsets.h"

namespace tutti::load {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

StreamConfig Sender(uint32_t id, Protocol protocol, uint16_t first, uint16_t last) {
  StreamConfig sender = End(id, Side::kSend, protocol, 1000);
  sender.first_port = first;
  sender.last_port = last;
  return sender;
}

TEST(SourcePorts, StreamsOfOneRangeBeginAtPlacesOfTheirOwn) {
  std::vector<StreamConfig> streams = {
      Sender(0, Protocol::kTcp, 5000, 5001), Sender(1, Protocol::kTcp, 5000, 5001),
      Sender(2, Protocol::kUdp, 5000, 5001), Sender(3, Protocol::kTcp, 5000, 5001),
      Sender(4, Protocol::kTcp, 6000, 6001), Sender(5, Protocol::kTcp, 0, 0)};
  SpreadPorts(streams);
  std::vector<uint16_t> offsets;
  for (const StreamConfig& stream : streams) offsets.push_back(stream.port_offset);
  EXPECT_THAT(offsets, ElementsAre(0, 1, 0, 0, 0, 0));  // 3 begins again
}

// Three ports that were free a moment ago, outside of the kernel's own choice for others.
constexpr uint16_t kFirst = 28'911;

std::set<uint16_t> SourcePortsOf(Protocol protocol, uint16_t first, uint16_t last) {
  TwoEnds ends;
  ends.Prepare({Sender(0, protocol, first, last), Sender(1, protocol, first, last)},
               {End(0, Side::kReceive, protocol, 1000), End(1, Side::kReceive, protocol, 1000)});
  ends.Connect();
  std::set<uint16_t> ports;
  if (ends.sender == nullptr) return ports;
  for (const StreamReport& stream : ends.sender->Report().streams) {
    const std::string& endpoint = stream.local_endpoint;
    ports.insert(static_cast<uint16_t>(std::stoi(endpoint.substr(endpoint.rfind(':') + 1))));
  }
  return ports;
}

FileDescriptor Holding(int type, uint16_t port) {
  FileDescriptor fd(socket(AF_INET, type, 0));
  const SocketAddress address = *SocketAddress::Parse("127.0.0.1", port);
  EXPECT_EQ(bind(fd.get(), address.data(), address.length()), 0);
  return fd;
}

TEST(SourcePorts, SendersBindInTheRangeAndPassOverPortsInUse) {
  const FileDescriptor udp = Holding(SOCK_DGRAM, kFirst + 1);
  EXPECT_THAT(SourcePortsOf(Protocol::kUdp, kFirst, kFirst + 2), ElementsAre(kFirst, kFirst + 2));
  const FileDescriptor tcp = Holding(SOCK_STREAM, kFirst);
  EXPECT_THAT(SourcePortsOf(Protocol::kTcp, kFirst, kFirst + 2), ElementsAre(kFirst + 1, kFirst + 2));
}

TEST(SourcePorts, SayWhenNoneOfTheRangeIsFree) {
  const FileDescriptor udp = Holding(SOCK_DGRAM, kFirst);
  const auto trial =
      LoadTrial::Prepare({Sender(0, Protocol::kUdp, kFirst, kFirst)}, kShort, SystemClock::Get());
  ASSERT_FALSE(trial.ok());
  EXPECT_THAT(std::string(trial.status().message()),
              HasSubstr("no port of the plan's `source_ports` is free"));
}

// The connections of the trial before have just gone to TIME_WAIT.
TEST(SourcePorts, AreThereForTheNextTrialAtOnceAndEachStreamHasItsOwn) {
  constexpr uint16_t kRange = kFirst + 10;
  for (int trial = 0; trial < 3; ++trial) {
    TwoEnds ends;
    ASSERT_NO_FATAL_FAILURE(ends.RunAll(
        {Sender(0, Protocol::kTcp, kRange, kRange + 1), Sender(1, Protocol::kTcp, kRange, kRange + 1)},
        {End(0, Side::kReceive, Protocol::kTcp, 1000), End(1, Side::kReceive, Protocol::kTcp, 1000)}));
    EXPECT_NE(ends.sent.streams[0].local_endpoint, ends.sent.streams[1].local_endpoint);
    EXPECT_TRUE(ends.received.streams[0].drained);
  }
}

}  // namespace
}  // namespace tutti::load
