#include "coordinator/cli/metrics_table.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "coordinator/cli/aligned_columns.h"
#include "coordinator/metrics/metric.h"

namespace tutti::cli {

std::string RenderMetrics() {
  std::vector<std::vector<std::string>> rows = {
      {"metric", "as in", "better", "of", "scopes", "by interval", "what it is"}};
  for (const metrics::Metric& metric : metrics::Metrics()) {
    rows.push_back({metric.name, metrics::ExampleOf(metric.dimension),
                    metric.better == metrics::Better::kHigher ? "higher" : "lower",
                    absl::StrCat(metric.kind->name, metric.needs_several ? ", several streams" : ""),
                    metric.of_streams == nullptr ? "total, role" : "all",
                    metric.series == metrics::Series::kNone ? "no" : "yes", metric.definition});
  }
  return AlignColumns(rows);
}

}  // namespace tutti::cli
