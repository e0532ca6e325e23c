#include "coordinator/cli/run_info_table.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/status/printable.h"
#include "common/units/units.h"
#include "coordinator/cli/aligned_columns.h"
#include "coordinator/cli/instant.h"
#include "coordinator/report/enum_name.h"
#include "coordinator/report/first_reasons.h"

namespace tutti::cli {
namespace {

using tutti::v1::RunInfo;

constexpr char kUnknown[] = "-";

std::string OrUnknown(const std::string& text) { return text.empty() ? kUnknown : text; }

std::string Instant(int64_t unix_ns) { return unix_ns == 0 ? kUnknown : FormatInstant(unix_ns); }

// "waiting", "running", and of one that has ended how: "passed".
std::string StateOf(const RunInfo& run) {
  if (run.state() == RunInfo::STATE_UNSPECIFIED) return kUnknown;
  if (run.state() == RunInfo::STATE_ENDED) return report::EnumName(run.summary().status());
  return report::EnumName(run.state());
}

// "case 2/8, trial 1/3, MEASURE, about 80s left"
std::string Progress(const tutti::v1::RunProgress& progress) {
  std::vector<std::string> parts;
  parts.push_back(absl::StrCat("case ", progress.case_index() + 1, "/", progress.cases()));
  if (progress.repetition() > 0) {
    parts.push_back(absl::StrCat("trial ", progress.repetition(), "/", progress.repetitions()));
  }
  if (!progress.phase().empty()) parts.push_back(progress.phase());
  parts.push_back(FormatTimeLeft(progress.expected_left_ns()));
  return absl::StrJoin(parts, ", ");
}

std::string ExitCodeText(const tutti::v1::RunSummary& summary) {
  return summary.has_exit_code() ? absl::StrCat("exit code ", summary.exit_code()) : kUnknown;
}

std::string WhatOf(const RunInfo& run) {
  if (run.has_queued()) {
    return absl::StrCat("place ", run.queued().position(), run.queued().waits_for().empty() ? "" : ": ",
                        absl::StrJoin(run.queued().waits_for(), "; "));
  }
  if (run.has_progress()) return Progress(run.progress());
  return ExitCodeText(run.summary());
}

// Lines "LABEL  TEXT"; what is empty is left out.
class Lines {
 public:
  void Add(const std::string& label, const std::string& text) {
    if (!text.empty()) rows_.push_back({label, text});
  }
  template <typename Texts>
  void AddEach(std::string label, const Texts& texts) {
    for (const std::string& text : texts) {
      Add(label, text);
      label.clear();
    }
  }
  std::string Render() const { return AlignColumns(rows_); }

 private:
  std::vector<std::vector<std::string>> rows_;
};

std::string StateLine(const RunInfo& run) {
  std::string text = StateOf(run);
  if (run.state() == RunInfo::STATE_ENDED) absl::StrAppend(&text, ", ", ExitCodeText(run.summary()));
  if (run.state_since_unix_ns() != 0) {
    absl::StrAppend(&text, ", since ", FormatInstant(run.state_since_unix_ns()));
  }
  if (run.has_state_deadline_unix_ns()) {
    absl::StrAppend(&text, ", until ", FormatInstant(run.state_deadline_unix_ns()), " at the latest");
  }
  return text;
}

std::string PlanLine(const tutti::v1::RunSummary& summary) {
  return absl::StrCat(OrUnknown(summary.plan_name()), " (", summary.cases(),
                      summary.cases() == 1 ? " case)" : " cases)");
}

}  // namespace

std::string RenderRunInfos(const std::vector<RunInfo>& runs) {
  if (runs.empty()) return "no runs\n";
  std::vector<std::vector<std::string>> rows = {{"RUN", "STATE", "SINCE", "PLAN", "USER", "WHAT"}};
  for (const RunInfo& run : runs) {
    rows.push_back({OrUnknown(run.summary().run_id()), StateOf(run), Instant(run.state_since_unix_ns()),
                    OrUnknown(run.summary().plan_name()), OrUnknown(run.summary().user()), WhatOf(run)});
  }
  return AlignColumns(rows);
}

report::Document RunInfosDocument(const std::vector<RunInfo>& runs) {
  report::Document list = report::Document::List();
  for (const RunInfo& run : runs) list.Add(report::MessageDocument(run));
  return report::Document::Map().Add("runs", std::move(list));
}

std::string RenderRunInfo(const RunInfo& run) {
  const tutti::v1::RunSummary& summary = run.summary();
  Lines lines;
  lines.Add("run", OrUnknown(summary.run_id()));
  lines.Add("state", StateLine(run));
  if (run.has_queued()) lines.Add("place", absl::StrCat(run.queued().position()));
  lines.AddEach("waits for", run.queued().waits_for());
  if (run.has_progress()) lines.Add("progress", Progress(run.progress()));
  lines.AddEach("reasons", report::FirstReasons(run.reasons()));
  lines.Add("plan", PlanLine(summary));
  lines.Add("user", summary.user());
  lines.Add("submitted", Instant(summary.submitted_unix_ns()));
  if (summary.has_started_unix_ns()) lines.Add("started", FormatInstant(summary.started_unix_ns()));
  if (summary.has_finished_unix_ns()) lines.Add("finished", FormatInstant(summary.finished_unix_ns()));
  lines.Add("hosts", absl::StrJoin(run.hosts(), ", "));
  const std::map<std::string, std::string> labels(summary.labels().begin(), summary.labels().end());
  lines.Add("labels", absl::StrJoin(labels, ",", absl::PairFormatter("=")));
  return lines.Render();
}

std::string RenderRunEnd(const tutti::v1::Result& result) {
  std::string text = absl::StrCat(result.run_id(), ": ", report::EnumName(result.status()), ", exit code ",
                                  result.exit_code(), "\n");
  for (const std::string& reason : report::FirstReasons(result.reasons())) {
    absl::StrAppend(&text, "  ", reason, "\n");
  }
  return PrintableLines(text);
}

}  // namespace tutti::cli
