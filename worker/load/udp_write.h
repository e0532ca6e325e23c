// Way to send: one system call per datagram.
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>

namespace tutti::load {

class UdpWrite {
 public:
  // Messages that one call takes at most.
  uint32_t batch() const { return 1; }
  // Messages that lie in memory one behind the other: what Lay is given.
  uint32_t slots() const { return 1; }
  void Lay(unsigned char* messages, size_t size) {
    message_ = messages;
    size_ = size;
  }

  // Before the messages of the next call are written. False with errno EAGAIN while their places are not
  // free.
  bool Ready(int, int /*flags*/) { return true; }
  // Where the i-th message of the next call is written; constant until Send succeeds.
  unsigned char* message(uint32_t) { return message_; }

  // Hands over the first messages of those that lie there, and returns how many went, at least one; -1 with
  // errno if none did. `flags` as send(2)'s.
  long Send(int fd, uint32_t, int flags) { return send(fd, message_, size_, flags) < 0 ? -1 : 1; }

 private:
  unsigned char* message_ = nullptr;
  size_t size_ = 0;
};

}  // namespace tutti::load
