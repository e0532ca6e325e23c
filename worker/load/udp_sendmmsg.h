// Way to send: several datagrams with one system call, sendmmsg(2).
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti::load {

// As udp_write.h has it. The error that ends a call behind its first datagram is lost (sendmmsg(2)), and one
// that the peer reports, such as a closed port, would be lost each time: so the next batch goes out one by
// one.
class UdpSendmmsg {
 public:
  explicit UdpSendmmsg(uint32_t batch) : calls_(batch), places_(batch) {}

  uint32_t batch() const { return static_cast<uint32_t>(calls_.size()); }
  uint32_t slots() const { return batch(); }
  void Lay(unsigned char* messages, size_t size) {
    for (size_t i = 0; i < calls_.size(); ++i) {
      places_[i] = {messages + i * size, size};
      calls_[i].msg_hdr.msg_iov = &places_[i];
      calls_[i].msg_hdr.msg_iovlen = 1;
    }
  }

  bool Ready(int, int) { return true; }
  unsigned char* message(uint32_t i) { return static_cast<unsigned char*>(places_[i].iov_base); }
  long Send(int fd, uint32_t messages, int flags) {
    if (one_by_one_ > 0) [[unlikely]] {
      --one_by_one_;
      return send(fd, places_[0].iov_base, places_[0].iov_len, flags) < 0 ? -1 : 1;
    }
    const long sent = sendmmsg(fd, calls_.data(), messages, flags);
    if (sent > 0 && sent < static_cast<long>(messages)) [[unlikely]]
      one_by_one_ = batch();
    return sent;
  }

 private:
  uint32_t one_by_one_ = 0;
  std::vector<mmsghdr> calls_;
  std::vector<iovec> places_;
};

}  // namespace tutti::load
