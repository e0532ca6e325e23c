#include "worker/load/udp_rr_server.h"

#include <errno.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status/macros.h"
#include "worker/load/count_arrival.h"
#include "worker/load/payload.h"
#include "worker/load/send_failures.h"
#include "worker/load/socket_options.h"
#include "worker/load/socket_setup.h"
#include "worker/load/udp_drain.h"
#include "worker/load/udp_header.h"

namespace tutti::load {
absl::Status UdpRrServer::Prepare() {
  TUTTI_ASSIGN_OR_RETURN(const SocketAddress wanted, SocketAddress::Parse(config_.local_address, 0));
  TUTTI_ASSIGN_OR_RETURN(socket_, OpenSocket(config_, wanted.family(), report_.options));
  TUTTI_ASSIGN_OR_RETURN(local_, BindReceiver(socket_.get(), config_, wanted));
  TUTTI_RETURN_IF_ERROR(SetCallTimeouts(socket_.get(), kWakeUpNs));
  TUTTI_RETURN_IF_ERROR(ReadBackSocketOptions(socket_.get(), wanted.family(), config_, report_.options));
  report_.local_endpoint = local_.ToString();
  report_.peer_endpoint = config_.peer_address;
  TUTTI_RETURN_IF_ERROR(request_.Allocate(report_.read_size_bytes));
  TUTTI_RETURN_IF_ERROR(response_.Allocate(config_.request_response.response_bytes));
  cohorts_.resize(grid_.cohorts());
  return absl::OkStatus();
}

void UdpRrServer::TouchBuffers(const TrialControl& control) {
  const auto stopping = [&control] { return control.stopping(); };
  if (FillPayload(response_, stopping)) request_.Touch(stopping);
}

std::optional<uint32_t> UdpRrServer::ReadDrops() const { return SocketDrops(socket_.get()); }

void UdpRrServer::Run(const TrialClock& clock, const TrialControl& control, bool) {
  while (!control.stopping()) {
    const long size = Receive();
    const int code = errno;
    const int64_t now_monotonic_ns = MonotonicNowNs();
    if (size >= 0) [[likely]] {
      ++calls_;
      if (Count(static_cast<size_t>(size), clock.FromMonotonicNs(now_monotonic_ns))) {
        last_monotonic_ns_ = now_monotonic_ns;
        if (!Respond()) return;
      }
    } else if (code != EAGAIN && code != EINTR && code != ECONNREFUSED) {
      // ECONNREFUSED: the client did not wait for an earlier response.
      return Fail(code, absl::StrCat("udp receive of a request on ", local_.ToString()));
    }
    if (const DrainOrder* order = drain_order()) [[unlikely]] {
      if (Drained(*order, now_monotonic_ns)) return;
    }
  }
}

long UdpRrServer::Receive() {
  if (connected_) [[likely]]
    return recv(socket_.get(), request_.data(), request_.size(), 0);
  socklen_t length = SocketAddress::capacity();
  return recvfrom(socket_.get(), request_.data(), request_.size(), 0, source_.mutable_data(), &length);
}

bool UdpRrServer::Count(size_t size, int64_t now_ns) {
  const bool own = size == config_.request_response.request_bytes &&
                   DecodeUdpHeader(request_.data()).nonce == config_.nonce;
  if (!own) {
    ++foreign_;
    return false;
  }
  const UdpHeader header = DecodeUdpHeader(request_.data());
  ReceivedCohort& cohort = cohorts_[cursor_.CohortOf(header.send_trial_ns)];
  if (!CountArrival(tracker_.Observe(header.sequence), cohort)) return true;
  cohort.bytes += size;
  if (counters_.messages() == 0) first_ns_ = now_ns;
  last_ns_ = now_ns;
  counters_.AddBytes(size);
  counters_.AddMessage();
  if (now_ns < grid_.window_end_ns()) jitter_.Add(now_ns - header.send_trial_ns);
  return true;
}

bool UdpRrServer::Respond() {
  if (!connected_) [[unlikely]] {
    // With the route looked up once, an answer costs what a client's request costs; from here on datagrams of
    // others do not reach the socket.
    if (connect(socket_.get(), source_.data(), source_.length()) != 0) {
      Fail(errno, absl::StrCat("connect udp ", local_.ToString(), " -> ", source_.ToString()));
      return false;
    }
    connected_ = true;
    report_.peer_endpoint = source_.ToString();
  }
  std::memcpy(response_.data(), request_.data(), UdpHeader::kBytes);
  if (send(socket_.get(), response_.data(), response_.size(), MSG_NOSIGNAL) >= 0) [[likely]]
    return true;
  const int code = errno;
  ++report_.failed_sends;  // the client finds it lost
  if (ClassifySendFailure(code) != SendFailure::kFatal) return true;
  Fail(code, absl::StrCat("udp send of a response of ", response_.size(), "B to ", report_.peer_endpoint),
       code == EMSGSIZE ? "make the response smaller" : "");
  return false;
}

bool UdpRrServer::Drained(const DrainOrder& order, int64_t now_monotonic_ns) {
  if (order.final && counters_.bytes() >= order.final->bytes) {
    report_.drained = true;
    return true;
  }
  return UdpDrainIsOver(order, last_monotonic_ns_, now_monotonic_ns);
}

void UdpRrServer::Complete(StreamReport& report) {
  report.foreign = foreign_;
  report.jitter_ns = jitter_.ns();
  report.received_cohorts = std::move(cohorts_);
  if (counters_.messages() == 0) return;
  report.first_receive_trial_ns = first_ns_;
  report.last_receive_trial_ns = last_ns_;
}

}  // namespace tutti::load
