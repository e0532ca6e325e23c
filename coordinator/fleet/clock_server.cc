#include "coordinator/fleet/clock_server.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/str_join.h"
#include "common/log/log.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"

namespace tutti::fleet {
namespace {

// So many probes may be under way on one socket before a late stamp is not understood any more.
constexpr size_t kSentKept = 8192;
// So many datagrams of one socket are taken before the next one's turn.
constexpr int kTakenAtOnce = 256;
// Between two turns, for what arrives meanwhile to be taken at once. A burst's probes are 3 ms apart.
constexpr int kGatherMs = 1;

// The coordinator's own CLOCK_MONOTONIC is the timeline.
TimelineTime OnTimeline(HostTime own) { return {own.ns}; }

}  // namespace

ClockServer::ClockServer(Executor& executor, const BracketReader& brackets)
    : executor_(executor), listeners_(std::make_shared<Listeners>()), conversion_(brackets) {}

size_t ClockServer::TokenHash::operator()(const net::ClockToken& token) const {
  size_t hash;
  static_assert(sizeof(hash) <= sizeof(token));
  std::memcpy(&hash, token.data(), sizeof(hash));
  return hash;
}

absl::Status ClockServer::Open(const net::Endpoint& endpoint) {
  TUTTI_ASSIGN_OR_RETURN(net::StampedSocket socket,
                         net::StampedSocket::Bind(endpoint.host, static_cast<uint16_t>(endpoint.port)));
  if (std::find(ports_.begin(), ports_.end(), socket.port()) == ports_.end()) ports_.push_back(socket.port());
  doors_.push_back({std::move(socket), std::vector<SentProbe>(kSentKept)});
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<ClockServer>> ClockServer::Start(Executor& executor,
                                                                const std::vector<net::Endpoint>& listen,
                                                                const BracketReader& brackets) {
  std::unique_ptr<ClockServer> server(new ClockServer(executor, brackets));
  for (const net::Endpoint& endpoint : listen) {
    if (endpoint.is_unix) continue;
    const absl::Status opened = server->Open(endpoint);
    if (!opened.ok()) server->closed_.emplace_back(opened.message());
  }
  if (server->doors_.empty()) {
    return absl::UnavailableError(server->closed_.empty() ? "no address takes datagrams"
                                                          : absl::StrJoin(server->closed_, "; "));
  }
  server->stop_fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (server->stop_fd_ < 0) return ErrnoStatus(errno, "make an event for the clock server");
  server->thread_ = std::thread([raw = server.get()] { raw->Run(); });
  return server;
}

ClockServer::~ClockServer() {
  if (thread_.joinable()) {
    const uint64_t one = 1;
    (void)!write(stop_fd_, &one, sizeof(one));
    thread_.join();
  }
  // What the thread has posted meanwhile finds nobody.
  listeners_->clear();
  if (stop_fd_ >= 0) close(stop_fd_);
}

net::ClockToken ClockServer::Admit(Listener listener) {
  net::ClockToken token{};
  // Never short for up to 256 bytes, see getrandom(2).
  (void)!getrandom(token.data(), token.size(), 0);
  (*listeners_)[token] = std::move(listener);
  MutexLock lock(mutex_);
  sessions_[token];
  return token;
}

void ClockServer::Dismiss(const net::ClockToken& token) {
  listeners_->erase(token);
  MutexLock lock(mutex_);
  sessions_.erase(token);
}

bool ClockServer::Probe(const net::ClockToken& token, bool with_follow_up) {
  MutexLock lock(mutex_);
  const auto found = sessions_.find(token);
  if (found == sessions_.end() || !found->second.known) return false;
  Session& session = found->second;
  Door& door = doors_[session.socket];
  net::ClockDatagram probe{.kind = net::ClockDatagramKind::kProbe, .token = token};
  probe.wants_follow_up = with_follow_up;
  probe.sequence = session.ledger.Begin(TimelineTime{executor_.NowNs()});
  const absl::StatusOr<uint32_t> number = door.socket.Send(net::EncodeClockDatagram(probe), session.path);
  if (!number.ok()) {
    spdlog::debug("{}", std::string(number.status().message()));
    return false;
  }
  door.sent[*number % kSentKept] = {*number, token, probe.sequence};
  return true;
}

bool ClockServer::StopsWithin(int timeout_ms) const {
  pollfd wait{stop_fd_, POLLIN, 0};
  return poll(&wait, 1, timeout_ms) > 0;
}

void ClockServer::Run() {
  pthread_setname_np(pthread_self(), "clocks");
  std::vector<pollfd> waits;
  for (const Door& door : doors_) waits.push_back({door.socket.fd(), POLLIN, 0});
  waits.push_back({stop_fd_, POLLIN, 0});
  do {
    conversion_.Observe();
    if (poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) {
      spdlog::error("{}", std::string(ErrnoStatus(errno, "wait for clock probes").message()));
      return;
    }
    Batch batch;
    for (size_t i = 0; i < doors_.size(); ++i) {
      if (waits[i].revents != 0) TakeFrom(i, batch);
    }
    if (!batch.empty()) Deliver(std::move(batch));
  } while (!StopsWithin(kGatherMs));
}

void ClockServer::TakeFrom(size_t door, Batch& batch) {
  net::StampedSocket& socket = doors_[door].socket;
  stamps_.clear();
  arrived_.clear();
  // One byte more than a datagram has, so that a longer one is told from it.
  uint8_t buffer[net::kClockDatagramBytes + 1];
  for (int i = 0; i < kTakenAtOnce; ++i) {
    const auto received = socket.Receive(buffer);
    if (!received) break;
    const auto datagram = net::DecodeClockDatagram({buffer, received->bytes});
    if (datagram) arrived_.push_back({*datagram, received->path, received->stamp});
  }
  // After the replies: what caused them had left before, so its stamp is here by now.
  while (const auto taken = socket.TakeSendStamp()) stamps_.push_back(*taken);
  conversion_.Confirm();
  // Probes are recorded under the same lock in which they are sent: none of these is unknown yet.
  MutexLock lock(mutex_);
  for (const net::StampedSocket::SendStamp& taken : stamps_) OnSendStamp(doors_[door], taken);
  for (const Arrived& arrived : arrived_) OnDatagram(door, arrived, batch);
}

void ClockServer::OnSendStamp(const Door& door, const net::StampedSocket::SendStamp& taken) {
  const SentProbe& sent = door.sent[taken.number % kSentKept];
  if (sent.number != taken.number) return;
  const auto session = sessions_.find(sent.token);
  if (session == sessions_.end()) return;
  if (const auto at = conversion_.Convert(taken.stamp)) {
    session->second.ledger.OnSendStamp(sent.sequence, OnTimeline(at->time), at->bound_ns);
  }
}

void ClockServer::OnDatagram(size_t door, const Arrived& arrived, Batch& batch) {
  const net::ClockDatagram& datagram = arrived.datagram;
  const auto found = sessions_.find(datagram.token);
  if (found == sessions_.end()) return;
  Session& session = found->second;
  if (datagram.kind == net::ClockDatagramKind::kHello) {
    session.known = true;
    session.socket = door;
    session.path = arrived.path;
    return;
  }
  if (!session.known || !arrived.path.SamePeer(session.path)) return;
  std::optional<ClockMeasurement> done;
  if (datagram.kind == net::ClockDatagramKind::kFollowUp) {
    done = session.ledger.OnFollowUp(datagram);
  } else if (datagram.kind == net::ClockDatagramKind::kReply && arrived.stamp) {
    const auto at = conversion_.Convert(*arrived.stamp);
    if (at) done = session.ledger.OnReply(datagram, OnTimeline(at->time), at->bound_ns);
  }
  if (done) batch.emplace_back(datagram.token, *done);
}

void ClockServer::Deliver(Batch batch) {
  executor_.Post([listeners = listeners_, batch = std::move(batch)] {
    for (const auto& [token, measurement] : batch) {
      const auto found = listeners->find(token);
      if (found == listeners->end()) continue;
      // A copy: the listener may dismiss itself.
      const Listener listener = found->second;
      listener(measurement);
    }
  });
}

}  // namespace tutti::fleet
