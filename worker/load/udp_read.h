// Way to receive: one system call per datagram.
//
// With MSG_TRUNC in `flags` this way and recvmmsg tell a datagram's true size, however much of it the buffer
// takes (recv(2)): so the payload can be dropped and the header still be read. Nobody may read behind the
// buffer's end on the word of that size.
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>

#include "worker/load/socket_address.h"

namespace tutti::load {

// A datagram in the receive buffer. `size` is what the call said of it.
struct Datagram {
  const unsigned char* data = nullptr;
  size_t size = 0;
};

class UdpRead {
 public:
  // Datagrams that one call gives at most: as many buffers of the read size lie one behind the other.
  uint32_t slots() const { return 1; }
  // With `wants_source` each call tells who sent what it gives.
  void Lay(unsigned char* buffers, size_t read_size, bool wants_source) {
    buffer_ = buffers;
    read_size_ = read_size;
    wants_source_ = wants_source;
  }

  // How many datagrams the call gave, at least one; -1 with errno if none. `flags` as recv(2)'s.
  long Receive(int fd, int flags) {
    long size = 0;
    if (wants_source_) {
      socklen_t length = SocketAddress::capacity();
      size = recvfrom(fd, buffer_, read_size_, flags, source_.mutable_data(), &length);
    } else {
      size = recv(fd, buffer_, read_size_, flags);
    }
    if (size < 0) return -1;
    size_ = static_cast<size_t>(size);
    return 1;
  }

  // Of the last call's, in the order of their arrival.
  Datagram datagram(uint32_t) const { return {buffer_, size_}; }
  const SocketAddress& source(uint32_t) const { return source_; }

 private:
  unsigned char* buffer_ = nullptr;
  size_t read_size_ = 0;
  size_t size_ = 0;
  bool wants_source_ = false;
  SocketAddress source_;
};

}  // namespace tutti::load
