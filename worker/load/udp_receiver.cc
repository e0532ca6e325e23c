#include "worker/load/udp_receiver.h"

#include <errno.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status/macros.h"
#include "worker/load/payload.h"
#include "worker/load/socket_options.h"
#include "worker/load/socket_setup.h"
#include "worker/load/udp_header.h"

namespace tutti::load {
namespace {

constexpr int64_t kSilenceNs = 200'000'000;
constexpr int64_t kLongestDrainNs = 2'000'000'000;
constexpr int64_t kDrainWakeUpNs = 10'000'000;

}  // namespace

UdpReceiver::UdpReceiver(StreamConfig config, const WindowGrid& grid)
    : Stream(std::move(config), grid),
      has_header_(config_.message_size_bytes >= UdpHeader::kBytes),
      cursor_(grid) {}

absl::Status UdpReceiver::Prepare() {
  if (has_header_ && report_.read_size_bytes < UdpHeader::kBytes) {
    return absl::InvalidArgumentError(absl::StrCat("read size ", report_.read_size_bytes,
                                                   "B cuts the header of ", UdpHeader::kBytes,
                                                   "B off; read at least the message size"));
  }
  TUTTI_ASSIGN_OR_RETURN(const SocketAddress wanted, SocketAddress::Parse(config_.local_address, 0));
  TUTTI_ASSIGN_OR_RETURN(peer_, SocketAddress::Parse(config_.peer_address, 0));
  TUTTI_ASSIGN_OR_RETURN(socket_, OpenSocket(config_, wanted.family(), report_.options));
  TUTTI_ASSIGN_OR_RETURN(local_, BindReceiver(socket_.get(), config_, wanted));
  TUTTI_RETURN_IF_ERROR(SetCallTimeouts(socket_.get(), kWakeUpNs));
  TUTTI_RETURN_IF_ERROR(ReadBackSocketOptions(socket_.get(), wanted.family(), config_, report_.options));
  report_.local_endpoint = local_.ToString();
  report_.peer_endpoint = config_.peer_address;
  TUTTI_RETURN_IF_ERROR(buffer_.Allocate(report_.read_size_bytes));
  if (has_header_) {
    cohorts_.resize(grid_.cohorts());
  } else {
    Warn(WithoutHeaderWarning(config_.message_size_bytes));
  }
  if (report_.read_size_bytes < config_.message_size_bytes) {
    Warn(absl::StrCat("each datagram of ", config_.message_size_bytes, "B is cut to the read size of ",
                      report_.read_size_bytes, "B"));
  }
  return absl::OkStatus();
}

void UdpReceiver::TouchBuffers(const TrialControl& control) {
  buffer_.Touch([&control] { return control.stopping(); });
}

std::optional<uint32_t> UdpReceiver::ReadDrops() const { return SocketDrops(socket_.get()); }

void UdpReceiver::Run(const TrialClock& clock, const TrialControl& control, bool) {
  while (!control.stopping()) {
    const long size = Receive(0);
    const int64_t now_monotonic_ns = MonotonicNowNs();
    if (size >= 0) [[likely]] {
      const bool own = Count(static_cast<size_t>(size), clock.FromMonotonicNs(now_monotonic_ns));
      if (own) last_monotonic_ns_ = now_monotonic_ns;
    } else if (errno != EAGAIN && errno != EINTR) {
      Fail(errno, absl::StrCat("udp receive on ", local_.ToString()));
      return;
    }
    if (const DrainOrder* order = drain_order()) [[unlikely]] {
      if (Drained(*order, now_monotonic_ns)) return ReadQueued(clock, *order);
    }
  }
}

// Duplicates and foreign datagrams may be queued behind the last one that was waited for.
void UdpReceiver::ReadQueued(const TrialClock& clock, const DrainOrder& order) {
  const int64_t until_ns = std::min(order.begin_monotonic_ns + kLongestDrainNs, order.deadline_monotonic_ns);
  for (;;) {
    const long size = Receive(MSG_DONTWAIT);
    const int64_t now_monotonic_ns = MonotonicNowNs();
    if (size < 0 || now_monotonic_ns >= until_ns) return;
    Count(static_cast<size_t>(size), clock.FromMonotonicNs(now_monotonic_ns));
  }
}

long UdpReceiver::Receive(int flags) {
  if (has_header_) return recv(socket_.get(), buffer_.data(), buffer_.size(), flags);
  socklen_t length = SocketAddress::capacity();
  return recvfrom(socket_.get(), buffer_.data(), buffer_.size(), flags, source_.mutable_data(), &length);
}

bool UdpReceiver::Count(size_t size, int64_t now_ns) {
  const bool own = has_header_ ? CountWithHeader(size, now_ns) : source_.SameHost(peer_);
  if (!own) {
    ++foreign_;
  } else if (!has_header_) {
    CountPayload(size, now_ns);
  }
  return own;
}

bool UdpReceiver::CountWithHeader(size_t size, int64_t now_ns) {
  if (size < UdpHeader::kBytes) return false;
  const UdpHeader header = DecodeUdpHeader(buffer_.data());
  if (header.nonce != config_.nonce) return false;
  ReceivedCohort& cohort = cohorts_[cursor_.CohortOf(header.send_trial_ns)];
  switch (tracker_.Observe(header.sequence)) {
    case Arrival::kInOrder:
      ++cohort.in_order;
      break;
    case Arrival::kReordered:
      ++cohort.reordered;
      break;
    case Arrival::kLate:
      ++cohort.late;
      break;
    case Arrival::kDuplicate:
      ++cohort.duplicates;
      return true;
  }
  cohort.bytes += size;
  CountPayload(size, now_ns);
  if (now_ns < grid_.window_end_ns()) jitter_.Add(now_ns - header.send_trial_ns);
  return true;
}

void UdpReceiver::CountPayload(size_t size, int64_t now_ns) {
  if (counters_.messages() == 0) first_ns_ = now_ns;
  last_ns_ = now_ns;
  counters_.AddBytes(size);
  counters_.AddMessage();
}

bool UdpReceiver::Drained(const DrainOrder& order, int64_t now_monotonic_ns) {
  if (!draining_) EnterDrain();
  if (order.final && counters_.messages() >= order.final->messages) {
    report_.drained = true;
    return true;
  }
  const int64_t quiet_since_ns = std::max(order.begin_monotonic_ns, last_monotonic_ns_);
  return now_monotonic_ns - quiet_since_ns >= kSilenceNs ||
         now_monotonic_ns - order.begin_monotonic_ns >= kLongestDrainNs ||
         now_monotonic_ns >= order.deadline_monotonic_ns;
}

// From here on the end is waited for: look more often.
void UdpReceiver::EnterDrain() {
  draining_ = true;
  if (const absl::Status status = SetCallTimeouts(socket_.get(), kDrainWakeUpNs); !status.ok()) {
    Warn(std::string(status.message()));
  }
}

void UdpReceiver::Complete(StreamReport& report) {
  report.foreign = foreign_;
  report.jitter_ns = has_header_ ? jitter_.ns() : std::nullopt;
  report.received_cohorts = std::move(cohorts_);
  if (counters_.messages() > 0) {
    report.first_receive_trial_ns = first_ns_;
    report.last_receive_trial_ns = last_ns_;
  }
}

}  // namespace tutti::load
