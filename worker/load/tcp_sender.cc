#include "worker/load/tcp_sender.h"

#include <errno.h>
#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status/macros.h"
#include "worker/load/pace_wait.h"
#include "worker/load/payload.h"
#include "worker/load/socket_options.h"
#include "worker/load/socket_setup.h"
#include "worker/load/tcp_info.h"
#include "worker/load/way_outcome.h"

namespace tutti::load {

TcpSender::TcpSender(StreamConfig config, const WindowGrid& grid)
    : Stream(std::move(config), grid), record_(config_), pacer_(MakePacer(config_, grid_)) {}

absl::Status TcpSender::Prepare() {
  TUTTI_ASSIGN_OR_RETURN(local_, SocketAddress::Parse(config_.local_address, 0));
  TUTTI_ASSIGN_OR_RETURN(socket_, OpenSocket(config_, local_.family(), report_.options));
  TUTTI_RETURN_IF_ERROR(BindSource(socket_.get(), config_, local_));
  TUTTI_RETURN_IF_ERROR(ChooseWay());
  std::visit([this](auto& way) { way.Lay(message_.data()); }, way_);
  if (std::holds_alternative<TcpWrite>(way_)) report_.ways.send = SendWay::kWrite;
  return absl::OkStatus();
}

absl::Status TcpSender::ChooseWay() {
  if (config_.ways.send == SendWay::kSendfile) {
    absl::StatusOr<FileDescriptor> file = message_.AllocateFile(config_.message_size_bytes);
    if (file.ok()) {
      file_ = *std::move(file);
      way_.emplace<TcpSendfile>(file_.get());
      return absl::OkStatus();
    }
    TUTTI_RETURN_IF_ERROR(FallBack(config_, "sendfile", "sendfile", "write", file.status(), report_.options));
  }
  const OptionOutcome* zerocopy = FindOutcome(report_.options, kZerocopyOption);
  if (zerocopy != nullptr && zerocopy->applied) way_.emplace<TcpZerocopy>();
  return AllocateBuffer(message_, config_.message_size_bytes);
}

absl::Status TcpSender::BeginConnect(uint16_t target_port) {
  TUTTI_ASSIGN_OR_RETURN(peer_, SocketAddress::Parse(config_.peer_address, target_port));
  if (connect(socket_.get(), peer_.data(), peer_.length()) == 0) return Connected();
  if (errno != EINPROGRESS) return ConnectFailed(errno, config_, local_, peer_);
  connecting_ = true;
  return absl::OkStatus();
}

Stream::Wish TcpSender::wish() const { return connecting_ ? Wish{socket_.get(), POLLOUT} : Wish{}; }

absl::Status TcpSender::OnReady() {
  int code = 0;
  socklen_t length = sizeof(code);
  if (getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &code, &length) != 0) code = errno;
  if (code != 0) return ConnectFailed(code, config_, local_, peer_);
  return Connected();
}

absl::Status TcpSender::ConnectTimedOut() const { return ConnectFailed(ETIMEDOUT, config_, local_, peer_); }

absl::Status TcpSender::Connected() {
  connecting_ = false;
  if (config_.first_port != 0) TUTTI_RETURN_IF_ERROR(ShareWithTimeWait(socket_.get(), true));
  TUTTI_RETURN_IF_ERROR(SetBlocking(socket_.get(), true));
  TUTTI_RETURN_IF_ERROR(SetCallTimeouts(socket_.get(), kWakeUpNs));
  local_ = SocketAddress::LocalOf(socket_.get());
  report_.local_endpoint = local_.ToString();
  report_.peer_endpoint = peer_.ToString();
  report_.path_mtu_bytes = PathMtuBytes(socket_.get(), local_.family());
  return ReadBackSocketOptions(socket_.get(), local_.family(), config_, report_.options);
}

void TcpSender::TouchBuffers(const TrialControl& control) {
  FillPayload(message_, [&control] { return control.stopping(); });
}

void TcpSender::Run(const TrialClock& clock, const TrialControl& control, bool spin) {
  {
    StartPriority priority(message_.size());
    if (!WaitForStart(clock, control, spin)) return;
    std::visit([&](auto& way) { SendLoop(way, clock, control, priority); }, way_);
  }
  // An abort resets the connection when the socket closes.
  if (!control.aborted()) EndTurns(clock);
}

Turn TcpSender::TakeTurn(const TrialClock& clock, int64_t now_ns) {
  return std::visit([&](auto& way) { return TurnOf(way, clock, now_ns); }, way_);
}

