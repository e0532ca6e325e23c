// What the kernel really has and sends: a second look at the trial's own sockets, and the headers that
// arrive.
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <cstring>
#include <optional>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/worker/load/plain_sockets.h"
#include "tests/unit/worker/load/two_ends.h"

namespace tutti::load {
namespace {

using ::testing::HasSubstr;

constexpr uint32_t kDscp = 10;
constexpr uint32_t kEct0 = 2;
constexpr int kTypeOfService = 42;  // 10 * 4 + 2

const OptionOutcome& Option(const StreamReport& report, const std::string& name) {
  static const OptionOutcome kNone;
  for (const OptionOutcome& option : report.options) {
    if (option.name == name) return option;
  }
  ADD_FAILURE() << "no outcome of " << name;
  return kNone;
}

// The socket of this process that is connected to `port`.
int SocketConnectedTo(uint16_t port) {
  for (int fd = 0; fd < 1024; ++fd) {
    if (SocketAddress::PeerOf(fd).port() == port) return fd;
  }
  return -1;
}

int GetOption(int fd, int level, int option) {
  int value = -1;
  socklen_t length = sizeof(value);
  EXPECT_EQ(getsockopt(fd, level, option, &value, &length), 0);
  return value;
}

FileDescriptor Receiver(const std::string& address, int level, int wanted_option) {
  const SocketAddress any = *SocketAddress::Parse(address, 0);
  FileDescriptor fd(socket(any.family(), SOCK_DGRAM, 0));
  EXPECT_EQ(bind(fd.get(), any.data(), any.length()), 0);
  const int on = 1;
  EXPECT_EQ(setsockopt(fd.get(), level, wanted_option, &on, sizeof(on)), 0);
  const timeval patience{.tv_sec = 2, .tv_usec = 0};
  EXPECT_EQ(setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)), 0);
  return fd;
}

