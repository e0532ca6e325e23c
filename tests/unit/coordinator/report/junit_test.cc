#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "coordinator/report/report.h"
#include "coordinator/report/xml_writer.h"
#include "tests/unit/coordinator/report/golden.h"

namespace tutti::report {
namespace {

namespace v1 = tutti::v1;
using testing::HasSubstr;
using testing::Not;

constexpr int64_t kSecondNs = 1'000'000'000;
constexpr int64_t kStartNs = 1'700'000'000 * kSecondNs;  // 2023-11-14T22:13:20Z

v1::CaseResult& AddCase(v1::Result& result, const std::string& streams, v1::CaseStatus status) {
  v1::CaseResult& each = *result.add_cases();
  each.set_index(static_cast<uint32_t>(result.cases_size() - 1));
  each.set_status(status);
  v1::AxisValue& value = *each.add_values();
  value.set_axis("streams");
  value.set_value(streams);
  return each;
}

void AddTrial(v1::CaseResult& each, int64_t seconds_after_start) {
  each.add_trials()->set_started_unix_ns(kStartNs + seconds_after_start * kSecondNs);
}

v1::ThresholdOutcome& AddThreshold(v1::CaseResult& each, const std::string& metric, const std::string& text,
                                   bool passed) {
  v1::ThresholdOutcome& outcome = *each.add_thresholds();
  outcome.mutable_threshold()->set_metric(metric);
  outcome.mutable_threshold()->set_severity(v1::SEVERITY_FAIL);
  outcome.set_text(text);
  outcome.set_entry("bulk");
  outcome.set_trials(3);
  outcome.set_passed(passed);
  return outcome;
}

void AddJudgedCase(v1::Result& result) {
  v1::CaseResult& each = AddCase(result, "1", v1::CASE_STATUS_GOOD);
  AddTrial(each, 1);
  AddThreshold(each, "throughput.received", "throughput.received >= 9Gbps", true).set_value(9'396'234'567);
  v1::ThresholdOutcome& lost = AddThreshold(each, "loss", "loss < 0.1% (each stream)", false);
  lost.set_value(0.0025);
  lost.set_member("stream 1 (a -> b)");
  lost.set_reverse(true);
  v1::ThresholdOutcome& demand =
      AddThreshold(each, "service_demand.sender", "service_demand.sender < 0.6us/KB (warning only)", false);
  demand.mutable_threshold()->set_severity(v1::SEVERITY_WARN);
  demand.set_reason("no good trial has the figure");
}

// One case of each kind. The text of others has what XML does not allow.
v1::Result Gate() {
  v1::Result result;
  result.set_run_id("run-9");
  result.set_status(v1::RUN_STATUS_PARTIAL);
  result.set_exit_code(7);
  result.set_lab(true);
  result.set_tutti_version("0.1.0");
  result.set_started_unix_ns(kStartNs);
  result.set_finished_unix_ns(kStartNs + 42 * kSecondNs + kSecondNs / 2);
  result.mutable_plan()->set_name("gate <&> \"q\"");
  result.mutable_plan()->set_source_name("plans/gate.yaml");
  result.add_hosts()->set_name("a");
  result.add_hosts()->set_name("b");
  AddJudgedCase(result);
  v1::CaseResult& partial = AddCase(result, "2", v1::CASE_STATUS_PARTIAL);
  AddTrial(partial, 11);
  partial.add_reasons("trial 1 is partial: host b: \x1b[2J\xff");
  partial.add_reasons("trial 2 is partial: host b: \xEF\xBF\xBE]]>");
  v1::ThresholdOutcome& kept =
      AddThreshold(partial, "throughput.received", "throughput.received >= 9Gbps", true);
  kept.set_value(9.5e9);
  kept.set_trials(1);
  v1::CaseResult& over_limit = AddCase(result, "4", v1::CASE_STATUS_OVER_LIMIT);
  AddTrial(over_limit, 21);
  over_limit.add_reasons("trial 1 is over a limit: running skew 20ms");
  AddCase(result, "8", v1::CASE_STATUS_NOT_RUN).add_reasons("0 of 3 trials were run");
  AddTrial(AddCase(result, "16", v1::CASE_STATUS_GOOD), 31);
  return result;
}

// junit_read_back_test.py reads the golden file by the eyes of others.
TEST(JunitTest, Golden) { ExpectGolden("junit.xml", RenderJunit(Gate())); }

TEST(JunitTest, ATestIsNamedByWhatStaysTheSameFromRunToRun) {
  v1::Result result = Gate();
  v1::ThresholdOutcome& lost = *result.mutable_cases(0)->mutable_thresholds(1);
  lost.set_value(0.9);
  lost.set_member("stream 2 (a -> b)");
  EXPECT_THAT(RenderJunit(result), HasSubstr("name=\"loss &lt; 0.1% (each stream): bulk (reverse)\""));
}

TEST(JunitTest, ACaseWithoutAMatrixIsNamedByItsNumber) {
  v1::Result result = Gate();
  result.mutable_cases(4)->clear_values();
  EXPECT_THAT(RenderJunit(result), HasSubstr(".case 5\" name=\"every trial counts\" time=\"11.500\"/>"));
}

TEST(JunitTest, AFailedThresholdWithoutAFigureSaysWhy) {
  v1::Result result = Gate();
  v1::ThresholdOutcome& lost = *result.mutable_cases(0)->mutable_thresholds(1);
  lost.clear_value();
  lost.set_reason("no good trial has the figure");
  EXPECT_THAT(RenderJunit(result),
              HasSubstr("<failure type=\"threshold\" message=\"not known: no good trial has the figure\">"));
}

TEST(JunitTest, AFailedCaseIsAnErrorAndACancelledOneIsSkipped) {
  v1::Result result = Gate();
  result.mutable_cases(0)->set_status(v1::CASE_STATUS_FAILED);
  result.mutable_cases(4)->set_status(v1::CASE_STATUS_CANCELLED);
  const std::string xml = RenderJunit(result);
  EXPECT_THAT(xml, HasSubstr("tests=\"7\" failures=\"1\" errors=\"4\" skipped=\"2\""));
  EXPECT_THAT(xml, HasSubstr("<skipped message=\"cancelled\">case 5: cancelled</skipped>"));
}

TEST(JunitTest, AnAbortedCaseIsAFailure) {
  v1::Result result = Gate();
  v1::CaseResult& aborted = *result.mutable_cases(4);
  aborted.set_status(v1::CASE_STATUS_ABORTED);
  aborted.add_reasons("trial 1 is aborted: throughput.received of entry bulk was 3Gbps over 5s");
  EXPECT_THAT(RenderJunit(result),
              HasSubstr("<failure type=\"aborted\" message=\"trial 1 is aborted: throughput.received"));
}

TEST(JunitTest, ARunThatHasNotPassedIsNeverAllGreen) {
  v1::Result result;
  result.set_status(v1::RUN_STATUS_FAILED);
  result.set_exit_code(11);
  result.add_reasons("no case was run");
  const std::string xml = RenderJunit(result);
  EXPECT_THAT(xml, HasSubstr("tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\""));
  EXPECT_THAT(xml, HasSubstr("<error type=\"failed\" message=\"no case was run\">no case was run</error>"));
  EXPECT_THAT(xml, Not(HasSubstr("time=")));  // it never began
}

// As the store gives back a run of which summaries are damaged.
TEST(JunitTest, ACaseWithoutAStatusSaysWhatItsRunHasToSayOfIt) {
  v1::Result result;
  result.set_status(v1::RUN_STATUS_PASSED);
  AddCase(result, "1", v1::CASE_STATUS_UNSPECIFIED);
  result.add_reasons("the summary of case 12 is damaged in the store and left out: twelve");
  result.add_reasons("the summary of case 1 is damaged in the store and left out: one");
  const std::string xml = RenderJunit(result);
  EXPECT_THAT(xml, HasSubstr("<error type=\"unspecified\" message=\"the summary of case 1 is damaged in the "
                             "store and left out: one\">case 1: unspecified\n"
                             "the summary of case 1 is damaged in the store and left out: one</error>"));
  EXPECT_THAT(xml, Not(HasSubstr("twelve")));
}

TEST(JunitTest, ACaseWithoutAStatusThatItsRunDoesNotNameHasAllReasonsOfTheRun) {
  v1::Result result;
  result.set_status(v1::RUN_STATUS_PARTIAL);
  result.set_exit_code(7);
  AddCase(result, "1", v1::CASE_STATUS_UNSPECIFIED);
  result.add_reasons("the summary of case 2 is damaged");
  result.add_reasons("5 further pieces of it are damaged too");
  const std::string xml = RenderJunit(result);
  EXPECT_THAT(xml, HasSubstr("message=\"the summary of case 2 is damaged (and 1 more)\">case 1: unspecified\n"
                             "the summary of case 2 is damaged\n"
                             "5 further pieces of it are damaged too</error>"));
}

// As the coordinator closes a run that its end cut off before the first trial.
TEST(JunitTest, ARunThatWasCutOffWhileItWaitedIsAnErrorBesideItsSkippedCases) {
  v1::Result result;
  result.set_status(v1::RUN_STATUS_PARTIAL);
  result.set_exit_code(7);
  result.add_reasons("the coordinator ended before this run did");
  AddCase(result, "1", v1::CASE_STATUS_NOT_RUN).add_reasons("0 of 3 trials were run");
  AddCase(result, "2", v1::CASE_STATUS_NOT_RUN).add_reasons("0 of 3 trials were run");
  const std::string xml = RenderJunit(result);
  EXPECT_THAT(xml, HasSubstr("tests=\"3\" failures=\"0\" errors=\"1\" skipped=\"2\""));
  EXPECT_THAT(xml, HasSubstr("name=\"run\""));
  EXPECT_THAT(xml,
              HasSubstr("<error type=\"partial\" message=\"the coordinator ended before this run did\">"));
}

TEST(JunitTest, APassedRunOfWhichTheStoreHasLostCasesIsAnError) {
  v1::Result result;
  result.set_status(v1::RUN_STATUS_PASSED);
  result.mutable_plan()->add_cases();
  AddCase(result, "1", v1::CASE_STATUS_GOOD);
  EXPECT_THAT(RenderJunit(result), HasSubstr("tests=\"1\" failures=\"0\" errors=\"0\""));
  result.mutable_plan()->add_cases();
  result.add_reasons("case 2 is damaged in the store and left out");
  const std::string junit = RenderJunit(result);
  EXPECT_THAT(junit, HasSubstr("tests=\"2\" failures=\"0\" errors=\"1\""));
  EXPECT_THAT(junit,
              HasSubstr("<error type=\"damaged\" message=\"case 2 is damaged in the store and left out\""));
}

TEST(JunitTest, ARunThatWasCancelledIsAnErrorAlsoWhereSomeCasesHavePassedOrFailedAThreshold) {
  v1::Result result;
  result.set_status(v1::RUN_STATUS_CANCELLED);
  result.set_exit_code(8);
  AddCase(result, "1", v1::CASE_STATUS_GOOD);
  AddThreshold(AddCase(result, "2", v1::CASE_STATUS_GOOD), "loss", "loss < 0.1%", false).set_value(0.0025);
  AddCase(result, "4", v1::CASE_STATUS_CANCELLED);
  const std::string xml = RenderJunit(result);
  EXPECT_THAT(xml, HasSubstr("tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\""));
  EXPECT_THAT(xml, HasSubstr("<error type=\"cancelled\" message=\"cancelled\"/>"));
}

TEST(JunitTest, AnAbortIsAFailureAndTheCasesBehindItAddNoError) {
  v1::Result result;
  result.set_status(v1::RUN_STATUS_LIMIT_FAILED);
  result.set_exit_code(4);
  AddCase(result, "1", v1::CASE_STATUS_ABORTED);
  AddCase(result, "2", v1::CASE_STATUS_NOT_RUN);
  EXPECT_THAT(RenderJunit(result), HasSubstr("tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"1\""));
}

TEST(JunitTest, ARunThatHasNotEndedIsAnErrorWhateverHasPassedSoFar) {
  v1::Result result;
  result.set_status(v1::RUN_STATUS_RUNNING);
  result.mutable_plan()->set_name("gate");
  result.mutable_plan()->add_cases();
  result.mutable_plan()->add_cases();
  EXPECT_THAT(RenderJunit(result), HasSubstr("tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\""));
  AddCase(result, "1", v1::CASE_STATUS_GOOD);
  const std::string xml = RenderJunit(result);
  EXPECT_THAT(xml, HasSubstr("tests=\"2\" failures=\"0\" errors=\"1\" skipped=\"0\""));
  EXPECT_THAT(xml, HasSubstr("<error type=\"running\" message=\"the run has not ended\">"
                             "1 of 2 cases have ended so far</error>"));
  EXPECT_THAT(xml, Not(HasSubstr("exit_code")));
}

TEST(JunitTest, AClockThatStepsBackGivesNoTime) {
  v1::Result result = Gate();
  result.mutable_cases(4)->mutable_trials(0)->set_started_unix_ns(kStartNs + 60 * kSecondNs);
  EXPECT_THAT(RenderJunit(result), HasSubstr("streams=16\" name=\"every trial counts\"/>"));
}

TEST(XmlWriterTest, AnAttributeKeepsItsLineBreaksAndATextMayHaveThem) {
  std::string out;
  XmlWriter xml(out);
  xml.Open("a", {{"b", "one\ntwo\t'\""}});
  xml.Leaf("c", {}, "one\ntwo");
  xml.Leaf("c", {});
  xml.Close();
  EXPECT_EQ(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<a b=\"one&#10;two\\t'&quot;\">\n"
            "  <c>one\ntwo</c>\n"
            "  <c/>\n"
            "</a>\n");
}

TEST(XmlWriterTest, WhatXmlForbidsIsWrittenOutAndWhatItAllowsStays) {
  std::string out;
  XmlWriter xml(out);
  out.clear();
  xml.Leaf("t", {},
           std::string("\0\x08\x7f", 3) + "\xEF\xBF\xBF\xEF\xBF\xBD\xF0\x9F\x98\x80\xC3\xBC\xC0\x80");
  EXPECT_EQ(out, "<t>\\x00\\x08\\x7F\\uFFFF\xEF\xBF\xBD\xF0\x9F\x98\x80\xC3\xBC\\xC0\\x80</t>\n");
}

}  // namespace
}  // namespace tutti::report
