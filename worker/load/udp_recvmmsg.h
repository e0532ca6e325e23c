// Way to receive: as many datagrams as are queued, up to a batch, with one system call, recvmmsg(2).
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "worker/load/socket_address.h"
#include "worker/load/udp_read.h"

namespace tutti::load {

// As udp_read.h has it. A call waits for the first datagram only.
class UdpRecvmmsg {
 public:
  explicit UdpRecvmmsg(uint32_t batch) : calls_(batch), places_(batch) {}

  uint32_t slots() const { return static_cast<uint32_t>(calls_.size()); }
  void Lay(unsigned char* buffers, size_t read_size, bool wants_source) {
    if (wants_source) sources_.resize(calls_.size());
    for (size_t i = 0; i < calls_.size(); ++i) {
      places_[i] = {buffers + i * read_size, read_size};
      calls_[i].msg_hdr.msg_iov = &places_[i];
      calls_[i].msg_hdr.msg_iovlen = 1;
      if (wants_source) calls_[i].msg_hdr.msg_name = sources_[i].mutable_data();
    }
  }

  long Receive(int fd, int flags) {
    // The last call wrote the lengths of what it filled.
    for (size_t i = 0; i < sources_.size(); ++i) calls_[i].msg_hdr.msg_namelen = SocketAddress::capacity();
    return recvmmsg(fd, calls_.data(), slots(), flags | MSG_WAITFORONE, nullptr);
  }

  Datagram datagram(uint32_t i) const {
    return {static_cast<const unsigned char*>(places_[i].iov_base), calls_[i].msg_len};
  }
  const SocketAddress& source(uint32_t i) const { return sources_[i]; }

 private:
  std::vector<mmsghdr> calls_;
  std::vector<iovec> places_;
  std::vector<SocketAddress> sources_;  // empty where they are not wanted
};

}  // namespace tutti::load
