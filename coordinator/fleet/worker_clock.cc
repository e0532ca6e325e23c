#include "coordinator/fleet/worker_clock.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace tutti::fleet {
namespace {

// So many datagrams in a row may get lost before UDP is taken for filtered.
constexpr int64_t kMissedIntervals = 10;

}  // namespace

WorkerClock::WorkerClock(Executor& executor, std::shared_ptr<WorkerLink> link, const ProbeOptions& options,
                         ClockServer* server)
    : executor_(executor), link_(std::move(link)), options_(options), server_(server) {
  if (server_ != nullptr) {
    token_ = server_->Admit([this](const ClockMeasurement& measurement) { OnMeasurement(measurement); });
  }
}

WorkerClock::~WorkerClock() {
  if (server_ != nullptr) server_->Dismiss(token_);
  executor_.Cancel(tick_);
  for (const Waiter& waiter : waiters_) executor_.Cancel(waiter.timeout);
}

std::optional<tutti::v1::ClockService> WorkerClock::service() const {
  if (server_ == nullptr) return std::nullopt;
  tutti::v1::ClockService service;
  service.set_token(token_.data(), token_.size());
  for (const uint32_t port : server_->ports()) service.add_udp_ports(port);
  return service;
}

void WorkerClock::Start() { StartBurst(); }

void WorkerClock::StartBurst() {
  burst_left_ = options_.burst_probes;
  executor_.Cancel(tick_);
  Tick();
}

void WorkerClock::Tick() {
  link_->SendProbe(next_sequence_++);
  ProbeByDatagram();
  if (burst_left_ > 0) --burst_left_;
  tick_ = executor_.PostAfter(UntilNextTickNs(), [this] { Tick(); });
}

int64_t WorkerClock::UntilNextTickNs() const {
  if (burst_left_ > 0) return options_.burst_spacing_ns;
  const int64_t now_ns = executor_.NowNs();
  const int64_t due_ns =
      now_ns + (IsRecent(last_datagram_ns_) ? options_.datagram_interval_ns : options_.interval_ns);
  return due_ns - due_ns % options_.grid_ns - now_ns;
}

void WorkerClock::ProbeByDatagram() {
  const int64_t now_ns = executor_.NowNs();
  if (server_ == nullptr || (burst_left_ == 0 && now_ns < datagram_due_ns_)) return;
  datagram_due_ns_ = now_ns + options_.datagram_interval_ns - options_.grid_ns;
  // Outside of bursts the next reply would come an interval later.
  server_->Probe(token_, burst_left_ == 0);
}

void WorkerClock::Refresh(std::function<void()> done) {
  const uint64_t last = next_sequence_ + static_cast<uint64_t>(options_.burst_probes) - 1;
  const TimerId timeout = executor_.PostAfter(options_.refresh_timeout_ns, [this, last] { OnTimeout(last); });
  waiters_.push_back({last, timeout, std::move(done)});
  StartBurst();
}

void WorkerClock::OnTimeout(uint64_t sequence) {
  const auto waiter = std::find_if(waiters_.begin(), waiters_.end(),
                                   [&](const Waiter& each) { return each.sequence == sequence; });
  if (waiter == waiters_.end()) return;
  const std::function<void()> done = std::move(waiter->done);
  waiters_.erase(waiter);
  done();
}

void WorkerClock::OnReply(const tutti::v1::ClockReply& reply, TimelineTime received) {
  estimator_.Add({.probe_sent = {reply.probe_sent_timeline_ns()},
                  .probe_received = {reply.received_host_ns()},
                  .reply_sent = {reply.sent_host_ns()},
                  .reply_received = received});
  // What the worker sends back is its own word: an instant that no probe was sent at says nothing.
  if (reply.probe_sent_timeline_ns() < 0 || reply.probe_sent_timeline_ns() > received.ns) return;
  const int64_t round_trip_ns = received.ns - reply.probe_sent_timeline_ns();
  const bool plausible = IsPlausibleNs(reply.sent_host_ns()) && IsPlausibleNs(reply.received_host_ns());
  const int64_t in_worker_ns = plausible ? reply.sent_host_ns() - reply.received_host_ns() : 0;
  replies_.push_back({round_trip_ns, round_trip_ns - std::clamp<int64_t>(in_worker_ns, 0, round_trip_ns)});
  if (replies_.size() > static_cast<size_t>(options_.burst_probes)) replies_.pop_front();
  std::vector<std::function<void()>> done;
  for (auto waiter = waiters_.begin(); waiter != waiters_.end();) {
    if (reply.sequence() < waiter->sequence) {
      ++waiter;
      continue;
    }
    executor_.Cancel(waiter->timeout);
    done.push_back(std::move(waiter->done));
    waiter = waiters_.erase(waiter);
  }
  // Last: a callback may destroy this object.
  for (const std::function<void()>& each : done) each();
}

void WorkerClock::OnMeasurement(const ClockMeasurement& measurement) {
  if (!estimator_.Add(measurement.exchange)) return;
  last_datagram_ns_ = executor_.NowNs();
  if (measurement.stamps == ProbeStamps::kKernel) last_kernel_ns_ = last_datagram_ns_;
}

bool WorkerClock::IsRecent(const std::optional<int64_t>& datagram_ns) const {
  return datagram_ns && executor_.NowNs() - *datagram_ns < kMissedIntervals * options_.datagram_interval_ns;
}

tutti::v1::ClockSource WorkerClock::Source() const {
  if (IsRecent(last_kernel_ns_)) return tutti::v1::CLOCK_SOURCE_KERNEL;
  if (IsRecent(last_datagram_ns_)) return tutti::v1::CLOCK_SOURCE_PROGRAM;
  return replies_.empty() ? tutti::v1::CLOCK_SOURCE_UNSPECIFIED : tutti::v1::CLOCK_SOURCE_SESSION;
}

std::optional<int64_t> WorkerClock::RoundTripNs() const {
  // What datagrams once took says nothing of the path that is left.
  if (Source() != tutti::v1::CLOCK_SOURCE_SESSION) return estimator_.best_round_trip_ns();
  return std::min_element(replies_.begin(), replies_.end(),
                          [](const auto& a, const auto& b) { return a.path_ns < b.path_ns; })
      ->path_ns;
}

int64_t WorkerClock::WorstRoundTripNs() const {
  int64_t worst_ns = 0;
  for (const SessionReply& reply : replies_) worst_ns = std::max(worst_ns, reply.round_trip_ns);
  return worst_ns;
}

std::optional<int64_t> WorkerClock::LastRoundTripNs() const {
  if (replies_.empty()) return std::nullopt;
  return replies_.back().round_trip_ns;
}

std::optional<ClockMapping> WorkerClock::MappingNow() const {
  return estimator_.At(TimelineTime{executor_.NowNs()});
}

}  // namespace tutti::fleet
