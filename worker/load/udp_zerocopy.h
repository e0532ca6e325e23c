// Way to send: one system call per datagram that the kernel need not copy (MSG_ZEROCOPY, Linux 5.0).
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>

#include "worker/load/zerocopy_window.h"

namespace tutti::load {

// As udp_write.h has it, on a socket with SO_ZEROCOPY. The messages lie in a ring, since the header of one
// that is under way must not be overwritten.
class UdpZerocopy {
 public:
  static constexpr uint32_t kSlots = 128;

  uint32_t batch() const { return 1; }
  uint32_t slots() const { return kSlots; }
  void Lay(unsigned char* messages, size_t size) {
    messages_ = messages;
    size_ = size;
  }

  bool Ready(int fd, int flags) { return window_.Ready(fd, flags); }
  unsigned char* message(uint32_t) { return messages_ + window_.next_slot() * size_; }
  long Send(int fd, uint32_t, int flags) {
    if (send(fd, message(0), size_, flags | MSG_ZEROCOPY) < 0) {
      window_.Failed(fd, flags);
      return -1;
    }
    window_.Sent();
    return 1;
  }

  ZerocopyWindow& window() { return window_; }

 private:
  ZerocopyWindow window_{kSlots};
  unsigned char* messages_ = nullptr;
  size_t size_ = 0;
};

}  // namespace tutti::load
