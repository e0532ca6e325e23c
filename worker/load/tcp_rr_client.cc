#include "worker/load/tcp_rr_client.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status/macros.h"
#include "worker/load/payload.h"

namespace tutti::load {

TcpRrClient::TcpRrClient(StreamConfig config, const WindowGrid& grid)
    : Stream(std::move(config), grid),
      connection_(config_, report_),
      record_(config_),
      schedule_(config_),
      transactions_(grid, schedule_.paced()),
      under_way_(config_.request_response.outstanding) {}

absl::Status TcpRrClient::Prepare() {
  TUTTI_RETURN_IF_ERROR(connection_.Prepare());
  TUTTI_RETURN_IF_ERROR(request_.Allocate(config_.request_response.request_bytes));
  return response_.Allocate(DefaultReadSizeBytes(config_));
}

void TcpRrClient::TouchBuffers(const TrialControl& control) {
  const auto stopping = [&control] { return control.stopping(); };
  if (FillPayload(request_, stopping)) response_.Touch(stopping);
}

void TcpRrClient::Run(const TrialClock& clock, const TrialControl& control, bool spin) {
  {
    StartPriority priority(request_.size());
    if (!WaitForStart(clock, control, spin)) return;
    Exchange(clock, control, priority);
  }
  // The server reads to the end of the stream; an abort instead resets it when the socket closes.
  if (!control.aborted() && report_.error.empty()) shutdown(connection_.fd(), SHUT_WR);
}

void TcpRrClient::Exchange(const TrialClock& clock, const TrialControl& control, StartPriority& priority) {
  int64_t now_ns = clock.NowNs();
  while (!control.stopping()) {
    if (!SendDue(clock, now_ns)) return;
    priority.End();
    if (now_ns >= grid_.stop_ns()) {
      if (count_ == 0) return;
      if (now_ns >= grid_.stop_ns() + kPatienceNs) {
        return Warn(
            absl::StrCat("responses were missing 1 s after the last request; the oldest request was sent ",
                         (now_ns - under_way_[oldest_].sent_ns) / 1'000'000, "ms before"));
      }
    }
    if (!Await(clock, control, now_ns)) return;
  }
}

bool TcpRrClient::SendDue(const TrialClock& clock, int64_t& now_ns) {
  if (unsent_bytes_ > 0 && !SendMore(clock, now_ns)) return false;
  while (unsent_bytes_ == 0 && count_ < under_way_.size() && now_ns < grid_.stop_ns()) {
    const int64_t due_ns = schedule_.NextDueNs(now_ns, transactions_);
    if (due_ns > now_ns) break;
    under_way_[(oldest_ + count_) % under_way_.size()] = {now_ns, due_ns};
    ++count_;
    schedule_.Started(now_ns);
    unsent_bytes_ = request_.size();
    newest_sent_ns_ = now_ns;
    if (!SendMore(clock, now_ns)) return false;
    if (count_ < under_way_.size()) now_ns = clock.NowNs();
  }
  return true;
}

bool TcpRrClient::SendMore(const TrialClock& clock, int64_t now_ns) {
  while (unsent_bytes_ > 0) {
    const size_t offset = request_.size() - unsent_bytes_;
    const ssize_t accepted =
        send(connection_.fd(), request_.data() + offset, unsent_bytes_, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (accepted < 0) {
      if (errno == EAGAIN || errno == EINTR) return true;
      Fail(errno, absl::StrCat("tcp send of a request to ", connection_.peer().ToString()),
           "the server's worker closed the connection: did it end?");
      return false;
    }
    unsent_bytes_ -= static_cast<size_t>(accepted);
    ++calls_;
    counters_.AddBytes(static_cast<uint64_t>(accepted));
    record_.SendReturned(clock, now_ns);
  }
  record_.MessagesSent(clock, newest_sent_ns_);
  return true;
}

bool TcpRrClient::Await(const TrialClock& clock, const TrialControl& control, int64_t& now_ns) {
  const bool may_start =
      schedule_.paced() && unsent_bytes_ == 0 && count_ < under_way_.size() && now_ns < grid_.stop_ns();
  const int64_t due_ns = may_start ? schedule_.NextDueNs(now_ns, transactions_) : INT64_MAX;
  if (count_ == 0) {
    control.SleepUntil(clock.ToMonotonicNs(std::min(due_ns, grid_.stop_ns())));
    now_ns = clock.NowNs();
    return true;
  }
  // With nothing to do but to read, the read itself waits: a poll before it would be part of the latency.
  if (!may_start && unsent_bytes_ == 0) return Receive(clock, 0, now_ns);
  Poll(clock, now_ns, due_ns);
  return Receive(clock, MSG_DONTWAIT, now_ns);
}

void TcpRrClient::Poll(const TrialClock& clock, int64_t now_ns, int64_t due_ns) const {
  pollfd ready{connection_.fd(), static_cast<short>(unsent_bytes_ > 0 ? POLLIN | POLLOUT : POLLIN), 0};
  const int64_t wait_ns = std::clamp<int64_t>(due_ns - now_ns, 0, kWakeUpNs);
  const timespec timeout{0, wait_ns};
  ppoll(&ready, 1, &timeout, nullptr);
}

bool TcpRrClient::Receive(const TrialClock& clock, int flags, int64_t& now_ns) {
  const ssize_t size = recv(connection_.fd(), response_.data(), response_.size(), flags);
  const int code = errno;
  now_ns = clock.NowNs();
  if (size > 0) [[likely]] {
    CountResponses(static_cast<size_t>(size), now_ns);
    return true;
  }
  if (size < 0 && (code == EAGAIN || code == EINTR)) return true;
  Fail(size < 0 ? code : ECONNRESET,
       absl::StrCat("tcp receive of a response from ", connection_.peer().ToString()),
       "the server's worker closed the connection: did it end?");
  return false;
}

void TcpRrClient::CountResponses(size_t bytes, int64_t now_ns) {
  response_bytes_ += bytes;
  const uint64_t whole = config_.request_response.response_bytes;
  while (response_bytes_ >= whole && count_ > 0) {
    response_bytes_ -= whole;
    const UnderWay& request = under_way_[oldest_];
    transactions_.Completed(now_ns, request.sent_ns, request.due_ns);
    oldest_ = oldest_ + 1 == under_way_.size() ? 0 : oldest_ + 1;
    --count_;
    counters_.AddMessage();
  }
}

void TcpRrClient::Complete(StreamReport& report) {
  record_.WriteTo(report);
  transactions_.WriteTo(report);
  connection_.Complete();
}

}  // namespace tutti::load
