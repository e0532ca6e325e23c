#include "coordinator/run/trial_driver.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tutti::run {
namespace {

// Often enough that a clock which drifts 100 ppm off its fit is caught within 100 us.
constexpr int64_t kRefitNs = 1'000'000'000;

}  // namespace

TrialDriver::TrialDriver(Executor& executor, fleet::Fleet& fleet, TrialSetup setup, LiveMerger merger,
                         Callbacks callbacks)
    : executor_(executor),
      fleet_(fleet),
      hosts_([&] {
        std::vector<std::string> names;
        for (const auto& [name, ends] : setup.ends) names.push_back(name);
        return names;
      }()),
      window_end_ns_(setup.timing.warmup_ns() + setup.timing.measure_ns()),
      machine_(std::move(setup)),
      merger_(std::move(merger)),
      callbacks_(std::move(callbacks)) {}

TrialDriver::~TrialDriver() {
  executor_.Cancel(timer_);
  executor_.Cancel(refit_timer_);
}

void TrialDriver::Start() {
  // The clocks are measured anew while the streams are prepared.
  fleet_.RefreshClocks(hosts_, [this, alive = std::weak_ptr<bool>(alive_)] {
    if (!alive.expired()) OnClocksFresh();
  });
  machine_.Start(Now());
  for (const std::string& host : hosts_) {
    const std::optional<fleet::Member> member = fleet_.Find(host);
    if (!member.has_value()) {
      machine_.OnLost(Now(), host, "the coordinator does not know it");
    } else if (member->lost) {
      machine_.OnLost(Now(), host, member->lost_reason);
    }
  }
  Pump();
}

void TrialDriver::OnMessage(const std::string& host, const tutti::v1::WorkerMessage& message) {
  const bool is_live = machine_.phase() >= Phase::kWarmup && machine_.phase() <= Phase::kCooldown;
  machine_.OnMessage(Now(), host, message);
  if (is_live && message.has_progress()) {
    for (tutti::v1::LiveInterval& interval : merger_.Add(host, message.progress().edge())) {
      callbacks_.on_interval(std::move(interval));
    }
  }
  Pump();
}

void TrialDriver::OnLost(const std::string& host, const std::string& reason) {
  machine_.OnLost(Now(), host, reason);
  Pump();
}

void TrialDriver::Cancel() {
  machine_.OnCancel(Now());
  Pump();
}

void TrialDriver::Stop(const std::string& reason) {
  machine_.OnStop(Now(), reason);
  Pump();
}

void TrialDriver::OnClocksFresh() {
  clocks_fresh_ = true;
  Pump();
}

void TrialDriver::ArmIfReady() {
  if (machine_.phase() != Phase::kClocks || !clocks_fresh_) return;
  std::map<std::string, WorkerClockView> clocks;
  for (const std::string& host : hosts_) {
    const std::optional<ClockMapping> mapping = fleet_.Mapping(host);
    if (!mapping.has_value()) continue;
    clocks[host] = {*mapping, fleet_.WorstRoundTripNs(host)};
    clocks_.Arm(host, *mapping);
    if (const auto quality = fleet_.Quality(host)) restarts_at_arm_[host] = quality->restarts;
    NoteSource(host);
  }
  machine_.OnClocks(Now(), clocks);
}

void TrialDriver::NoteSource(const std::string& host) {
  // The enum is in the order of worth, the best first.
  if (const auto quality = fleet_.Quality(host)) {
    worst_source_[host] = std::max(worst_source_[host], quality->source);
  }
}

void TrialDriver::RefitClocks() {
  refit_timer_ = 0;
  if (machine_.phase() < Phase::kWarmup || machine_.phase() > Phase::kCooldown) return;
  for (const std::string& host : hosts_) {
    NoteSource(host);
    const std::optional<ClockMapping> fitted = fleet_.Mapping(host);
    if (!fitted.has_value()) continue;
    tutti::v1::CoordinatorMessage message;
    message.mutable_clock_update()->set_trial_id(machine_.trial_id());
    *message.mutable_clock_update()->mutable_mapping() = ToProto(*fitted);
    if (fleet_.Send(host, std::move(message))) clocks_.Follow(host, *fitted, Now());
  }
  refit_timer_ = executor_.PostAfter(kRefitNs, [this] { RefitClocks(); });
}

void TrialDriver::CheckClocks() {
  clocks_checked_ = false;
  fleet_.RefreshClocks(hosts_, [this, alive = std::weak_ptr<bool>(alive_)] {
    if (alive.expired()) return;
    clocks_checked_ = true;
    Pump();
  });
}

void TrialDriver::Pump() {
  ArmIfReady();
  // A worker that is lost is told to the machine by the fleet, not by a failed send.
  for (Outgoing& out : machine_.TakeOutgoing()) fleet_.Send(out.host, std::move(out.message));
  if (machine_.phase() != told_phase_) {
    told_phase_ = machine_.phase();
    callbacks_.on_phase(told_phase_);
    if (told_phase_ == Phase::kWarmup) {
      refit_timer_ = executor_.PostAfter(kRefitNs, [this] { RefitClocks(); });
    }
    if (told_phase_ == Phase::kDrain) CheckClocks();
  }
  executor_.Cancel(timer_);
  if (machine_.finished()) {
    if (!clocks_checked_) return;  // CheckClocks goes on
    timer_ = executor_.PostAfter(0, [this] { Finish(); });
    return;
  }
  if (const std::optional<TimelineTime> deadline = machine_.deadline()) {
    timer_ = executor_.PostAfter(*deadline - Now(), [this] {
      machine_.OnTime(Now());
      Pump();
    });
  }
}

void TrialDriver::DescribeClock(TimelineTime t0, results::HostInput& host) const {
  clocks_.Describe(host.host, t0 + window_end_ns_, host);
  host.mapping_after = fleet_.Mapping(host.host);
  const std::optional<fleet::ClockQuality> quality = fleet_.Quality(host.host);
  if (!quality.has_value()) return;
  const auto worst = worst_source_.find(host.host);
  host.clock_source =
      worst == worst_source_.end() ? quality->source : std::max(worst->second, quality->source);
  host.clock_round_trip_ns = quality->round_trip_ns;
  const auto at_arm = restarts_at_arm_.find(host.host);
  // A worker that came back meanwhile has a clock estimate of its own.
  if (at_arm != restarts_at_arm_.end() && quality->restarts >= at_arm->second) {
    host.clock_restarts = static_cast<uint32_t>(quality->restarts - at_arm->second);
  }
}

void TrialDriver::Finish() {
  TrialOutcome outcome = machine_.TakeOutcome();
  if (outcome.t0.has_value()) {
    for (results::HostInput& host : outcome.hosts) DescribeClock(*outcome.t0, host);
  }
  for (const std::string& host : outcome.not_idle) {
    fleet_.Drop(host, "it did not end its part of a trial in time; it comes back by itself when it has");
  }
  // Last: the callback may destroy this object.
  const auto on_finished = std::move(callbacks_.on_finished);
  on_finished(std::move(outcome));
}

}  // namespace tutti::run
