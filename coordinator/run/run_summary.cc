#include "coordinator/run/run_summary.h"

namespace tutti::run {

tutti::v1::RunSummary SummarizeRun(const tutti::v1::Result& result, const RunLabels& labels, bool ended) {
  tutti::v1::RunSummary summary;
  summary.set_run_id(result.run_id());
  summary.set_status(ended ? result.status() : tutti::v1::RUN_STATUS_RUNNING);
  summary.set_plan_name(result.plan().name());
  summary.set_user(result.user());
  summary.set_submitted_unix_ns(result.submitted_unix_ns());
  if (result.started_unix_ns() != 0) summary.set_started_unix_ns(result.started_unix_ns());
  if (ended) {
    summary.set_exit_code(result.exit_code());
    summary.set_finished_unix_ns(result.finished_unix_ns());
  }
  summary.set_lab(result.lab());
  summary.set_insecure(result.insecure());
  summary.set_cases(static_cast<uint32_t>(result.plan().cases_size()));
  for (const auto& [key, value] : labels) (*summary.mutable_labels())[key] = value;
  return summary;
}

}  // namespace tutti::run
