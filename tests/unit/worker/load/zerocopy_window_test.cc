// Calls under way, over a loopback connection whose peer reads only when the test says so.
#include "worker/load/zerocopy_window.h"

#include <errno.h>
#include <sys/socket.h>

#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/worker/load/plain_sockets.h"

namespace tutti::load {
namespace {

class ZerocopyWindowTest : public ::testing::Test {
 protected:
  ZerocopyWindowTest() {
    sender_ = ConnectedSocket(SOCK_STREAM, "127.0.0.1", PortOf(listener_));
    receiver_ = FileDescriptor(accept(listener_.get(), nullptr, nullptr));
    const int on = 1;
    EXPECT_EQ(setsockopt(sender_.get(), SOL_SOCKET, SO_ZEROCOPY, &on, sizeof(on)), 0);
  }

  int fd() const { return sender_.get(); }
  // Sends until the connection takes no more; how many calls took something.
  uint32_t Fill(ZerocopyWindow& window) {
    uint32_t calls = 0;
    while (window.Ready(fd(), MSG_DONTWAIT) &&
           send(fd(), message_.data(), message_.size(), MSG_DONTWAIT | MSG_ZEROCOPY) > 0) {
      window.Sent();
      ++calls;
    }
    EXPECT_EQ(errno, EAGAIN);
    return calls;
  }
  void ReadAll() {
    std::vector<unsigned char> data(1 << 20);
    while (recv(receiver_.get(), data.data(), data.size(), MSG_DONTWAIT) > 0) {
    }
  }

 private:
  FileDescriptor listener_ = BoundSocket(SOCK_STREAM);
  FileDescriptor sender_;
  FileDescriptor receiver_;
  std::vector<unsigned char> message_ = std::vector<unsigned char>(65536, 1);
};

TEST_F(ZerocopyWindowTest, HoldsNoMoreCallsThanItHasSlotsUntilTheKernelIsDone) {
  ZerocopyWindow window(4);
  uint32_t calls = Fill(window);
  ASSERT_GE(calls, 4u);
  EXPECT_EQ(window.under_way(), 4u);  // the peer's buffer and the connection's take more than 4 of them
  EXPECT_EQ(window.completed() + window.under_way(), calls);
  EXPECT_FALSE(window.CollectAll(fd(), 1));
  for (int i = 0; i < 1000 && calls < 10; ++i) {
    ReadAll();
    calls += Fill(window);
    EXPECT_LE(window.under_way(), 4u);
    EXPECT_EQ(window.completed() + window.under_way(), calls);
  }
  for (int i = 0; i < 1000 && window.under_way() > 0; ++i) {
    ReadAll();
    window.CollectAll(fd(), 10);
  }
  EXPECT_GE(calls, 10u);
  EXPECT_EQ(window.under_way(), 0u);
  EXPECT_EQ(window.completed(), calls);
  EXPECT_EQ(window.copied(), calls);  // loopback
  EXPECT_TRUE(window.Ready(fd(), MSG_DONTWAIT));
  EXPECT_EQ(window.next_slot(), calls % 4);
}

TEST_F(ZerocopyWindowTest, AFailureForWantOfBuffersPassesOnlyWhereCompletionsCanFreeThem) {
  ZerocopyWindow window(64);
  errno = ENOBUFS;
  window.Failed(fd(), MSG_DONTWAIT);
  EXPECT_EQ(errno, ENOBUFS);
  Fill(window);
  ASSERT_GT(window.under_way(), 0u);
  errno = ENOBUFS;
  window.Failed(fd(), MSG_DONTWAIT);
  EXPECT_EQ(errno, EAGAIN);
  errno = EPIPE;
  window.Failed(fd(), MSG_DONTWAIT);
  EXPECT_EQ(errno, EPIPE);
}

}  // namespace
}  // namespace tutti::load
