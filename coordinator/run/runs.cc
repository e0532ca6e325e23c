#include "coordinator/run/runs.h"

#include <sys/random.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "common/log/log.h"
#include "common/status/macros.h"
#include "common/time/clock.h"
#include "common/units/units.h"
#include "common/version/version.h"
#include "coordinator/plan/placement.h"
#include "coordinator/plan/plan_loader.h"
#include "coordinator/plan/written_place.h"
#include "coordinator/run/event_keeper.h"
#include "coordinator/run/run_head.h"

namespace tutti::run {
namespace {

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

std::string DescribeLost(const std::vector<fleet::Member>& members, int64_t now_ns) {
  std::vector<std::string> lines;
  for (const fleet::Member& member : members) {
    if (!member.lost) continue;
    const int64_t since_ns = (now_ns - member.state_since_ns) / 1'000'000'000 * 1'000'000'000;
    lines.push_back("worker " + member.hello.name() + " is lost since " + FormatDuration(since_ns) + ": " +
                    member.lost_reason);
  }
  return absl::StrJoin(lines, "\n");
}

}  // namespace

Runs::Runs(Executor& executor, fleet::Fleet& fleet, RunsOptions options)
    : executor_(executor), fleet_(fleet), options_(std::move(options)) {
  if (!options_.random) options_.random = &KernelRandom;
  if (!options_.make_id) options_.make_id = &IdByWallClock;
}

Runs::~Runs() = default;

absl::StatusOr<RunSpec> Runs::Prepare(tutti::v1::Plan plan, const std::string& user) const {
  const std::vector<fleet::Member> members = fleet_.Members();
  std::vector<plan::Candidate> candidates;
  for (const fleet::Member& member : members) {
    if (member.lost) continue;
    plan::Candidate& candidate = candidates.emplace_back();
    candidate.name = member.hello.name();
    candidate.labels = {member.hello.labels().begin(), member.hello.labels().end()};
    candidate.facts = member.hello.facts();
    candidate.control_address = member.hello.control_address();
  }
  RunSpec spec;
  absl::StatusOr<plan::Placement> placement = plan::Place(plan, candidates);
  if (!placement.ok()) {
    const std::string lost = DescribeLost(members, executor_.NowNs());
    if (lost.empty()) return placement.status();
    return absl::Status(placement.status().code(), std::string(placement.status().message()) + "\n" + lost);
  }
  spec.placement = *std::move(placement);
  for (int i = 0; i < plan.cases_size(); ++i) {
    absl::StatusOr<std::vector<tutti::v1::Flow>> flows =
        plan::ExpandFlows(plan.cases(i), spec.placement.cases[static_cast<size_t>(i)], candidates);
    if (!flows.ok()) return plan::WithPlace(plan, i, flows.status());
    spec.flows.push_back(*std::move(flows));
  }
  std::vector<tutti::v1::Host> hosts;
  for (const std::string& name : spec.placement.hosts) {
    const fleet::Member member = fleet_.Find(name).value();
    tutti::v1::Host& host = hosts.emplace_back();
    host.set_name(name);
    *host.mutable_facts() = member.hello.facts();
    *host.mutable_labels() = member.hello.labels();
  }
  const std::vector<tutti::v1::Machine> machines = GroupMachines(hosts);
  const std::vector<tutti::v1::Pair> pairs = ListPairs(spec.flows, hosts);
  tutti::v1::Result& head = spec.head;
  head.set_schema_version(1);
  head.set_tutti_version(kVersion);
  head.set_submitted_unix_ns(UnixNowNs());
  head.set_expected_duration_ns(plan::ExpectedDurationNs(plan));
  head.set_lab(options_.lab);
  head.set_insecure(options_.insecure);
  head.set_user(user);
  head.mutable_hosts()->Assign(hosts.begin(), hosts.end());
  head.mutable_machines()->Assign(machines.begin(), machines.end());
  head.mutable_pairs()->Assign(pairs.begin(), pairs.end());
  *head.mutable_plan() = std::move(plan);
  return spec;
}

absl::StatusOr<std::string> Runs::Submit(tutti::v1::Plan plan, std::string user, const RunLabels& labels,
                                         const OnKept& on_kept) {
  if (draining_) return absl::UnavailableError("the coordinator is shutting down and takes no new runs");
  if (queue_.waiting().size() >= options_.waiting_max) {
    return absl::ResourceExhaustedError(std::to_string(options_.waiting_max) +
                                        " runs are waiting already; submit again later");
  }
  TUTTI_ASSIGN_OR_RETURN(RunSpec spec, Prepare(std::move(plan), user));
  std::string id = options_.make_id();
  while (runs_.contains(id)) id = options_.make_id();
  spec.head.set_run_id(id);
  queue_.Add({id, user, spec.placement.hosts, spec.head.submitted_unix_ns()});
  Begin(spec.head, labels, on_kept);
  auto run = std::make_unique<Run>(id);
  run->execution =
      std::make_unique<RunExecution>(executor_, fleet_, std::move(spec), run->log, options_.journal,
                                     options_.random, [this, id] { OnEnded(id); });
  if (options_.journal != nullptr) {
    run->log.Watch(std::make_shared<EventKeeper>(executor_, *options_.journal));
  }
  runs_[id] = std::move(run);
  spdlog::info("{} submitted by {}", id, user.empty() ? "somebody" : user);
  StartWhatCan();
  return id;
}

void Runs::Begin(const tutti::v1::Result& head, const RunLabels& labels, const OnKept& on_kept) {
  const std::string id = head.run_id();
  if (options_.journal == nullptr) {
    if (on_kept) on_kept(id, absl::OkStatus());
    return;
  }
  const auto kept = [this, alive = std::weak_ptr<const bool>(alive_), id,
                     on_kept](const absl::Status& status) {
    if (!status.ok())
      spdlog::error("{} cannot be kept and is cancelled: {}", id, std::string(status.message()));
    // One that has ended and is no longer there needs no cancel.
    if (!status.ok() && !alive.expired()) Cancel(id).IgnoreError();
    if (on_kept) on_kept(id, status);
  };
  options_.journal->Begin(head, labels, kept);
}

void Runs::StartWhatCan() {
  for (const std::string& id : queue_.TakeStartable(UnixNowNs())) runs_.at(id)->execution->Start();
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

absl::Status Runs::Cancel(const std::string& run_id) {
  const auto found = runs_.find(run_id);
  if (found == runs_.end()) return absl::NotFoundError("no run \"" + run_id + "\"");
  if (found->second->execution != nullptr) found->second->execution->Cancel();
  return absl::OkStatus();
}

absl::Status Runs::Watch(const std::string& run_id, std::shared_ptr<EventWatcher> watcher) {
  const auto found = runs_.find(run_id);
  if (found == runs_.end()) return absl::NotFoundError("no run \"" + run_id + "\"");
  found->second->log.Watch(std::move(watcher));
  return absl::OkStatus();
}

void Runs::Unwatch(const std::string& run_id, const EventWatcher* watcher) {
  const auto found = runs_.find(run_id);
  if (found != runs_.end()) found->second->log.Unwatch(watcher);
}

absl::StatusOr<tutti::v1::Result> Runs::GetResult(const std::string& run_id) const {
  const auto found = runs_.find(run_id);
  if (found == runs_.end()) return absl::NotFoundError("no run \"" + run_id + "\"");
  const Run& run = *found->second;
  return run.execution != nullptr ? run.execution->result() : run.log.last()->ended();
}

void Runs::OnEnded(const std::string& run_id) {
  queue_.Remove(run_id);
  // On a turn of its own: the execution is still in its last call.
  executor_.Post([this, run_id] {
    runs_.at(run_id)->execution = nullptr;
    ended_.push_back(run_id);
    while (ended_.size() > options_.ended_kept) {
      runs_.erase(ended_.front());
      ended_.pop_front();
    }
    StartWhatCan();
    if (draining_ && on_drained_ && ended_.size() == runs_.size()) std::exchange(on_drained_, nullptr)();
  });
}

void Runs::Forget(const std::string& run_id) {
  const auto ended = std::find(ended_.begin(), ended_.end(), run_id);
  if (ended == ended_.end()) return;
  ended_.erase(ended);
  runs_.erase(run_id);
}

void Runs::Drain(std::function<void()> done) {
  draining_ = true;
  on_drained_ = std::move(done);
  for (const auto& [id, run] : runs_) {
    if (run->execution != nullptr) run->execution->Cancel();
  }
  if (ended_.size() == runs_.size() && on_drained_) executor_.Post(std::exchange(on_drained_, nullptr));
}

}  // namespace tutti::run
