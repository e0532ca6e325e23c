#include "worker/load/tcp_info.h"

#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cstring>

namespace tutti::load {
namespace {

// enum of include/net/tcp_states.h, which user space sees only in netinet/tcp.h; that cannot stand beside
// linux/tcp.h.
constexpr uint8_t kFinWait2 = 5;
constexpr uint8_t kTimeWait = 6;
constexpr uint8_t kClose = 7;
constexpr uint8_t kCloseWait = 8;
constexpr uint8_t kLastAck = 9;
constexpr uint8_t kClosing = 11;

}  // namespace

TcpInfo WithoutSynAndFin(TcpInfo info, Side side, uint8_t state) {
  if (side == Side::kReceive) {
    const bool fin_received = state == kCloseWait || state == kLastAck || state == kClosing ||
                              state == kTimeWait || state == kClose;
    if (fin_received && info.bytes_received > 0) --info.bytes_received;
    return info;
  }
  if (info.bytes_acked > 0) --info.bytes_acked;
  const bool fin_acked = state == kFinWait2 || state == kTimeWait || state == kClose;
  if (fin_acked && info.bytes_acked > 0) --info.bytes_acked;
  return info;
}

std::optional<TcpInfo> ReadTcpInfo(int fd, Side side) {
  tcp_info raw;
  std::memset(&raw, 0, sizeof(raw));
  socklen_t length = sizeof(raw);
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &raw, &length) != 0) return std::nullopt;
  TcpInfo info;
  info.bytes_acked = raw.tcpi_bytes_acked;
  info.bytes_received = raw.tcpi_bytes_received;
  info.bytes_sent = raw.tcpi_bytes_sent;
  info.bytes_retrans = raw.tcpi_bytes_retrans;
  info.total_retrans = raw.tcpi_total_retrans;
  info.rtt_us = raw.tcpi_rtt;
  info.rttvar_us = raw.tcpi_rttvar;
  info.min_rtt_us = raw.tcpi_min_rtt;
  info.snd_cwnd_segments = raw.tcpi_snd_cwnd;
  info.snd_mss_bytes = raw.tcpi_snd_mss;
  info.pmtu_bytes = raw.tcpi_pmtu;
  info.delivery_rate_bytes_per_s = raw.tcpi_delivery_rate;
  info.busy_us = raw.tcpi_busy_time;
  info.rwnd_limited_us = raw.tcpi_rwnd_limited;
  info.sndbuf_limited_us = raw.tcpi_sndbuf_limited;
  return WithoutSynAndFin(info, side, raw.tcpi_state);
}

uint64_t UnreadBytes(int fd) {
  int unread = 0;
  if (ioctl(fd, SIOCINQ, &unread) != 0 || unread < 0) return 0;
  return static_cast<uint64_t>(unread);
}

uint64_t KernelBytes(const TcpInfo& info, Side side) {
  return side == Side::kReceive ? info.bytes_received : info.bytes_sent - info.bytes_retrans;
}

}  // namespace tutti::load
