#include "worker/load/tcp_crr_server.h"

#include <errno.h>
#include <sys/socket.h>

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/status/macros.h"
#include "worker/load/payload.h"
#include "worker/load/socket_options.h"

namespace tutti::load {

absl::Status TcpCrrServer::Prepare() {
  TUTTI_RETURN_IF_ERROR(connection_.Prepare());
  TUTTI_RETURN_IF_ERROR(request_.Allocate(report_.read_size_bytes));
  return response_.Allocate(config_.request_response.response_bytes);
}

void TcpCrrServer::TouchBuffers(const TrialControl& control) {
  const auto stopping = [&control] { return control.stopping(); };
  if (FillPayload(response_, stopping)) request_.Touch(stopping);
}

bool TcpCrrServer::SetUpListener() {
  const int fd = connection_.listener();
  absl::Status status = SetBlocking(fd, true);
  status.Update(SetCallTimeouts(fd, kWakeUpNs));
  status.Update(SetResetOnClose(fd, false));
  if (!status.ok()) report_.error = std::string(status.message());
  return status.ok();
}

void TcpCrrServer::Run(const TrialClock& clock, const TrialControl& control, bool) {
  connection_.CloseConnection();
  if (!SetUpListener()) return;
  while (!control.stopping()) {
    const FileDescriptor accepted = connection_.Accept();
    const int code = errno;
    if (accepted.valid()) [[likely]] {
      Serve(accepted.get(), clock, control);
      continue;
    }
    if (code != EAGAIN && code != EINTR && code != ECONNABORTED) {
      return Fail(code, absl::StrCat("accept tcp on ", connection_.local().ToString()),
                  code == EMFILE || code == ENFILE ? "raise LimitNOFILE= of the unit or ulimit -n" : "");
    }
    const DrainOrder* order = drain_order();
    if (order == nullptr) continue;
    if (order->final && counters_.bytes() >= order->final->bytes) {
      report_.drained = true;
      return;
    }
    if (MonotonicNowNs() >= order->deadline_monotonic_ns) return;
  }
}

void TcpCrrServer::Serve(int fd, const TrialClock& clock, const TrialControl& control) {
  if (ReadRequest(fd, clock, control) && SendResponse(fd, control)) return;
  // The client broke off, or the trial ends in the middle: nothing is left behind.
  (void)SetResetOnClose(fd, true);
}

bool TcpCrrServer::ReadRequest(int fd, const TrialClock& clock, const TrialControl& control) {
  uint64_t left = config_.request_response.request_bytes;
  while (left > 0) {
    const ssize_t size =
        recv(fd, request_.data(), static_cast<size_t>(std::min<uint64_t>(left, request_.size())), 0);
    if (size > 0) [[likely]] {
      last_ns_ = clock.NowNs();
      if (counters_.bytes() == 0) first_ns_ = last_ns_;
      left -= static_cast<uint64_t>(size);
      ++calls_;
      counters_.AddBytes(static_cast<uint64_t>(size));
      continue;
    }
    // Of an end or an error the client says why.
    const bool ended = size == 0 || (errno != EAGAIN && errno != EINTR);
    if (ended || OutOfTime(control)) return false;
  }
  counters_.AddMessage();
  return true;
}

bool TcpCrrServer::SendResponse(int fd, const TrialControl& control) {
  size_t sent = 0;
  while (sent < response_.size()) {
    const ssize_t accepted = send(fd, response_.data() + sent, response_.size() - sent, MSG_NOSIGNAL);
    if (accepted >= 0) [[likely]] {
      sent += static_cast<size_t>(accepted);
    } else if (errno != EAGAIN && errno != EINTR) {
      return false;
    }
    if (sent < response_.size() && OutOfTime(control)) return false;
  }
  return true;
}

bool TcpCrrServer::OutOfTime(const TrialControl& control) const {
  const DrainOrder* order = drain_order();
  return control.stopping() || (order != nullptr && MonotonicNowNs() >= order->deadline_monotonic_ns);
}

void TcpCrrServer::Complete(StreamReport& report) {
  if (counters_.bytes() == 0) return;
  report.first_receive_trial_ns = first_ns_;
  report.last_receive_trial_ns = last_ns_;
}

void TcpCrrServer::CloseSockets() {
  connection_.CloseListener();
  connection_.CloseConnection();
}

}  // namespace tutti::load
