#include "worker/load/udp_receiver.h"

#include <errno.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"
#include "worker/load/count_arrival.h"
#include "worker/load/payload.h"
#include "worker/load/receive_poll.h"
#include "worker/load/socket_options.h"
#include "worker/load/socket_setup.h"
#include "worker/load/udp_drain.h"
#include "worker/load/udp_header.h"
#include "worker/load/way_outcome.h"

namespace tutti::load {
namespace {

constexpr int64_t kDrainWakeUpNs = 10'000'000;

}  // namespace

UdpReceiver::UdpReceiver(StreamConfig config, const WindowGrid& grid)
    : Stream(std::move(config), grid),
      has_header_(config_.message_size_bytes >= UdpHeader::kBytes),
      discard_flag_(config_.ways.discard ? MSG_TRUNC : 0),
      connects_(config_.with_rx),
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
  TUTTI_RETURN_IF_ERROR(ChooseWay());
  const uint32_t slots = std::visit([](const auto& way) { return way.slots(); }, way_);
  TUTTI_RETURN_IF_ERROR(AllocateBuffer(buffer_, slots * report_.read_size_bytes));
  // Without a header the address has to tell who sent a datagram.
  const bool wants_source = !has_header_ || connects_;
  std::visit([&](auto& way) { way.Lay(buffer_.data(), report_.read_size_bytes, wants_source); }, way_);
  if (has_header_) {
    cohorts_.resize(grid_.cohorts());
  } else {
    Warn(WithoutHeaderWarning(config_.message_size_bytes));
  }
  if (report_.read_size_bytes < config_.message_size_bytes && !config_.ways.discard) {
    Warn(absl::StrCat("each datagram of ", config_.message_size_bytes, "B is cut to the read size of ",
                      report_.read_size_bytes, "B"));
  }
  return absl::OkStatus();
}

absl::Status UdpReceiver::ChooseWay() {
  if (config_.ways.receive == ReceiveWay::kRecvmmsg) {
    if (recvmmsg(socket_.get(), nullptr, 0, MSG_DONTWAIT, nullptr) == 0) {
      way_.emplace<UdpRecvmmsg>(config_.ways.batch);
      report_.ways.batch = config_.ways.batch;
      return absl::OkStatus();
    }
    TUTTI_RETURN_IF_ERROR(FallBack(config_, "recvmmsg", "recvmmsg", "read",
                                   ErrnoStatus(errno, "call recvmmsg"), report_.options));
  }
  const OptionOutcome* gro = FindOutcome(report_.options, kUdpGroOption);
  if (gro != nullptr && gro->applied) {
    way_.emplace<UdpGro>();
    report_.ways.batch =
        static_cast<uint32_t>(std::max<uint64_t>(1, report_.read_size_bytes / config_.message_size_bytes));
    return absl::OkStatus();
  }
  report_.ways.receive = ReceiveWay::kRead;
  return absl::OkStatus();
}

void UdpReceiver::TouchBuffers(const TrialControl& control) {
  buffer_.Touch([&control] { return control.stopping(); });
}

std::optional<uint32_t> UdpReceiver::ReadDrops() const { return SocketDrops(socket_.get()); }

void UdpReceiver::Run(const TrialClock& clock, const TrialControl& control, bool) {
  std::visit([&](auto& way) { ReadLoop(way, clock, control); }, way_);
}

template <class Way>
void UdpReceiver::ReadLoop(Way& way, const TrialClock& clock, const TrialControl& control) {
  ReceivePoll poll(config_.ways.receive_wait == ReceiveWait::kPoll);
  while (!control.stopping()) {
    const Read read = ReadOnce(way, clock, poll.flags());
    if (read.step == Step::kFailed) return;
    poll.Returned(read.step == Step::kData, read.now_monotonic_ns);
    if (const DrainOrder* order = drain_order()) [[unlikely]] {
      if (Drained(*order, read.now_monotonic_ns)) return ReadQueued(way, clock, *order);
    }
  }
}

Turn UdpReceiver::TakeTurn(const TrialClock& clock, int64_t) {
  return std::visit([&](auto& way) { return TurnOf(way, clock); }, way_);
}

template <class Way>
Turn UdpReceiver::TurnOf(Way& way, const TrialClock& clock) {
  const uint64_t full_bytes = counters_.bytes() + kBytesPerTurn;
  for (uint32_t call = 0; call < kCallsPerTurn && counters_.bytes() < full_bytes; ++call) {
    const Read read = ReadOnce(way, clock, MSG_DONTWAIT);
    if (read.step == Step::kFailed) return {Turn::Then::kOver};
    if (const DrainOrder* order = drain_order()) [[unlikely]] {
      if (Drained(*order, read.now_monotonic_ns)) {
        ReadQueued(way, clock, *order);
        return {Turn::Then::kOver};
      }
    }
    if (read.step == Step::kNothing) return {Turn::Then::kSocket};
  }
  return {Turn::Then::kAgain};
}

