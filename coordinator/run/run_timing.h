// How long a run takes: by its plan, and at the most. Pure; thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "coordinator/run/trial_machine.h"
#include "tutti/v1/plan.pb.h"
#include "tutti/v1/result.pb.h"

namespace tutti::run {

// Where a run stands.
struct RunPosition {
  size_t case_index = 0;
  uint32_t trials_over = 0;    // of this case
  bool in_background = false;  // the idle second before the case is being measured
  Phase phase = Phase::kNew;   // of the trial that goes on; kNew: none does
  int64_t in_step_ns = 0;      // since the phase or the background second began
};

// What is left of the plan's timing: of each trial WARMUP, MEASURE and COOLDOWN, of each case its background
// second. Setting up and reporting take time that no plan tells, and a trial that is in such a phase has all
// or nothing of its timing left. Never below 0.
int64_t ExpectedLeftNs(const tutti::v1::Plan& plan, const RunPosition& at);

// Before a trial the run waits so long, counted from the loss, for a host to come back: a restarted worker is
// there by then. For hosts that go and come at most the second figure in all.
inline constexpr int64_t kReturnGraceNs = 5'000'000'000;
inline constexpr int64_t kMostGraceNs = 2 * kReturnGraceNs;

// Large trials take longer to set up.
TrialDeadlines DeadlinesOf(size_t streams);

// Every phase at its deadline (TrialMachine), with the longest lead of T0 and the clocks' last measurement.
int64_t LongestTrialNs(const tutti::v1::Timing& timing, const TrialDeadlines& deadlines, size_t hosts);

// No run takes longer from its start to its end, but for the time in which its journal does not answer: each
// case with its background second and the wait for that, each trial as above with the longest wait for lost
// hosts. `flows`: by case. `hosts`: of the run.
int64_t LongestRunNs(const tutti::v1::Plan& plan, const std::vector<std::vector<tutti::v1::Flow>>& flows,
                     size_t hosts);

}  // namespace tutti::run
