#include "worker/load/client_connection.h"

#include <errno.h>
#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "common/status/macros.h"
#include "worker/load/socket_options.h"
#include "worker/load/socket_setup.h"
#include "worker/load/tcp_info.h"

namespace tutti::load {

absl::Status ClientConnection::Prepare() {
  TUTTI_ASSIGN_OR_RETURN(source_, SocketAddress::Parse(config_.local_address, 0));
  TUTTI_ASSIGN_OR_RETURN(socket_, OpenSocket(config_, source_.family(), report_.options));
  return BindSource(socket_.get(), config_, source_);
}

absl::Status ClientConnection::Begin(uint16_t target_port) {
  TUTTI_ASSIGN_OR_RETURN(peer_, SocketAddress::Parse(config_.peer_address, target_port));
  if (connect(socket_.get(), peer_.data(), peer_.length()) == 0) return Connected();
  if (errno != EINPROGRESS) return ConnectFailed(errno, config_, source_, peer_);
  connecting_ = true;
  return absl::OkStatus();
}

Stream::Wish ClientConnection::wish() const {
  return connecting_ ? Stream::Wish{socket_.get(), POLLOUT} : Stream::Wish{};
}

absl::Status ClientConnection::OnReady() {
  int code = 0;
  socklen_t length = sizeof(code);
  if (getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &code, &length) != 0) code = errno;
  if (code != 0) return ConnectFailed(code, config_, source_, peer_);
  return Connected();
}

absl::Status ClientConnection::TimedOut() const { return ConnectFailed(ETIMEDOUT, config_, source_, peer_); }

absl::Status ClientConnection::Connected() {
  connecting_ = false;
  TUTTI_RETURN_IF_ERROR(SetBlocking(socket_.get(), true));
  TUTTI_RETURN_IF_ERROR(SetCallTimeouts(socket_.get(), kWakeUpNs));
  report_.local_endpoint = SocketAddress::LocalOf(socket_.get()).ToString();
  report_.peer_endpoint = peer_.ToString();
  report_.path_mtu_bytes = PathMtuBytes(socket_.get(), source_.family());
  return ReadBackSocketOptions(socket_.get(), source_.family(), config_, report_.options);
}

void ClientConnection::ReadTcp(Edge& edge, size_t index) const {
  const std::optional<TcpInfo> info = ReadTcpInfo(socket_.get(), Side::kSend);
  if (!info) return;
  edge.retransmits[index] = info->total_retrans;
  edge.kernel_bytes[index] = KernelBytes(*info, Side::kSend);
  edge.rtt_us[index] = info->rtt_us;
  edge.cwnd_segments[index] = info->snd_cwnd_segments;
  edge.delivery_rate_bytes_per_s[index] = info->delivery_rate_bytes_per_s;
  edge.busy_us[index] = info->busy_us;
  edge.rwnd_limited_us[index] = info->rwnd_limited_us;
  edge.sndbuf_limited_us[index] = info->sndbuf_limited_us;
}

void ClientConnection::Complete() {
  if (!socket_.valid()) return;
  report_.tcp = ReadTcpInfo(socket_.get(), Side::kSend);
  // What is still queued would outlive us as an orphan: then the reset on close stays.
  int queued = 0;
  if (!report_.error.empty() || ioctl(socket_.get(), SIOCOUTQ, &queued) != 0 || queued != 0) return;
  if (const absl::Status status = SetResetOnClose(socket_.get(), false); !status.ok()) {
    report_.warnings.emplace_back(status.message());
  }
}

}  // namespace tutti::load
