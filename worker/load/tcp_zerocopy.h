// Way to send: send(2) from memory that the kernel need not copy (MSG_ZEROCOPY, Linux 4.14).
#pragma once

#include <errno.h>
#include <sys/socket.h>

#include <cstddef>
#include <cstdint>

#include "worker/load/zerocopy_window.h"

namespace tutti::load {

// As tcp_write.h has it, on a socket with SO_ZEROCOPY. The message is never written to while the trial runs.
class TcpZerocopy {
 public:
  // Calls under way at once: enough for messages that are small beside the socket buffer.
  static constexpr uint32_t kSlots = 1024;

  void Lay(const unsigned char* message) { message_ = message; }

  long Send(int fd, size_t offset, size_t bytes, int flags) {
    if (!window_.Ready(fd, flags)) return -1;
    const long accepted = send(fd, message_ + offset, bytes, flags | MSG_ZEROCOPY);
    if (accepted < 0) {
      window_.Failed(fd, flags);
    } else {
      window_.Sent();
    }
    return accepted;
  }

  ZerocopyWindow& window() { return window_; }

 private:
  ZerocopyWindow window_{kSlots};
  const unsigned char* message_ = nullptr;
};

}  // namespace tutti::load
