// Every way to send datagrams to every way to receive them: the counts of both ends close, whatever a call
// moves.
#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <functional>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/worker/load/plain_sockets.h"
#include "tests/unit/worker/load/two_ends.h"
#include "worker/load/udp_header.h"
#include "worker/load/way_outcome.h"

namespace tutti::load {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr uint64_t kDatagramBytes = 200;
constexpr uint32_t kBatch = 16;

struct Pair {
  SendWay send;
  ReceiveWay receive;
  bool discard;
};

std::vector<Pair> AllPairs() {
  std::vector<Pair> pairs;
  for (const SendWay send : {SendWay::kWrite, SendWay::kSendmmsg, SendWay::kGso, SendWay::kZerocopy}) {
    for (const ReceiveWay receive : {ReceiveWay::kRead, ReceiveWay::kRecvmmsg, ReceiveWay::kGro}) {
      pairs.push_back({send, receive, false});
      if (receive != ReceiveWay::kGro) pairs.push_back({send, receive, true});
    }
  }
  return pairs;
}

std::string NameOf(const Pair& pair) {
  return std::string(NameOf(pair.send)) + " to " + NameOf(pair.receive) + (pair.discard ? ", discarded" : "");
}

void SetWays(const Pair& pair, StreamConfig& config) {
  config.ways = {pair.send, pair.receive, kBatch, pair.discard};
}

uint64_t SentIn(const StreamReport& report) {
  return std::accumulate(report.sent_cohorts.begin(), report.sent_cohorts.end(), uint64_t{0},
                         [](uint64_t sum, const SentCohort& cohort) { return sum + cohort.messages; });
}

// Of one stream that lost nothing.
void ExpectClosed(const StreamReport& sent, const StreamReport& received, uint64_t size_bytes) {
  EXPECT_EQ(sent.error, "");
  EXPECT_EQ(received.error, "");
  EXPECT_GT(sent.total_messages, 0u);
  EXPECT_EQ(sent.total_bytes, sent.total_messages * size_bytes);
  EXPECT_EQ(SentIn(sent), sent.total_messages);
  EXPECT_EQ(received.total_messages, sent.total_messages);
  EXPECT_EQ(received.total_bytes, sent.total_bytes);
  EXPECT_EQ(received.foreign, 0u);
  EXPECT_TRUE(received.drained);
  ASSERT_EQ(received.received_cohorts.size(), sent.sent_cohorts.size());
  for (size_t i = 0; i < sent.sent_cohorts.size(); ++i) {
    EXPECT_EQ(received.received_cohorts[i].in_order, sent.sent_cohorts[i].messages) << i;
    EXPECT_EQ(received.received_cohorts[i].bytes, sent.sent_cohorts[i].bytes) << i;
  }
  EXPECT_GT(sent.calls, 0u);
  EXPECT_LE(sent.calls, sent.total_messages);
  EXPECT_GT(received.calls, 0u);
  EXPECT_LE(received.calls, received.total_messages);
}

// At 1,000 messages a second of each stream the default buffers bridge a busy machine.
TEST(UdpWays, EveryPairDeliversEveryMessageInOrderOverBothFamilies) {
  const std::vector<Pair> pairs = AllPairs();
  for (const char* address : {"127.0.0.1", "::1"}) {
    std::vector<StreamConfig> senders, receivers;
    for (uint32_t id = 0; id < pairs.size(); ++id) {
      senders.push_back(End(id, Side::kSend, Protocol::kUdp, kDatagramBytes, address));
      senders.back().rate_bps = kDatagramBytes * 8 * 1000;
      receivers.push_back(End(id, Side::kReceive, Protocol::kUdp, kDatagramBytes, address));
      SetWays(pairs[id], senders.back());
      SetWays(pairs[id], receivers.back());
    }
    TwoEnds ends;
    ASSERT_NO_FATAL_FAILURE(ends.RunAll(senders, receivers, kShort, 300 * kMs));
    for (size_t i = 0; i < pairs.size(); ++i) {
      SCOPED_TRACE(NameOf(pairs[i]) + " over " + address);
      const StreamReport& sent = ends.sent.streams[i];
      const StreamReport& received = ends.received.streams[i];
      ExpectClosed(sent, received, kDatagramBytes);
      EXPECT_EQ(sent.ways.send, pairs[i].send);
      EXPECT_EQ(received.ways.receive, pairs[i].receive);
      EXPECT_EQ(received.ways.discard, pairs[i].discard);
      EXPECT_TRUE(received.jitter_ns);
    }
  }
}

// As fast as it goes: on loopback nothing is lost but in the receiver's socket, which counts its drops. A
// joined packet that is dropped is one drop, so GRO is left to the test above.
TEST(UdpWays, SaturatedPairsLoseOnlyWhatTheSocketDropped) {
  for (const Pair& pair : AllPairs()) {
    if (pair.receive == ReceiveWay::kGro) continue;
    SCOPED_TRACE(NameOf(pair));
    StreamConfig sender = End(1, Side::kSend, Protocol::kUdp, kDatagramBytes);
    StreamConfig receiver = End(1, Side::kReceive, Protocol::kUdp, kDatagramBytes);
    SetWays(pair, sender);
    SetWays(pair, receiver);
    TwoEnds ends;
    ASSERT_NO_FATAL_FAILURE(ends.RunAll({sender}, {receiver}));
    const StreamReport& sent = ends.sent.streams[0];
    const StreamReport& received = ends.received.streams[0];
    ASSERT_TRUE(received.socket_drops);
    EXPECT_GT(received.total_messages, 0u);
    EXPECT_EQ(received.total_messages + *received.socket_drops, sent.total_messages);
    EXPECT_EQ(received.total_bytes, received.total_messages * kDatagramBytes);
    const bool batches = pair.send == SendWay::kSendmmsg || pair.send == SendWay::kGso;
    EXPECT_EQ(sent.max_send_call_bytes, (batches ? kBatch : 1) * kDatagramBytes);
    EXPECT_EQ(sent.ways.batch, batches ? kBatch : 1u);
    EXPECT_EQ(sent.total_messages, sent.calls * (batches ? kBatch : 1));
    EXPECT_EQ(received.ways.batch, pair.receive == ReceiveWay::kRecvmmsg ? kBatch : 1u);
    if (pair.receive == ReceiveWay::kRead) {
      EXPECT_EQ(received.calls, received.total_messages);
    }
    EXPECT_EQ(received.read_size_bytes, pair.discard                            ? UdpHeader::kBytes
                                        : pair.receive == ReceiveWay::kRecvmmsg ? kDatagramBytes
                                                                                : 65536u);
  }
}

// Saturated it polls, paced it blocks most of the time: what is counted is the same.
TEST(UdpWays, AReceiverThatPollsCountsTheSame) {
  for (const ReceiveWay way : {ReceiveWay::kRead, ReceiveWay::kRecvmmsg, ReceiveWay::kGro}) {
    for (const uint64_t rate_bps : {uint64_t{0}, kDatagramBytes * 8 * 1000}) {
      if (way == ReceiveWay::kGro && rate_bps == 0) continue;  // a drop of it is of several datagrams
      SCOPED_TRACE(std::string(NameOf(way)) + " at " + std::to_string(rate_bps));
      StreamConfig sender = End(1, Side::kSend, Protocol::kUdp, kDatagramBytes);
      StreamConfig receiver = End(1, Side::kReceive, Protocol::kUdp, kDatagramBytes);
      if (rate_bps > 0) sender.rate_bps = rate_bps;
      receiver.ways = {.receive = way, .batch = kBatch, .receive_wait = ReceiveWait::kPoll};
      TwoEnds ends;
      ASSERT_NO_FATAL_FAILURE(ends.RunAll({sender}, {receiver}));
      const StreamReport& received = ends.received.streams[0];
      EXPECT_EQ(received.error, "");
      ASSERT_TRUE(received.socket_drops);
      EXPECT_GT(received.total_messages, 0u);
      EXPECT_EQ(received.total_messages + *received.socket_drops, ends.sent.streams[0].total_messages);
      EXPECT_EQ(received.ways.receive_wait, ReceiveWait::kPoll);
    }
  }
}

TEST(UdpWays, GroGivesManyDatagramsOfAGsoSenderPerCallAndNoneIsCountedTwice) {
  StreamConfig sender = End(1, Side::kSend, Protocol::kUdp, 1472);
  StreamConfig receiver = End(1, Side::kReceive, Protocol::kUdp, 1472);
  sender.ways = {.send = SendWay::kGso, .receive = ReceiveWay::kGro, .batch = 44};
  receiver.ways = sender.ways;
  TwoEnds ends;
  ASSERT_NO_FATAL_FAILURE(ends.RunAll({sender}, {receiver}));
  const StreamReport& sent = ends.sent.streams[0];
  const StreamReport& received = ends.received.streams[0];
  EXPECT_EQ(sent.max_send_call_bytes, 44u * 1472);
  EXPECT_EQ(sent.total_messages, sent.calls * 44);
  // Loopback hands a packet of 44 segments over as it is.
  EXPECT_EQ(received.total_messages, received.calls * 44);
  EXPECT_EQ(received.total_bytes, received.total_messages * 1472);
  EXPECT_LE(received.total_messages, sent.total_messages);
  uint64_t other = received.foreign;
  for (const ReceivedCohort& cohort : received.received_cohorts) {
    other += cohort.reordered + cohort.late + cohort.duplicates;
  }
  EXPECT_EQ(other, 0u);
}

struct Arrived {
  UdpHeader header;
  size_t size = 0;
};

// What a socket of the test's own gets from one sender.
std::vector<Arrived> Arrivals(StreamConfig sender, uint64_t& sent_messages) {
  const FileDescriptor socket = BoundSocket(SOCK_DGRAM);
  const timeval patience{.tv_sec = 0, .tv_usec = 300'000};
  EXPECT_EQ(setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)), 0);
  auto trial = LoadTrial::Prepare({sender}, kShort, SystemClock::Get());
  EXPECT_TRUE(trial.ok()) << trial.status();
  EXPECT_TRUE((*trial)->Connect({{1, PortOf(socket)}}, InNs(2000 * kMs)).ok());
  const ClockMapping identity;
  EXPECT_TRUE((*trial)->Arm(identity, identity.Convert(InNs(60 * kMs)), nullptr).ok());
  sent_messages = (*trial)->WaitSenders().front().messages;
  std::vector<Arrived> arrived;
  std::vector<unsigned char> datagram(65536);
  while (arrived.size() < sent_messages) {
    const ssize_t size = recv(socket.get(), datagram.data(), datagram.size(), 0);
    if (size < static_cast<ssize_t>(UdpHeader::kBytes)) break;
    arrived.push_back({DecodeUdpHeader(datagram.data()), static_cast<size_t>(size)});
  }
  return arrived;
}

