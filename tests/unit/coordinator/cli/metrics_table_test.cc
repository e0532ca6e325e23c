#include "coordinator/cli/metrics_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "coordinator/metrics/metric.h"

namespace tutti::cli {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

TEST(RenderMetricsTest, HasALineForEachMetric) {
  const std::string text = RenderMetrics();
  EXPECT_EQ(static_cast<size_t>(std::count(text.begin(), text.end(), '\n')), metrics::Metrics().size() + 1);
  for (const std::string& name : metrics::MetricNames()) EXPECT_THAT(text, HasSubstr("\n" + name + " "));
  EXPECT_THAT(text, ContainsRegex("\nloss +0.1% +lower +udp, one-way +all +yes +no +of the datagrams"));
  EXPECT_THAT(text, ContainsRegex("\njain +0.95 +higher +any, several streams +total, role +no +no +Jain's"));
}

TEST(MetricsDocumentTest, HasTheSame) {
  const report::Document document = MetricsDocument();
  ASSERT_EQ(document.items.size(), 1u);
  EXPECT_EQ(document.items[0].items.size(), metrics::Metrics().size());
  EXPECT_THAT(report::DocumentYaml(document), HasSubstr("  - name: loss\n"
                                                        "    example: \"0.1%\"\n"
                                                        "    better: lower\n"
                                                        "    of: \"udp, one-way\"\n"
                                                        "    needs_several_streams: false\n"
                                                        "    of_parts: true\n"
                                                        "    by_interval: true\n"
                                                        "    abort: false\n"));
}

}  // namespace
}  // namespace tutti::cli
