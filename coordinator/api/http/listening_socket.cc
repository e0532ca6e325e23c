#include "coordinator/api/http/listening_socket.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <utility>

#include "common/status/errno_status.h"
#include "common/status/macros.h"

namespace tutti::http {
namespace {

constexpr int kBacklog = 511;
// Data that a client's kernel does not acknowledge for so long, or does not want: the client is gone. As long
// as Limits::stall, for what has left our hands.
constexpr unsigned kUserTimeoutMs = 30'000;

absl::Status BindStatus(int error, const std::string& target) {
  return ErrnoStatus(error, "listen for HTTP on " + target,
                     error == EADDRINUSE ? "another daemon has the port: stop it, or choose another port"
                                         : "use an address of this host");
}

int PortOf(int fd) {
  sockaddr_storage bound{};
  socklen_t size = sizeof(bound);
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &size) != 0) return 0;
  if (bound.ss_family == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6*>(&bound)->sin6_port);
  return ntohs(reinterpret_cast<const sockaddr_in*>(&bound)->sin_port);
}

absl::StatusOr<int> OpenTcp(const addrinfo& address, int port, const std::string& target) {
  sockaddr_storage local{};
  memcpy(&local, address.ai_addr, address.ai_addrlen);
  if (address.ai_family == AF_INET6) {
    reinterpret_cast<sockaddr_in6*>(&local)->sin6_port = htons(static_cast<uint16_t>(port));
  } else {
    reinterpret_cast<sockaddr_in*>(&local)->sin_port = htons(static_cast<uint16_t>(port));
  }
  const int fd = socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return BindStatus(errno, target);
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (bind(fd, reinterpret_cast<const sockaddr*>(&local), address.ai_addrlen) != 0 ||
      listen(fd, kBacklog) != 0) {
    const int error = errno;
    close(fd);
    return BindStatus(error, target);
  }
  return fd;
}

}  // namespace

ListeningSocket::ListeningSocket(int fd, int family, net::Endpoint endpoint,
                                 std::optional<net::SocketLock> lock)
    : lock_(std::move(lock)), fd_(fd), family_(family), endpoint_(std::move(endpoint)) {}

ListeningSocket::ListeningSocket(ListeningSocket&& other) noexcept
    : lock_(std::move(other.lock_)),
      fd_(std::exchange(other.fd_, -1)),
      family_(other.family_),
      endpoint_(std::move(other.endpoint_)) {}

ListeningSocket::~ListeningSocket() {
  if (fd_ < 0) return;
  close(fd_);
  if (endpoint_.is_unix) unlink(endpoint_.path.c_str());
}

absl::StatusOr<ListeningSocket> ListeningSocket::OpenUnix(const net::Endpoint& endpoint) {
  TUTTI_ASSIGN_OR_RETURN(net::SocketLock lock, net::SocketLock::Take(endpoint.path));
  // With the lock taken a socket that is there is a dead daemon's; what is no socket is not ours to remove.
  struct stat found {};
  if (lstat(endpoint.path.c_str(), &found) == 0 && S_ISSOCK(found.st_mode)) unlink(endpoint.path.c_str());
  sockaddr_un local{};
  local.sun_family = AF_UNIX;
  endpoint.path.copy(local.sun_path, sizeof(local.sun_path) - 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return BindStatus(errno, endpoint.target);
  if (bind(fd, reinterpret_cast<const sockaddr*>(&local), sizeof(local)) != 0) {
    const int error = errno;
    close(fd);
    return ErrnoStatus(error, "listen for HTTP on " + endpoint.target, "choose another path");
  }
  // Owns the path from here on.
  ListeningSocket result(fd, AF_UNIX, endpoint, std::move(lock));
  if (listen(fd, kBacklog) != 0) return ErrnoStatus(errno, "listen for HTTP on " + endpoint.target);
  return result;
}

absl::StatusOr<std::vector<ListeningSocket>> ListeningSocket::Open(const net::Endpoint& endpoint) {
  std::vector<ListeningSocket> sockets;
  if (endpoint.is_unix) {
    TUTTI_ASSIGN_OR_RETURN(ListeningSocket socket, OpenUnix(endpoint));
    sockets.push_back(std::move(socket));
    return sockets;
  }
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const int failed = getaddrinfo(endpoint.host.c_str(), nullptr, &hints, &found);
  if (failed != 0) {
    return absl::InvalidArgumentError("listen for HTTP on " + endpoint.target + ": " + gai_strerror(failed) +
                                      "; use an address of this host");
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owned(found, &freeaddrinfo);
  net::Endpoint bound = endpoint;
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    absl::StatusOr<int> fd = OpenTcp(*each, bound.port, endpoint.target);
    // A name such as localhost may have an address of a family that this kernel has not.
    const bool other_family = ErrnoOf(fd.status()) == EAFNOSUPPORT || ErrnoOf(fd.status()) == EADDRNOTAVAIL;
    if (!fd.ok() && other_family && (each->ai_next != nullptr || !sockets.empty())) continue;
    if (!fd.ok()) return fd.status();
    bound.port = PortOf(*fd);
    const bool v6 = bound.host.find(':') != std::string::npos;
    bound.target = (v6 ? "[" + bound.host + "]" : bound.host) + ":" + std::to_string(bound.port);
    sockets.push_back(ListeningSocket(*fd, each->ai_family, bound, std::nullopt));
  }
  return sockets;
}

int ListeningSocket::Accept() const {
  const int fd = accept4(fd_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd < 0 || family_ == AF_UNIX) return fd;
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &kUserTimeoutMs, sizeof(kUserTimeoutMs));
  return fd;
}

}  // namespace tutti::http
