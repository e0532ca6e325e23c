// The table of metrics as a page of the documentation.
#include "absl/strings/str_cat.h"
#include "coordinator/metrics/metric.h"

namespace tutti::metrics {
namespace {

constexpr char kHead[] = R"(# The metrics of thresholds

What the `thresholds` of a plan compare ([plan.md](plan.md#thresholds)). `tutti metrics` prints the same table; a test keeps this
page equal to it. The figures are those of the result ([result.md](result.md)), each the median over the good trials.

- *of*: the traffic entries that have the metric. Others are not judged by it.
- *scopes*: `total` and `role` are the entry in one direction as a whole; `host`, `pair` and `stream` are its parts, of which the
  worst decides. The hosts of a metric are those of its end: senders or receivers.
- *by interval*: whether `window: worst_interval` is possible.
- *abort*: whether `abort: true` is possible.

| metric | unit | better | of | end | scopes | by interval | abort | what it is |
|---|---|---|---|---|---|---|---|---|
)";

const char* EndText(End end) {
  return end == End::kSenders ? "senders" : end == End::kReceivers ? "receivers" : "either";
}

}  // namespace

std::string MetricsPage() {
  std::string page = kHead;
  for (const Metric& metric : Metrics()) {
    absl::StrAppend(&page, "| `", metric.name, "` | `", ExampleOf(metric.dimension), "` | ",
                    metric.better == Better::kHigher ? "higher" : "lower", " | ", metric.kind->name,
                    metric.needs_several ? ", several streams" : "", " | ", EndText(metric.end), " | ",
                    metric.of_streams == nullptr ? "total, role" : "all", " | ",
                    metric.series == Series::kNone ? "no" : "yes", " | ",
                    metric.of_live == nullptr ? "no" : "yes", " | ", metric.definition, " |\n");
  }
  return page;
}

}  // namespace tutti::metrics
