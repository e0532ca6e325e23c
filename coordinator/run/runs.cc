#include "coordinator/run/runs.h"

#include <sys/random.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/log/log.h"
#include "common/status/macros.h"
#include "common/time/clock.h"
#include "common/units/units.h"
#include "coordinator/run/event_keeper.h"
#include "coordinator/run/local_time.h"
#include "coordinator/run/obstacle_text.h"
#include "coordinator/run/run_summary.h"
#include "coordinator/run/run_timing.h"

namespace tutti::run {
namespace {

using tutti::v1::Obstacle;

constexpr char kShutDown[] = "the coordinator was shut down";

uint64_t KernelRandom() {
  uint64_t value = 0;
  // Up to 256 bytes are never cut short and never fail once the pool is ready (getrandom(2)).
  while (getrandom(&value, sizeof(value), 0) != sizeof(value)) {
  }
  return value;
}

std::string IdByWallClock() {
  const time_t seconds = UnixNowNs() / 1'000'000'000;
  tm local{};
  localtime_r(&seconds, &local);
  char text[64] = {};
  const size_t size = strftime(text, sizeof(text), "%Y%m%d-%H%M%S", &local);
  snprintf(text + size, sizeof(text) - size, "-%04x", static_cast<unsigned>(KernelRandom() & 0xffff));
  return text;
}

// Stays at the largest value there is rather than overflow.
int64_t Later(int64_t unix_ns, int64_t by_ns) {
  int64_t sum_ns = 0;
  return __builtin_add_overflow(unix_ns, by_ns, &sum_ns) ? std::numeric_limits<int64_t>::max() : sum_ns;
}

// A result grows by whole cases; what else changes of it does so with its start or its end.
bool SameStand(const tutti::v1::Result& a, const tutti::v1::Result& b) {
  return a.cases_size() == b.cases_size() && a.status() == b.status() &&
         a.started_unix_ns() == b.started_unix_ns() && a.finished_unix_ns() == b.finished_unix_ns();
}

Obstacle LostHost(const std::string& host, const std::optional<fleet::Member>& member, int64_t now_ns) {
  Obstacle obstacle;
  obstacle.set_host(host);
  obstacle.set_kind(Obstacle::KIND_LOST);
  if (member.has_value()) {
    obstacle.set_since_unix_ns(UnixNowNs() - (now_ns - member->state_since_ns));
    obstacle.set_reason(member->lost_reason);
  } else {
    obstacle.set_reason("the coordinator has forgotten it");
  }
  return obstacle;
}

}  // namespace

Runs::Runs(Executor& executor, fleet::Fleet& fleet, RunsOptions options)
    : executor_(executor), fleet_(fleet), options_(std::move(options)) {
  if (!options_.random) options_.random = &KernelRandom;
  if (!options_.make_id) options_.make_id = &IdByWallClock;
}

Runs::~Runs() {
  for (const auto& [id, run] : runs_) executor_.Cancel(run->wait_timer);
}

absl::StatusOr<Runs::Run*> Runs::FindRun(const std::string& run_id) const {
  const auto found = runs_.find(run_id);
  if (found == runs_.end()) return absl::NotFoundError("no run \"" + run_id + "\"");
  return found->second.get();
}

PreparationInput Runs::Input() const {
  return {.members = fleet_.Members(),
          .marks = {.lab = options_.lab, .insecure = options_.insecure},
          .now_ns = executor_.NowNs()};
}

absl::Status Runs::CheckRoom() const {
  if (draining_) return absl::UnavailableError("the coordinator is shutting down and takes no new runs");
  if (queue_.waiting().size() >= options_.waiting_max) {
    return absl::ResourceExhaustedError(std::to_string(options_.waiting_max) +
                                        " runs are waiting already; submit again later");
  }
  return absl::OkStatus();
}

absl::Status Runs::CheckHosts(const RunSpec& spec) const {
  for (size_t i = 0; i < spec.placement.hosts.size(); ++i) {
    const std::string& host = spec.placement.hosts[i];
    const std::optional<fleet::Member> member = fleet_.Find(host);
    const char* change = nullptr;
    if (!member.has_value() || member->lost) {
      change = "was lost";
    } else if (member->drain.has_value()) {
      change = "was drained";
    } else if (member->hello.incarnation() != spec.incarnations[i]) {
      change = "was restarted";
    }
    if (change == nullptr) continue;
    return absl::FailedPreconditionError(
        absl::StrCat("worker ", host, " ", change, " while the plan was placed on it; submit it again"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> Runs::Submit(Submission submission, RunSpec spec, const OnKept& on_kept) {
  TUTTI_RETURN_IF_ERROR(CheckRoom());
  std::string id = options_.make_id();
  while (runs_.contains(id)) id = options_.make_id();
  spec.head.set_run_id(id);
  spec.head.set_user(submission.user);
  spec.head.set_submitted_unix_ns(UnixNowNs());
  queue_.Add({id, submission.user, spec.placement.hosts, spec.head.submitted_unix_ns()});
  Run& run = *(runs_[id] = std::make_unique<Run>(id));
  run.labels = std::move(submission.labels);
  run.key = std::move(submission.key);
  if (!run.key.empty()) run_of_key_[run.key] = id;
  run.longest_ns = LongestRunNs(spec.head.plan(), spec.flows, spec.placement.hosts.size());
  run.max_wait_ns = submission.max_wait_ns;
  run.wait_timer = executor_.PostAfter(run.max_wait_ns, [this, id] { GiveUpWaiting(id); });
  Begin(spec.head, run, on_kept);
  if (options_.journal != nullptr) run.log.Watch(std::make_shared<EventKeeper>(executor_, *options_.journal));
  if (options_.observer != nullptr) run.log.Watch(options_.observer);
  run.execution =
      std::make_unique<RunExecution>(executor_, fleet_, std::move(spec), run.log, options_.journal,
                                     options_.random, [this, id] { OnEnded(id); });
  spdlog::info("{} submitted by {}", id, submission.user.empty() ? "somebody" : submission.user);
  StartWhatCan();
  return id;
}

void Runs::Begin(const tutti::v1::Result& head, Run& run, const OnKept& on_kept) {
  const std::string& id = head.run_id();
  if (options_.journal == nullptr) {
    if (on_kept) on_kept(id, absl::OkStatus());
    return;
  }
  run.until_kept = std::make_shared<std::vector<OnKept>>(1, on_kept);
  const auto kept = [this, alive = std::weak_ptr<const bool>(alive_), id,
                     waiting = run.until_kept](const absl::Status& status) {
    if (!status.ok())
      spdlog::error("{} cannot be kept and is cancelled: {}", id, std::string(status.message()));
    if (!alive.expired()) OnBegun(id, status);
    for (const OnKept& each : *waiting) {
      if (each) each(id, status);
    }
  };
  options_.journal->Begin(head, run.labels, run.key, kept);
}

void Runs::OnBegun(const std::string& run_id, const absl::Status& kept) {
  const absl::StatusOr<Run*> run = FindRun(run_id);
  // One that has ended and is no longer there needs no cancel.
  if (!run.ok()) return;
  (*run)->until_kept = nullptr;
  if (kept.ok()) return;
  FreeKey(**run);
  Cancel(run_id).IgnoreError();
}

bool Runs::Repeat(const std::string& key, const OnKept& on_kept) {
  const auto found = run_of_key_.find(key);
  if (key.empty() || found == run_of_key_.end()) return false;
  const std::string id = found->second;
  if (const auto& waiting = runs_.at(id)->until_kept; waiting != nullptr) {
    waiting->push_back(on_kept);
  } else if (on_kept) {
    on_kept(id, absl::OkStatus());
  }
  return true;
}

void Runs::FreeKey(Run& run) {
  if (!run.key.empty()) run_of_key_.erase(run.key);
  run.key.clear();
}

void Runs::StartWhatCan() {
  for (const std::string& id : queue_.TakeStartable(UnixNowNs())) {
    Run& run = *runs_.at(id);
    executor_.Cancel(std::exchange(run.wait_timer, 0));
    run.execution->Start();
  }
  for (const std::string& id : queue_.waiting()) {
    Run& run = *runs_.at(id);
    tutti::v1::RunEvent event;
    *event.mutable_queued() = queue_.Describe(id);
    if (const std::string said = event.queued().SerializeAsString(); said != run.told_queue) {
      run.told_queue = said;
      run.log.Append(std::move(event));
    }
  }
}

void Runs::GiveUpWaiting(const std::string& run_id) {
  Run& run = *runs_.at(run_id);
  run.wait_timer = 0;
  const tutti::v1::Queued queued = queue_.Describe(run_id);
  run.execution->GiveUp(absl::StrCat(
      "it waited ", FormatDuration(run.max_wait_ns), " for its hosts and has not run (",
      absl::StrJoin(queued.waits_for(), "; "), "); submit it again, with a longer wait if need be"));
}

absl::Status Runs::Cancel(const std::string& run_id) {
  TUTTI_ASSIGN_OR_RETURN(Run * run, FindRun(run_id));
  if (run->execution != nullptr) run->execution->Cancel();
  return absl::OkStatus();
}

absl::Status Runs::Watch(const std::string& run_id, std::shared_ptr<EventWatcher> watcher,
                         uint64_t after_sequence) {
  TUTTI_ASSIGN_OR_RETURN(Run * run, FindRun(run_id));
  if (after_sequence > run->log.last_sequence()) {
    return absl::InvalidArgumentError(absl::StrCat("run \"", run_id, "\" has had no event ", after_sequence,
                                                   ", its last is ", run->log.last_sequence(),
                                                   "; watch it from the beginning, after 0"));
  }
  run->log.Watch(std::move(watcher), after_sequence);
  return absl::OkStatus();
}

void Runs::Unwatch(const std::string& run_id, const EventWatcher* watcher) {
  const auto found = runs_.find(run_id);
  if (found != runs_.end()) found->second->log.Unwatch(watcher);
}

absl::StatusOr<std::shared_ptr<const tutti::v1::Result>> Runs::GetResult(const std::string& run_id) {
  TUTTI_ASSIGN_OR_RETURN(Run * run, FindRun(run_id));
  if (run->execution == nullptr) {
    const SharedEvent last = run->log.last();
    return std::shared_ptr<const tutti::v1::Result>(last, &last->ended());
  }
  const tutti::v1::Result& now = run->execution->result();
  if (run->told_result == nullptr || !SameStand(*run->told_result, now)) {
    run->told_result = std::make_shared<const tutti::v1::Result>(now);
  }
  return run->told_result;
}

absl::StatusOr<tutti::v1::RunInfo> Runs::Describe(const std::string& run_id) const {
  TUTTI_ASSIGN_OR_RETURN(const Run* run, FindRun(run_id));
  const bool ended = run->log.ended();
  const tutti::v1::Result& result = ended ? run->log.last()->ended() : run->execution->result();
  tutti::v1::RunInfo info;
  *info.mutable_summary() = SummarizeRun(result, run->labels, ended);
  for (const tutti::v1::Host& host : result.hosts()) info.add_hosts(host.name());
  if (ended) {
    info.set_state(tutti::v1::RunInfo::STATE_ENDED);
    info.set_state_since_unix_ns(result.finished_unix_ns());
    *info.mutable_reasons() = result.reasons();
  } else if (run->execution->started()) {
    info.set_state(tutti::v1::RunInfo::STATE_RUNNING);
    info.set_state_since_unix_ns(result.started_unix_ns());
    info.set_state_deadline_unix_ns(Later(result.started_unix_ns(), run->longest_ns));
    *info.mutable_progress() = run->execution->Progress();
  } else {
    info.set_state(tutti::v1::RunInfo::STATE_WAITING);
    info.set_state_since_unix_ns(result.submitted_unix_ns());
    info.set_state_deadline_unix_ns(Later(result.submitted_unix_ns(), run->max_wait_ns));
    *info.mutable_queued() = queue_.Describe(run_id);
  }
  return info;
}

std::vector<Obstacle> Runs::ObstaclesOf(const std::string& run_id, const Run& run) const {
  std::map<std::string, Obstacle> in_line;  // by host
  std::map<std::string, int64_t> left_ns;   // by run: it may have thousands of cases, and hundreds of hosts
  for (Obstacle& each : queue_.Obstacles(run_id)) {
    const Run& other = *runs_.at(each.run_id());
    if (each.kind() == Obstacle::KIND_BUSY && other.execution != nullptr) {
      const auto [left, is_new] = left_ns.try_emplace(each.run_id(), 0);
      if (is_new) left->second = other.execution->ExpectedLeftNs();
      each.set_expected_left_ns(left->second);
    }
    const std::string host = each.host();
    in_line[host] = std::move(each);
  }
  std::vector<Obstacle> obstacles;
  for (const std::string& host : run.execution->hosts()) {
    if (const auto found = in_line.find(host); found != in_line.end()) obstacles.push_back(found->second);
    const std::optional<fleet::Member> member = fleet_.Find(host);
    if (!member.has_value() || member->lost) obstacles.push_back(LostHost(host, member, executor_.NowNs()));
  }
  return obstacles;
}

absl::StatusOr<tutti::v1::WhyNotResponse> Runs::WhyNot(const std::string& run_id) const {
  TUTTI_ASSIGN_OR_RETURN(const Run* run, FindRun(run_id));
  tutti::v1::WhyNotResponse why;
  const int64_t now_unix_ns = UnixNowNs();
  if (run->log.ended()) {
    why.set_summary(absl::StrCat(run_id, " has ended"));
    return why;
  }
  if (run->execution->started()) {
    why.set_summary(absl::StrCat(run_id, " runs since ",
                                 ShortTime(run->execution->result().started_unix_ns(), now_unix_ns), ", ",
                                 FormatTimeLeft(run->execution->ExpectedLeftNs())));
    return why;
  }
  const std::vector<Obstacle> obstacles = ObstaclesOf(run_id, *run);
  why.set_position(queue_.Describe(run_id).position());
  why.set_summary(obstacles.empty() ? absl::StrCat("nothing keeps ", run_id, " from starting")
                                    : ObstacleSentence(obstacles, now_unix_ns));
  why.mutable_obstacles()->Assign(obstacles.begin(), obstacles.end());
  return why;
}

void Runs::OnEnded(const std::string& run_id) {
  queue_.Remove(run_id);
  executor_.Cancel(std::exchange(runs_.at(run_id)->wait_timer, 0));
  // On a turn of its own: the execution is still in its last call.
  executor_.Post([this, alive = std::weak_ptr<const bool>(alive_), run_id] {
    if (alive.expired()) return;
    runs_.at(run_id)->execution = nullptr;
    runs_.at(run_id)->told_result = nullptr;
    ended_.push_back(run_id);
    while (ended_.size() > options_.ended_kept) {
      Drop(ended_.front());
      ended_.pop_front();
    }
    StartWhatCan();
    if (draining_ && on_drained_ && ended_.size() == runs_.size()) std::exchange(on_drained_, nullptr)();
  });
}

void Runs::Drop(const std::string& run_id) {
  FreeKey(*runs_.at(run_id));
  runs_.erase(run_id);
}

void Runs::Forget(const std::string& run_id) {
  const auto ended = std::find(ended_.begin(), ended_.end(), run_id);
  if (ended == ended_.end()) return;
  ended_.erase(ended);
  Drop(run_id);
}

void Runs::Drain(std::function<void()> done) {
  draining_ = true;
  on_drained_ = std::move(done);
  for (const auto& [id, run] : runs_) {
    if (run->execution != nullptr) run->execution->Cancel(kShutDown);
  }
  if (ended_.size() == runs_.size() && on_drained_) executor_.Post(std::exchange(on_drained_, nullptr));
}

}  // namespace tutti::run
