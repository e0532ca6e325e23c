#include "coordinator/run/interrupted_run.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "coordinator/results/merge.h"

namespace tutti::run {
namespace {

using tutti::v1::RunEvent;
using TrialsByCase = std::vector<std::vector<tutti::v1::TrialResult>>;

constexpr int kExitPartial = 7;  // or suspect

// Every plan has a case; the one of a head that could not be read has none.
bool PlanIsLost(const tutti::v1::Result& result) { return result.plan().cases_size() == 0; }

int CasesOf(const tutti::v1::Result& result) {
  return PlanIsLost(result) ? result.cases_size() : result.plan().cases_size();
}

tutti::v1::Case CaseOf(const tutti::v1::Result& result, int index) {
  if (!PlanIsLost(result)) return result.plan().cases(index);
  tutti::v1::Case unknown;
  unknown.set_index(static_cast<uint32_t>(index));
  return unknown;
}

TrialsByCase TakeTrials(tutti::v1::Result& result) {
  TrialsByCase trials(static_cast<size_t>(CasesOf(result)));
  for (int i = 0; i < result.cases_size() && i < CasesOf(result); ++i) {
    for (tutti::v1::TrialResult& trial : *result.mutable_cases(i)->mutable_trials()) {
      trials[static_cast<size_t>(i)].push_back(std::move(trial));
    }
  }
  return trials;
}

// The head was kept when the run was accepted, before it began. 0: it did not begin.
int64_t StartedUnixNs(const std::vector<RunEvent>& events, const TrialsByCase& trials) {
  int64_t first_ns = 0;
  const auto consider = [&first_ns](int64_t at_ns) {
    if (at_ns > 0 && (first_ns == 0 || at_ns < first_ns)) first_ns = at_ns;
  };
  for (const RunEvent& event : events) {
    if (event.has_started()) return event.at_unix_ns();
    if (event.has_trial_started()) consider(event.at_unix_ns());
  }
  for (const auto& of_case : trials) {
    for (const tutti::v1::TrialResult& trial : of_case) consider(trial.started_unix_ns());
  }
  return first_ns;
}

// When a trial began, or better its last interval ended: T0 comes after its begin. 0: nobody knows.
int64_t LastKnownUnixNs(const tutti::v1::TrialResult& trial) {
  if (trial.started_unix_ns() == 0 || trial.timeline().empty()) return trial.started_unix_ns();
  const int64_t window_end_ns = trial.timeline(trial.timeline_size() - 1).end_trial_ns();
  return trial.started_unix_ns() + std::max<int64_t>(window_end_ns, 0);
}

// The latest instant at which the run is known to have been there: how long the coordinator was down after it
// is no part of the run. 0: nobody knows.
int64_t LastKnownUnixNs(const tutti::v1::Result& result, const std::vector<RunEvent>& events,
                        const TrialsByCase& trials) {
  int64_t last_ns = std::max(result.submitted_unix_ns(), result.started_unix_ns());
  for (const RunEvent& event : events) last_ns = std::max(last_ns, event.at_unix_ns());
  for (const auto& of_case : trials) {
    for (const tutti::v1::TrialResult& trial : of_case) last_ns = std::max(last_ns, LastKnownUnixNs(trial));
  }
  return last_ns;
}

// Told to wait and nothing else. Without events nobody knows: they may be lost.
bool OnlyWaited(const std::vector<RunEvent>& events, const TrialsByCase& trials) {
  const auto waits = [](const RunEvent& event) { return event.has_queued(); };
  const auto has_none = [](const std::vector<tutti::v1::TrialResult>& of_case) { return of_case.empty(); };
  return !events.empty() && std::all_of(events.begin(), events.end(), waits) &&
         std::all_of(trials.begin(), trials.end(), has_none);
}

// The trial that began last, unless it was kept.
std::optional<tutti::v1::TrialStarted> CutOff(const std::vector<RunEvent>& events,
                                              const TrialsByCase& trials) {
  const auto last = std::find_if(events.rbegin(), events.rend(), [](const RunEvent& event) {
    return event.has_trial_started() || event.has_trial_ended();
  });
  // One that had ended was kept, though it may not be readable any more.
  if (last == events.rend() || last->has_trial_ended()) return std::nullopt;
  const tutti::v1::TrialStarted& started = last->trial_started();
  if (started.case_index() >= trials.size()) return std::nullopt;
  if (trials[started.case_index()].size() >= started.repetition()) return std::nullopt;
  return started;
}

}  // namespace

void CloseInterrupted(tutti::v1::Result& result, const std::vector<RunEvent>& events, int64_t now_unix_ns) {
  TrialsByCase trials = TakeTrials(result);
  if (const int64_t started_ns = StartedUnixNs(events, trials); started_ns > 0) {
    result.set_started_unix_ns(started_ns);
  }
  const int64_t last_known_ns = LastKnownUnixNs(result, events, trials);
  const bool only_waited = OnlyWaited(events, trials);
  const std::optional<tutti::v1::TrialStarted> cut_off = CutOff(events, trials);
  const int cases = CasesOf(result);
  result.clear_cases();
  for (int i = 0; i < cases; ++i) {
    tutti::v1::CaseResult& each = *result.add_cases();
    each = results::SummarizeCase(CaseOf(result, i), std::move(trials[static_cast<size_t>(i)]), false);
    if (cut_off.has_value() && cut_off->case_index() == static_cast<uint32_t>(i)) {
      each.add_reasons(
          absl::StrCat("trial ", cut_off->repetition(), " was cut off and nothing of it is kept"));
    }
  }
  result.add_reasons("the coordinator ended before this run did; what it had of it is kept");
  if (only_waited) result.add_reasons("it had not begun: it waited for its hosts");
  results::JudgeRun(result, false);
  if (PlanIsLost(result) && (cases == 0 || result.status() != tutti::v1::RUN_STATUS_FAILED)) {
    // Nobody knows what was asked for.
    result.set_status(tutti::v1::RUN_STATUS_PARTIAL);
    result.set_exit_code(kExitPartial);
  }
  result.set_finished_unix_ns(last_known_ns > 0 ? last_known_ns : now_unix_ns);
}

}  // namespace tutti::run
