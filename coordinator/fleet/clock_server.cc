#include "coordinator/fleet/clock_server.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>

#include "common/log/log.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"

namespace tutti::fleet {
namespace {

// So many probes may be under way on one socket before a late stamp is not understood any more.
constexpr size_t kSentKept = 8192;
// So many datagrams of one socket are taken before the next one's turn.
constexpr int kTakenAtOnce = 256;

// The coordinator's own CLOCK_MONOTONIC is the timeline.
TimelineTime OnTimeline(HostTime own) { return {own.ns}; }

}  // namespace

ClockServer::ClockServer(Executor& executor, const BracketReader& brackets)
    : executor_(executor), listeners_(std::make_shared<Listeners>()), conversion_(brackets) {}

absl::StatusOr<std::unique_ptr<ClockServer>> ClockServer::Start(Executor& executor,
                                                                const std::vector<net::Endpoint>& listen,
                                                                const BracketReader& brackets) {
  std::unique_ptr<ClockServer> server(new ClockServer(executor, brackets));
  for (const net::Endpoint& endpoint : listen) {
    if (endpoint.is_unix) continue;
    TUTTI_ASSIGN_OR_RETURN(net::StampedSocket socket,
                           net::StampedSocket::Bind(endpoint.host, static_cast<uint16_t>(endpoint.port)));
    server->ports_.push_back(socket.port());
    server->doors_.push_back({std::move(socket), std::vector<SentProbe>(kSentKept)});
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

bool ClockServer::Probe(const net::ClockToken& token) {
  MutexLock lock(mutex_);
  const auto found = sessions_.find(token);
  if (found == sessions_.end() || !found->second.known) return false;
  Session& session = found->second;
  Door& door = doors_[session.socket];
  net::ClockDatagram probe{.kind = net::ClockDatagramKind::kProbe, .token = token};
  probe.sequence = session.ledger.Begin(TimelineTime{executor_.NowNs()});
  const absl::StatusOr<uint32_t> number = door.socket.Send(net::EncodeClockDatagram(probe), session.path);
  if (!number.ok()) {
    spdlog::debug("{}", std::string(number.status().message()));
    return false;
  }
  door.sent[*number % kSentKept] = {*number, token, probe.sequence};
  return true;
}

void ClockServer::Run() {
  pthread_setname_np(pthread_self(), "clocks");
  std::vector<pollfd> waits;
  for (const Door& door : doors_) waits.push_back({door.socket.fd(), POLLIN, 0});
  waits.push_back({stop_fd_, POLLIN, 0});
  conversion_.Observe();
  while (true) {
    if (poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) {
      spdlog::error("{}", std::string(ErrnoStatus(errno, "wait for clock probes").message()));
      return;
    }
    if (waits.back().revents != 0) return;
    Batch batch;
    for (size_t i = 0; i < doors_.size(); ++i) {
      if (waits[i].revents == 0) continue;
      TakeSendStamps(doors_[i]);
      TakeDatagrams(i, batch);
    }
    if (!batch.empty()) Deliver(std::move(batch));
    conversion_.Observe();
  }
}

void ClockServer::TakeSendStamps(Door& door) {
  // Probes are recorded and their stamps are looked up under the same lock: none can be looked up before.
  MutexLock lock(mutex_);
  while (const auto taken = door.socket.TakeSendStamp()) {
    const SentProbe& sent = door.sent[taken->number % kSentKept];
    if (sent.number != taken->number) continue;
    const auto session = sessions_.find(sent.token);
    if (session == sessions_.end()) continue;
    if (const auto at = conversion_.Convert(taken->stamp)) {
      session->second.ledger.OnSendStamp(sent.sequence, OnTimeline(at->time), at->bound_ns);
    }
  }
}

void ClockServer::TakeDatagrams(size_t door, Batch& batch) {
  // One byte more than a datagram has, so that a longer one is told from it.
  uint8_t buffer[net::kClockDatagramBytes + 1];
  for (int i = 0; i < kTakenAtOnce; ++i) {
    const auto received = doors_[door].socket.Receive(buffer);
    if (!received) return;
    const auto datagram = net::DecodeClockDatagram({buffer, received->bytes});
    if (datagram) OnDatagram(door, *received, *datagram, batch);
  }
}

void ClockServer::OnDatagram(size_t door, const net::StampedSocket::Received& received,
                             const net::ClockDatagram& datagram, Batch& batch) {
  MutexLock lock(mutex_);
  const auto found = sessions_.find(datagram.token);
  if (found == sessions_.end()) return;
  Session& session = found->second;
  if (datagram.kind == net::ClockDatagramKind::kHello) {
    session.known = true;
    session.socket = door;
    session.path = received.path;
    return;
  }
  if (datagram.kind != net::ClockDatagramKind::kReply || !received.stamp) return;
  if (!session.known || !received.path.SamePeer(session.path)) return;
  const auto at = conversion_.Convert(*received.stamp);
  if (!at) return;
  if (const auto done = session.ledger.OnReply(datagram, OnTimeline(at->time), at->bound_ns)) {
    batch.emplace_back(datagram.token, *done);
  }
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
