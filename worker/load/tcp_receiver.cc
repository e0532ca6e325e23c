#include "worker/load/tcp_receiver.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"
#include "worker/load/receive_poll.h"
#include "worker/load/socket_options.h"
#include "worker/load/socket_setup.h"
#include "worker/load/tcp_info.h"

namespace tutti::load {

absl::Status TcpReceiver::Prepare() {
  TUTTI_ASSIGN_OR_RETURN(const SocketAddress wanted, SocketAddress::Parse(config_.local_address, 0));
  TUTTI_ASSIGN_OR_RETURN(peer_, SocketAddress::Parse(config_.peer_address, 0));
  TUTTI_ASSIGN_OR_RETURN(listener_, OpenSocket(config_, wanted.family(), report_.options));
  TUTTI_ASSIGN_OR_RETURN(local_, BindReceiver(listener_.get(), config_, wanted));
  report_.local_endpoint = local_.ToString();
  report_.peer_endpoint = config_.peer_address;
  if (!config_.ways.discard) TUTTI_RETURN_IF_ERROR(AllocateBuffer(buffer_, report_.read_size_bytes));
  return absl::OkStatus();
}

Stream::Wish TcpReceiver::wish() const {
  return connection_.valid() ? Wish{} : Wish{listener_.get(), POLLIN};
}

absl::Status TcpReceiver::OnReady() {
  for (;;) {
    SocketAddress source;
    socklen_t length = SocketAddress::capacity();
    FileDescriptor accepted(accept4(listener_.get(), source.mutable_data(), &length, SOCK_CLOEXEC));
    if (!accepted.valid()) {
      // Whoever connected may be gone again (accept(2) lists these as network errors to retry).
      if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED) return absl::OkStatus();
      return ErrnoStatus(errno, absl::StrCat("accept tcp on ", local_.ToString()));
    }
    if (!source.SameHost(peer_)) {
      ++foreign_;
      continue;
    }
    connection_ = std::move(accepted);
    return Accepted();
  }
}

absl::Status TcpReceiver::Accepted() {
  listener_.Close();
  report_.peer_endpoint = SocketAddress::PeerOf(connection_.get()).ToString();
  TUTTI_RETURN_IF_ERROR(SetResetOnClose(connection_.get(), true));
  TUTTI_RETURN_IF_ERROR(SetCallTimeouts(connection_.get(), kWakeUpNs));
  return ReadBackSocketOptions(connection_.get(), local_.family(), config_, report_.options);
}

absl::Status TcpReceiver::ConnectTimedOut() const {
  return ErrnoStatus(ETIMEDOUT,
                     absl::StrCat("accept tcp from ", config_.peer_address, " on ", local_.ToString()),
                     foreign_ > 0 ? absl::StrCat(foreign_, " connections came from other addresses")
                                  : std::string("nobody connected: is a packet filter dropping it?"));
}

void TcpReceiver::TouchBuffers(const TrialControl& control) {
  buffer_.Touch([&control] { return control.stopping(); });
}

void TcpReceiver::Run(const TrialClock& clock, const TrialControl& control, bool) {
  ReceivePoll poll(config_.ways.receive_wait == ReceiveWait::kPoll);
  while (!control.stopping()) {
    const Read read = ReadOnce(clock, poll.flags());
    if (read.step == Step::kOver) return;
    poll.Returned(read.step == Step::kData, read.now_monotonic_ns);
    if (const DrainOrder* order = drain_order()) [[unlikely]] {
      if (read.now_monotonic_ns >= order->deadline_monotonic_ns) return;
    }
  }
}

Turn TcpReceiver::TakeTurn(const TrialClock& clock, int64_t) {
  const uint64_t full_bytes = counters_.bytes() + kBytesPerTurn;
  for (uint32_t call = 0; call < kCallsPerTurn && counters_.bytes() < full_bytes; ++call) {
    const uint64_t asked_bytes = counters_.bytes() + report_.read_size_bytes;
    const Read read = ReadOnce(clock, MSG_DONTWAIT);
    if (read.step == Step::kOver) return {Turn::Then::kOver};
    if (const DrainOrder* order = drain_order()) [[unlikely]] {
      if (read.now_monotonic_ns >= order->deadline_monotonic_ns) return {Turn::Then::kOver};
    }
    // Less than was asked for: the queue is empty.
    if (counters_.bytes() < asked_bytes) return {Turn::Then::kSocket};
  }
  return {Turn::Then::kAgain};
}

TcpReceiver::Read TcpReceiver::ReadOnce(const TrialClock& clock, int flags) {
  if (config_.ways.discard) flags |= MSG_TRUNC;
  const ssize_t size = recv(connection_.get(), buffer_.data(), report_.read_size_bytes, flags);
  const int64_t now_monotonic_ns = MonotonicNowNs();
  if (size > 0) [[likely]] {
    last_ns_ = clock.FromMonotonicNs(now_monotonic_ns);
    if (counters_.messages() == 0) first_ns_ = last_ns_;
    ++calls_;
    counters_.AddBytes(static_cast<uint64_t>(size));
    counters_.AddMessage();
    NoteVolume(last_ns_);
    return {Step::kData, now_monotonic_ns};
  }
  if (size == 0) {
    report_.drained = true;
    return {Step::kOver, now_monotonic_ns};
  }
  if (errno == EAGAIN || errno == EINTR) return {Step::kNothing, now_monotonic_ns};
  Fail(errno, absl::StrCat("tcp receive from ", report_.peer_endpoint),
       "the sending worker dropped the connection: did it end?");
  return {Step::kOver, now_monotonic_ns};
}

void TcpReceiver::ReadTcp(Edge& edge, size_t index) const {
  if (const auto info = ReadTcpInfo(connection_.get(), Side::kReceive)) {
    edge.kernel_bytes[index] = KernelBytes(*info, Side::kReceive);
    // The kernel may have kept the sampler waiting for the socket's lock, and the stream read on meanwhile.
    const uint64_t unread = UnreadBytes(connection_.get());
    edge.queued_bytes[index] = unread + (counters_.bytes() - edge.bytes[index]);
  }
}

void TcpReceiver::Complete(StreamReport& report) {
  report.foreign = foreign_;
  if (counters_.messages() > 0) {
    report.first_receive_trial_ns = first_ns_;
    report.last_receive_trial_ns = last_ns_;
  }
  if (!connection_.valid()) return;
  report.tcp = ReadTcpInfo(connection_.get(), Side::kReceive);
  if (report.drained) {
    if (const absl::Status status = SetResetOnClose(connection_.get(), false); !status.ok()) {
      report.warnings.emplace_back(status.message());
    }
  }
}

void TcpReceiver::CloseSockets() {
  listener_.Close();
  connection_.Close();
}

}  // namespace tutti::load
