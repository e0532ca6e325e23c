#include "coordinator/fleet/fleet.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/log/log.h"
#include "common/units/units.h"

namespace tutti::fleet {
namespace {

using tutti::v1::CoordinatorMessage;
using tutti::v1::WorkerInfo;
using tutti::v1::WorkerMessage;

constexpr size_t kMaxLostWorkers = 1000;  // the longest lost is forgotten first
// A worker that is known by its drain alone, since its process has not been seen by ours.
constexpr char kNotSeenYet[] = "it has not registered since this coordinator started";

int64_t LeaseCheckNs(int64_t lease_ns) { return std::clamp<int64_t>(lease_ns / 8, 10'000'000, 200'000'000); }

}  // namespace

Fleet::Fleet(Executor& executor, const FleetOptions& options, ClockServer* clocks)
    : executor_(executor), options_(options), clocks_(clocks), drains_(options.journal, options.drains) {
  for (const auto& [name, mark] : drains_.all()) {
    Worker& worker = workers_[name];
    worker.hello.set_name(name);
    worker.lost_reason = kNotSeenYet;
    worker.state_since_ns = executor_.NowNs();
    worker.state_since_unix_ns = UnixNowNs();
  }
  lease_check_due_ns_ = executor_.NowNs() + LeaseCheckNs(options_.lease_ns);
  lease_timer_ = executor_.PostAfter(LeaseCheckNs(options_.lease_ns), [this] { CheckLeases(); });
}

Fleet::~Fleet() {
  executor_.Cancel(lease_timer_);
  for (const Contender& contender : contenders_) executor_.Cancel(contender.timeout);
}

void Fleet::HandleMessage(const WorkerLink* link, WorkerMessage message, TimelineTime received) {
  Worker* worker = WorkerOf(link);
  if (worker == nullptr) return;
  worker->last_heard_ns = std::max(worker->last_heard_ns, received.ns);
  const std::string name = worker->hello.name();
  const net::Arrival arrival = worker->link->Receive(message);
  if (arrival == net::Arrival::kRepeated) return;
  if (arrival == net::Arrival::kGap) {
    Lose(name, "it left out a message of its session");
    return;
  }
  switch (message.body_case()) {
    case WorkerMessage::kClockReply:
      RefuseContenders(name, *worker, message.clock_reply().probe_sent_timeline_ns());
      worker->clock->OnReply(message.clock_reply(), received);
      return;
    case WorkerMessage::kHeartbeat:
    case WorkerMessage::kGoodbye:
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
    const std::string name = found->second;
    Attachment& session = *workers_.at(name).link;
    if (!session.MayComeBack()) {
      Lose(name, session.WhyOver(reason));
      return;
    }
    spdlog::warn("the connection of worker {} broke: {}", name, reason);
    name_of_.erase(found);
    session.Detach(reason, executor_.NowNs());
    const Worker& holder = workers_.at(name);
    if (std::any_of(contenders_.begin(), contenders_.end(),
                    [&](const Contender& each) { return IsSuccessor(each.hello, holder); })) {
      Lose(name, reason + "; it was started anew");
    }
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
  const WorkerInfo::State before = ShownState(name);
  spdlog::warn("worker {} is lost: {}", name, reason);
  name_of_.erase(worker.link->connection());
  const std::shared_ptr<Attachment> link = std::move(worker.link);
  worker.link = nullptr;
  worker.clock = nullptr;
  worker.lost_reason = reason;
  Tell(name, before, reason);
  link->Break();
  if (worker.listener != nullptr) worker.listener->OnWorkerLost(name, reason);
  AdmitContenders(name);
  ForgetOldest();
}

int64_t Fleet::LeaseEndNs(const Worker& worker) const {
  return std::max(worker.last_heard_ns, worker.excused_ns) + options_.lease_ns;
}

// The workers' messages may be looked at before the lease check that is overdue.
std::string Fleet::StandstillText() const {
  const int64_t now_ns = executor_.NowNs();
  int64_t still_ns = now_ns - lease_check_due_ns_;
  if (still_ns <= options_.lease_ns / 4) {
    const bool of_late = stood_still_ns_ > 0 && now_ns - stood_still_until_ns_ <= options_.lease_ns;
    still_ns = of_late ? stood_still_ns_ : 0;
  }
  if (still_ns == 0) return "";
  return "; the coordinator itself stood still for " + FormatDuration(still_ns / 1'000'000 * 1'000'000);
}

void Fleet::CheckLeases() {
  const int64_t now_ns = executor_.NowNs();
  // If this process itself stood still, what the workers sent meanwhile is yet unread: nobody was silent.
  const int64_t late_ns = now_ns - lease_check_due_ns_;
  if (late_ns > options_.lease_ns / 4) {
    spdlog::warn("the coordinator itself stood still for {}",
                 FormatDuration(late_ns / 1'000'000 * 1'000'000));
    stood_still_ns_ = late_ns;
    stood_still_until_ns_ = now_ns;
  }
  std::vector<std::pair<std::string, std::string>> silent;  // and why it is lost
  for (auto& [name, worker] : workers_) {
    if (worker.link == nullptr) continue;
    if (late_ns > options_.lease_ns / 4) worker.excused_ns = now_ns;
    const int64_t silent_ns = now_ns - LeaseEndNs(worker) + options_.lease_ns;
    if (silent_ns <= options_.lease_ns) continue;
    const std::string lease = FormatDuration(options_.lease_ns);
    silent.emplace_back(
        name, worker.link->away()
                  ? worker.link->away_reason() + ", and it did not come back within the lease of " + lease
                  : "nothing was heard of it for " + FormatDuration(silent_ns / 1'000'000 * 1'000'000) +
                        " (lease " + lease + "): stopped, hung, or its network is gone");
  }
  for (const auto& [name, reason] : silent) Lose(name, reason);
  lease_check_due_ns_ = now_ns + LeaseCheckNs(options_.lease_ns);
  lease_timer_ = executor_.PostAfter(LeaseCheckNs(options_.lease_ns), [this] { CheckLeases(); });
}

void Fleet::ForgetOldest() {
  while (true) {
    size_t lost = 0;
    auto oldest = workers_.end();
    for (auto each = workers_.begin(); each != workers_.end(); ++each) {
      // Somebody drained it to find it drained when it comes back.
      if (drains_.Find(each->first) != nullptr) continue;
      if (each->second.link != nullptr || each->second.listener != nullptr) continue;
      ++lost;
      if (oldest == workers_.end() || each->second.state_since_ns < oldest->second.state_since_ns)
        oldest = each;
    }
    if (lost <= kMaxLostWorkers) return;
    Erase(std::string(oldest->first), absl::StrCat("more than ", kMaxLostWorkers, " workers are lost"));
  }
}

Fleet::Worker* Fleet::WorkerOf(const WorkerLink* link) {
  const auto found = name_of_.find(link);
  return found == name_of_.end() ? nullptr : &workers_.at(found->second);
}

WorkerView Fleet::View(const std::string& name, const Worker& worker) const {
  const bool lost = worker.link == nullptr;
  const bool heard = worker.last_heard_ns != 0;
  // A message may have arrived after this turn began.
  const int64_t silent_ns = std::max<int64_t>(executor_.NowNs() - worker.last_heard_ns, 0);
  return {.name = name,
          .hello = worker.hello,
          .lost = lost,
          .lost_reason = worker.lost_reason,
          .run_id = worker.run_id,
          .drain = drains_.Find(name),
          .state_since_unix_ns = worker.state_since_unix_ns,
          .silent_ns = heard ? std::optional(silent_ns) : std::nullopt,
          .last_answer_ns = lost ? std::nullopt : worker.clock->LastRoundTripNs(),
          .lease_ns = options_.lease_ns,
          .peer = lost ? "" : worker.link->peer(),
          .absence = lost || !worker.link->away()
                         ? ""
                         : worker.link->DescribeAbsence(executor_.NowNs(), LeaseEndNs(worker)),
          .clock = worker.clock.get(),
          .now_unix_ns = UnixNowNs()};
}

WorkerInfo::State Fleet::ShownState(const std::string& name) const {
  const auto found = workers_.find(name);
  return found == workers_.end() ? WorkerInfo::STATE_UNSPECIFIED : StateOf(View(name, found->second));
}

void Fleet::Tell(const std::string& name, WorkerInfo::State before, const std::string& reason) {
  Worker& worker = workers_.at(name);
  const WorkerInfo::State after = ShownState(name);
  if (after != before) {
    worker.state_since_ns = executor_.NowNs();
    worker.state_since_unix_ns = UnixNowNs();
  }
  tutti::v1::FleetEvent event;
  event.set_worker(name);
  event.set_before(before);
  event.set_after(after);
  event.set_reason(reason);
  event.set_run_id(worker.run_id);
  events_.Append(std::move(event));
}

void Fleet::Erase(const std::string& name, const std::string& reason) {
  tutti::v1::FleetEvent event;
  event.set_worker(name);
  event.set_before(ShownState(name));
  event.set_reason(reason);
  workers_.erase(name);
  events_.Append(std::move(event));
}

std::vector<WorkerInfo> Fleet::Snapshot(bool with_facts) const {
  std::vector<WorkerInfo> infos;
  for (const auto& [name, worker] : workers_) infos.push_back(DescribeWorker(View(name, worker), with_facts));
  return infos;
}

std::optional<WorkerInfo> Fleet::Describe(const std::string& worker, bool with_facts) const {
  const auto found = workers_.find(worker);
  if (found == workers_.end()) return std::nullopt;
  return DescribeWorker(View(worker, found->second), with_facts);
}

std::vector<Member> Fleet::Members() const {
  std::vector<Member> members;
  for (const auto& [name, worker] : workers_) members.push_back(*Find(name));
  return members;
}

std::optional<Member> Fleet::Find(const std::string& worker) const {
  const auto found = workers_.find(worker);
  if (found == workers_.end()) return std::nullopt;
  const Worker& known = found->second;
  const tutti::v1::DrainMark* drain = drains_.Find(worker);
  Member member{.hello = known.hello,
                .lost = known.link == nullptr,
                .lost_reason = known.lost_reason,
                .state_since_ns = known.state_since_ns};
  if (drain != nullptr) member.drain = *drain;
  if (known.link != nullptr && known.link->away()) {
    member.away_until_ns = LeaseEndNs(known) + LeaseCheckNs(options_.lease_ns);
  }
  return member;
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
    const WorkerInfo::State before = ShownState(name);
    Worker& worker = workers_[name];
    const std::string reason = run_id.empty() ? worker.run_id + " has let go of it" : "runs " + run_id;
    worker.run_id = run_id;
    worker.listener = listener;
    if (before == WorkerInfo::STATE_UNSPECIFIED) {
      worker.hello.set_name(name);
      worker.lost_reason = "it was forgotten while a run waited for it";
      Tell(name, before, worker.lost_reason);
    } else if (worker.link != nullptr) {
      Tell(name, before, reason);
    }
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
