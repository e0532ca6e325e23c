// Numeric IPv4 and IPv6 addresses with ports, as the kernel and as people write them.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace tutti::load {

// A value.
class SocketAddress {
 public:
  // "10.0.0.1", "fd00::1", "fe80::1%eth0". Names are InvalidArgument: nothing is resolved.
  static absl::StatusOr<SocketAddress> Parse(const std::string& address, uint16_t port);
  static SocketAddress LocalOf(int fd);  // getsockname; family AF_UNSPEC if that fails
  static SocketAddress PeerOf(int fd);   // getpeername

  SocketAddress() = default;

  sa_family_t family() const { return storage_.ss_family; }
  uint16_t port() const;
  SocketAddress WithPort(uint16_t port) const;
  // The same host, whatever the ports. Scopes are compared where both have one.
  bool SameHost(const SocketAddress& other) const;
  std::string ToString() const;  // "10.0.0.1:5201", "[fd00::1]:5201"; "?" if unspecified

  const sockaddr* data() const { return reinterpret_cast<const sockaddr*>(&storage_); }
  sockaddr* mutable_data() { return reinterpret_cast<sockaddr*>(&storage_); }
  socklen_t length() const;
  static constexpr socklen_t capacity() { return sizeof(sockaddr_storage); }

 private:
  sockaddr_storage storage_{};
};

}  // namespace tutti::load
