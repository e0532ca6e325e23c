// A UDP socket whose datagrams the kernel stamps as they leave and arrive (SO_TIMESTAMPING, software stamps;
// Documentation/networking/timestamping.rst).
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/time/kernel_stamp.h"

namespace tutti::net {

// Where datagrams go to and come from: the peer, and the own address that it knows this socket by.
struct DatagramPath {
  sockaddr_storage peer{};
  socklen_t peer_size = 0;
  std::optional<in6_pktinfo> local;  // IPv4 as a mapped address; unset: the route's choice

  bool SamePeer(const DatagramPath& other) const;
};

// A numeric address ("10.0.0.1", "fd00::1", "fe80::1%eth0") or a name, which is resolved and may block.
absl::StatusOr<DatagramPath> PathTo(const std::string& host, uint16_t port);

// Movable, owns its socket; non-blocking. Not thread-safe, but one thread may send while another one
// receives and takes send stamps.
class StampedSocket {
 public:
  // Bound to an address as above; port 0: the kernel chooses. An unspecified IPv6 address takes IPv4 as well,
  // as gRPC's servers do.
  static absl::StatusOr<StampedSocket> Bind(const std::string& host, uint16_t port);
  // For a client: bound to any address of the path's family and a port of the kernel's choice.
  static absl::StatusOr<StampedSocket> BindFor(const DatagramPath& path);

  StampedSocket(StampedSocket&& other) noexcept;
  StampedSocket& operator=(StampedSocket&& other) noexcept;
  ~StampedSocket();

  // From now on only what comes from there is received.
  absl::Status Connect(const DatagramPath& path);

  int fd() const { return fd_; }  // POLLIN: a datagram; POLLERR: a send stamp
  uint16_t port() const;

  // The number by which TakeSendStamp knows this datagram. What the kernel refuses is not sent and not an
  // error of the socket: Unavailable where it is worth trying again later.
  absl::StatusOr<uint32_t> Send(std::span<const uint8_t> bytes, const DatagramPath& path);

  struct Received {
    size_t bytes = 0;  // of the buffer; longer datagrams are cut
    DatagramPath path;
    std::optional<KernelStamp> stamp;
  };
  // nullopt: nothing waits.
  std::optional<Received> Receive(std::span<uint8_t> buffer);

  struct SendStamp {
    uint32_t number = 0;
    KernelStamp stamp;
  };
  // nullopt: nothing waits. A device that stamps nothing on the way out never gives one.
  std::optional<SendStamp> TakeSendStamp();

 private:
  explicit StampedSocket(int fd) : fd_(fd) {}
  static absl::StatusOr<StampedSocket> Open(const sockaddr_storage& address, socklen_t size);
  absl::Status EnableStamps();

  int fd_ = -1;
  uint32_t next_number_ = 0;
};

}  // namespace tutti::net
