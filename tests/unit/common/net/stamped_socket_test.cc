#include "common/net/stamped_socket.h"

#include <poll.h>
#include <sys/socket.h>

#include <vector>

#include "common/time/realtime_conversion.h"
#include "gtest/gtest.h"

namespace tutti::net {
namespace {

const std::vector<uint8_t> kBytes = {1, 2, 3, 4, 5};

bool WaitFor(const StampedSocket& socket, short events) {
  pollfd wait{socket.fd(), events, 0};
  return poll(&wait, 1, 2000) == 1;
}

class StampedSocketTest : public testing::TestWithParam<const char*> {
 protected:
  StampedSocketTest()
      : server_(StampedSocket::Bind(GetParam(), 0).value()),
        path_(PathTo(GetParam(), server_.port()).value()),
        client_(StampedSocket::BindFor(path_).value()) {}

  StampedSocket server_;
  DatagramPath path_;
  StampedSocket client_;
};

TEST_P(StampedSocketTest, StampsLieBetweenTheInstantsAroundTheCallsThatCausedThem) {
  RealtimeConversion conversion(SystemBracketReader::Get());
  conversion.Observe();
  const HostTime before = SystemClock::Get().Now();
  ASSERT_EQ(client_.Send(kBytes, path_).value(), 0u);
  const HostTime after = SystemClock::Get().Now();
  ASSERT_TRUE(WaitFor(server_, POLLIN));
  uint8_t buffer[16];
  const auto received = server_.Receive(buffer);
  ASSERT_TRUE(received);
  EXPECT_EQ(std::vector<uint8_t>(buffer, buffer + received->bytes), kBytes);
  ASSERT_TRUE(received->stamp);
  ASSERT_TRUE(WaitFor(client_, 0));  // POLLERR
  const auto sent = client_.TakeSendStamp();
  ASSERT_TRUE(sent);
  EXPECT_EQ(sent->number, 0u);
  conversion.Confirm();
  const auto left = conversion.Convert(sent->stamp);
  const auto arrived = conversion.Convert(*received->stamp);
  ASSERT_TRUE(left && arrived);
  EXPECT_GE(left->time.ns + left->bound_ns, before.ns);
  EXPECT_LE(left->time.ns - left->bound_ns, after.ns);
  EXPECT_LE(left->time.ns - left->bound_ns, arrived->time.ns + arrived->bound_ns);
}

TEST_P(StampedSocketTest, HoldsTheAnswersOfAThousandWorkersUntilTheyAreTaken) {
  constexpr int kWorkers = 1000;
  int room_bytes = 0;
  socklen_t size = sizeof(room_bytes);
  ASSERT_EQ(getsockopt(server_.fd(), SOL_SOCKET, SO_RCVBUF, &room_bytes, &size), 0);
  // A small datagram counts 768 bytes.
  if (room_bytes < kWorkers * 1024) GTEST_SKIP() << "no permission for more than " << room_bytes << " bytes";
  for (int i = 0; i < kWorkers; ++i) ASSERT_TRUE(client_.Send(kBytes, path_).ok()) << i;
  int received = 0;
  uint8_t buffer[16];
  while (received < kWorkers && WaitFor(server_, POLLIN)) {
    while (server_.Receive(buffer)) ++received;
  }
  EXPECT_EQ(received, kWorkers);
}

TEST_P(StampedSocketTest, AnswersReachWhoAsked) {
  ASSERT_TRUE(client_.Send(kBytes, path_).ok());
  ASSERT_TRUE(WaitFor(server_, POLLIN));
  uint8_t buffer[16];
  const auto asked = server_.Receive(buffer);
  ASSERT_TRUE(asked);
  ASSERT_TRUE(asked->path.local);
  ASSERT_TRUE(server_.Send(kBytes, asked->path).ok());
  ASSERT_TRUE(WaitFor(client_, POLLIN));
  const auto answer = client_.Receive(buffer);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->path.SamePeer(path_));
}

TEST_P(StampedSocketTest, SendStampsAreNumberedInTheOrderOfSending) {
  for (uint32_t i = 0; i < 3; ++i) EXPECT_EQ(client_.Send(kBytes, path_).value(), i);
  for (uint32_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(WaitFor(client_, 0));
    EXPECT_EQ(client_.TakeSendStamp()->number, i);
  }
  EXPECT_FALSE(client_.TakeSendStamp());
}

TEST_P(StampedSocketTest, NumbersHoldAfterASendThatTheKernelRefused) {
  ASSERT_TRUE(client_.Send(kBytes, path_).ok());
  ASSERT_TRUE(client_.TakeSendStamp());
  const std::vector<uint8_t> too_long(70'000);
  EXPECT_FALSE(client_.Send(too_long, path_).ok());  // EMSGSIZE
  const auto number = client_.Send(kBytes, path_);
  ASSERT_TRUE(number.ok());
  ASSERT_TRUE(WaitFor(client_, 0));
  EXPECT_EQ(client_.TakeSendStamp()->number, *number);
}

TEST_P(StampedSocketTest, ALongerDatagramIsCutAndNothingWaitsAfterIt) {
  ASSERT_TRUE(client_.Send(kBytes, path_).ok());
  ASSERT_TRUE(WaitFor(server_, POLLIN));
  uint8_t buffer[3];
  EXPECT_EQ(server_.Receive(buffer)->bytes, 3u);
  EXPECT_FALSE(server_.Receive(buffer));
}

INSTANTIATE_TEST_SUITE_P(BothFamilies, StampedSocketTest, testing::Values("127.0.0.1", "::1"));

TEST(StampedSocketBind, AnUnspecifiedIpv6AddressTakesIpv4AndAnswersFromTheAddressThatWasAsked) {
  StampedSocket server = StampedSocket::Bind("::", 0).value();
  const DatagramPath path = PathTo("127.0.0.2", server.port()).value();
  StampedSocket client = StampedSocket::BindFor(path).value();
  ASSERT_TRUE(client.Send(kBytes, path).ok());
  ASSERT_TRUE(WaitFor(server, POLLIN));
  uint8_t buffer[16];
  const auto asked = server.Receive(buffer);
  ASSERT_TRUE(asked);
  ASSERT_TRUE(server.Send(kBytes, asked->path).ok());
  ASSERT_TRUE(WaitFor(client, POLLIN));
  EXPECT_TRUE(client.Receive(buffer)->path.SamePeer(path));
}

TEST(StampedSocketBind, AUsedPortAndANameThatIsNoneAreErrorsThatSayWhich) {
  const StampedSocket holder = StampedSocket::Bind("127.0.0.1", 0).value();
  const auto second = StampedSocket::Bind("127.0.0.1", holder.port());
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.status().message().find("127.0.0.1 port " + std::to_string(holder.port())),
            absl::string_view::npos);
  EXPECT_FALSE(StampedSocket::Bind("no.such.name.invalid", 0).ok());
}

}  // namespace
}  // namespace tutti::net
