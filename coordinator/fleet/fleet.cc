#include "coordinator/fleet/fleet.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/log/log.h"
#include "common/status/printable.h"
#include "common/units/units.h"
#include "common/version/version.h"

namespace tutti::fleet {
namespace {

using tutti::v1::CoordinatorMessage;
using tutti::v1::Hello;
using tutti::v1::WorkerInfo;
using tutti::v1::WorkerMessage;

constexpr size_t kMaxNameBytes = 64;
constexpr size_t kMaxLostWorkers = 1000;  // the longest lost is forgotten first
// A holder that does not answer for this long while its name is claimed is taken for gone.
constexpr int64_t kContendTimeoutNs = 1'000'000'000;

void Refuse(WorkerLink& link, const std::string& reason, bool retry) {
  CoordinatorMessage message;
  message.mutable_refused()->set_reason(reason);
  message.mutable_refused()->set_retry(retry);
  link.Send(std::move(message));
  link.Close();
}

// Empty if the worker may register.
std::string WhyUnfit(const Hello& hello) {
  const std::string shown = Printable(std::string_view(hello.name()).substr(0, kMaxNameBytes));
  if (hello.protocol_version() != static_cast<uint32_t>(kProtocolVersion)) {
    return "worker \"" + shown + "\" speaks protocol " + std::to_string(hello.protocol_version()) +
           " (tutti " + (hello.facts().tutti_version().empty() ? "unknown" : hello.facts().tutti_version()) +
           "), the coordinator speaks protocol " + std::to_string(kProtocolVersion) + " (tutti " + kVersion +
           "); install the same version on both";
  }
  if (hello.name().empty()) return "the worker has no name; give it one with --name";
  const bool clean = std::all_of(hello.name().begin(), hello.name().end(), [](unsigned char each) {
    return std::isalnum(each) != 0 || each == '-' || each == '_' || each == '.';
  });
  if (hello.name().size() > kMaxNameBytes || !clean) {
    return "the worker's name \"" + shown +
           "\" is not 1 to 64 letters, digits, '-', '_' or '.'; choose another with --name";
  }
  return "";
}

int64_t LeaseCheckNs(int64_t lease_ns) { return std::clamp<int64_t>(lease_ns / 8, 10'000'000, 200'000'000); }

}  // namespace

Fleet::Fleet(Executor& executor, const FleetOptions& options, ClockServer* clocks)
    : executor_(executor), options_(options), clocks_(clocks) {
  lease_check_due_ns_ = executor_.NowNs() + LeaseCheckNs(options_.lease_ns);
  lease_timer_ = executor_.PostAfter(LeaseCheckNs(options_.lease_ns), [this] { CheckLeases(); });
}

Fleet::~Fleet() {
  executor_.Cancel(lease_timer_);
  for (const Contender& contender : contenders_) executor_.Cancel(contender.timeout);
}

void Fleet::HandleHello(std::shared_ptr<WorkerLink> link, Hello hello) {
  if (const std::string why = WhyUnfit(hello); !why.empty()) {
    spdlog::warn("refused a worker from {}: {}", link->peer(), why);
    Refuse(*link, why, false);
    return;
  }
  const auto found = workers_.find(hello.name());
  if (found != workers_.end() && found->second.link != nullptr) {
    if (found->second.hello.incarnation() != hello.incarnation()) {
      Contend(std::move(link), std::move(hello), found->second);
      return;
    }
    // The same process dials again, so its old session is of no use to it.
    Lose(hello.name(), "the worker dialled again: its old session broke");
  }
  Register(std::move(link), std::move(hello));
}

void Fleet::Register(std::shared_ptr<WorkerLink> link, Hello hello) {
  const std::string name = hello.name();
  Worker& worker = workers_[name];
  worker.clock = std::make_unique<WorkerClock>(executor_, link, options_.probes, clocks_);
  CoordinatorMessage message;
  message.mutable_registered()->set_lease_ns(options_.lease_ns);
  message.mutable_registered()->set_coordinator_version(kVersion);
  if (const auto service = worker.clock->service()) {
    *message.mutable_registered()->mutable_clock_service() = *service;
  }
  link->Send(std::move(message));
  worker.clock->Start();
  spdlog::info("worker {} registered from {} ({})", name, link->peer(), hello.facts().kernel_release());
  name_of_[link.get()] = name;
  worker.hello = std::move(hello);
  worker.last_heard_ns = executor_.NowNs();
  worker.lost_reason.clear();
  worker.state_since_ns = executor_.NowNs();
  worker.state_since_unix_ns = UnixNowNs();
  worker.link = std::move(link);
  if (worker.listener != nullptr) worker.listener->OnWorkerRegistered(name);
}

void Fleet::Contend(std::shared_ptr<WorkerLink> link, Hello hello, Worker& holder) {
  spdlog::info("worker {} from {} claims a name that {} holds", hello.name(), link->peer(),
               holder.link->peer());
  const int64_t now_ns = executor_.NowNs();
  const std::string name = hello.name();
  const TimerId timeout = executor_.PostAfter(std::min(options_.lease_ns, kContendTimeoutNs), [this, name] {
    Lose(name, "it did not answer while another worker claimed its name: replaced by that one");
  });
  contenders_.push_back({std::move(link), std::move(hello), now_ns, timeout});
}

void Fleet::RefuseContenders(const std::string& name, const Worker& holder, int64_t probe_sent_ns) {
  for (auto each = contenders_.begin(); each != contenders_.end();) {
    if (each->hello.name() != name || each->since_ns > probe_sent_ns) {
      ++each;
      continue;
    }
    const bool same_machine = each->hello.facts().boot_id() == holder.hello.facts().boot_id();
    const std::string where =
        same_machine ? "another live worker on the same machine" : "a worker on another machine";
    const std::string why = absl::StrCat("name in use by ", where, " (", holder.link->peer(), "): \"", name,
                                         "\"; stop that one, or start this one with --name");
    spdlog::warn("refused a worker from {}: {}", each->link->peer(), why);
    Refuse(*each->link, why, false);
    executor_.Cancel(each->timeout);
    each = contenders_.erase(each);
  }
}

void Fleet::AdmitContenders(const std::string& name) {
  std::list<Contender> admitted;
  for (auto each = contenders_.begin(); each != contenders_.end();) {
    const auto next = std::next(each);
    if (each->hello.name() == name) admitted.splice(admitted.end(), contenders_, each);
    each = next;
  }
  // The first gets the name, the others contend with it.
  for (Contender& each : admitted) {
    executor_.Cancel(each.timeout);
    HandleHello(std::move(each.link), std::move(each.hello));
  }
}

void Fleet::HandleMessage(const WorkerLink* link, WorkerMessage message, TimelineTime received) {
  Worker* worker = WorkerOf(link);
  if (worker == nullptr) return;
  worker->last_heard_ns = std::max(worker->last_heard_ns, received.ns);
  const std::string name = worker->hello.name();
  switch (message.body_case()) {
    case WorkerMessage::kClockReply:
      RefuseContenders(name, *worker, message.clock_reply().probe_sent_timeline_ns());
      worker->clock->OnReply(message.clock_reply(), received);
      return;
    case WorkerMessage::kHeartbeat:
    case WorkerMessage::BODY_NOT_SET:
      return;
    case WorkerMessage::kHello:
      Lose(name, "it sent a second hello within its session");
      return;
    default:
      if (worker->listener != nullptr) worker->listener->OnWorkerMessage(name, std::move(message));
  }
}

void Fleet::HandleClosed(const WorkerLink* link, const std::string& reason) {
  const auto found = name_of_.find(link);
  if (found != name_of_.end()) {
    Lose(std::string(found->second), reason);
    return;
  }
  for (auto each = contenders_.begin(); each != contenders_.end(); ++each) {
    if (each->link.get() != link) continue;
    executor_.Cancel(each->timeout);
    contenders_.erase(each);
    return;
  }
}

void Fleet::Lose(const std::string& name, const std::string& reason) {
  const auto found = workers_.find(name);
  if (found == workers_.end() || found->second.link == nullptr) return;
  Worker& worker = found->second;
  spdlog::warn("worker {} is lost: {}", name, reason);
  name_of_.erase(worker.link.get());
  const std::shared_ptr<WorkerLink> link = std::move(worker.link);
  worker.link = nullptr;
  worker.clock = nullptr;
  worker.lost_reason = reason;
  worker.state_since_ns = executor_.NowNs();
  worker.state_since_unix_ns = UnixNowNs();
  link->Break();
  if (worker.listener != nullptr) worker.listener->OnWorkerLost(name, reason);
  AdmitContenders(name);
  ForgetOldest();
}

void Fleet::CheckLeases() {
  const int64_t now_ns = executor_.NowNs();
  // If this process itself stood still, what the workers sent meanwhile is yet unread: nobody was silent.
  const int64_t late_ns = now_ns - lease_check_due_ns_;
  std::vector<std::pair<std::string, int64_t>> silent;
  for (auto& [name, worker] : workers_) {
    if (worker.link == nullptr) continue;
    if (late_ns > options_.lease_ns / 4) worker.last_heard_ns = now_ns;
    const int64_t silent_ns = now_ns - worker.last_heard_ns;
    if (silent_ns > options_.lease_ns) silent.emplace_back(name, silent_ns);
  }
  for (const auto& [name, silent_ns] : silent) {
    Lose(name, "nothing was heard of it for " + FormatDuration(silent_ns / 1'000'000 * 1'000'000) +
                   " (lease " + FormatDuration(options_.lease_ns) +
                   "): stopped, hung, or its network is gone");
  }
  lease_check_due_ns_ = now_ns + LeaseCheckNs(options_.lease_ns);
  lease_timer_ = executor_.PostAfter(LeaseCheckNs(options_.lease_ns), [this] { CheckLeases(); });
}

void Fleet::ForgetOldest() {
  while (true) {
    size_t lost = 0;
    auto oldest = workers_.end();
    for (auto each = workers_.begin(); each != workers_.end(); ++each) {
      if (each->second.link != nullptr || each->second.listener != nullptr) continue;
      ++lost;
      if (oldest == workers_.end() || each->second.state_since_ns < oldest->second.state_since_ns)
        oldest = each;
    }
    if (lost <= kMaxLostWorkers) return;
    workers_.erase(oldest);
  }
}

Fleet::Worker* Fleet::WorkerOf(const WorkerLink* link) {
  const auto found = name_of_.find(link);
  return found == name_of_.end() ? nullptr : &workers_.at(found->second);
}

std::vector<WorkerInfo> Fleet::Snapshot() const {
  std::vector<WorkerInfo> infos;
  for (const auto& [name, worker] : workers_) {
    WorkerInfo& info = infos.emplace_back();
    info.set_name(name);
    *info.mutable_labels() = worker.hello.labels();
    const bool busy = !worker.run_id.empty();
    info.set_state(worker.link == nullptr ? WorkerInfo::STATE_LOST
                   : busy                 ? WorkerInfo::STATE_BUSY
                                          : WorkerInfo::STATE_IDLE);
    info.set_state_reason(worker.link == nullptr ? worker.lost_reason : busy ? "runs " + worker.run_id : "");
    info.set_state_since_unix_ns(worker.state_since_unix_ns);
    *info.mutable_facts() = worker.hello.facts();
    info.set_control_address(worker.hello.control_address());
    info.set_run_id(worker.run_id);
    if (worker.link == nullptr) continue;
    info.set_peer(worker.link->peer());
    if (const std::optional<ClockMapping> mapping = worker.clock->MappingNow()) {
      info.set_clock_offset_ns(mapping->reference_timeline().ns - mapping->reference_host().ns);
      info.set_clock_bound_ns(mapping->bound_ns());
      info.set_clock_drift_ppm(mapping->drift() * 1e6);
      info.set_clock_drift_bound_ppm(mapping->drift_bound() * 1e6);
    }
    if (const std::optional<int64_t> round_trip_ns = worker.clock->RoundTripNs()) {
      info.set_clock_round_trip_ns(*round_trip_ns);
    }
    info.set_clock_source(worker.clock->Source());
    info.set_clock_restarts(worker.clock->restarts());
  }
  return infos;
}

std::vector<Member> Fleet::Members() const {
  std::vector<Member> members;
  for (const auto& [name, worker] : workers_) members.push_back(*Find(name));
  return members;
}

std::optional<Member> Fleet::Find(const std::string& worker) const {
  const auto found = workers_.find(worker);
  if (found == workers_.end()) return std::nullopt;
  return Member{found->second.hello, found->second.link == nullptr, found->second.lost_reason,
                found->second.state_since_ns};
}

bool Fleet::Send(const std::string& worker, CoordinatorMessage message) {
  const auto found = workers_.find(worker);
  if (found == workers_.end() || found->second.link == nullptr) return false;
  found->second.link->Send(std::move(message));
  return true;
}

void Fleet::Assign(const std::vector<std::string>& workers, const std::string& run_id,
                   WorkerListener* listener) {
  for (const std::string& name : workers) {
    Worker& worker = workers_[name];
    worker.run_id = run_id;
    worker.listener = listener;
    if (worker.link == nullptr) continue;
    worker.state_since_ns = executor_.NowNs();
    worker.state_since_unix_ns = UnixNowNs();
  }
}

void Fleet::Release(const std::vector<std::string>& workers) { Assign(workers, "", nullptr); }

std::optional<ClockMapping> Fleet::Mapping(const std::string& worker) const {
  const auto found = workers_.find(worker);
  if (found == workers_.end() || found->second.link == nullptr) return std::nullopt;
  return found->second.clock->MappingNow();
}

std::optional<ClockQuality> Fleet::Quality(const std::string& worker) const {
  const auto found = workers_.find(worker);
  if (found == workers_.end() || found->second.link == nullptr) return std::nullopt;
  const WorkerClock& clock = *found->second.clock;
  return ClockQuality{clock.Source(), clock.RoundTripNs(), clock.restarts()};
}

int64_t Fleet::WorstRoundTripNs(const std::string& worker) const {
  const auto found = workers_.find(worker);
  if (found == workers_.end() || found->second.link == nullptr) return 0;
  return found->second.clock->WorstRoundTripNs();
}

void Fleet::CloseSessions() {
  for (auto& [name, worker] : workers_) {
    if (worker.link != nullptr) worker.link->Close();
  }
  for (const Contender& contender : contenders_) contender.link->Close();
}

void Fleet::RefreshClocks(const std::vector<std::string>& workers, std::function<void()> done) {
  // Shared by what every worker's refresh holds: gone with the last of them, whether answered or lost.
  const std::shared_ptr<void> all(static_cast<void*>(this), [executor = &executor_, done = std::move(done)](
                                                                void*) { executor->Post(done); });
  for (const std::string& name : workers) {
    const auto found = workers_.find(name);
    if (found == workers_.end() || found->second.link == nullptr) continue;
    found->second.clock->Refresh([all] {});
  }
}

}  // namespace tutti::fleet
