#include "coordinator/results/limits.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/units/units.h"
#include "coordinator/metrics/dimension.h"

namespace tutti::results {
namespace {

namespace v1 = tutti::v1;

std::string Direction(const v1::EntryResult& entry) {
  return absl::StrCat("entry ", entry.entry(), entry.reverse() ? " (reverse)" : "");
}

// As usual, but with more digits where the limit is written in the same words.
std::string DurationBeside(int64_t ns, int64_t limit_ns) {
  std::string text = FormatDuration(ns);
  if (text != FormatDuration(limit_ns)) return text;
  return metrics::FigureTextBeside(metrics::Dimension::kDuration, static_cast<double>(ns),
                                   static_cast<double>(limit_ns));
}

std::string RatioBeside(double ratio, double limit) {
  std::string text = FormatPercent(ratio);
  if (text != FormatPercent(limit)) return text;
  return metrics::FigureTextBeside(metrics::Dimension::kRatio, ratio, limit);
}

void JudgeSkew(int64_t limit_ns, const v1::EntryResult& entry, std::vector<std::string>& exceeded) {
  if (entry.streams() < 2) return;  // one stream has nothing to be apart from
  if (!entry.has_running_skew_ns()) {
    exceeded.push_back(absl::StrCat(Direction(entry),
                                    ": its running skew is not known, so limits.start_skew (",
                                    FormatDuration(limit_ns), ") is not shown to hold"));
  } else if (entry.running_skew_ns() > limit_ns) {
    exceeded.push_back(absl::StrCat(Direction(entry), ": running skew ",
                                    DurationBeside(entry.running_skew_ns(), limit_ns),
                                    " is over limits.start_skew (", FormatDuration(limit_ns), ")"));
  }
}

void JudgeOverlap(double limit, const v1::EntryResult& entry, std::vector<std::string>& exceeded) {
  if (!entry.has_overlap_ratio()) {
    exceeded.push_back(absl::StrCat(Direction(entry), ": its overlap is not known, so limits.overlap (",
                                    FormatPercent(limit), ") is not shown to hold"));
  } else if (entry.overlap_ratio() < limit) {
    exceeded.push_back(absl::StrCat(Direction(entry), ": its streams ran together for ",
                                    RatioBeside(entry.overlap_ratio(), limit),
                                    " of the window, under limits.overlap (", FormatPercent(limit), ")"));
  }
}

// What most likely keeps the clock from being known better.
const char* AdviceFor(const tutti::v1::HostClock& clock) {
  if (clock.restarts() > 0) {
    return "it was stepped, suspended or slewed hard while the trial ran; let chrony or PTP settle first";
  }
  if (clock.source() == tutti::v1::CLOCK_SOURCE_SESSION) {
    return "it is measured over the session; let UDP through to the coordinator's port (a Unix socket has "
           "none)";
  }
  return "use a quieter control path to it, or a longer measurement before the run (tutti doctor --clocks)";
}

}  // namespace

std::vector<std::string> ExceededLimits(const v1::Limits& limits, const v1::TrialResult& trial) {
  std::vector<std::string> exceeded;
  for (const v1::EntryResult& entry : trial.entries()) {
    if (limits.has_start_skew_ns()) JudgeSkew(limits.start_skew_ns(), entry, exceeded);
    // Streams of a fixed volume end when they have sent it, not together.
    if (limits.has_overlap_ratio() && !entry.has_completion()) {
      JudgeOverlap(limits.overlap_ratio(), entry, exceeded);
    }
  }
  if (!limits.has_clock_error_ns()) return exceeded;
  for (const v1::HostResult& host : trial.hosts()) {
    const tutti::v1::HostClock& clock = host.clock();
    const int64_t bound_ns =
        std::max({clock.bound_before_ns(), clock.bound_during_ns(), clock.bound_after_ns()});
    if (bound_ns <= limits.clock_error_ns()) continue;
    exceeded.push_back(absl::StrCat("host ", host.host(), ": its clock is known to within ",
                                    DurationBeside(bound_ns, limits.clock_error_ns()),
                                    ", over limits.clock_error (", FormatDuration(limits.clock_error_ns()),
                                    "): ", AdviceFor(clock)));
  }
  return exceeded;
}

}  // namespace tutti::results
