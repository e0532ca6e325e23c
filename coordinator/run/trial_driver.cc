#include "coordinator/run/trial_driver.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tutti::run {

TrialDriver::TrialDriver(Executor& executor, fleet::Fleet& fleet, TrialSetup setup, LiveMerger merger,
                         Callbacks callbacks)
    : executor_(executor),
      fleet_(fleet),
      hosts_([&] {
        std::vector<std::string> names;
        for (const auto& [name, ends] : setup.ends) names.push_back(name);
        return names;
      }()),
      machine_(std::move(setup)),
      merger_(std::move(merger)),
      callbacks_(std::move(callbacks)) {}

TrialDriver::~TrialDriver() { executor_.Cancel(timer_); }

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

void TrialDriver::OnClocksFresh() {
  clocks_fresh_ = true;
  Pump();
}

void TrialDriver::ArmIfReady() {
  if (machine_.phase() != Phase::kClocks || !clocks_fresh_) return;
  std::map<std::string, WorkerClockView> clocks;
  for (const std::string& host : hosts_) {
    const std::optional<ClockMapping> mapping = fleet_.Mapping(host);
    if (mapping.has_value()) clocks[host] = {*mapping, fleet_.WorstRoundTripNs(host)};
  }
  machine_.OnClocks(Now(), clocks);
}

void TrialDriver::Pump() {
  ArmIfReady();
  // A worker that is lost is told to the machine by the fleet, not by a failed send.
  for (Outgoing& out : machine_.TakeOutgoing()) fleet_.Send(out.host, std::move(out.message));
  if (machine_.phase() != told_phase_) {
    told_phase_ = machine_.phase();
    callbacks_.on_phase(told_phase_);
    // For the check whether a clock has moved under the trial.
    if (told_phase_ == Phase::kDrain) fleet_.RefreshClocks(hosts_, [] {});
  }
  executor_.Cancel(timer_);
  if (machine_.finished()) {
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

void TrialDriver::Finish() {
  TrialOutcome outcome = machine_.TakeOutcome();
  if (outcome.t0.has_value()) {
    for (results::HostInput& host : outcome.hosts) host.mapping_after = fleet_.Mapping(host.host);
  }
  for (const std::string& host : outcome.not_idle) {
    fleet_.Drop(host, "it did not end its part of a trial in time; it comes back by itself when it has");
  }
  // Last: the callback may destroy this object.
  const auto on_finished = std::move(callbacks_.on_finished);
  on_finished(std::move(outcome));
}

}  // namespace tutti::run
