// Way to send: a message is one system call, unless the kernel takes only a part.
#pragma once

#include <sys/socket.h>

#include <cstddef>

namespace tutti::load {

class TcpWrite {
 public:
  void Lay(const unsigned char* message) { message_ = message; }

  // Hands over `bytes` of the message from `offset` on. As send(2): how many were taken, or -1 with errno.
  long Send(int fd, size_t offset, size_t bytes, int flags) {
    return send(fd, message_ + offset, bytes, flags);
  }

 private:
  const unsigned char* message_ = nullptr;
};

}  // namespace tutti::load
