// The least that moving datagrams costs by sendmmsg and recvmmsg, BATCH of them per call.
#include <sys/socket.h>
#include <sys/uio.h>

#include <cerrno>
#include <vector>

#include "tests/bench/raw_setup.h"

namespace {

using tutti::bench::RawSetup;

// One buffer for each datagram of a call.
struct Batch {
  Batch(unsigned datagrams, size_t bytes)
      : memory(datagrams * bytes, 'x'), places(datagrams), calls(datagrams) {
    for (unsigned i = 0; i < datagrams; ++i) {
      places[i] = {memory.data() + i * bytes, bytes};
      calls[i].msg_hdr.msg_iov = &places[i];
      calls[i].msg_hdr.msg_iovlen = 1;
    }
  }

  std::vector<char> memory;
  std::vector<iovec> places;
  std::vector<mmsghdr> calls;
};

void Send(const RawSetup& setup, int fd, const std::atomic<bool>& stop) {
  Batch batch(setup.batch, setup.message_bytes);
  while (!stop.load(std::memory_order_relaxed)) {
    if (sendmmsg(fd, batch.calls.data(), setup.batch, MSG_NOSIGNAL) < 0 && errno != ENOBUFS) {
      tutti::bench::Die("sendmmsg");
    }
  }
}

void Receive(const RawSetup& setup, int fd) {
  Batch batch(setup.batch, setup.read_bytes);
  tutti::bench::RawWait wait(setup);
  while (wait.GoesOn(recvmmsg(fd, batch.calls.data(), setup.batch, wait.flags() | MSG_WAITFORONE, nullptr))) {
  }
}

}  // namespace

int main(int argc, char** argv) { return tutti::bench::RunRaw(argc, argv, Send, Receive); }
