#include "worker/load/udp_rr_client.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status/macros.h"
#include "common/units/units.h"
#include "worker/load/payload.h"
#include "worker/load/socket_options.h"
#include "worker/load/socket_setup.h"
#include "worker/load/udp_header.h"

namespace tutti::load {

UdpRrClient::UdpRrClient(StreamConfig config, const WindowGrid& grid)
    : Stream(std::move(config), grid),
      cursor_(grid),
      record_(config_),
      schedule_(config_),
      transactions_(grid, schedule_.paced()),
      under_way_(config_.request_response.outstanding) {}

absl::Status UdpRrClient::Prepare() {
  TUTTI_ASSIGN_OR_RETURN(local_, SocketAddress::Parse(config_.local_address, 0));
  TUTTI_ASSIGN_OR_RETURN(socket_, OpenSocket(config_, local_.family(), report_.options));
  TUTTI_RETURN_IF_ERROR(BindSource(socket_.get(), config_, local_));
  TUTTI_RETURN_IF_ERROR(SetCallTimeouts(socket_.get(), kWakeUpNs));
  TUTTI_RETURN_IF_ERROR(request_.Allocate(config_.request_response.request_bytes));
  TUTTI_RETURN_IF_ERROR(response_.Allocate(DefaultReadSizeBytes(config_)));
  cohorts_.resize(grid_.cohorts());
  return absl::OkStatus();
}

absl::Status UdpRrClient::BeginConnect(uint16_t target_port) {
  TUTTI_ASSIGN_OR_RETURN(peer_, SocketAddress::Parse(config_.peer_address, target_port));
  if (connect(socket_.get(), peer_.data(), peer_.length()) != 0) {
    return ConnectFailed(errno, config_, local_, peer_);
  }
  local_ = SocketAddress::LocalOf(socket_.get());
  report_.local_endpoint = local_.ToString();
  report_.peer_endpoint = peer_.ToString();
  report_.path_mtu_bytes = PathMtuBytes(socket_.get(), local_.family());
  return ReadBackSocketOptions(socket_.get(), local_.family(), config_, report_.options);
}

void UdpRrClient::TouchBuffers(const TrialControl& control) {
  const auto stopping = [&control] { return control.stopping(); };
  if (FillPayload(request_, stopping)) response_.Touch(stopping);
}

void UdpRrClient::Run(const TrialClock& clock, const TrialControl& control, bool spin) {
  StartPriority priority(request_.size());
  if (WaitForStart(clock, control, spin)) Exchange(clock, control, priority);
}

void UdpRrClient::Exchange(const TrialClock& clock, const TrialControl& control, StartPriority& priority) {
  int64_t now_ns = clock.NowNs();
  while (!control.stopping()) {
    if (!SendDue(clock, now_ns)) return;
    priority.End();
    if (under_way_.size() == 0 && now_ns >= grid_.stop_ns()) return;
    if (!Await(clock, control, now_ns)) return;
    CountLost(now_ns);
  }
}

bool UdpRrClient::SendDue(const TrialClock& clock, int64_t& now_ns) {
  while (!under_way_.full() && now_ns < grid_.stop_ns()) {
    const int64_t due_ns = schedule_.NextDueNs(now_ns, transactions_);
    if (due_ns > now_ns) break;
    EncodeUdpHeader({config_.nonce, next_sequence_, now_ns}, request_.data());
    if (send(socket_.get(), request_.data(), request_.size(), MSG_NOSIGNAL) < 0) [[unlikely]] {
      const int code = errno;
      now_ns = clock.NowNs();
      return CallFailed(code, "udp send of a request to ", now_ns);
    }
    under_way_.Add({next_sequence_, now_ns, due_ns});
    ++next_sequence_;
    schedule_.Started(now_ns);
    ++calls_;
    counters_.AddBytes(request_.size());
    SentCohort& cohort = cohorts_[cursor_.CohortOf(now_ns)];
    ++cohort.messages;
    cohort.bytes += request_.size();
    record_.SendReturned(clock, now_ns);
    record_.MessagesSent(clock, now_ns);
    if (!under_way_.full()) now_ns = clock.NowNs();
  }
  return true;
}

bool UdpRrClient::Await(const TrialClock& clock, const TrialControl& control, int64_t& now_ns) {
  const bool may_start = !under_way_.full() && now_ns < grid_.stop_ns();
  // Without a rate only a send that failed leaves room: it is tried again after a look at what has arrived.
  const int64_t due_ns = may_start ? schedule_.NextDueNs(now_ns, transactions_) : INT64_MAX;
  if (under_way_.size() == 0) {
    control.SleepUntil(clock.ToMonotonicNs(std::min(due_ns, grid_.stop_ns())));
    now_ns = clock.NowNs();
    return true;
  }
  // With nothing to do but to read, the read itself waits: a poll before it would be part of the latency.
  if (!may_start) return Receive(clock, 0, now_ns);
  pollfd ready{socket_.get(), POLLIN, 0};
  const timespec timeout{0, std::clamp<int64_t>(due_ns - now_ns, 0, kWakeUpNs)};
  ppoll(&ready, 1, &timeout, nullptr);
  return Receive(clock, MSG_DONTWAIT, now_ns);
}

bool UdpRrClient::Receive(const TrialClock& clock, int flags, int64_t& now_ns) {
  const ssize_t size = recv(socket_.get(), response_.data(), response_.size(), flags);
  const int code = errno;
  now_ns = clock.NowNs();
  if (size < 0) [[unlikely]] {
    return CallFailed(code, "udp receive of a response from ", now_ns);
  }
  CountResponse(static_cast<size_t>(size), now_ns);
  return true;
}

void UdpRrClient::CountResponse(size_t bytes, int64_t now_ns) {
  const bool own = bytes == config_.request_response.response_bytes &&
                   DecodeUdpHeader(response_.data()).nonce == config_.nonce;
  if (!own) {
    ++foreign_;
    return;
  }
  const auto request = under_way_.Take(DecodeUdpHeader(response_.data()).sequence);
  if (!request) {
    ++stray_;
    return;
  }
  transactions_.Completed(now_ns, request->sent_ns, request->due_ns);
  counters_.AddMessage();
}

void UdpRrClient::CountLost(int64_t now_ns) {
  while (const auto request = under_way_.TakeSentUntil(now_ns - kTimeOutNs)) {
    const bool in_window =
        request->sent_ns >= grid_.window_begin_ns() && request->sent_ns < grid_.window_end_ns();
    if (in_window) ++lost_;
    if (request->sent_ns < grid_.window_begin_ns()) ++lost_before_;
  }
}

bool UdpRrClient::CallFailed(int errno_value, const char* what, int64_t now_ns) {
  // No room or no response within the call's timeout, or a signal.
  if (errno_value == EAGAIN || errno_value == EINTR) return true;
  ++report_.failed_sends;
  const SendFailure failure = ClassifySendFailure(errno_value);
  if (failure == SendFailure::kTransient) return true;
  if (failure == SendFailure::kUnreachable && !unreachable_.Add(now_ns)) return true;
  const char* advice = "";
  if (errno_value == ECONNREFUSED) {
    advice = "nobody receives there any more: did the server's worker end?";
  } else if (failure == SendFailure::kUnreachable) {
    advice = "check routes and packet filters between the two hosts";
  } else if (errno_value == EMSGSIZE) {
    advice = "make the request smaller";
  }
  Fail(errno_value, absl::StrCat(what, peer_.ToString()), advice);
  return false;
}

void UdpRrClient::Complete(StreamReport& report) {
  record_.WriteTo(report);
  transactions_.WriteTo(report);
  report.sent_cohorts = std::move(cohorts_);
  report.foreign = foreign_;
  report.lost_transactions = lost_;
  if (lost_before_ > 0) {
    Warn(absl::StrCat(lost_before_, " requests that were sent before the window had no response after ",
                      FormatDuration(kTimeOutNs), ": until then they held their places among the ",
                      config_.request_response.outstanding,
                      " outstanding; lengthen timing.warmup, or use fewer at once"));
  }
  report.stray_responses = stray_;
}

}  // namespace tutti::load
