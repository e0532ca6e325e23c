#include "worker/load/server_connection.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"
#include "worker/load/socket_options.h"
#include "worker/load/socket_setup.h"
#include "worker/load/tcp_info.h"

namespace tutti::load {

absl::Status ServerConnection::Prepare() {
  TUTTI_ASSIGN_OR_RETURN(const SocketAddress wanted, SocketAddress::Parse(config_.local_address, 0));
  TUTTI_ASSIGN_OR_RETURN(peer_, SocketAddress::Parse(config_.peer_address, 0));
  TUTTI_ASSIGN_OR_RETURN(listener_, OpenSocket(config_, wanted.family(), report_.options));
  TUTTI_ASSIGN_OR_RETURN(local_, BindReceiver(listener_.get(), config_, wanted));
  report_.local_endpoint = local_.ToString();
  report_.peer_endpoint = config_.peer_address;
  return absl::OkStatus();
}

Stream::Wish ServerConnection::wish() const {
  return connection_.valid() ? Stream::Wish{} : Stream::Wish{listener_.get(), POLLIN};
}

absl::Status ServerConnection::OnReady() {
  connection_ = Accept();
  if (!connection_.valid()) {
    // Whoever connected may be gone again (accept(2) lists these as network errors to retry).
    if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED) return absl::OkStatus();
    return ErrnoStatus(errno, absl::StrCat("accept tcp on ", local_.ToString()));
  }
  report_.peer_endpoint = SocketAddress::PeerOf(connection_.get()).ToString();
  TUTTI_RETURN_IF_ERROR(SetResetOnClose(connection_.get(), true));
  TUTTI_RETURN_IF_ERROR(SetCallTimeouts(connection_.get(), kWakeUpNs));
  return ReadBackSocketOptions(connection_.get(), local_.family(), config_, report_.options);
}

absl::Status ServerConnection::TimedOut() const {
  return ErrnoStatus(
      ETIMEDOUT, absl::StrCat("accept tcp from ", config_.peer_address, " on ", local_.ToString()),
      report_.foreign > 0 ? absl::StrCat(report_.foreign, " connections came from other addresses")
                          : std::string("nobody connected: is a packet filter dropping it?"));
}

FileDescriptor ServerConnection::Accept() {
  for (;;) {
    SocketAddress source;
    socklen_t length = SocketAddress::capacity();
    FileDescriptor accepted(accept4(listener_.get(), source.mutable_data(), &length, SOCK_CLOEXEC));
    if (!accepted.valid() || source.SameHost(peer_)) return accepted;
    ++report_.foreign;
  }
}

void ServerConnection::ReadTcp(Edge& edge, size_t index) const {
  if (const auto info = ReadTcpInfo(connection_.get(), Side::kReceive)) {
    edge.kernel_bytes[index] = KernelBytes(*info, Side::kReceive);
    // The kernel may have kept the sampler waiting for the socket's lock, and the stream read on meanwhile.
    const uint64_t unread = UnreadBytes(connection_.get());
    edge.queued_bytes[index] = unread + (counters_.bytes() - edge.bytes[index]);
  }
}

void ServerConnection::Complete() {
  if (!connection_.valid()) return;
  report_.tcp = ReadTcpInfo(connection_.get(), Side::kReceive);
  if (!report_.drained) return;
  if (const absl::Status status = SetResetOnClose(connection_.get(), false); !status.ok()) {
    report_.warnings.emplace_back(status.message());
  }
}

}  // namespace tutti::load