// 10,000 messages a second: a sender that wakes a little late has several to send, never one too many.
TEST(UdpWays, ABatchIsNeverAheadOfItsRate) {
  constexpr int64_t kStepNs = 100'000;
  for (const SendWay way : {SendWay::kSendmmsg, SendWay::kGso}) {
    SCOPED_TRACE(NameOf(way));
    StreamConfig sender = End(1, Side::kSend, Protocol::kUdp, 100);
    sender.ways = {.send = way, .batch = 32};
    sender.rate_bps = 100 * 8 * 10'000;
    uint64_t sent = 0;
    const std::vector<Arrived> arrived = Arrivals(sender, sent);
    EXPECT_GT(sent, 0u);
    EXPECT_LE(sent, 1600u);
    for (const Arrived& message : arrived) {
      ASSERT_GE(message.header.send_trial_ns, static_cast<int64_t>(message.header.sequence) * kStepNs);
      ASSERT_EQ(message.size, 100u);
    }
  }
}

TEST(UdpWays, EveryDatagramOfEveryWayHasAHeaderOfItsOwn) {
  for (const SendWay way : {SendWay::kWrite, SendWay::kSendmmsg, SendWay::kGso, SendWay::kZerocopy}) {
    SCOPED_TRACE(NameOf(way));
    StreamConfig sender = End(1, Side::kSend, Protocol::kUdp, 333);
    sender.ways = {.send = way, .batch = 7};
    uint64_t sent = 0;
    const std::vector<Arrived> arrived = Arrivals(sender, sent);
    ASSERT_GE(arrived.size(), 20u);
    std::set<uint64_t> sequences;
    for (const Arrived& message : arrived) {
      ASSERT_EQ(message.size, 333u);
      ASSERT_EQ(message.header.nonce, sender.nonce);
      ASSERT_LT(message.header.sequence, sent);
      ASSERT_TRUE(sequences.insert(message.header.sequence).second) << message.header.sequence;
    }
    // The queue was empty when the first ones came.
    EXPECT_EQ(*sequences.begin(), 0u);
    EXPECT_TRUE(sequences.contains(19));
  }
}