// The control message of `type` of the next datagram.
std::optional<int> ArrivesWith(const FileDescriptor& fd, int level, int type) {
  std::array<char, 256> payload{};
  alignas(cmsghdr) std::array<char, 256> control{};
  iovec part{payload.data(), payload.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  if (recvmsg(fd.get(), &message, 0) < 0) return std::nullopt;
  for (const cmsghdr* entry = CMSG_FIRSTHDR(&message); entry != nullptr;
       entry = CMSG_NXTHDR(&message, const_cast<cmsghdr*>(entry))) {
    if (entry->cmsg_level != level || entry->cmsg_type != type) continue;
    // IP_TOS comes as one byte, IPV6_TCLASS as an int.
    int value = 0;
    std::memcpy(&value, CMSG_DATA(entry), entry->cmsg_len - CMSG_LEN(0));
    return value;
  }
  return std::nullopt;
}

// A whole trial of a marked sender towards `receiver`.
StreamReport SendTo(const FileDescriptor& receiver, const StreamConfig& sender) {
  auto trial = LoadTrial::Prepare({sender}, kShort, SystemClock::Get());
  EXPECT_TRUE(trial.ok()) << trial.status();
  if (!trial.ok()) return {};
  EXPECT_TRUE((*trial)->Connect({{1, PortOf(receiver)}}, InNs(2000 * kMs)).ok());
  EXPECT_EQ(GetOption(SocketConnectedTo(PortOf(receiver)), SOL_SOCKET, SO_PRIORITY),
            static_cast<int>(sender.marks.priority.value_or(0)));
  const ClockMapping mapping;
  EXPECT_TRUE((*trial)->Arm(mapping, mapping.Convert(InNs(30 * kMs)), nullptr).ok());
  (*trial)->WaitSenders();
  return (*trial)->Report().streams.front();
}

StreamConfig MarkedSender(const std::string& address) {
  StreamConfig sender = End(1, Side::kSend, Protocol::kUdp, 100, address);
  sender.rate_bps = 800'000;
  sender.dscp = kDscp;
  sender.marks.ecn = kEct0;
  sender.marks.priority = 5;  // not what the DSCP would make of it
  return sender;
}

TEST(PacketMarks, DscpAndEcnArriveTogetherOverIpv4AndThePriorityStays) {
  const FileDescriptor receiver = Receiver("127.0.0.1", IPPROTO_IP, IP_RECVTOS);
  const StreamReport report = SendTo(receiver, MarkedSender("127.0.0.1"));
  EXPECT_EQ(ArrivesWith(receiver, IPPROTO_IP, IP_TOS), kTypeOfService);
  EXPECT_EQ(Option(report, "DSCP (IP_TOS)").got, "10");
  EXPECT_EQ(Option(report, "ECN (IP_TOS)").got, "ect0");
  EXPECT_TRUE(Option(report, "ECN (IP_TOS)").applied);
  EXPECT_EQ(Option(report, "SO_PRIORITY").got, "5");
  EXPECT_TRUE(Option(report, "SO_PRIORITY").applied);
}

TEST(PacketMarks, DscpAndEcnArriveTogetherOverIpv6) {
  const FileDescriptor receiver = Receiver("::1", IPPROTO_IPV6, IPV6_RECVTCLASS);
  const StreamReport report = SendTo(receiver, MarkedSender("::1"));
  EXPECT_EQ(ArrivesWith(receiver, IPPROTO_IPV6, IPV6_TCLASS), kTypeOfService);
  EXPECT_EQ(Option(report, "DSCP (IPV6_TCLASS)").got, "10");
  EXPECT_EQ(Option(report, "ECN (IPV6_TCLASS)").got, "ect0");
}

TEST(PacketMarks, EcnAloneLeavesTheDscpAtZero) {
  const FileDescriptor receiver = Receiver("127.0.0.1", IPPROTO_IP, IP_RECVTOS);
  StreamConfig sender = MarkedSender("127.0.0.1");
  sender.dscp.reset();
  sender.marks.ecn = 3;
  SendTo(receiver, sender);
  EXPECT_EQ(ArrivesWith(receiver, IPPROTO_IP, IP_TOS), 3);
}

TEST(PacketMarks, TheMarkIsOnTheSocketOrItsLackSaysWhatItNeeds) {
  const FileDescriptor receiver = Receiver("127.0.0.1", IPPROTO_IP, IP_RECVTOS);
  StreamConfig sender = MarkedSender("127.0.0.1");
  sender.marks.mark = 0xfffffff0;
  sender.best_effort = true;
  auto trial = LoadTrial::Prepare({sender}, kShort, SystemClock::Get());
  ASSERT_TRUE(trial.ok()) << trial.status();
  ASSERT_TRUE((*trial)->Connect({{1, PortOf(receiver)}}, InNs(2000 * kMs)).ok());
  const int mark = GetOption(SocketConnectedTo(PortOf(receiver)), SOL_SOCKET, SO_MARK);
  const LoadReport report = (*trial)->Report();
  const OptionOutcome& option = Option(report.streams[0], "SO_MARK");
  EXPECT_EQ(option.asked, "4294967280");
  if (option.applied) {
    EXPECT_EQ(static_cast<uint32_t>(mark), 0xfffffff0u);
    EXPECT_EQ(option.got, option.asked);
  } else {
    EXPECT_EQ(mark, 0);
    EXPECT_THAT(option.note, HasSubstr("CAP_NET_ADMIN"));
  }
}

TEST(PacketMarks, AnAcceptedConnectionHasThePriorityOfItsStreamAgain) {
  TwoEnds ends;
  StreamConfig receiver = End(1, Side::kReceive, Protocol::kTcp, 1000);
  receiver.marks.priority = 4;
  ASSERT_NO_FATAL_FAILURE(ends.Prepare({End(1, Side::kSend, Protocol::kTcp, 1000)}, {receiver}));
  ASSERT_NO_FATAL_FAILURE(ends.Connect());
  const int sender = SocketConnectedTo(ends.receiver->bound_ports()[0].port);
  const int accepted = SocketConnectedTo(SocketAddress::LocalOf(sender).port());
  ASSERT_GE(accepted, 0);
  EXPECT_EQ(GetOption(accepted, SOL_SOCKET, SO_PRIORITY), 4);
  EXPECT_TRUE(Option(ends.receiver->Report().streams[0], "SO_PRIORITY").applied);
}

TEST(PacketMarks, TcpKeepsTheEcnFieldForItself) {
  StreamConfig sender = End(1, Side::kSend, Protocol::kTcp, 1000);
  sender.marks.ecn = kEct0;
  const auto trial = LoadTrial::Prepare({sender}, kShort, SystemClock::Get());
  ASSERT_FALSE(trial.ok());
  EXPECT_THAT(std::string(trial.status().message()), HasSubstr("TCP keeps these bits for itself"));
}

}  // namespace
}  // namespace tutti::load
