// The verdict over a run: its status and the exit code of the program that asked for it.
#include "absl/strings/str_cat.h"
#include "coordinator/metrics/dimension.h"
#include "coordinator/metrics/metric.h"
#include "coordinator/results/merge.h"

namespace tutti::results {
namespace {

namespace v1 = tutti::v1;

struct Found {
  bool failed = false;
  bool partial = false;
  bool over_limit = false;
  bool threshold_failed = false;
  bool aborted = false;
  bool not_run = false;
};

void Judge(const v1::CaseResult& result, Found& found) {
  for (const v1::TrialResult& trial : result.trials()) {
    switch (trial.status()) {
      case v1::TRIAL_STATUS_FAILED:
        found.failed = true;
        break;
      case v1::TRIAL_STATUS_OVER_LIMIT:
        found.over_limit = true;
        break;
      case v1::TRIAL_STATUS_GOOD:
        break;
      case v1::TRIAL_STATUS_ABORTED:
        found.aborted = true;
        break;
      default:
        found.partial = true;
    }
  }
  switch (result.status()) {
    case v1::CASE_STATUS_GOOD:
      break;
    case v1::CASE_STATUS_OVER_LIMIT:
      found.over_limit = true;
      break;
    case v1::CASE_STATUS_FAILED:
      found.failed = true;
      break;
    case v1::CASE_STATUS_ABORTED:
      found.aborted = true;
      break;
    case v1::CASE_STATUS_NOT_RUN:
      found.not_run = true;
      break;
    default:  // partial, cancelled: something that was asked for is not there
      found.partial = true;
  }
}

// "threshold loss < 0.1% (each stream) failed for entry bulk, stream 3 (a -> b): 0.2%"
std::string FailedThreshold(const v1::ThresholdOutcome& outcome) {
  std::string text = absl::StrCat("threshold ", outcome.text(), " failed");
  if (!outcome.entry().empty()) {
    absl::StrAppend(&text, " for entry ", outcome.entry(), outcome.reverse() ? " (reverse)" : "");
  }
  if (!outcome.member().empty()) absl::StrAppend(&text, ", ", outcome.member());
  const metrics::Metric* metric = metrics::FindMetric(outcome.threshold().metric());
  if (outcome.has_value() && metric != nullptr) {
    absl::StrAppend(
        &text, ": ",
        metrics::FigureTextBeside(metric->dimension, outcome.value(), outcome.threshold().limit()));
  }
  if (!outcome.reason().empty()) absl::StrAppend(&text, ": ", outcome.reason());
  return text;
}

void Set(v1::Result& result, v1::RunStatus status, int exit_code) {
  result.set_status(status);
  result.set_exit_code(exit_code);
}

// "case 3 (streams=4 socket_buffer=1MiB)", counted from 1.
std::string CaseName(const v1::CaseResult& result) {
  std::string name = absl::StrCat("case ", result.index() + 1);
  std::string values;
  for (const v1::AxisValue& value : result.values()) {
    absl::StrAppend(&values, values.empty() ? "" : " ", value.axis(), "=", value.value());
  }
  return values.empty() ? name : absl::StrCat(name, " (", values, ")");
}

}  // namespace

void JudgeRun(v1::Result& result, bool cancelled) {
  Found found;
  for (const v1::CaseResult& each : result.cases()) {
    Judge(each, found);
    for (const std::string& reason : each.reasons()) {
      result.add_reasons(absl::StrCat(CaseName(each), ": ", reason));
    }
    for (const v1::ThresholdOutcome& outcome : each.thresholds()) {
      if (outcome.passed() || outcome.threshold().severity() != v1::SEVERITY_FAIL) continue;
      found.threshold_failed = true;
      if (each.trials().empty()) continue;  // that it was not run is told already
      result.add_reasons(absl::StrCat(CaseName(each), ": ", FailedThreshold(outcome)));
    }
  }
  if (result.cases_size() == 0) {
    found.failed = true;
    if (!cancelled && result.reasons_size() == 0) result.add_reasons("no case was run");
  } else if (result.cases_size() < result.plan().cases_size()) {
    found.partial = true;
    result.add_reasons(
        absl::StrCat(result.cases_size(), " of ", result.plan().cases_size(), " cases were run"));
  }
  // What comes after an abort is not there because the plan wanted it so.
  if (found.not_run && !found.aborted) found.partial = true;
  if (cancelled) return Set(result, v1::RUN_STATUS_CANCELLED, 8);
  if (found.failed) return Set(result, v1::RUN_STATUS_FAILED, 11);
  if (found.partial) return Set(result, v1::RUN_STATUS_PARTIAL, 7);
  if (found.over_limit || found.threshold_failed || found.aborted) {
    return Set(result, v1::RUN_STATUS_LIMIT_FAILED, 4);
  }
  Set(result, v1::RUN_STATUS_PASSED, 0);
}

}  // namespace tutti::results
