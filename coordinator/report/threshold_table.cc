#include "coordinator/report/threshold_table.h"

#include "absl/strings/str_cat.h"
#include "coordinator/metrics/dimension.h"
#include "coordinator/metrics/metric.h"
#include "coordinator/report/figures.h"
#include "coordinator/report/text_table.h"

namespace tutti::report {
namespace {

namespace v1 = tutti::v1;

std::string Verdict(const v1::ThresholdOutcome& outcome, const Style& style) {
  if (outcome.passed()) return Colored("passed", Mood::kGood, style);
  return outcome.threshold().severity() == v1::SEVERITY_WARN ? Colored("warning", Mood::kWarning, style)
                                                             : Colored("FAILED", Mood::kBad, style);
}

std::string EntryName(const v1::ThresholdOutcome& outcome) {
  if (outcome.entry().empty()) return kNone;
  return absl::StrCat(outcome.entry(), outcome.reverse() ? " (reverse)" : "");
}

}  // namespace

std::string ThresholdFigure(const v1::ThresholdOutcome& outcome) {
  if (!outcome.has_value()) return kNone;
  const metrics::Metric* metric = metrics::FindMetric(outcome.threshold().metric());
  if (metric == nullptr) return absl::StrCat(outcome.value(), outcome.unit());
  return metrics::FigureTextBeside(metric->dimension, outcome.value(), outcome.threshold().limit());
}

std::string ThresholdTable(const v1::Result& result, const Style& style) {
  TextTable table;
  table.AddColumn("case");
  for (const char* name : {"entry", "threshold"}) table.AddColumn(name, Align::kLeft);
  table.AddColumn("value");
  for (const char* name : {"of", "verdict"}) table.AddColumn(name, Align::kLeft);
  for (const v1::CaseResult& each : result.cases()) {
    for (const v1::ThresholdOutcome& outcome : each.thresholds()) {
      // The verdict stands last: its colour would count as width.
      const std::string why = outcome.reason().empty() ? "" : absl::StrCat(": ", outcome.reason());
      table.AddRow({absl::StrCat(each.index() + 1), EntryName(outcome), outcome.text(),
                    ThresholdFigure(outcome), outcome.member(), absl::StrCat(Verdict(outcome, style), why)});
    }
  }
  return table.rows() == 0 ? "" : absl::StrCat("thresholds\n", table.Render("  ", style.color));
}

}  // namespace tutti::report
