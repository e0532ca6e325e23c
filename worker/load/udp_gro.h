// Way to receive: datagrams of one flow that the kernel has joined, with one system call (UDP_GRO, Linux
// 5.0).
#pragma once

#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "worker/load/socket_address.h"
#include "worker/load/udp_read.h"

namespace tutti::load {

// As udp_read.h has it, on a socket with UDP_GRO. What one call gives came from one source, all of one size
// but the last, which may be shorter; the call tells that size, or none for a datagram by itself (udp(7)).
class UdpGro {
 public:
  uint32_t slots() const { return 1; }
  void Lay(unsigned char* buffer, size_t read_size, bool wants_source) {
    place_ = {buffer, read_size};
    wants_source_ = wants_source;
  }

  long Receive(int fd, int flags) {
    alignas(cmsghdr) unsigned char control[CMSG_SPACE(sizeof(int))];
    msghdr call{};
    call.msg_iov = &place_;
    call.msg_iovlen = 1;
    call.msg_control = control;
    call.msg_controllen = sizeof(control);
    if (wants_source_) {
      call.msg_name = source_.mutable_data();
      call.msg_namelen = SocketAddress::capacity();
    }
    const long bytes = recvmsg(fd, &call, flags);
    if (bytes < 0) return -1;
    bytes_ = static_cast<size_t>(bytes);
    segment_bytes_ = SegmentBytes(call);
    if (segment_bytes_ == 0 || bytes_ == 0) segment_bytes_ = std::max<size_t>(bytes_, 1);
    return std::max<long>(1, static_cast<long>((bytes_ + segment_bytes_ - 1) / segment_bytes_));
  }

  Datagram datagram(uint32_t i) const {
    const size_t offset = i * segment_bytes_;
    return {static_cast<const unsigned char*>(place_.iov_base) + offset,
            std::min(segment_bytes_, bytes_ - offset)};
  }
  const SocketAddress& source(uint32_t) const { return source_; }

 private:
  static size_t SegmentBytes(msghdr& call) {
    for (cmsghdr* item = CMSG_FIRSTHDR(&call); item != nullptr; item = CMSG_NXTHDR(&call, item)) {
      if (item->cmsg_level != SOL_UDP || item->cmsg_type != UDP_GRO) continue;
      int bytes = 0;
      std::memcpy(&bytes, CMSG_DATA(item), sizeof(bytes));
      return bytes > 0 ? static_cast<size_t>(bytes) : 0;
    }
    return 0;
  }

  iovec place_{};
  size_t bytes_ = 0;          // of the last call
  size_t segment_bytes_ = 1;  // of all its datagrams but the last
  bool wants_source_ = false;
  SocketAddress source_;
};

}  // namespace tutti::load
