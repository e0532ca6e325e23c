#include "worker/load/udp_sender.h"

#include <errno.h>
#include <netinet/udp.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"
#include "worker/load/pace_wait.h"
#include "worker/load/payload.h"
#include "worker/load/socket_options.h"
#include "worker/load/socket_setup.h"
#include "worker/load/udp_header.h"
#include "worker/load/way_outcome.h"

namespace tutti::load {
namespace {

constexpr uint64_t kUdpHeaderBytes = 8;
constexpr uint64_t kIpv4HeaderBytes = 20;
constexpr uint64_t kIpv6HeaderBytes = 40;

}  // namespace

UdpSender::UdpSender(StreamConfig config, const WindowGrid& grid)
    : Stream(std::move(config), grid),
      has_header_(config_.message_size_bytes >= UdpHeader::kBytes),
      cursor_(grid),
      record_(config_),
      pacer_(MakePacer(config_, grid_)) {}

absl::Status UdpSender::Prepare() {
  TUTTI_ASSIGN_OR_RETURN(local_, SocketAddress::Parse(config_.local_address, 0));
  TUTTI_ASSIGN_OR_RETURN(socket_, OpenSocket(config_, local_.family(), report_.options));
  TUTTI_RETURN_IF_ERROR(BindSource(socket_.get(), config_, local_));
  TUTTI_RETURN_IF_ERROR(SetCallTimeouts(socket_.get(), kWakeUpNs));
  TUTTI_RETURN_IF_ERROR(ChooseWay());
  const uint32_t slots = std::visit([](const auto& way) { return way.slots(); }, way_);
  TUTTI_RETURN_IF_ERROR(AllocateBuffer(messages_, slots * config_.message_size_bytes));
  LayMessages();
  if (has_header_) {
    cohorts_.resize(grid_.cohorts());
  } else {
    Warn(WithoutHeaderWarning(config_.message_size_bytes));
  }
  return absl::OkStatus();
}

absl::Status UdpSender::ChooseWay() {
  const auto applied = [this](const char* option) {
    const OptionOutcome* outcome = FindOutcome(report_.options, option);
    return outcome != nullptr && outcome->applied;
  };
  switch (config_.ways.send) {
    case SendWay::kSendmmsg:
      if (sendmmsg(socket_.get(), nullptr, 0, 0) == 0) {
        way_.emplace<UdpSendmmsg>(config_.ways.batch);
      } else {
        return FallBack(config_, "sendmmsg", "sendmmsg", "write", ErrnoStatus(errno, "call sendmmsg"),
                        report_.options);
      }
      break;
    case SendWay::kGso:
      if (applied(kUdpSegmentOption)) way_.emplace<UdpGso>(config_.ways.batch);
      break;
    case SendWay::kZerocopy:
      if (applied(kZerocopyOption)) way_.emplace<UdpZerocopy>();
      break;
    case SendWay::kWrite:
    case SendWay::kSendfile:
      break;
  }
  return absl::OkStatus();
}

void UdpSender::LayMessages() {
  std::visit([this](auto& way) { way.Lay(messages_.data(), config_.message_size_bytes); }, way_);
  report_.ways.batch = std::visit([](const auto& way) { return way.batch(); }, way_);
  if (std::holds_alternative<UdpWrite>(way_)) report_.ways.send = SendWay::kWrite;
  report_.max_send_call_bytes = report_.ways.batch * config_.message_size_bytes;
}

absl::Status UdpSender::BeginConnect(uint16_t target_port) {
  TUTTI_ASSIGN_OR_RETURN(peer_, SocketAddress::Parse(config_.peer_address, target_port));
  if (connect(socket_.get(), peer_.data(), peer_.length()) != 0) {
    return ConnectFailed(errno, config_, local_, peer_);
  }
  local_ = SocketAddress::LocalOf(socket_.get());
  report_.local_endpoint = local_.ToString();
  report_.peer_endpoint = peer_.ToString();
  DescribePath();
  TUTTI_RETURN_IF_ERROR(ReadBackSocketOptions(socket_.get(), local_.family(), config_, report_.options));
  return CheckSegments();
}

absl::Status UdpSender::CheckSegments() {
  if (!std::holds_alternative<UdpGso>(way_) || !report_.path_mtu_bytes) return absl::OkStatus();
  const uint64_t most = MostUnfragmentedBytes();
  if (config_.message_size_bytes <= most) return absl::OkStatus();
  TUTTI_RETURN_IF_ERROR(
      FallBack(config_, kUdpSegmentOption, NameOf(SendWay::kGso), NameOf(SendWay::kWrite),
               absl::FailedPreconditionError(absl::StrCat(
                   "gso segments of ", config_.message_size_bytes, "B to ", peer_.ToString(),
                   ": the kernel fragments none, and the path MTU of ", *report_.path_mtu_bytes,
                   "B carries at most ", most, "B; make message_size that small, or write send: sendmmsg")),
               report_.options));
  const int off = 0;
  if (setsockopt(socket_.get(), SOL_UDP, UDP_SEGMENT, &off, sizeof(off)) != 0) {
    return ErrnoStatus(errno, "set UDP_SEGMENT to 0");
  }
  way_.emplace<UdpWrite>();
  LayMessages();
  return absl::OkStatus();
}

uint64_t UdpSender::MostUnfragmentedBytes() const {
  const uint64_t headers =
      kUdpHeaderBytes + (local_.family() == AF_INET6 ? kIpv6HeaderBytes : kIpv4HeaderBytes);
  const uint64_t mtu = report_.path_mtu_bytes.value_or(0);
  return mtu > headers ? mtu - headers : 0;
}

void UdpSender::DescribePath() {
  report_.path_mtu_bytes = PathMtuBytes(socket_.get(), local_.family());
  if (!report_.path_mtu_bytes || config_.message_size_bytes <= MostUnfragmentedBytes()) return;
  Warn(absl::StrCat("each message of ", config_.message_size_bytes,
                    "B is sent in fragments: the path MTU of ", *report_.path_mtu_bytes, "B carries at most ",
                    MostUnfragmentedBytes(), "B over ", local_.family() == AF_INET6 ? "IPv6" : "IPv4"));
}

void UdpSender::TouchBuffers(const TrialControl& control) {
  FillPayload(messages_, [&control] { return control.stopping(); });
}

void UdpSender::Run(const TrialClock& clock, const TrialControl& control, bool spin) {
  StartPriority priority(report_.max_send_call_bytes);
  if (!WaitForStart(clock, control, spin)) return;
  std::visit([&](auto& way) { SendLoop(way, clock, control, priority); }, way_);
  EndTurns(clock);
}

Turn UdpSender::TakeTurn(const TrialClock& clock, int64_t now_ns) {
  return std::visit([&](auto& way) { return TurnOf(way, clock, now_ns); }, way_);
}

template <class Way>
Turn UdpSender::TurnOf(Way& way, const TrialClock& clock, int64_t now_ns) {
  const int64_t stop_ns = grid_.stop_ns();
  const uint64_t full_bytes = counters_.bytes() + kBytesPerTurn;
  for (uint32_t call = 0; call < kCallsPerTurn && counters_.bytes() < full_bytes; ++call) {
    if (call > 0) now_ns = clock.NowNs();
    if (now_ns >= stop_ns || VolumeLeftBytes() == 0) return {Turn::Then::kOver};
    uint32_t messages = MessagesLeft(way.batch());
    if (pacer_) {
      messages = pacer_->Due(now_ns, messages);
      if (messages == 0) return {Turn::Then::kAt, std::min(pacer_->NextDueNs(now_ns), stop_ns)};
    }
    switch (SendOnce(way, clock, now_ns, messages, MSG_DONTWAIT)) {
      case Step::kSent:
        break;
      case Step::kNoRoom:
        return {Turn::Then::kSocket};
      case Step::kNotSent:
        return {Turn::Then::kAgain};
      case Step::kFailed:
        return {Turn::Then::kOver};
    }
  }
  return {Turn::Then::kAgain};
}

void UdpSender::EndTurns(const TrialClock& clock) {
  if (pacer_) report_.worst_behind_ns = pacer_->WorstBehindNs(clock.NowNs());
}

template <class Way>
void UdpSender::SendLoop(Way& way, const TrialClock& clock, const TrialControl& control,
                         StartPriority& priority) {
  const int64_t stop_ns = grid_.stop_ns();
  while (!control.stopping()) {
    const int64_t now_ns = clock.NowNs();
    if (now_ns >= stop_ns || VolumeLeftBytes() == 0) break;
    uint32_t messages = MessagesLeft(way.batch());
    if (pacer_) {
      messages = pacer_->Due(now_ns, messages);
      if (messages == 0) {
        WaitUntilDue(config_.pacing, clock, control, std::min(pacer_->NextDueNs(now_ns), stop_ns));
        continue;
      }
    }
    const Step step = SendOnce(way, clock, now_ns, messages, 0);
    priority.End();
    if (step == Step::kFailed) break;
  }
}

uint32_t UdpSender::MessagesLeft(uint32_t most) const {
  if (!config_.volume_bytes) return most;
  const uint64_t size = config_.message_size_bytes;
  return static_cast<uint32_t>(std::min<uint64_t>(most, (VolumeLeftBytes() + size - 1) / size));
}

template <class Way>
UdpSender::Step UdpSender::SendOnce(Way& way, const TrialClock& clock, int64_t now_ns, uint32_t messages,
                                    int flags) {
  if (!way.Ready(socket_.get(), flags)) [[unlikely]]
    return Step::kNoRoom;
  if (has_header_) {
    UdpHeader header{.nonce = config_.nonce, .sequence = sequence_, .send_trial_ns = now_ns};
    for (uint32_t i = 0; i < messages; ++i, ++header.sequence) EncodeUdpHeader(header, way.message(i));
  }
  const long sent = way.Send(socket_.get(), messages, flags | MSG_NOSIGNAL);
  if (sent < 0) [[unlikely]] {
    if (errno == EAGAIN) return Step::kNoRoom;  // nothing was refused
    return SendFailed(errno, now_ns) ? Step::kNotSent : Step::kFailed;
  }
  const auto count = static_cast<uint32_t>(sent);
  const uint64_t bytes = count * config_.message_size_bytes;
  sequence_ += count;
  ++calls_;
  counters_.AddBytes(bytes);
  counters_.AddMessages(count);
  if (has_header_) {
    SentCohort& cohort = cohorts_[cursor_.CohortOf(now_ns)];
    cohort.messages += count;
    cohort.bytes += bytes;
  }
  if (pacer_) pacer_->Sent(count);
  record_.SendReturned(clock, now_ns);
  record_.MessagesSent(clock, now_ns, count);
  return Step::kSent;
}

bool UdpSender::SendFailed(int errno_value, int64_t now_ns) {
  if (errno_value == EINTR) return true;
  ++report_.failed_sends;
  const std::string what =
      absl::StrCat("udp send of ", config_.message_size_bytes, "B to ", peer_.ToString());
  switch (ClassifySendFailure(errno_value)) {
    case SendFailure::kTransient:
      // Nothing under way whose completion could free what is lacking: it will hardly pass.
      if (!std::holds_alternative<UdpZerocopy>(way_) || !no_buffers_.Add(now_ns)) return true;
      Fail(errno_value, what, "allow more locked memory (ulimit -l, LimitMEMLOCK=), or write send: write");
      return false;
    case SendFailure::kUnreachable:
      if (!unreachable_.Add(now_ns)) return true;
      Fail(errno_value, what,
           errno_value == ECONNREFUSED ? "nobody receives there any more: did the receiving worker end?"
                                       : "check routes and packet filters between the two hosts");
      return false;
    case SendFailure::kFatal:
      break;
  }
  if (std::holds_alternative<UdpGso>(way_)) {
    Fail(errno_value,
         absl::StrCat("udp send of up to ", report_.ways.batch, " segments of ", config_.message_size_bytes,
                      "B to ", peer_.ToString()),
         "the kernel or the device cannot cut them: make batch or message_size smaller, or write send: "
         "sendmmsg");
  } else {
    Fail(errno_value, what, errno_value == EMSGSIZE ? "make message_size smaller" : "");
  }
  return false;
}

void UdpSender::Complete(StreamReport& report) {
  record_.WriteTo(report);
  if (auto* way = std::get_if<UdpZerocopy>(&way_)) {
    ReportCompletions(socket_.get(), way->window(), report);
  }
  report.sent_cohorts = std::move(cohorts_);
}

}  // namespace tutti::load
