// Way to send: sendfile(2) from a file in memory, as netperf's TCP_SENDFILE.
#pragma once

#include <sys/sendfile.h>
#include <sys/types.h>

#include <cstddef>

namespace tutti::load {

// As tcp_write.h has it, but no flag reaches sendfile: a caller that must not block has a socket with
// O_NONBLOCK. A connection that was closed raises SIGPIPE, which load threads block.
class TcpSendfile {
 public:
  // `file` holds the message and stays its owner's.
  explicit TcpSendfile(int file) : file_(file) {}

  void Lay(const unsigned char*) {}
  long Send(int fd, size_t offset, size_t bytes, int) {
    auto at = static_cast<off_t>(offset);
    return sendfile(fd, file_, &at, bytes);
  }

 private:
  int file_;
};

}  // namespace tutti::load