// A socket that sends to the trial's receiver, told by the trial's own nonce or not.
class Stranger {
 public:
  Stranger(const std::string& address, uint16_t port) : socket_(ConnectedSocket(SOCK_DGRAM, address, port)) {}

  // One buffer, cut into datagrams of `segment_bytes`.
  void SendSegments(const std::vector<unsigned char>& buffer, int segment_bytes) {
    ASSERT_EQ(setsockopt(socket_.get(), SOL_UDP, UDP_SEGMENT, &segment_bytes, sizeof(segment_bytes)), 0);
    ASSERT_EQ(send(socket_.get(), buffer.data(), buffer.size(), 0), static_cast<ssize_t>(buffer.size()));
  }
  void SendOne(size_t bytes) {
    const std::vector<unsigned char> datagram(bytes, 0xab);
    ASSERT_EQ(send(socket_.get(), datagram.data(), bytes, 0), static_cast<ssize_t>(bytes));
  }

 private:
  FileDescriptor socket_;
};

void Append(uint64_t nonce, uint64_t sequence, size_t bytes, std::vector<unsigned char>& buffer) {
  const size_t begin = buffer.size();
  buffer.resize(begin + bytes);
  if (bytes >= UdpHeader::kBytes) EncodeUdpHeader({nonce, sequence, 40 * kMs}, buffer.data() + begin);
}

