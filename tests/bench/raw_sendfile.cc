// The least that moving a TCP stream costs by sendfile from a file in memory; read as raw_write reads.
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <vector>

#include "tests/bench/raw_setup.h"

namespace {

using tutti::bench::RawSetup;

void Send(const RawSetup& setup, int fd, const std::atomic<bool>& stop) {
  const int file = memfd_create("raw-message", MFD_CLOEXEC);
  const std::vector<char> message(setup.message_bytes, 'x');
  if (file < 0 || write(file, message.data(), message.size()) != static_cast<ssize_t>(message.size())) {
    tutti::bench::Die("make a memory file");
  }
  while (!stop.load(std::memory_order_relaxed)) {
    off_t at = 0;
    if (sendfile(fd, file, &at, setup.message_bytes) < 0) tutti::bench::Die("sendfile");
  }
  close(file);
}

void Receive(const RawSetup& setup, int fd) {
  std::vector<char> buffer(setup.read_bytes);
  tutti::bench::RawWait wait(setup);
  while (wait.GoesOn(recv(fd, buffer.data(), buffer.size(), wait.flags()))) {
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  return tutti::bench::RunRaw(argc, argv, Send, Receive);
}
