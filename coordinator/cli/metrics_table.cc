#include "coordinator/cli/metrics_table.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "coordinator/cli/aligned_columns.h"
#include "coordinator/metrics/metric.h"

namespace tutti::cli {
namespace {

const char* BetterText(const metrics::Metric& metric) {
  return metric.better == metrics::Better::kHigher ? "higher" : "lower";
}

}  // namespace

std::string RenderMetrics() {
  std::vector<std::vector<std::string>> rows = {
      {"metric", "as in", "better", "of", "scopes", "by interval", "abort", "what it is"}};
  for (const metrics::Metric& metric : metrics::Metrics()) {
    rows.push_back({metric.name, metrics::ExampleOf(metric.dimension), BetterText(metric),
                    absl::StrCat(metric.kind->name, metric.needs_several ? ", several streams" : ""),
                    metric.of_streams == nullptr ? "total, role" : "all",
                    metric.series == metrics::Series::kNone ? "no" : "yes",
                    metric.of_live == nullptr ? "no" : "yes", metric.definition});
  }
  return AlignColumns(rows);
}

report::Document MetricsDocument() {
  using report::Document;
  Document list = Document::List();
  for (const metrics::Metric& metric : metrics::Metrics()) {
    Document each = Document::Map();
    each.Add("name", Document::Text(metric.name));
    each.Add("example", Document::Text(metrics::ExampleOf(metric.dimension)));
    each.Add("better", Document::Text(BetterText(metric)));
    each.Add("of", Document::Text(metric.kind->name));
    each.Add("needs_several_streams", Document::Bool(metric.needs_several));
    each.Add("of_parts", Document::Bool(metric.of_streams != nullptr));
    each.Add("by_interval", Document::Bool(metric.series != metrics::Series::kNone));
    each.Add("abort", Document::Bool(metric.of_live != nullptr));
    each.Add("definition", Document::Text(metric.definition));
    list.Add(std::move(each));
  }
  return Document::Map().Add("metrics", std::move(list));
}

}  // namespace tutti::cli
