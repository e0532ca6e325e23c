#include "worker/load/socket_setup.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"
#include "worker/load/socket_options.h"

namespace tutti::load {
namespace {

constexpr int kBacklog = 16;

const char* NameOf(Protocol protocol) { return protocol == Protocol::kTcp ? "tcp" : "udp"; }

const char* BindAdvice(int errno_value) {
  switch (errno_value) {
    case EADDRNOTAVAIL:
      return "the address is not (or not yet) on a device of this host";
    case EACCES:
      return "ports below 1024 need CAP_NET_BIND_SERVICE";
    default:
      return "";
  }
}

absl::Status NoFreePort(int errno_value, const StreamConfig& config, const SocketAddress& local,
                        const char* key) {
  const uint32_t last = std::max(config.first_port, config.last_port);
  const std::string first = local.WithPort(config.first_port).ToString();
  return ErrnoStatus(errno_value,
                     absl::StrCat("bind ", NameOf(config.protocol), " ", first,
                                  last == config.first_port ? "" : absl::StrCat(" to ", last)),
                     errno_value == EADDRINUSE
                         ? absl::StrCat("no port of the plan's `", key,
                                        "` is free: `ss -anptu` shows who has them, or widen the range")
                         : std::string(BindAdvice(errno_value)));
}

// Of the ports from the stream's offset on, the first for which `take` gives 0; its errno if it gives another
// than EADDRINUSE, or EADDRINUSE.
template <typename Take>
int TakePort(const StreamConfig& config, const SocketAddress& local, const Take& take) {
  const uint32_t ports = std::max(config.first_port, config.last_port) - config.first_port + 1u;
  for (uint32_t i = 0; i < ports; ++i) {
    const uint32_t port = config.first_port + (config.port_offset + i) % ports;
    const int code = take(local.WithPort(static_cast<uint16_t>(port)));
    if (code != EADDRINUSE) return code;
  }
  return EADDRINUSE;
}

// A TCP port whose connection of an earlier trial is in TIME_WAIT comes last. Two sockets that allow reuse
// could also have one port at the same time: until all senders are bound none allows it (see
// ShareWithTimeWait).
absl::Status BindSourcePort(int fd, const StreamConfig& config, const SocketAddress& local) {
  const auto take = [fd](const SocketAddress& address) {
    return bind(fd, address.data(), address.length()) == 0 ? 0 : errno;
  };
  int code = TakePort(config, local, take);
  if (code == EADDRINUSE && config.protocol == Protocol::kTcp) {
    TUTTI_RETURN_IF_ERROR(ShareWithTimeWait(fd, true));
    code = TakePort(config, local, take);
    TUTTI_RETURN_IF_ERROR(ShareWithTimeWait(fd, false));
  }
  return code == 0 ? absl::OkStatus() : NoFreePort(code, config, local, "source_ports");
}

// 0, or the errno of bind or listen.
int BindAndListen(int fd, const StreamConfig& config, const SocketAddress& address) {
  if (bind(fd, address.data(), address.length()) != 0) return errno;
  if (config.protocol == Protocol::kTcp && listen(fd, kBacklog) != 0) return errno;
  return 0;
}

}  // namespace

absl::StatusOr<FileDescriptor> OpenSocket(const StreamConfig& config, sa_family_t family,
                                          std::vector<OptionOutcome>& outcomes) {
  const bool tcp = config.protocol == Protocol::kTcp;
  FileDescriptor fd(socket(family, (tcp ? SOCK_STREAM | SOCK_NONBLOCK : SOCK_DGRAM) | SOCK_CLOEXEC, 0));
  if (!fd.valid()) {
    return ErrnoStatus(errno, absl::StrCat("open a ", NameOf(config.protocol), " socket"),
                       errno == EAFNOSUPPORT ? "this host's kernel has no such address family" : "");
  }
  if (family == AF_INET6) {
    const int on = 1;
    if (setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)) != 0) {
      return ErrnoStatus(errno, "set IPV6_V6ONLY");
    }
  }
  TUTTI_RETURN_IF_ERROR(SetSocketOptions(fd.get(), family, config, outcomes));
  if (tcp) TUTTI_RETURN_IF_ERROR(SetResetOnClose(fd.get(), true));
  return fd;
}

absl::Status BindSource(int fd, const StreamConfig& config, const SocketAddress& local) {
  if (config.first_port != 0) return BindSourcePort(fd, config, local);
  // Otherwise bind would take a port for the address alone, of which there are few.
  const int on = 1;
  setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof(on));
  if (bind(fd, local.data(), local.length()) != 0) {
    const int code = errno;
    return ErrnoStatus(code, absl::StrCat("bind ", NameOf(config.protocol), " ", config.local_address),
                       BindAdvice(code));
  }
  return absl::OkStatus();
}

bool IsKernelsChoice(const StreamConfig& config, const SocketAddress& local, const SocketAddress& peer) {
  // connect(2) of a datagram socket sends nothing and looks up the route.
  const FileDescriptor probe(socket(peer.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!probe.valid()) return false;
  if (!config.device.empty() && setsockopt(probe.get(), SOL_SOCKET, SO_BINDTODEVICE, config.device.data(),
                                           static_cast<socklen_t>(config.device.size())) != 0) {
    return false;
  }
  return connect(probe.get(), peer.data(), peer.length()) == 0 &&
         SocketAddress::LocalOf(probe.get()).SameHost(local);
}

absl::StatusOr<SocketAddress> BindReceiver(int fd, const StreamConfig& config, const SocketAddress& local) {
  if (config.protocol == Protocol::kTcp) TUTTI_RETURN_IF_ERROR(ShareWithTimeWait(fd, true));
  const int code = TakePort(config, local, [fd, &config](const SocketAddress& address) {
    return BindAndListen(fd, config, address);
  });
  if (code != 0) return NoFreePort(code, config, local, "ports");
  return SocketAddress::LocalOf(fd);
}

absl::Status ShareWithTimeWait(int fd, bool share) {
  const int on = share ? 1 : 0;
  if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0) return absl::OkStatus();
  return ErrnoStatus(errno, "set SO_REUSEADDR");
}

absl::Status ConnectFailed(int errno_value, const StreamConfig& config, const SocketAddress& local,
                           const SocketAddress& peer) {
  const char* advice = "";
  switch (errno_value) {
    case ECONNREFUSED:
      advice = "is the receiving worker still there, and is the port not filtered?";
      break;
    case ENETUNREACH:
    case EHOSTUNREACH:
      advice = "there is no route: are both addresses of one network, is the device up?";
      break;
    case ETIMEDOUT:
      advice = "nothing answered: is a packet filter dropping it?";
      break;
    case EADDRNOTAVAIL:
      advice =
          config.first_port == 0
              ? "no source port is left, or the source address is gone"
              : "a connection of an earlier trial has the same ports at both ends and lingers for a minute "
                "(TIME_WAIT): widen `source_ports`, or leave `ports` out";
      break;
    default:
      break;
  }
  return ErrnoStatus(
      errno_value,
      absl::StrCat("connect ", NameOf(config.protocol), " ", config.local_address, " -> ", peer.ToString()),
      advice);
}

}  // namespace tutti::load
