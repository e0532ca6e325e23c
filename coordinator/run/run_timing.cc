#include "coordinator/run/run_timing.h"

#include <algorithm>
#include <limits>

#include "coordinator/fleet/worker_clock.h"
#include "coordinator/run/background_meter.h"

namespace tutti::run {
namespace {

using tutti::v1::Case;
using tutti::v1::Timing;

// Stays at the largest value there is rather than overflow.
void AddTimes(int64_t& total_ns, int64_t ns, int64_t times) {
  int64_t product_ns = 0;
  if (__builtin_mul_overflow(ns, times, &product_ns) ||
      __builtin_add_overflow(total_ns, product_ns, &total_ns)) {
    total_ns = std::numeric_limits<int64_t>::max();
  }
}

int64_t TimingNs(const Timing& timing) {
  return timing.warmup_ns() + timing.measure_ns() + timing.cooldown_ns();
}

int64_t Rest(int64_t whole_ns, int64_t over_ns) { return std::max<int64_t>(0, whole_ns - over_ns); }

int64_t LeftOfTrialNs(const Timing& timing, Phase phase, int64_t in_phase_ns) {
  switch (phase) {
    case Phase::kPrepare:
    case Phase::kConnect:
    case Phase::kClocks:
    case Phase::kArm:
      return TimingNs(timing);
    case Phase::kWarmup:
      return Rest(timing.warmup_ns(), in_phase_ns) + timing.measure_ns() + timing.cooldown_ns();
    case Phase::kMeasure:
      return Rest(timing.measure_ns(), in_phase_ns) + timing.cooldown_ns();
    case Phase::kCooldown:
      return Rest(timing.cooldown_ns(), in_phase_ns);
    default:
      return 0;
  }
}

}  // namespace

int64_t ExpectedLeftNs(const tutti::v1::Plan& plan, const RunPosition& at) {
  int64_t left_ns = 0;
  for (int i = static_cast<int>(at.case_index); i < plan.cases_size(); ++i) {
    const Case& each = plan.cases(i);
    int64_t trials = each.repeat();
    if (i > static_cast<int>(at.case_index)) {
      AddTimes(left_ns, BackgroundMeter::kDurationNs, 1);
    } else {
      trials -= at.trials_over;
      if (at.in_background) AddTimes(left_ns, Rest(BackgroundMeter::kDurationNs, at.in_step_ns), 1);
      if (at.phase != Phase::kNew) {
        AddTimes(left_ns, LeftOfTrialNs(each.timing(), at.phase, at.in_step_ns), 1);
        --trials;
      }
    }
    AddTimes(left_ns, TimingNs(each.timing()), std::max<int64_t>(0, trials));
  }
  return left_ns;
}

TrialDeadlines DeadlinesOf(size_t streams) {
  TrialDeadlines deadlines;
  deadlines.prepare_ns += static_cast<int64_t>(streams) * 2'000'000;
  deadlines.connect_ns += static_cast<int64_t>(streams) * 2'000'000;
  return deadlines;
}

int64_t LongestTrialNs(const Timing& timing, const TrialDeadlines& deadlines, size_t hosts) {
  const int64_t setup_ns = deadlines.prepare_ns + deadlines.answer_ns + deadlines.connect_ns +
                           deadlines.answer_ns + deadlines.clocks_ns;
  const int64_t lead_ns = kMaxArmLeadNs + kMaxLeadRoundTripsNs + kLeadPerHostNs * static_cast<int64_t>(hosts);
  const int64_t end_ns = deadlines.senders_stop_ns + deadlines.drain_max_ns + deadlines.answer_ns +
                         deadlines.report_ns + deadlines.abort_ns;
  int64_t longest_ns = setup_ns + lead_ns + end_ns + fleet::ProbeOptions().refresh_timeout_ns;
  AddTimes(longest_ns, TimingNs(timing), 1);
  return longest_ns;
}

int64_t LongestRunNs(const tutti::v1::Plan& plan, const std::vector<std::vector<tutti::v1::Flow>>& flows,
                     size_t hosts) {
  int64_t longest_ns = 0;
  for (int i = 0; i < plan.cases_size(); ++i) {
    const Case& each = plan.cases(i);
    const TrialDeadlines deadlines = DeadlinesOf(flows[static_cast<size_t>(i)].size());
    AddTimes(longest_ns, BackgroundMeter::kDurationNs + BackgroundMeter::kAnswerNs, 1);
    AddTimes(longest_ns, LongestTrialNs(each.timing(), deadlines, hosts), each.repeat());
    AddTimes(longest_ns, kMostGraceNs, each.repeat());
  }
  return longest_ns;
}

}  // namespace tutti::run
