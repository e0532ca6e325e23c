// The sockets that the server listens on.
#pragma once

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "common/net/endpoint.h"
#include "common/net/socket_lock.h"

namespace tutti::http {

inline constexpr int kDefaultHttpPort = 7118;

// Owns its descriptor and, of a Unix socket, the path and its lock. Not thread-safe.
class ListeningSocket {
 public:
  // One for each address that the endpoint's host has, all with the same port. A used port, a Unix socket
  // path that a live daemon holds and an address of another host are errors that name it.
  static absl::StatusOr<std::vector<ListeningSocket>> Open(const net::Endpoint& endpoint);

  ListeningSocket(ListeningSocket&& other) noexcept;
  ListeningSocket& operator=(ListeningSocket&&) = delete;
  ~ListeningSocket();

  // The next connection that waits, non-blocking and closed by exec; -1 with errno where there is none
  // (EAGAIN) or none can be taken.
  int Accept() const;

  int fd() const { return fd_; }
  int family() const { return family_; }
  // With the port that was chosen.
  const net::Endpoint& endpoint() const { return endpoint_; }

 private:
  ListeningSocket(int fd, int family, net::Endpoint endpoint, std::optional<net::SocketLock> lock);
  static absl::StatusOr<ListeningSocket> OpenUnix(const net::Endpoint& endpoint);

  std::optional<net::SocketLock> lock_;
  int fd_ = -1;
  int family_ = 0;
  net::Endpoint endpoint_;
};

}  // namespace tutti::http
