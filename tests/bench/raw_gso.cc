// The least that moving datagrams costs by UDP_SEGMENT and UDP_GRO, BATCH of them per call.
#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/socket.h>

#include <cerrno>
#include <vector>

#include "tests/bench/raw_setup.h"

namespace {

using tutti::bench::RawSetup;

void Send(const RawSetup& setup, int fd, const std::atomic<bool>& stop) {
  const int segment_bytes = static_cast<int>(setup.message_bytes);
  if (setsockopt(fd, SOL_UDP, UDP_SEGMENT, &segment_bytes, sizeof(segment_bytes)) != 0) {
    tutti::bench::Die("set UDP_SEGMENT");
  }
  const std::vector<char> messages(setup.batch * setup.message_bytes, 'x');
  while (!stop.load(std::memory_order_relaxed)) {
    if (send(fd, messages.data(), messages.size(), MSG_NOSIGNAL) < 0 && errno != ENOBUFS) {
      tutti::bench::Die("send");
    }
  }
}

void Receive(const RawSetup& setup, int fd) {
  const int on = 1;
  if (setsockopt(fd, SOL_UDP, UDP_GRO, &on, sizeof(on)) != 0) tutti::bench::Die("set UDP_GRO");
  std::vector<char> buffer(setup.read_bytes);
  tutti::bench::RawWait wait(setup);
  while (wait.GoesOn(recv(fd, buffer.data(), buffer.size(), wait.flags()))) {
  }
}

}  // namespace

int main(int argc, char** argv) { return tutti::bench::RunRaw(argc, argv, Send, Receive); }
