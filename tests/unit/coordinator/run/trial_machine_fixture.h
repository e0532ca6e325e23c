// A trial of two hosts, a sends to b, that can be taken to the beginning of any phase.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "coordinator/run/trial_machine.h"
#include "trial_fixture.h"

namespace tutti::run {

using tutti::v1::CoordinatorMessage;
using tutti::v1::WorkerMessage;

// Host a's clock is 5 s behind the timeline, b's 7 s ahead of it.
constexpr int64_t kOffsetA = 5'000 * kMs;
constexpr int64_t kOffsetB = -7'000 * kMs;
constexpr Phase kAllPhases[] = {Phase::kPrepare,  Phase::kConnect, Phase::kClocks,
                                Phase::kArm,      Phase::kWarmup,  Phase::kMeasure,
                                Phase::kCooldown, Phase::kDrain,   Phase::kReport};

class TrialMachineTest : public testing::Test {
 protected:
  // Starts a trial and takes it, without a fault, to the beginning of `phase`.
  void GoTo(Phase phase, TrialSetup setup = MakeSetup()) {
    now_ = TimelineTime{1'000'000 * kMs};
    machine_.emplace(std::move(setup));
    sent_.clear();
    machine_->Start(now_);
    if (phase == Phase::kPrepare) return Take();
    Say("a", PreparedMessage({}));
    Say("b", PreparedMessage({{0, 4711}}));
    if (phase == Phase::kConnect) return Take();
    Say("a", ConnectedMessage());
    Say("b", ConnectedMessage());
    if (phase == Phase::kClocks) return Take();
    TellClocks();
    if (phase == Phase::kArm) return Take();
    Say("a", ArmedMessage());
    Say("b", ArmedMessage());
    if (phase == Phase::kWarmup) return Take();
    PassTo(T0() + 100 * kMs);
    if (phase == Phase::kMeasure) return Take();
    PassTo(T0() + 1100 * kMs);
    if (phase == Phase::kCooldown) return Take();
    now_ = T0() + 1150 * kMs;
    Say("a", StoppedMessage({{0, 5000}}));
    Say("b", StoppedMessage({}));
    if (phase == Phase::kDrain) return Take();
    Say("b", DrainedMessage());
    Take();
  }
  void TellClocks(int64_t round_trip_ns = 0) {
    machine_->OnClocks(now_, {{"a", {Mapping(kOffsetA), round_trip_ns}}, {"b", {Mapping(kOffsetB), 0}}});
    t0_ = *machine_->deadline();
  }
  ClockMapping Mapping(int64_t offset_ns) const {
    return ClockMapping(HostTime{now_.ns - offset_ns}, now_, 0, 1000, 0);
  }
  TimelineTime T0() const { return t0_; }
  void Say(const std::string& host, const WorkerMessage& message) {
    machine_->OnMessage(now_, host, message);
    Take();
  }
  void PassTo(TimelineTime time) {
    while (machine_->deadline().has_value() && *machine_->deadline() <= time) {
      now_ = *machine_->deadline();
      machine_->OnTime(now_);
    }
    now_ = time;
    Take();
  }
  void PassDeadline() { PassTo(*machine_->deadline()); }
  void Take() {
    for (Outgoing& each : machine_->TakeOutgoing()) sent_.push_back(std::move(each));
  }
  // The last message of this kind to the host; null: none.
  const CoordinatorMessage* Sent(const std::string& host, CoordinatorMessage::BodyCase kind) const {
    for (auto each = sent_.rbegin(); each != sent_.rend(); ++each) {
      if (each->host == host && each->message.body_case() == kind) return &each->message;
    }
    return nullptr;
  }
  bool Aborted(const std::string& host) const {
    const CoordinatorMessage* message = Sent(host, CoordinatorMessage::kAbort);
    return message != nullptr && message->abort().trial_id() == kTrialId;
  }
  void BothIdle() {
    Say("a", IdleMessage());
    Say("b", IdleMessage());
  }

  std::optional<TrialMachine> machine_;
  TimelineTime now_;
  TimelineTime t0_;
  std::vector<Outgoing> sent_;
};

}  // namespace tutti::run
