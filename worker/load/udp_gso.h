// Way to send: several datagrams as the segments of one buffer, cut below the socket (UDP_SEGMENT, Linux
// 4.18).
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>

namespace tutti::load {

// As udp_write.h has it, on a socket whose UDP_SEGMENT is the message size. Each segment begins with a header
// of its own. A call is taken whole or not at all.
class UdpGso {
 public:
  explicit UdpGso(uint32_t batch) : batch_(batch) {}

  uint32_t batch() const { return batch_; }
  uint32_t slots() const { return batch_; }
  void Lay(unsigned char* messages, size_t size) {
    messages_ = messages;
    size_ = size;
  }

  bool Ready(int, int) { return true; }
  unsigned char* message(uint32_t i) { return messages_ + i * size_; }
  long Send(int fd, uint32_t messages, int flags) {
    return send(fd, messages_, messages * size_, flags) < 0 ? -1 : static_cast<long>(messages);
  }

 private:
  uint32_t batch_;
  unsigned char* messages_ = nullptr;
  size_t size_ = 0;
};

}  // namespace tutti::load
