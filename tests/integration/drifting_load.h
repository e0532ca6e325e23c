// The load reads this machine's CLOCK_MONOTONIC, which a test cannot make drift. So it gets its host's drift
// with the mapping: its times are then those of a host whose clock does drift.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "common/time/clock_mapping.h"
#include "tests/integration/host_clocks.h"
#include "worker/load/load_trial.h"

namespace tutti::integration {

class DriftingLoad final : public load::LoadTrial {
 public:
  DriftingLoad(std::unique_ptr<load::LoadTrial> real, const HostClocks& clock)
      : real_(std::move(real)), clock_(clock) {}

  std::vector<load::BoundPort> bound_ports() const override { return real_->bound_ports(); }
  absl::Status Connect(const std::vector<load::BoundPort>& targets, HostTime deadline) override {
    return real_->Connect(targets, deadline);
  }
  absl::Status Arm(const ClockMapping& mapping, TimelineTime t0,
                   std::function<void(const load::Edge&)> on_edge) override {
    // The load keeps the distance of the two clocks that it finds now.
    armed_ = clock_.Now();
    return real_->Arm(WithDrift(mapping), t0, std::move(on_edge));
  }
  void FollowClock(const ClockMapping& fitted) override { real_->FollowClock(WithDrift(fitted)); }
  std::vector<load::SenderFinal> WaitSenders() override { return real_->WaitSenders(); }
  void Drain(const std::vector<load::SenderFinal>& finals, HostTime deadline) override {
    real_->Drain(finals, deadline);
  }
  load::LoadReport Report() override { return real_->Report(); }
  void Abort() override { real_->Abort(); }

 private:
  // From the clock that stood by the host's at `armed_` and does not drift since.
  ClockMapping WithDrift(const ClockMapping& mapping) const {
    return ClockMapping(armed_, mapping.Convert(armed_), (1 + mapping.drift()) * (1 + clock_.drift()) - 1,
                        mapping.BoundAt(armed_), mapping.drift_bound());
  }

  const std::unique_ptr<load::LoadTrial> real_;
  const HostClocks& clock_;
  HostTime armed_;
};

}  // namespace tutti::integration
