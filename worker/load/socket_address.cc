#include "worker/load/socket_address.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>

#include <cstring>

#include "absl/strings/str_cat.h"

namespace tutti::load {
namespace {

const sockaddr_in& V4(const sockaddr_storage& storage) {
  return reinterpret_cast<const sockaddr_in&>(storage);
}
const sockaddr_in6& V6(const sockaddr_storage& storage) {
  return reinterpret_cast<const sockaddr_in6&>(storage);
}

}  // namespace

absl::StatusOr<SocketAddress> SocketAddress::Parse(const std::string& address, uint16_t port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST;
  addrinfo* found = nullptr;
  const int code = address.empty() ? EAI_NONAME : getaddrinfo(address.c_str(), nullptr, &hints, &found);
  if (code != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", address, "\" is not a numeric IPv4 or IPv6 address (", gai_strerror(code), ")"));
  }
  SocketAddress result;
  std::memcpy(&result.storage_, found->ai_addr, found->ai_addrlen);
  freeaddrinfo(found);
  return result.WithPort(port);
}

SocketAddress SocketAddress::LocalOf(int fd) {
  SocketAddress result;
  socklen_t length = capacity();
  if (getsockname(fd, result.mutable_data(), &length) != 0) return {};
  return result;
}

SocketAddress SocketAddress::PeerOf(int fd) {
  SocketAddress result;
  socklen_t length = capacity();
  if (getpeername(fd, result.mutable_data(), &length) != 0) return {};
  return result;
}

uint16_t SocketAddress::port() const {
  if (family() == AF_INET) return ntohs(V4(storage_).sin_port);
  if (family() == AF_INET6) return ntohs(V6(storage_).sin6_port);
  return 0;
}

SocketAddress SocketAddress::WithPort(uint16_t port) const {
  SocketAddress result = *this;
  if (family() == AF_INET) reinterpret_cast<sockaddr_in&>(result.storage_).sin_port = htons(port);
  if (family() == AF_INET6) reinterpret_cast<sockaddr_in6&>(result.storage_).sin6_port = htons(port);
  return result;
}

bool SocketAddress::SameHost(const SocketAddress& other) const {
  if (family() != other.family()) return false;
  if (family() == AF_INET) return V4(storage_).sin_addr.s_addr == V4(other.storage_).sin_addr.s_addr;
  if (family() != AF_INET6) return false;
  const sockaddr_in6& a = V6(storage_);
  const sockaddr_in6& b = V6(other.storage_);
  if (a.sin6_scope_id != 0 && b.sin6_scope_id != 0 && a.sin6_scope_id != b.sin6_scope_id) return false;
  return std::memcmp(&a.sin6_addr, &b.sin6_addr, sizeof(a.sin6_addr)) == 0;
}

std::string SocketAddress::ToString() const {
  char text[INET6_ADDRSTRLEN] = "";
  if (family() == AF_INET) {
    inet_ntop(AF_INET, &V4(storage_).sin_addr, text, sizeof(text));
    return absl::StrCat(text, ":", port());
  }
  if (family() != AF_INET6) return "?";
  inet_ntop(AF_INET6, &V6(storage_).sin6_addr, text, sizeof(text));
  std::string scope;
  if (const uint32_t id = V6(storage_).sin6_scope_id; id != 0) {
    char name[IF_NAMESIZE];
    scope = if_indextoname(id, name) != nullptr ? absl::StrCat("%", name) : absl::StrCat("%", id);
  }
  return absl::StrCat("[", text, scope, "]:", port());
}

socklen_t SocketAddress::length() const {
  if (family() == AF_INET) return sizeof(sockaddr_in);
  if (family() == AF_INET6) return sizeof(sockaddr_in6);
  return sizeof(sockaddr_storage);
}

}  // namespace tutti::load
