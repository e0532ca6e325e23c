// The least that moving bytes costs with MSG_ZEROCOPY: completions are taken and thrown away, the message is
// never written to.
#include <sys/socket.h>

#include <cerrno>
#include <vector>

#include "tests/bench/raw_setup.h"

namespace {

using tutti::bench::RawSetup;

constexpr int kCallsPerLook = 64;

void TakeCompletions(int fd) {
  char control[256];
  msghdr message{};
  do {
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
  } while (recvmsg(fd, &message, MSG_ERRQUEUE | MSG_DONTWAIT) >= 0);
}

void Send(const RawSetup& setup, int fd, const std::atomic<bool>& stop) {
  const int on = 1;
  if (setsockopt(fd, SOL_SOCKET, SO_ZEROCOPY, &on, sizeof(on)) != 0) tutti::bench::Die("set SO_ZEROCOPY");
  const std::vector<char> message(setup.message_bytes, 'x');
  for (int calls = 0; !stop.load(std::memory_order_relaxed); ++calls) {
    if (send(fd, message.data(), message.size(), MSG_NOSIGNAL | MSG_ZEROCOPY) < 0) {
      if (errno != ENOBUFS) tutti::bench::Die("send");
      TakeCompletions(fd);
    }
    if (calls % kCallsPerLook == 0) TakeCompletions(fd);
  }
}

void Receive(const RawSetup& setup, int fd) {
  std::vector<char> buffer(setup.read_bytes);
  tutti::bench::RawWait wait(setup);
  while (wait.GoesOn(recv(fd, buffer.data(), buffer.size(), wait.flags()))) {
  }
}

}  // namespace

int main(int argc, char** argv) { return tutti::bench::RunRaw(argc, argv, Send, Receive); }
