#include "worker/session/clock_responder.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "common/log/log.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"
#include "common/time/nanoseconds.h"
#include "worker/load/load_thread.h"

namespace tutti::session {
namespace {

// Often at first, since the trial waits for its clocks; later it is for a closed path that opens again.
constexpr int64_t kEagerForNs = 2'000 * kNsPerMs;
constexpr int64_t kEagerStepNs = 100 * kNsPerMs;
constexpr int64_t kPatientStepNs = 2'000 * kNsPerMs;
// So many datagrams are taken before the thread looks whether it is to end.
constexpr int kTakenAtOnce = 256;
// Most devices stamp within the send call; where a queue defers the packet the stamp comes a little later,
// and without it the exchange is worth less. Waiting costs no CPU and no exactness.
constexpr timespec kStampPatience{.tv_sec = 0, .tv_nsec = 200'000};
// So many replies in a row without a stamp: this device gives none, or not in time.
constexpr int kStampsMissed = 8;
// So long without a probe: the coordinator may have lost the way.
constexpr int64_t kSilenceNs = 5'000 * kNsPerMs;

uint32_t BoundOf(int64_t bound_ns) {
  return static_cast<uint32_t>(std::clamp<int64_t>(bound_ns, 0, std::numeric_limits<uint32_t>::max()));
}

}  // namespace

absl::StatusOr<std::unique_ptr<ClockResponder>> ClockResponder::Start(const Options& options,
                                                                      const Clock& clock,
                                                                      const BracketReader& brackets) {
  std::vector<net::DatagramPath> targets;
  for (const uint16_t port : options.ports) {
    TUTTI_ASSIGN_OR_RETURN(net::DatagramPath target, net::PathTo(options.coordinator, port));
    targets.push_back(target);
  }
  if (targets.empty())
    return absl::InvalidArgumentError("the coordinator names no UDP port for clock probes");
  TUTTI_ASSIGN_OR_RETURN(net::StampedSocket socket, net::StampedSocket::BindFor(targets.front()));
  // What others send is then dropped by the kernel; with several doors nobody knows yet which one it will be.
  if (targets.size() == 1) TUTTI_RETURN_IF_ERROR(socket.Connect(targets.front()));
  std::unique_ptr<ClockResponder> responder(
      new ClockResponder(options, std::move(socket), std::move(targets), clock, brackets));
  responder->stop_fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (responder->stop_fd_ < 0) return ErrnoStatus(errno, "make an event for the clock responder");
  responder->thread_ = std::thread([raw = responder.get()] { raw->Run(); });
  return responder;
}

ClockResponder::ClockResponder(const Options& options, net::StampedSocket socket,
                               std::vector<net::DatagramPath> targets, const Clock& clock,
                               const BracketReader& brackets)
    : token_(options.token),
      targets_(std::move(targets)),
      clock_(clock),
      socket_(std::move(socket)),
      conversion_(brackets) {}

ClockResponder::~ClockResponder() {
  if (thread_.joinable()) {
    const uint64_t one = 1;
    (void)!write(stop_fd_, &one, sizeof(one));
    thread_.join();
  }
  if (stop_fd_ >= 0) close(stop_fd_);
}

void ClockResponder::Run() {
  pthread_setname_np(pthread_self(), "tutti-clock");
  load::RaiseThisThread();
  begin_ns_ = clock_.Now().ns;
  int64_t hello_due_ns = begin_ns_;
  pollfd waits[] = {{socket_.fd(), POLLIN, 0}, {stop_fd_, POLLIN, 0}};
  conversion_.Observe();
  while (true) {
    const int64_t now_ns = clock_.Now().ns;
    if (now_ns >= hello_due_ns) hello_due_ns = SayHello(now_ns);
    const auto timeout_ms = static_cast<int>((hello_due_ns - now_ns) / kNsPerMs + 1);
    if (poll(waits, std::size(waits), timeout_ms) < 0 && errno != EINTR) {
      spdlog::error("{}", std::string(ErrnoStatus(errno, "wait for clock probes").message()));
      return;
    }
    if (waits[1].revents != 0) return;
    if (waits[0].revents != 0) {
      TakeSendStamps();
      TakeProbes();
    }
    conversion_.Observe();
  }
}

int64_t ClockResponder::SayHello(int64_t now_ns) {
  const bool heard = last_probe_ns_ != 0 && now_ns - last_probe_ns_ < kSilenceNs;
  if (!heard) {
    const auto bytes = net::EncodeClockDatagram({.kind = net::ClockDatagramKind::kHello, .token = token_});
    for (const net::DatagramPath& target : targets_) {
      // A path that is closed is not an error: the session measures instead.
      if (const auto sent = socket_.Send(bytes, target); !sent.ok()) {
        spdlog::debug("{}", std::string(sent.status().message()));
      }
    }
  }
  const bool eager = last_probe_ns_ == 0 && now_ns - begin_ns_ < kEagerForNs;
  return now_ns + (eager ? kEagerStepNs : kPatientStepNs);
}

void ClockResponder::TakeSendStamps() {
  while (const auto taken = socket_.TakeSendStamp()) {
    if (!last_reply_ || last_reply_->by_kernel || last_reply_->number != taken->number) continue;
    conversion_.Confirm();
    const auto at = conversion_.Convert(taken->stamp);
    last_reply_->usable = at.has_value();
    if (!at) continue;
    last_reply_->sent = *at;
    last_reply_->by_kernel = true;
  }
}

void ClockResponder::AwaitSendStamp() {
  TakeSendStamps();
  if (!last_reply_ || !last_reply_->usable || last_reply_->by_kernel) {
    stamps_missed_ = 0;
    return;
  }
  if (stamps_missed_ >= kStampsMissed) return;
  ++stamps_missed_;
  pollfd wait{socket_.fd(), 0, 0};  // POLLERR alone
  if (ppoll(&wait, 1, &kStampPatience, nullptr) > 0) TakeSendStamps();
}

void ClockResponder::TakeProbes() {
  // One byte more than a datagram has, so that a longer one is told from it.
  uint8_t buffer[net::kClockDatagramBytes + 1];
  for (int i = 0; i < kTakenAtOnce; ++i) {
    const auto received = socket_.Receive(buffer);
    if (!received) return;
    const auto datagram = net::DecodeClockDatagram({buffer, received->bytes});
    if (!datagram || datagram->kind != net::ClockDatagramKind::kProbe || datagram->token != token_) continue;
    // The network may double a probe, or somebody replay it. A second answer would tell the coordinator when
    // that one left, beside when the first arrived: an exchange that never was.
    if (!received->stamp || datagram->sequence <= answered_) continue;
    answered_ = datagram->sequence;
    last_probe_ns_ = clock_.Now().ns;
    Answer(datagram->sequence, *received->stamp, received->path);
    if (datagram->wants_follow_up) FollowUp(received->path);
  }
}

void ClockResponder::Answer(uint64_t sequence, const KernelStamp& arrived, const net::DatagramPath& path) {
  net::ClockDatagram reply{.kind = net::ClockDatagramKind::kReply, .token = token_, .sequence = sequence};
  conversion_.Confirm();
  if (const auto at = conversion_.Convert(arrived)) {
    reply.has_received = true;
    reply.received = at->time;
    reply.received_bound_ns = BoundOf(at->bound_ns);
  }
  TellWhenLastReplyLeft(reply);
  // The program's stamp stands until the kernel's is known: it is earlier, which only widens the bound.
  Reply next{.sequence = sequence, .number = 0, .sent = {clock_.Now(), 0}};
  if (Send(reply, path, &next.number)) last_reply_ = next;
}

void ClockResponder::FollowUp(const net::DatagramPath& path) {
  if (!last_reply_) return;
  net::ClockDatagram datagram{.kind = net::ClockDatagramKind::kFollowUp, .token = token_};
  datagram.sequence = last_reply_->sequence;
  TellWhenLastReplyLeft(datagram);
  uint32_t number = 0;
  Send(datagram, path, &number);
}

void ClockResponder::TellWhenLastReplyLeft(net::ClockDatagram& datagram) {
  AwaitSendStamp();
  if (!last_reply_ || !last_reply_->usable) return;
  datagram.has_sent = true;
  datagram.sent_by_kernel = last_reply_->by_kernel;
  datagram.sent_sequence = last_reply_->sequence;
  datagram.sent = last_reply_->sent.time;
  datagram.sent_bound_ns = BoundOf(last_reply_->sent.bound_ns);
}

bool ClockResponder::Send(const net::ClockDatagram& datagram, const net::DatagramPath& path,
                          uint32_t* number) {
  const auto sent = socket_.Send(net::EncodeClockDatagram(datagram), path);
  if (!sent.ok()) {
    spdlog::debug("{}", std::string(sent.status().message()));
    last_reply_.reset();  // the socket counts anew
    return false;
  }
  *number = *sent;
  return true;
}

}  // namespace tutti::session
