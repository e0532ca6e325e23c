#include "coordinator/run/interrupted_run.h"

#include <utility>
#include <vector>

#include "coordinator/results/merge.h"

namespace tutti::run {

void CloseInterrupted(tutti::v1::Result& result, int64_t now_unix_ns) {
  std::vector<std::vector<tutti::v1::TrialResult>> trials(static_cast<size_t>(result.plan().cases_size()));
  for (int i = 0; i < result.cases_size() && i < result.plan().cases_size(); ++i) {
    for (tutti::v1::TrialResult& trial : *result.mutable_cases(i)->mutable_trials()) {
      trials[static_cast<size_t>(i)].push_back(std::move(trial));
    }
  }
  // Its head was kept when it was accepted, before it began.
  for (const auto& of_case : trials) {
    for (const tutti::v1::TrialResult& trial : of_case) {
      const int64_t started_ns = trial.started_unix_ns();
      if (started_ns > 0 && (result.started_unix_ns() == 0 || started_ns < result.started_unix_ns())) {
        result.set_started_unix_ns(started_ns);
      }
    }
  }
  result.clear_cases();
  for (int i = 0; i < result.plan().cases_size(); ++i) {
    *result.add_cases() =
        results::SummarizeCase(result.plan().cases(i), std::move(trials[static_cast<size_t>(i)]), false);
  }
  results::JudgeRun(result, false);
  result.add_reasons("the coordinator ended before this run did; what it had of it is kept");
  result.set_finished_unix_ns(now_unix_ns);
}

}  // namespace tutti::run
