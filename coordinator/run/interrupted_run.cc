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

TrialsByCase TakeTrials(tutti::v1::Result& result) {
  TrialsByCase trials(static_cast<size_t>(result.plan().cases_size()));
  for (int i = 0; i < result.cases_size() && i < result.plan().cases_size(); ++i) {
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

// The trial that began last, unless it was kept.
std::optional<tutti::v1::TrialStarted> CutOff(const std::vector<RunEvent>& events,
                                              const TrialsByCase& trials) {
  const auto last = std::find_if(events.rbegin(), events.rend(),
                                 [](const RunEvent& event) { return event.has_trial_started(); });
  if (last == events.rend()) return std::nullopt;
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
  const std::optional<tutti::v1::TrialStarted> cut_off = CutOff(events, trials);
  result.clear_cases();
  for (int i = 0; i < result.plan().cases_size(); ++i) {
    tutti::v1::CaseResult& each = *result.add_cases();
    each = results::SummarizeCase(result.plan().cases(i), std::move(trials[static_cast<size_t>(i)]), false);
    if (cut_off.has_value() && cut_off->case_index() == static_cast<uint32_t>(i)) {
      each.add_reasons(
          absl::StrCat("trial ", cut_off->repetition(), " was cut off and nothing of it is kept"));
    }
  }
  result.add_reasons("the coordinator ended before this run did; what it had of it is kept");
  results::JudgeRun(result, false);
  result.set_finished_unix_ns(now_unix_ns);
}

}  // namespace tutti::run