// A receiver of the trial's alone: `send` is called while it runs, and `final` is what DRAIN is told.
StreamReport ReceiveFrom(const StreamConfig& receiver, SenderFinal final,
                         const std::function<void(uint16_t)>& send) {
  auto trial = LoadTrial::Prepare({receiver}, kShort, SystemClock::Get());
  EXPECT_TRUE(trial.ok()) << trial.status();
  if (!trial.ok()) return {};
  EXPECT_TRUE((*trial)->Connect({}, InNs(2000 * kMs)).ok());
  const ClockMapping identity;
  EXPECT_TRUE((*trial)->Arm(identity, identity.Convert(InNs(20 * kMs)), nullptr).ok());
  send((*trial)->bound_ports()[0].port);
  (*trial)->WaitSenders();
  (*trial)->Drain({final}, InNs(2500 * kMs));
  return (*trial)->Report().streams[0];
}

TEST(UdpWays, JoinedDatagramsAreToldApartToTheLastShorterOne) {
  StreamConfig receiver = End(1, Side::kReceive, Protocol::kUdp, 200);
  receiver.ways.receive = ReceiveWay::kGro;
  const StreamReport report = ReceiveFrom(receiver, {1, 3, 520}, [&](uint16_t port) {
    Stranger sender("127.0.0.1", port);
    std::vector<unsigned char> buffer;
    Append(receiver.nonce, 0, 200, buffer);
    Append(receiver.nonce + 1, 1, 200, buffer);  // foreign, between two of the stream's own
    Append(receiver.nonce, 1, 200, buffer);
    Append(receiver.nonce, 2, 120, buffer);  // the last segment is what is left
    sender.SendSegments(buffer, 200);
    sender.SendOne(10);  // shorter than a header
  });
  EXPECT_EQ(report.error, "");
  EXPECT_EQ(report.total_messages, 3u);
  EXPECT_EQ(report.total_bytes, 520u);
  EXPECT_EQ(report.foreign, 2u);
  EXPECT_TRUE(report.drained);
  EXPECT_EQ(report.calls, 2u);
}

