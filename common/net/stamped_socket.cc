#include "common/net/stamped_socket.h"

#include <errno.h>
#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <netdb.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "common/status/errno_status.h"
#include "common/status/macros.h"

namespace tutti::net {
namespace {

// Space for one SCM_TIMESTAMPING, one packet info and one extended error with its address.
constexpr size_t kControlBytes = 512;
constexpr int kReceiveBufferBytes = 1 << 21;

absl::StatusOr<DatagramPath> Resolve(const std::string& host, uint16_t port, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  hints.ai_flags = flags;
  addrinfo* found = nullptr;
  const int failed = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (failed != 0) {
    return absl::UnavailableError("resolve " + host + " for UDP: " + gai_strerror(failed));
  }
  DatagramPath path;
  std::memcpy(&path.peer, found->ai_addr, found->ai_addrlen);
  path.peer_size = found->ai_addrlen;
  freeaddrinfo(found);
  return path;
}

in6_addr Mapped(const in_addr& address) {
  in6_addr mapped{};
  mapped.s6_addr[10] = 0xff;
  mapped.s6_addr[11] = 0xff;
  std::memcpy(&mapped.s6_addr[12], &address, sizeof(address));
  return mapped;
}

// The instant of an SCM_TIMESTAMPING message; its first entry is the software stamp.
std::optional<KernelStamp> StampOf(const cmsghdr& header) {
  if (header.cmsg_level != SOL_SOCKET || header.cmsg_type != SCM_TIMESTAMPING) return std::nullopt;
  scm_timestamping stamps;
  std::memcpy(&stamps, CMSG_DATA(&header), sizeof(stamps));
  if (stamps.ts[0].tv_sec == 0 && stamps.ts[0].tv_nsec == 0) return std::nullopt;
  return KernelStamp(timespec{stamps.ts[0].tv_sec, stamps.ts[0].tv_nsec});
}

std::optional<in6_pktinfo> LocalOf(const cmsghdr& header) {
  if (header.cmsg_level == IPPROTO_IPV6 && header.cmsg_type == IPV6_PKTINFO) {
    in6_pktinfo info;
    std::memcpy(&info, CMSG_DATA(&header), sizeof(info));
    // Only a link-local address needs its device; else the answer may take another way back.
    if (!IN6_IS_ADDR_LINKLOCAL(&info.ipi6_addr)) info.ipi6_ifindex = 0;
    return info;
  }
  if (header.cmsg_level == IPPROTO_IP && header.cmsg_type == IP_PKTINFO) {
    in_pktinfo info;
    std::memcpy(&info, CMSG_DATA(&header), sizeof(info));
    return in6_pktinfo{.ipi6_addr = Mapped(info.ipi_spec_dst), .ipi6_ifindex = 0};
  }
  return std::nullopt;
}

// Puts the own address of the path into `message` so that the datagram leaves from it.
void SetLocal(const DatagramPath& path, msghdr& message) {
  auto* header = static_cast<cmsghdr*>(message.msg_control);
  if (path.peer.ss_family == AF_INET) {
    in_pktinfo info{};
    std::memcpy(&info.ipi_spec_dst, &path.local->ipi6_addr.s6_addr[12], sizeof(info.ipi_spec_dst));
    header->cmsg_level = IPPROTO_IP;
    header->cmsg_type = IP_PKTINFO;
    header->cmsg_len = CMSG_LEN(sizeof(info));
    std::memcpy(CMSG_DATA(header), &info, sizeof(info));
    message.msg_controllen = CMSG_SPACE(sizeof(info));
    return;
  }
  header->cmsg_level = IPPROTO_IPV6;
  header->cmsg_type = IPV6_PKTINFO;
  header->cmsg_len = CMSG_LEN(sizeof(in6_pktinfo));
  std::memcpy(CMSG_DATA(header), &*path.local, sizeof(in6_pktinfo));
  message.msg_controllen = CMSG_SPACE(sizeof(in6_pktinfo));
}

std::string TextOf(const sockaddr_storage& address, socklen_t size) {
  char host[NI_MAXHOST] = "?";
  char port[NI_MAXSERV] = "?";
  getnameinfo(reinterpret_cast<const sockaddr*>(&address), size, host, sizeof(host), port, sizeof(port),
              NI_NUMERICHOST | NI_NUMERICSERV);
  return std::string(host) + " port " + port + "/udp";
}

}  // namespace

bool DatagramPath::SamePeer(const DatagramPath& other) const {
  return peer_size == other.peer_size && std::memcmp(&peer, &other.peer, peer_size) == 0;
}

absl::StatusOr<DatagramPath> PathTo(const std::string& host, uint16_t port) { return Resolve(host, port, 0); }

absl::StatusOr<StampedSocket> StampedSocket::Open(const sockaddr_storage& address, socklen_t size) {
  StampedSocket opened(socket(address.ss_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (opened.fd_ < 0) return ErrnoStatus(errno, "open a UDP socket for clock probes");
  const int on = 1;
  const int off = 0;
  if (address.ss_family == AF_INET6) {
    setsockopt(opened.fd_, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
    setsockopt(opened.fd_, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof(on));
  } else {
    setsockopt(opened.fd_, IPPROTO_IP, IP_PKTINFO, &on, sizeof(on));
  }
  // A thousand workers may answer at once, and a small datagram counts several hundred bytes. Without
  // permission the kernel's limit it is: what is dropped is probed again.
  if (setsockopt(opened.fd_, SOL_SOCKET, SO_RCVBUFFORCE, &kReceiveBufferBytes, sizeof(int)) != 0) {
    setsockopt(opened.fd_, SOL_SOCKET, SO_RCVBUF, &kReceiveBufferBytes, sizeof(int));
  }
  if (bind(opened.fd_, reinterpret_cast<const sockaddr*>(&address), size) != 0) {
    return ErrnoStatus(errno, "bind " + TextOf(address, size) + " for clock probes");
  }
  TUTTI_RETURN_IF_ERROR(opened.EnableStamps());
  return opened;
}

absl::StatusOr<StampedSocket> StampedSocket::Bind(const std::string& host, uint16_t port) {
  TUTTI_ASSIGN_OR_RETURN(const DatagramPath own, Resolve(host, port, AI_PASSIVE));
  return Open(own.peer, own.peer_size);
}

absl::StatusOr<StampedSocket> StampedSocket::BindFor(const DatagramPath& path) {
  sockaddr_storage any{};
  any.ss_family = path.peer.ss_family;
  return Open(any, path.peer_size);
}

absl::Status StampedSocket::Connect(const DatagramPath& path) {
  if (connect(fd_, reinterpret_cast<const sockaddr*>(&path.peer), path.peer_size) == 0)
    return absl::OkStatus();
  return ErrnoStatus(errno, "connect to " + TextOf(path.peer, path.peer_size) + " for clock probes");
}

StampedSocket::StampedSocket(StampedSocket&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), next_number_(other.next_number_) {}

StampedSocket& StampedSocket::operator=(StampedSocket&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(next_number_, other.next_number_);
  return *this;
}

StampedSocket::~StampedSocket() {
  if (fd_ >= 0) close(fd_);
}

// Numbers (SOF_TIMESTAMPING_OPT_ID) begin at 0 when they are switched on.
absl::Status StampedSocket::EnableStamps() {
  const int none = 0;
  const int stamps = SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_TX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE |
                     SOF_TIMESTAMPING_OPT_ID | SOF_TIMESTAMPING_OPT_TSONLY;
  if (setsockopt(fd_, SOL_SOCKET, SO_TIMESTAMPING, &none, sizeof(none)) != 0 ||
      setsockopt(fd_, SOL_SOCKET, SO_TIMESTAMPING, &stamps, sizeof(stamps)) != 0) {
    return ErrnoStatus(errno, "set SO_TIMESTAMPING for clock probes");
  }
  next_number_ = 0;
  return absl::OkStatus();
}

uint16_t StampedSocket::port() const {
  sockaddr_storage own{};
  socklen_t size = sizeof(own);
  if (getsockname(fd_, reinterpret_cast<sockaddr*>(&own), &size) != 0) return 0;
  return ntohs(own.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(own).sin6_port
                                         : reinterpret_cast<const sockaddr_in&>(own).sin_port);
}

absl::StatusOr<uint32_t> StampedSocket::Send(std::span<const uint8_t> bytes, const DatagramPath& path) {
  iovec part{const_cast<uint8_t*>(bytes.data()), bytes.size()};
  alignas(cmsghdr) char control[kControlBytes] = {};
  msghdr message{};
  message.msg_name = const_cast<sockaddr_storage*>(&path.peer);
  message.msg_namelen = path.peer_size;
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (path.local) {
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    SetLocal(path, message);
  }
  if (sendmsg(fd_, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
    const int error = errno;
    // Whether the kernel used up a number depends on how far it came: begin anew at 0.
    TUTTI_RETURN_IF_ERROR(EnableStamps());
    return ErrnoStatus(error, "send a clock probe to " + TextOf(path.peer, path.peer_size));
  }
  return next_number_++;
}

std::optional<StampedSocket::Received> StampedSocket::Receive(std::span<uint8_t> buffer) {
  Received received;
  iovec part{buffer.data(), buffer.size()};
  alignas(cmsghdr) char control[kControlBytes];
  msghdr message{};
  message.msg_name = &received.path.peer;
  message.msg_namelen = sizeof(received.path.peer);
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  const ssize_t size = recvmsg(fd_, &message, MSG_DONTWAIT);
  if (size < 0) return std::nullopt;
  received.bytes = static_cast<size_t>(size);
  received.path.peer_size = message.msg_namelen;
  for (cmsghdr* each = CMSG_FIRSTHDR(&message); each != nullptr; each = CMSG_NXTHDR(&message, each)) {
    if (const auto stamp = StampOf(*each)) received.stamp = stamp;
    if (const auto local = LocalOf(*each)) received.path.local = local;
  }
  return received;
}

std::optional<StampedSocket::SendStamp> StampedSocket::TakeSendStamp() {
  alignas(cmsghdr) char control[kControlBytes];
  while (true) {
    msghdr message{};
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    if (recvmsg(fd_, &message, MSG_ERRQUEUE | MSG_DONTWAIT) < 0) return std::nullopt;
    std::optional<KernelStamp> stamp;
    std::optional<uint32_t> number;
    for (cmsghdr* each = CMSG_FIRSTHDR(&message); each != nullptr; each = CMSG_NXTHDR(&message, each)) {
      if (const auto found = StampOf(*each)) stamp = found;
      const bool is_error = (each->cmsg_level == IPPROTO_IP && each->cmsg_type == IP_RECVERR) ||
                            (each->cmsg_level == IPPROTO_IPV6 && each->cmsg_type == IPV6_RECVERR);
      if (!is_error) continue;
      sock_extended_err error;
      std::memcpy(&error, CMSG_DATA(each), sizeof(error));
      if (error.ee_origin == SO_EE_ORIGIN_TIMESTAMPING) number = error.ee_data;
    }
    if (stamp && number) return SendStamp{*number, *stamp};
  }
}

}  // namespace tutti::net
