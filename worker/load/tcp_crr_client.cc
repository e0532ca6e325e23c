#include "worker/load/tcp_crr_client.h"

#include <errno.h>
#include <sys/socket.h>

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status/macros.h"
#include "worker/load/payload.h"
#include "worker/load/socket_options.h"
#include "worker/load/socket_setup.h"

namespace tutti::load {
TcpCrrClient::TcpCrrClient(StreamConfig config, const WindowGrid& grid)
    : Stream(std::move(config), grid),
      first_(config_, report_),
      record_(config_),
      schedule_(config_),
      transactions_(grid, schedule_.paced()) {}

absl::Status TcpCrrClient::Prepare() {
  TUTTI_RETURN_IF_ERROR(first_.Prepare());
  has_options_ = !report_.options.empty();
  TUTTI_RETURN_IF_ERROR(request_.Allocate(config_.request_response.request_bytes));
  return response_.Allocate(DefaultReadSizeBytes(config_));
}

void TcpCrrClient::TouchBuffers(const TrialControl& control) {
  const auto stopping = [&control] { return control.stopping(); };
  if (FillPayload(request_, stopping)) response_.Touch(stopping);
}

void TcpCrrClient::Run(const TrialClock& clock, const TrialControl& control, bool spin) {
  binds_ = config_.first_port != 0 || config_.marks.mark ||
           !IsKernelsChoice(config_, first_.source(), first_.peer());
  first_.Close();
  StartPriority priority(request_.size());
  if (WaitForStart(clock, control, spin)) Exchange(clock, control, priority);
}

void TcpCrrClient::Exchange(const TrialClock& clock, const TrialControl& control, StartPriority& priority) {
  while (!control.stopping()) {
    const int64_t now_ns = clock.NowNs();
    if (now_ns >= grid_.stop_ns()) return;
    const int64_t due_ns = schedule_.NextDueNs(now_ns, transactions_);
    if (due_ns > now_ns) {
      control.SleepUntil(clock.ToMonotonicNs(std::min(due_ns, grid_.stop_ns())));
      continue;
    }
    schedule_.Started(now_ns);
    const Progress progress = Transact(clock, control, priority, now_ns, due_ns);
    if (progress == Progress::kGivenUp && !control.stopping()) {
      Warn(absl::StrCat("its last transaction was not complete 1 s after the end: it was begun ",
                        (clock.NowNs() - now_ns) / 1'000'000, "ms before"));
    }
    if (progress != Progress::kDone) return;
  }
}

TcpCrrClient::Progress TcpCrrClient::Transact(const TrialClock& clock, const TrialControl& control,
                                              StartPriority& priority, int64_t begun_ns, int64_t due_ns) {
  const FileDescriptor socket = Open();
  if (!socket.valid()) return Progress::kFailed;
  Progress progress = Connect(socket.get(), clock, control);
  priority.End();
  if (progress == Progress::kDone) {
    record_.SendReturned(clock, begun_ns);
    progress = SendRequest(socket.get(), clock, control);
  }
  if (progress == Progress::kDone) {
    record_.MessagesSent(clock, begun_ns);
    progress = Read(socket.get(), config_.request_response.response_bytes, false, clock, control);
  }
  if (progress == Progress::kDone) {
    transactions_.Completed(clock.NowNs(), begun_ns, due_ns);
    counters_.AddMessage();
    progress = Read(socket.get(), 0, true, clock, control);
  }
  // What ends in the middle leaves no orphan behind.
  if (progress != Progress::kDone) (void)SetResetOnClose(socket.get(), true);
  return progress;
}

FileDescriptor TcpCrrClient::Open() {
  const SocketAddress& source = first_.source();
  FileDescriptor socket(::socket(source.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket.valid()) {
    Failed(errno, "open a tcp socket");
    return socket;
  }
  absl::Status status = SetCallTimeouts(socket.get(), kWakeUpNs);
  if (status.ok() && has_options_) {
    outcomes_.clear();
    status = SetSocketOptions(socket.get(), source.family(), config_, outcomes_);
  }
  if (status.ok() && binds_) status = BindSource(socket.get(), config_, source);
  if (!status.ok()) {
    report_.error = std::string(status.message());
    socket.Close();
  }
  return socket;
}

TcpCrrClient::Progress TcpCrrClient::Connect(int fd, const TrialClock& clock, const TrialControl& control) {
  const SocketAddress& peer = first_.peer();
  while (connect(fd, peer.data(), peer.length()) != 0) {
    const int code = errno;
    // The call timed out or was interrupted while the handshake goes on (connect(2), SO_SNDTIMEO).
    if (code != EINPROGRESS && code != EALREADY && code != EAGAIN && code != EINTR) {
      const absl::Status status = ConnectFailed(code, config_, first_.source(), peer);
      report_.error_errno = code;
      report_.error =
          absl::StrCat(std::string(status.message()), " (after ", counters_.messages(), " transactions)");
      return Progress::kFailed;
    }
    if (OutOfTime(clock, control)) return Progress::kGivenUp;
  }
  return Progress::kDone;
}

TcpCrrClient::Progress TcpCrrClient::SendRequest(int fd, const TrialClock& clock,
                                                 const TrialControl& control) {
  size_t sent = 0;
  while (sent < request_.size()) {
    const ssize_t accepted = send(fd, request_.data() + sent, request_.size() - sent, MSG_NOSIGNAL);
    if (accepted >= 0) [[likely]] {
      sent += static_cast<size_t>(accepted);
      ++calls_;
      counters_.AddBytes(static_cast<uint64_t>(accepted));
    } else if (errno != EAGAIN && errno != EINTR) {
      return Failed(errno, "tcp send of a request");
    }
    if (sent < request_.size() && OutOfTime(clock, control)) return Progress::kGivenUp;
  }
  return Progress::kDone;
}

TcpCrrClient::Progress TcpCrrClient::Read(int fd, uint64_t bytes, bool to_end, const TrialClock& clock,
                                          const TrialControl& control) {
  uint64_t read = 0;
  while (to_end || read < bytes) {
    const ssize_t size = recv(fd, response_.data(), response_.size(), 0);
    if (size > 0) [[likely]] {
      read += static_cast<uint64_t>(size);
      continue;
    }
    if (size == 0) {
      if (to_end) return Progress::kDone;
      return Failed(ECONNRESET, "tcp receive of a response, which ended early,");
    }
    if (errno != EAGAIN && errno != EINTR) {
      return Failed(errno, to_end ? "tcp receive of the end of a response" : "tcp receive of a response");
    }
    if (OutOfTime(clock, control)) return Progress::kGivenUp;
  }
  return Progress::kDone;
}

bool TcpCrrClient::OutOfTime(const TrialClock& clock, const TrialControl& control) const {
  return control.stopping() || clock.NowNs() >= grid_.stop_ns() + kPatienceNs;
}

TcpCrrClient::Progress TcpCrrClient::Failed(int errno_value, const char* what) {
  Fail(errno_value,
       absl::StrCat(what, " (", first_.peer().ToString(), "), after ", counters_.messages(), " transactions"),
       errno_value == EMFILE || errno_value == ENFILE
           ? "raise LimitNOFILE= of the unit or ulimit -n"
           : "the server's worker dropped the connection: did it end?");
  return Progress::kFailed;
}

void TcpCrrClient::Complete(StreamReport& report) {
  record_.WriteTo(report);
  transactions_.WriteTo(report);
}

}  // namespace tutti::load
