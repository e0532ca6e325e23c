#include "coordinator/metrics/threshold_text.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/units/units.h"
#include "coordinator/metrics/metric.h"

namespace tutti::metrics {
namespace {

namespace v1 = tutti::v1;

const char* SymbolOf(v1::Comparison comparison) {
  for (const Symbol& symbol : Symbols()) {
    if (symbol.comparison == comparison) return symbol.text;
  }
  return "?";
}

std::string ScopeText(const v1::Threshold& threshold) {
  switch (threshold.scope()) {
    case v1::THRESHOLD_SCOPE_ROLE:
      return absl::StrCat("role ", threshold.member());
    case v1::THRESHOLD_SCOPE_HOST:
      return threshold.member().empty() ? "each host" : absl::StrCat("host ", threshold.member());
    case v1::THRESHOLD_SCOPE_PAIR:
      return "each pair";
    case v1::THRESHOLD_SCOPE_STREAM:
      return "each stream";
    default:
      return "";
  }
}

}  // namespace

const std::vector<Symbol>& Symbols() {
  static const std::vector<Symbol> symbols = {{">=", v1::COMPARISON_AT_LEAST},
                                              {">", v1::COMPARISON_ABOVE},
                                              {"<=", v1::COMPARISON_AT_MOST},
                                              {"<", v1::COMPARISON_BELOW}};
  return symbols;
}

bool Holds(v1::Comparison comparison, double value, double limit) {
  switch (comparison) {
    case v1::COMPARISON_AT_LEAST:
      return value >= limit;
    case v1::COMPARISON_ABOVE:
      return value > limit;
    case v1::COMPARISON_AT_MOST:
      return value <= limit;
    case v1::COMPARISON_BELOW:
      return value < limit;
    default:
      return false;
  }
}

bool SmallestDecides(v1::Comparison comparison) {
  return comparison == v1::COMPARISON_AT_LEAST || comparison == v1::COMPARISON_ABOVE;
}

std::string LimitText(const v1::Threshold& threshold) {
  const Metric* metric = FindMetric(threshold.metric());
  const std::string limit = metric == nullptr
                                ? absl::StrCat(threshold.limit())
                                : FigureText(metric->dimension, threshold.limit(), kLimitDigits);
  return absl::StrCat(SymbolOf(threshold.comparison()), " ", limit);
}

std::string ThresholdText(const v1::Threshold& threshold) {
  std::vector<std::string> notes;
  if (!threshold.entry().empty()) notes.push_back(absl::StrCat("entry ", threshold.entry()));
  if (std::string scope = ScopeText(threshold); !scope.empty()) notes.push_back(std::move(scope));
  if (threshold.window() == v1::THRESHOLD_WINDOW_WORST_INTERVAL) notes.emplace_back("worst interval");
  if (threshold.severity() == v1::SEVERITY_WARN) notes.emplace_back("warning only");
  if (threshold.abort()) {
    notes.push_back(absl::StrCat("aborts after ", FormatDuration(threshold.abort_grace_ns())));
  }
  return absl::StrCat(threshold.metric(), " ", LimitText(threshold),
                      notes.empty() ? "" : absl::StrCat(" (", absl::StrJoin(notes, ", "), ")"));
}

}  // namespace tutti::metrics