template <class Way>
Turn TcpSender::TurnOf(Way& way, const TrialClock& clock, int64_t now_ns) {
  const int64_t stop_ns = grid_.stop_ns();
  const uint64_t full_bytes = counters_.bytes() + kBytesPerTurn;
  for (uint32_t call = 0; call < kCallsPerTurn && counters_.bytes() < full_bytes; ++call) {
    if (call > 0) now_ns = clock.NowNs();
    if (now_ns >= stop_ns || VolumeLeftBytes() == 0) return {Turn::Then::kOver};
    if (pacer_ && between_messages()) {
      const int64_t due_ns = pacer_->NextDueNs(now_ns);
      if (due_ns > now_ns) return {Turn::Then::kAt, std::min(due_ns, stop_ns)};
    }
    const Step step = SendOnce(way, clock, now_ns, MSG_DONTWAIT);
    if (step == Step::kFailed) return {Turn::Then::kOver};
    // Taken in part or not at all: there was no room.
    if (step == Step::kNotSent || !between_messages()) return {Turn::Then::kSocket};
  }
  return {Turn::Then::kAgain};
}

void TcpSender::EndTurns(const TrialClock& clock) {
  if (pacer_) report_.worst_behind_ns = pacer_->WorstBehindNs(clock.NowNs());
  // The receiver reads to the end of the stream.
  if (report_.error.empty()) shutdown(socket_.get(), SHUT_WR);
}

template <class Way>
void TcpSender::SendLoop(Way& way, const TrialClock& clock, const TrialControl& control,
                         StartPriority& priority) {
  const int64_t stop_ns = grid_.stop_ns();
  while (!control.stopping()) {
    const int64_t now_ns = clock.NowNs();
    if (now_ns >= stop_ns || VolumeLeftBytes() == 0) break;
    if (pacer_ && between_messages()) {
      if (const int64_t due_ns = pacer_->NextDueNs(now_ns); due_ns > now_ns) {
        WaitUntilDue(config_.pacing, clock, control, std::min(due_ns, stop_ns));
        continue;
      }
    }
    const Step step = SendOnce(way, clock, now_ns, 0);
    priority.End();
    if (step == Step::kFailed) break;
  }
}

template <class Way>
TcpSender::Step TcpSender::SendOnce(Way& way, const TrialClock& clock, int64_t now_ns, int flags) {
  if (between_messages()) message_began_ns_ = now_ns;
  const uint64_t left = std::min(config_.message_size_bytes - offset_, VolumeLeftBytes());
  const long accepted = way.Send(socket_.get(), offset_, left, flags | MSG_NOSIGNAL);
  if (accepted < 0) [[unlikely]] {
    // The call timed out, found no room, or was interrupted.
    if (errno == EAGAIN || errno == EINTR) return Step::kNotSent;
    const int code = errno;
    Fail(code, absl::StrCat("tcp send to ", peer_.ToString()),
         code == ENOBUFS ? "zerocopy needs more locked memory (ulimit -l, LimitMEMLOCK=) or "
                           "net.core.optmem_max; or write send: write"
                         : "the receiving worker closed the connection: did it end?");
    return Step::kFailed;
  }
  offset_ += static_cast<size_t>(accepted);
  ++calls_;
  counters_.AddBytes(static_cast<uint64_t>(accepted));
  record_.SendReturned(clock, now_ns);
  if (static_cast<uint64_t>(accepted) < left) return Step::kSent;
  offset_ = 0;
  counters_.AddMessage();
  record_.MessagesSent(clock, message_began_ns_);
  if (pacer_) pacer_->Sent();
  return Step::kSent;
}

void TcpSender::ReadTcp(Edge& edge, size_t index) const {
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

void TcpSender::Complete(StreamReport& report) {
  record_.WriteTo(report);
  if (!socket_.valid()) return;
  report.tcp = ReadTcpInfo(socket_.get(), Side::kSend);
  if (auto* way = std::get_if<TcpZerocopy>(&way_)) {
    ReportCompletions(socket_.get(), way->window(), report);
  }
  // What is still queued would outlive us as an orphan: then the reset on close stays.
  int queued = 0;
  if (report.error.empty() && ioctl(socket_.get(), SIOCOUTQ, &queued) == 0 && queued == 0) {
    if (const absl::Status status = SetResetOnClose(socket_.get(), false); !status.ok()) {
      report.warnings.emplace_back(status.message());
    }
  }
}

}  // namespace tutti::load
