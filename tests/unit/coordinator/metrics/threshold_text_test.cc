#include "coordinator/metrics/threshold_text.h"

#include <gtest/gtest.h>

namespace tutti::metrics {
namespace {

namespace v1 = tutti::v1;

TEST(ThresholdText, SaysWhatIsNotTheUsualInBrackets) {
  v1::Threshold threshold;
  threshold.set_metric("throughput.received");
  threshold.set_comparison(v1::COMPARISON_AT_LEAST);
  threshold.set_limit(9.4e9);
  threshold.set_scope(v1::THRESHOLD_SCOPE_TOTAL);
  threshold.set_window(v1::THRESHOLD_WINDOW_MEASURE);
  threshold.set_severity(v1::SEVERITY_FAIL);
  EXPECT_EQ(ThresholdText(threshold), "throughput.received >= 9.4Gbps");
  threshold.set_entry("bulk");
  threshold.set_scope(v1::THRESHOLD_SCOPE_HOST);
  threshold.set_window(v1::THRESHOLD_WINDOW_WORST_INTERVAL);
  threshold.set_severity(v1::SEVERITY_WARN);
  EXPECT_EQ(ThresholdText(threshold),
            "throughput.received >= 9.4Gbps (entry bulk, each host, worst interval, warning only)");
  threshold.set_member("h2");
  threshold.clear_entry();
  threshold.set_window(v1::THRESHOLD_WINDOW_MEASURE);
  EXPECT_EQ(ThresholdText(threshold), "throughput.received >= 9.4Gbps (host h2, warning only)");
  threshold.clear_member();
  threshold.set_scope(v1::THRESHOLD_SCOPE_TOTAL);
  threshold.set_severity(v1::SEVERITY_FAIL);
  threshold.set_abort(true);
  threshold.set_abort_grace_ns(5'000'000'000);
  EXPECT_EQ(ThresholdText(threshold), "throughput.received >= 9.4Gbps (aborts after 5s)");
  EXPECT_EQ(LimitText(threshold), ">= 9.4Gbps");
}

TEST(Holds, TheBorderBelongsToAtLeastAndAtMost) {
  EXPECT_TRUE(Holds(v1::COMPARISON_AT_LEAST, 2, 2));
  EXPECT_FALSE(Holds(v1::COMPARISON_ABOVE, 2, 2));
  EXPECT_TRUE(Holds(v1::COMPARISON_ABOVE, 2.1, 2));
  EXPECT_TRUE(Holds(v1::COMPARISON_AT_MOST, 2, 2));
  EXPECT_FALSE(Holds(v1::COMPARISON_BELOW, 2, 2));
  EXPECT_TRUE(Holds(v1::COMPARISON_BELOW, 1.9, 2));
  EXPECT_FALSE(Holds(v1::COMPARISON_UNSPECIFIED, 2, 2));
}

}  // namespace
}  // namespace tutti::metrics
