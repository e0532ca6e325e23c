#include "coordinator/report/threshold_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::report {
namespace {

namespace v1 = tutti::v1;
using testing::HasSubstr;
using testing::Not;

v1::ThresholdOutcome& Add(v1::CaseResult& each, const std::string& metric, const std::string& text,
                          bool passed) {
  v1::ThresholdOutcome& outcome = *each.add_thresholds();
  outcome.mutable_threshold()->set_metric(metric);
  outcome.mutable_threshold()->set_severity(v1::SEVERITY_FAIL);
  outcome.set_text(text);
  outcome.set_entry("bulk");
  outcome.set_passed(passed);
  return outcome;
}

v1::Result Judged() {
  v1::Result result;
  v1::CaseResult& each = *result.add_cases();
  Add(each, "throughput.received", "throughput.received >= 9Gbps", true).set_value(9'396'234'567);
  v1::ThresholdOutcome& lost = Add(each, "loss", "loss < 0.1% (each stream)", false);
  lost.set_value(0.0025);
  lost.set_member("stream 1 (a -> b)");
  lost.set_reverse(true);
  v1::ThresholdOutcome& demand =
      Add(each, "service_demand.sender", "service_demand.sender < 0.6us/KB (warning only)", false);
  demand.mutable_threshold()->set_severity(v1::SEVERITY_WARN);
  demand.set_reason("no good trial has the figure");
  return result;
}

TEST(ThresholdTableTest, HasTheFigureThatDecidesWhoseItIsAndTheVerdict) {
  EXPECT_EQ(ThresholdTable(Judged(), {}),
            "thresholds\n"
            "  case  entry           threshold                                             value  of   "
            "              verdict\n"
            "     1  bulk            throughput.received >= 9Gbps                     9.3962Gbps       "
            "              passed\n"
            "     1  bulk (reverse)  loss < 0.1% (each stream)                             0.25%  strea"
            "m 1 (a -> b)  FAILED\n"
            "     1  bulk            service_demand.sender < 0.6us/KB (warning only)           -       "
            "              warning: no good trial has the figure\n");
}

TEST(ThresholdTableTest, IsPartOfTheTableAndNotThereWithoutThresholds) {
  EXPECT_THAT(RenderTable(Judged(), {}), HasSubstr("\nthresholds\n  case  entry"));
  v1::Result result = Judged();
  result.mutable_cases(0)->clear_thresholds();
  EXPECT_THAT(RenderTable(result, {}), Not(HasSubstr("thresholds")));
}

TEST(ThresholdTableTest, AFigureThatFailedByLittleDoesNotLookAsIfItHadPassed) {
  v1::Result result;
  v1::ThresholdOutcome& fairness = Add(*result.add_cases(), "jain", "jain >= 1", false);
  fairness.mutable_threshold()->set_limit(1);
  fairness.set_value(0.99999996);
  EXPECT_EQ(ThresholdFigure(fairness), "0.99999996");
}

TEST(ThresholdTableTest, AFailureIsRedAndAWarningYellow) {
  const std::string text = ThresholdTable(Judged(), {.color = true});
  EXPECT_THAT(text, HasSubstr("\033[32mpassed\033[0m"));
  EXPECT_THAT(text, HasSubstr("\033[31mFAILED\033[0m"));
  EXPECT_THAT(text, HasSubstr("\033[33mwarning\033[0m: no good trial"));
}

TEST(ThresholdTableTest, TheDocumentHasEveryFieldAndNullForAFigureThatIsNotKnown) {
  const std::string json = RenderJson(Judged());
  for (const char* part :
       {"\"value\": 0.0025", "\"value\": null", "\"passed\": false", "\"severity\": \"warn\"",
        "\"reason\": \"no good trial has the figure\"", "\"member\": \"stream 1 (a -> b)\""}) {
    EXPECT_THAT(json, HasSubstr(part));
  }
}

}  // namespace
}  // namespace tutti::report
