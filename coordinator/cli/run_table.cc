#include "coordinator/cli/run_table.h"

#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/units/units.h"
#include "coordinator/cli/aligned_columns.h"
#include "coordinator/cli/instant.h"
#include "coordinator/report/enum_name.h"

namespace tutti::cli {
namespace {

constexpr int64_t kTenthOfSecondNs = 100'000'000;

std::string Duration(const tutti::v1::RunSummary& run) {
  if (!run.has_started_unix_ns() || !run.has_finished_unix_ns()) return "-";
  const int64_t ran_ns = run.finished_unix_ns() - run.started_unix_ns();
  return FormatDuration(ran_ns / kTenthOfSecondNs * kTenthOfSecondNs);
}

std::string Labels(const tutti::v1::RunSummary& run) {
  const std::map<std::string, std::string> sorted(run.labels().begin(), run.labels().end());
  return sorted.empty() ? "-" : absl::StrJoin(sorted, ",", absl::PairFormatter("="));
}

std::vector<std::string> Line(const tutti::v1::RunSummary& run) {
  return {run.run_id(),
          report::EnumName(run.status()),
          run.has_exit_code() ? absl::StrCat(run.exit_code()) : "-",
          run.plan_name().empty() ? "-" : run.plan_name(),
          run.user().empty() ? "-" : run.user(),
          FormatInstant(run.submitted_unix_ns()),
          Duration(run),
          Labels(run)};
}

}  // namespace

std::string RenderRuns(const tutti::v1::ListRunsResponse& runs) {
  if (runs.runs().empty()) return "no runs\n";
  std::vector<std::vector<std::string>> lines = {
      {"RUN", "STATUS", "EXIT", "PLAN", "USER", "SUBMITTED", "RAN", "LABELS"}};
  for (const tutti::v1::RunSummary& run : runs.runs()) lines.push_back(Line(run));
  std::string table = AlignColumns(lines);
  if (!runs.next_page_token().empty()) absl::StrAppend(&table, "more: --page ", runs.next_page_token(), "\n");
  return table;
}

}  // namespace tutti::cli
