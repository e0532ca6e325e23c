#include "worker/load/tcp_rr_server.h"

#include <errno.h>
#include <sys/socket.h>

#include "absl/strings/str_cat.h"
#include "common/status/macros.h"
#include "worker/load/payload.h"

namespace tutti::load {

absl::Status TcpRrServer::Prepare() {
  TUTTI_RETURN_IF_ERROR(connection_.Prepare());
  TUTTI_RETURN_IF_ERROR(request_.Allocate(report_.read_size_bytes));
  return response_.Allocate(config_.request_response.response_bytes);
}

absl::Status TcpRrServer::OnReady() {
  TUTTI_RETURN_IF_ERROR(connection_.OnReady());
  if (connection_.fd() >= 0) connection_.CloseListener();
  return absl::OkStatus();
}

void TcpRrServer::TouchBuffers(const TrialControl& control) {
  const auto stopping = [&control] { return control.stopping(); };
  if (FillPayload(response_, stopping)) request_.Touch(stopping);
}

void TcpRrServer::Run(const TrialClock& clock, const TrialControl& control, bool) {
  while (!control.stopping()) {
    const ssize_t size = recv(connection_.fd(), request_.data(), request_.size(), 0);
    const int code = errno;
    const int64_t now_monotonic_ns = MonotonicNowNs();
    if (size > 0) [[likely]] {
      last_ns_ = clock.FromMonotonicNs(now_monotonic_ns);
      if (counters_.bytes() == 0) first_ns_ = last_ns_;
      ++calls_;
      counters_.AddBytes(static_cast<uint64_t>(size));
      if (!Answer(static_cast<size_t>(size), control)) return;
    } else if (size == 0) {
      report_.drained = true;
      return;
    } else if (code != EAGAIN && code != EINTR) {
      return Fail(code, absl::StrCat("tcp receive of a request from ", report_.peer_endpoint),
                  "the client's worker dropped the connection: did it end?");
    }
    if (const DrainOrder* order = drain_order()) [[unlikely]] {
      if (now_monotonic_ns >= order->deadline_monotonic_ns) return;
    }
  }
}

bool TcpRrServer::Answer(size_t bytes, const TrialControl& control) {
  request_bytes_ += bytes;
  while (request_bytes_ >= config_.request_response.request_bytes) {
    request_bytes_ -= config_.request_response.request_bytes;
    counters_.AddMessage();
    if (!SendResponse(control)) return false;
  }
  return true;
}

bool TcpRrServer::SendResponse(const TrialControl& control) {
  size_t sent = 0;
  while (sent < response_.size()) {
    const ssize_t accepted =
        send(connection_.fd(), response_.data() + sent, response_.size() - sent, MSG_NOSIGNAL);
    if (accepted >= 0) [[likely]] {
      sent += static_cast<size_t>(accepted);
    } else if (errno != EAGAIN && errno != EINTR) {
      Fail(errno, absl::StrCat("tcp send of a response to ", report_.peer_endpoint),
           "the client's worker dropped the connection: did it end?");
      return false;
    }
    if (sent < response_.size() && control.stopping()) return false;
  }
  return true;
}

void TcpRrServer::Complete(StreamReport& report) {
  if (counters_.bytes() > 0) {
    report.first_receive_trial_ns = first_ns_;
    report.last_receive_trial_ns = last_ns_;
  }
  connection_.Complete();
}

void TcpRrServer::CloseSockets() {
  connection_.CloseListener();
  connection_.CloseConnection();
}

}  // namespace tutti::load