template <class Way>
UdpReceiver::Read UdpReceiver::ReadOnce(Way& way, const TrialClock& clock, int flags) {
  const long datagrams = way.Receive(socket_.get(), flags | discard_flag_);
  const int64_t now_monotonic_ns = MonotonicNowNs();
  if (datagrams < 0) [[unlikely]] {
    if (errno == EAGAIN || errno == EINTR) return {Step::kNothing, now_monotonic_ns};
    Fail(errno, absl::StrCat("udp receive on ", local_.ToString()));
    return {Step::kFailed, now_monotonic_ns};
  }
  ++calls_;
  const int64_t now_ns = clock.FromMonotonicNs(now_monotonic_ns);
  const auto count = static_cast<uint32_t>(datagrams);
  Tally tally;
  if (has_header_) {
    for (uint32_t i = 0; i < count;) i += CountWithHeader(way, i, count, now_ns, tally);
  } else {
    for (uint32_t i = 0; i < count; ++i) CountWithoutHeader(way.datagram(i), way.source(i), tally);
  }
  if (connects_ && tally.own == count) [[unlikely]]
    ConnectTo(way.source(0));
  if (tally.messages > 0) AddPayload(tally, now_ns);
  if (tally.own > 0) last_monotonic_ns_ = now_monotonic_ns;
  foreign_ += count - tally.own;
  return {Step::kData, now_monotonic_ns};
}

// A socket that is not connected does not note on which CPU its packets arrive (udp_queue_rcv_one_skb,
// net/ipv4/udp.c). The stream's own sender is known by its first datagrams.
void UdpReceiver::ConnectTo(const SocketAddress& sender) {
  connects_ = false;
  if (connect(socket_.get(), sender.data(), sender.length()) == 0) return;
  Warn(std::string(ErrnoStatus(errno, absl::StrCat("connect udp to its sender ", sender.ToString()),
                               "where its packets arrive is not known")
                       .message()));
}

// Duplicates and foreign datagrams may be queued behind the last one that was waited for.
template <class Way>
void UdpReceiver::ReadQueued(Way& way, const TrialClock& clock, const DrainOrder& order) {
  const int64_t until_ns =
      std::min(order.begin_monotonic_ns + kLongestUdpDrainNs, order.deadline_monotonic_ns);
  for (;;) {
    const Read read = ReadOnce(way, clock, MSG_DONTWAIT);
    if (read.step != Step::kData || read.now_monotonic_ns >= until_ns) return;
  }
}

template <class Way>
uint32_t UdpReceiver::CountWithHeader(const Way& way, uint32_t i, uint32_t count, int64_t now_ns,
                                      Tally& tally) {
  if (way.datagram(i).size < UdpHeader::kBytes) return 1;
  const UdpRun run = UdpRunFrom(way, i, count);
  if (run.first.nonce == config_.nonce) CountRun(run, now_ns, tally);
  return run.datagrams;
}

void UdpReceiver::CountRun(const UdpRun& run, int64_t now_ns, Tally& tally) {
  tally.own += run.datagrams;
  ReceivedCohort& cohort = cohorts_[cursor_.CohortOf(run.first.send_trial_ns)];
  const uint32_t arrived = TrackRun(run, cohort);
  if (arrived == 0) return;
  const uint64_t bytes = arrived * run.datagram_bytes;
  cohort.bytes += bytes;
  tally.messages += arrived;
  tally.bytes += bytes;
  if (now_ns < grid_.window_end_ns()) jitter_.Add(now_ns - run.first.send_trial_ns, arrived);
}

uint32_t UdpReceiver::TrackRun(const UdpRun& run, ReceivedCohort& cohort) {
  if (run.datagrams > 1 && tracker_.ObserveRun(run.first.sequence, run.datagrams)) {
    cohort.in_order += run.datagrams;
    return run.datagrams;
  }
  uint32_t arrived = 0;
  for (uint32_t i = 0; i < run.datagrams; ++i) {
    if (CountArrival(tracker_.Observe(run.first.sequence + i), cohort)) ++arrived;
  }
  return arrived;
}

void UdpReceiver::CountWithoutHeader(const Datagram& datagram, const SocketAddress& source, Tally& tally) {
  if (!source.SameHost(peer_)) return;
  ++tally.own;
  ++tally.messages;
  tally.bytes += datagram.size;
}

void UdpReceiver::AddPayload(const Tally& tally, int64_t now_ns) {
  if (counters_.messages() == 0) first_ns_ = now_ns;
  last_ns_ = now_ns;
  counters_.AddBytes(tally.bytes);
  counters_.AddMessages(tally.messages);
  NoteVolume(now_ns);
}

bool UdpReceiver::Drained(const DrainOrder& order, int64_t now_monotonic_ns) {
  if (!draining_) EnterDrain();
  if (order.final && counters_.messages() >= order.final->messages) {
    report_.drained = true;
    return true;
  }
  return UdpDrainIsOver(order, last_monotonic_ns_, now_monotonic_ns);
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
  // The kernel drops a joined packet as one (__udp_enqueue_schedule_skb, net/ipv4/udp.c).
  if (std::holds_alternative<UdpGro>(way_) && report.socket_drops.value_or(0) > 0) {
    Warn(absl::StrCat("with gro each of the ", *report.socket_drops,
                      " drops in the socket may be a packet of several datagrams, up to ", report.ways.batch,
                      ": they are fewer than what was lost there"));
  }
  report.jitter_ns = has_header_ ? jitter_.ns() : std::nullopt;
  report.received_cohorts = std::move(cohorts_);
  if (counters_.messages() > 0) {
    report.first_receive_trial_ns = first_ns_;
    report.last_receive_trial_ns = last_ns_;
  }
}

}  // namespace tutti::load
