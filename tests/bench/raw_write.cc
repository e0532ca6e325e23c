// The least that moving bytes costs by one call per message: nothing is counted, no clock is read while there
// is something to do.
#include <sys/socket.h>

#include <cerrno>
#include <vector>

#include "tests/bench/raw_setup.h"

namespace {

using tutti::bench::RawSetup;

void Send(const RawSetup& setup, int fd, const std::atomic<bool>& stop) {
  const std::vector<char> message(setup.message_bytes, 'x');
  while (!stop.load(std::memory_order_relaxed)) {
    if (send(fd, message.data(), message.size(), MSG_NOSIGNAL) < 0 && errno != ENOBUFS) {
      tutti::bench::Die("send");
    }
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