TEST(UdpWays, WithoutAHeaderTheAddressTellsForeignDatagramsInEveryWay) {
  for (const ReceiveWay way : {ReceiveWay::kRead, ReceiveWay::kRecvmmsg, ReceiveWay::kGro}) {
    SCOPED_TRACE(NameOf(way));
    StreamConfig receiver = End(1, Side::kReceive, Protocol::kUdp, 20);
    receiver.ways = {.receive = way, .batch = 8};
    const StreamReport report = ReceiveFrom(receiver, {1, 12, 240}, [&](uint16_t port) {
      Stranger own("127.0.0.1", port);
      Stranger foreign("127.0.0.9", port);
      foreign.SendOne(20);
      for (int i = 0; i < 12; ++i) own.SendOne(20);
      foreign.SendSegments(std::vector<unsigned char>(60), 20);
    });
    EXPECT_EQ(report.total_messages, 12u);
    EXPECT_EQ(report.total_bytes, 240u);
    EXPECT_EQ(report.foreign, 4u);
  }
}

TEST(UdpWays, DiscardCountsTheTrueSizeAndReadsOnlyTheHeader) {
  for (const ReceiveWay way : {ReceiveWay::kRead, ReceiveWay::kRecvmmsg}) {
    SCOPED_TRACE(NameOf(way));
    StreamConfig receiver = End(1, Side::kReceive, Protocol::kUdp, 1400);
    receiver.ways = {.receive = way, .batch = 4, .discard = true};
    const StreamReport report = ReceiveFrom(receiver, {1, 6, 6 * 1400}, [&](uint16_t port) {
      Stranger sender("127.0.0.1", port);
      std::vector<unsigned char> buffer;
      for (uint64_t i = 0; i < 6; ++i) Append(receiver.nonce, i, 1400, buffer);
      sender.SendSegments(buffer, 1400);
      Stranger other("127.0.0.1", port);
      other.SendOne(23);
      other.SendOne(9000);
    });
    EXPECT_EQ(report.total_messages, 6u);
    EXPECT_EQ(report.total_bytes, 6u * 1400);
    EXPECT_EQ(report.foreign, 2u);
    EXPECT_EQ(report.read_size_bytes, 24u);
    EXPECT_THAT(report.warnings, SizeIs(0));
  }
}

// Two packets of 40 datagrams fill a socket that takes hardly one.
TEST(UdpWays, ADroppedJoinedPacketIsSaidToBeMoreThanOneDatagram) {
  StreamConfig receiver = End(1, Side::kReceive, Protocol::kUdp, 1000);
  receiver.ways.receive = ReceiveWay::kGro;
  receiver.socket_buffer_bytes = 8192;
  TwoEnds ends;
  StreamConfig sender = End(1, Side::kSend, Protocol::kUdp, 1000);
  sender.ways = {.send = SendWay::kGso, .batch = 40};
  ASSERT_NO_FATAL_FAILURE(ends.RunAll({sender}, {receiver}));
  const StreamReport& sent = ends.sent.streams[0];
  const StreamReport& received = ends.received.streams[0];
  ASSERT_GT(received.socket_drops.value_or(0), 0u);
  EXPECT_EQ(received.total_messages + *received.socket_drops * 40, sent.total_messages);
  ASSERT_THAT(received.warnings, SizeIs(1));
  EXPECT_THAT(received.warnings[0], HasSubstr("may be a packet of several datagrams, up to 65"));
}

// Each first datagram is answered by ICMP, which the second one of a call meets, and sendmmsg does not tell.
TEST(UdpWays, AClosedPortIsNoticedBehindPartialBatches) {
  uint16_t port = 0;
  {
    const FileDescriptor socket = BoundSocket(SOCK_DGRAM);
    port = PortOf(socket);
  }
  StreamConfig sender = End(1, Side::kSend, Protocol::kUdp, 100);
  sender.ways = {.send = SendWay::kSendmmsg, .batch = 8};
  TrialTiming timing = kShort;
  timing.measure_ns = 1500 * kMs;
  auto trial = LoadTrial::Prepare({sender}, timing, SystemClock::Get());
  ASSERT_TRUE(trial.ok()) << trial.status();
  ASSERT_TRUE((*trial)->Connect({{1, port}}, InNs(2000 * kMs)).ok());
  const ClockMapping identity;
  ASSERT_TRUE((*trial)->Arm(identity, identity.Convert(InNs(20 * kMs)), nullptr).ok());
  const std::vector<SenderFinal> finals = (*trial)->WaitSenders();
  const StreamReport report = (*trial)->Report().streams[0];
  EXPECT_THAT(report.error, AllOf(HasSubstr("ECONNREFUSED"), HasSubstr("nobody receives there any more")));
  EXPECT_GE(report.failed_sends, 3u);
  EXPECT_EQ(report.total_messages, finals[0].messages);
  EXPECT_EQ(SentIn(report), report.total_messages);
  EXPECT_LE(report.total_messages, report.calls * 8);
}

TEST(UdpWays, ZerocopyOverLoopbackReportsEveryCallAsCopied) {
  StreamConfig sender = End(1, Side::kSend, Protocol::kUdp, 8000);
  sender.ways.send = SendWay::kZerocopy;
  TwoEnds ends;
  ASSERT_NO_FATAL_FAILURE(ends.RunAll({sender}, {End(1, Side::kReceive, Protocol::kUdp, 8000)}));
  const StreamReport& sent = ends.sent.streams[0];
  EXPECT_GT(sent.calls, 0u);
  EXPECT_EQ(sent.zerocopy_completions, sent.calls);
  EXPECT_EQ(sent.zerocopy_copied, sent.calls);
  EXPECT_EQ(sent.failed_sends, 0u);
  EXPECT_THAT(sent.warnings, SizeIs(0));
  EXPECT_FALSE(ends.received.streams[0].zerocopy_completions);
}

TEST(UdpWays, TheOptionsOfAWayAreReadBack) {
  StreamConfig sender = End(1, Side::kSend, Protocol::kUdp, 500);
  sender.rate_bps = 1'000'000;
  sender.ways = {.send = SendWay::kGso, .receive = ReceiveWay::kGro, .batch = 10};
  StreamConfig receiver = End(1, Side::kReceive, Protocol::kUdp, 500);
  receiver.ways = sender.ways;
  TwoEnds ends;
  ASSERT_NO_FATAL_FAILURE(ends.RunAll({sender}, {receiver}));
  const auto named = [](const StreamReport& report, const char* name) {
    for (const OptionOutcome& option : report.options) {
      if (option.name == name) return option;
    }
    return OptionOutcome{};
  };
  EXPECT_EQ(named(ends.sent.streams[0], "UDP_SEGMENT").got, "500B");
  EXPECT_TRUE(named(ends.sent.streams[0], "UDP_SEGMENT").applied);
  EXPECT_EQ(named(ends.received.streams[0], "UDP_GRO").got, "1");
  EXPECT_TRUE(named(ends.received.streams[0], "UDP_GRO").applied);
}

TEST(UdpWays, WhatCannotBeHadFailsOrIsMarkedUnderBestEffort) {
  StreamConfig config = End(1, Side::kSend, Protocol::kUdp, 500);
  const absl::Status reason = absl::UnimplementedError("call sendmmsg: no such call");
  std::vector<OptionOutcome> outcomes;
  EXPECT_EQ(FallBack(config, "sendmmsg", "sendmmsg", "write", reason, outcomes), reason);
  EXPECT_THAT(outcomes, SizeIs(0));
  config.best_effort = true;
  outcomes.push_back({.name = "UDP_SEGMENT", .asked = "500B", .got = "500B", .applied = true});
  EXPECT_TRUE(FallBack(config, "UDP_SEGMENT", "gso", "write", reason, outcomes).ok());
  EXPECT_TRUE(FallBack(config, "sendmmsg", "sendmmsg", "write", reason, outcomes).ok());
  ASSERT_THAT(outcomes, SizeIs(2));
  for (const OptionOutcome& outcome : outcomes) {
    EXPECT_FALSE(outcome.applied);
    EXPECT_EQ(outcome.got, "write");
    EXPECT_THAT(outcome.note, HasSubstr("no such call; write in the place of "));
  }
}

}  // namespace
}  // namespace tutti::load
