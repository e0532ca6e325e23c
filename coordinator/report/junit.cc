// A result as JUnit XML: the plan is a suite, each threshold of each case a test. The case's own status comes
// before its thresholds, as in the exit code: what could not be measured properly is an error, whatever the
// figures say.
#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "coordinator/report/enum_name.h"
#include "coordinator/report/figures.h"
#include "coordinator/report/report.h"
#include "coordinator/report/threshold_table.h"
#include "coordinator/report/xml_writer.h"

namespace tutti::report {
namespace {

namespace v1 = tutti::v1;

enum class Outcome { kPassed, kFailure, kError, kSkipped };

struct TestCase {
  std::string classname;
  std::string name;
  Outcome outcome = Outcome::kPassed;
  std::string type;     // of a failure or error
  std::string message;  // in one line; of what has not passed
  std::string details;
  std::string output;  // of what has passed
  std::optional<int64_t> time_ns;
};

Outcome OutcomeOf(v1::CaseStatus status) {
  switch (status) {
    case v1::CASE_STATUS_GOOD:
      return Outcome::kPassed;
    case v1::CASE_STATUS_OVER_LIMIT:
    case v1::CASE_STATUS_ABORTED:
      return Outcome::kFailure;
    case v1::CASE_STATUS_CANCELLED:
    case v1::CASE_STATUS_NOT_RUN:
      return Outcome::kSkipped;
    default:
      return Outcome::kError;
  }
}

std::string SuiteName(const v1::Result& result) {
  return result.plan().name().empty() ? "tutti" : result.plan().name();
}

// The matrix values identify a case also when the matrix grows; its number does not.
std::string ClassName(const v1::Result& result, const v1::CaseResult& each) {
  const std::string values = MatrixValues(each.values());
  return absl::StrCat(SuiteName(result), ".",
                      values.empty() ? absl::StrCat("case ", each.index() + 1) : values);
}

std::string EntryName(const v1::ThresholdOutcome& outcome) {
  return absl::StrCat(outcome.entry(), outcome.reverse() ? " (reverse)" : "");
}

// Nothing that was measured is in it: a test is followed from run to run by its name.
std::string ThresholdName(const v1::ThresholdOutcome& outcome) {
  return outcome.entry().empty() ? outcome.text() : absl::StrCat(outcome.text(), ": ", EntryName(outcome));
}

// "9.3962Gbps of h2, the median of 3 trials"
std::string FigureSentence(const v1::ThresholdOutcome& outcome) {
  if (!outcome.has_value()) return absl::StrCat("not known: ", outcome.reason());
  std::string text = ThresholdFigure(outcome);
  if (!outcome.member().empty()) absl::StrAppend(&text, " of ", outcome.member());
  if (outcome.trials() == 1) return absl::StrCat(text, ", in one trial");
  return absl::StrCat(text, ", the median of ", outcome.trials(), " trials");
}

using Reasons = google::protobuf::RepeatedPtrField<std::string>;

// "trial 1 is partial: ... (and 2 more)"
std::string FirstReason(const Reasons& reasons, const std::string& otherwise) {
  if (reasons.empty()) return otherwise;
  if (reasons.size() == 1) return reasons[0];
  return absl::StrCat(reasons[0], " (and ", reasons.size() - 1, " more)");
}

// Whether "case 1" stands in it, and not as a part of "case 12".
bool Names(const std::string& reason, const std::string& name) {
  for (size_t at = reason.find(name); at != std::string::npos; at = reason.find(name, at + 1)) {
    const size_t end = at + name.size();
    if (end == reason.size() || !absl::ascii_isdigit(static_cast<unsigned char>(reason[end]))) return true;
  }
  return false;
}

// Why the case is what it is. One without a status has lost its summary, and what there is to say stands at
// the run: what names the case, else everything.
Reasons ReasonsOf(const v1::Result& result, const v1::CaseResult& each) {
  if (each.status() != v1::CASE_STATUS_UNSPECIFIED || !each.reasons().empty()) return each.reasons();
  Reasons naming;
  for (const std::string& reason : result.reasons()) {
    if (Names(reason, absl::StrCat("case ", each.index() + 1))) *naming.Add() = reason;
  }
  return naming.empty() ? result.reasons() : naming;
}

// A test of a case that has not passed; its thresholds are not asked.
TestCase OfCaseStatus(const v1::Result& result, const v1::CaseResult& each) {
  TestCase test;
  test.outcome = OutcomeOf(each.status());
  if (test.outcome == Outcome::kPassed) return test;
  test.type = EnumName(each.status());
  const Reasons reasons = ReasonsOf(result, each);
  test.message = FirstReason(reasons, Words(test.type));
  test.details = absl::StrCat("case ", each.index() + 1, ": ", Words(test.type));
  for (const std::string& reason : reasons) absl::StrAppend(&test.details, "\n", reason);
  return test;
}

TestCase OfThreshold(const v1::Result& result, const v1::CaseResult& each,
                     const v1::ThresholdOutcome& outcome) {
  TestCase test = OfCaseStatus(result, each);
  test.name = ThresholdName(outcome);
  const std::string figure = FigureSentence(outcome);
  const std::string about = absl::StrCat("threshold: ", outcome.text(), "\nfigure: ", figure);
  if (test.outcome != Outcome::kPassed) {
    absl::StrAppend(&test.details, "\n", about);
  } else if (outcome.passed()) {
    test.output = figure;
  } else if (outcome.threshold().severity() != v1::SEVERITY_FAIL) {
    test.output = absl::StrCat("warning: ", figure);
  } else {
    test.outcome = Outcome::kFailure;
    test.type = "threshold";
    test.message = figure;
    test.details = absl::StrCat("case ", each.index() + 1, "\n", about);
  }
  return test;
}

// Wall time of each case, from its first trial to the next case's or the run's end. nullopt: it has no trial.
std::vector<std::optional<int64_t>> Durations(const v1::Result& result) {
  std::vector<std::optional<int64_t>> durations_ns(static_cast<size_t>(result.cases_size()));
  int64_t end_ns = result.finished_unix_ns();
  for (int i = result.cases_size() - 1; i >= 0; --i) {
    const v1::CaseResult& each = result.cases(i);
    const int64_t begin_ns = each.trials().empty() ? 0 : each.trials(0).started_unix_ns();
    if (begin_ns == 0) continue;
    if (end_ns > begin_ns) durations_ns[static_cast<size_t>(i)] = end_ns - begin_ns;
    end_ns = begin_ns;
  }
  return durations_ns;
}

// A case's time stands at its first test, so that the times of a suite add up.
void AddCase(const v1::Result& result, const v1::CaseResult& each, std::optional<int64_t> time_ns,
             std::vector<TestCase>& tests) {
  const size_t first = tests.size();
  if (each.thresholds().empty()) {
    tests.push_back(OfCaseStatus(result, each));
    tests.back().name = "every trial counts";
  }
  for (const v1::ThresholdOutcome& outcome : each.thresholds()) {
    tests.push_back(OfThreshold(result, each, outcome));
  }
  for (size_t i = first; i < tests.size(); ++i) tests[i].classname = ClassName(result, each);
  tests[first].time_ns = time_ns;
}

int Count(const std::vector<TestCase>& tests, Outcome outcome) {
  int count = 0;
  for (const TestCase& test : tests) count += test.outcome == outcome ? 1 : 0;
  return count;
}

bool HasEnded(const v1::Result& result) { return result.status() != v1::RUN_STATUS_RUNNING; }

// Whether the tests of the cases show that the run has not passed. Skipped ones do not: CI servers take them
// for green.
bool ShowsWhy(const v1::Result& result, const std::vector<TestCase>& tests) {
  if (Count(tests, Outcome::kError) > 0) return true;
  return result.status() == v1::RUN_STATUS_LIMIT_FAILED && Count(tests, Outcome::kFailure) > 0;
}

// An error of the whole run, without its message.
TestCase OfRun(const v1::Result& result) {
  TestCase run;
  run.classname = SuiteName(result);
  run.name = "run";
  run.outcome = Outcome::kError;
  run.type = EnumName(result.status());
  return run;
}

std::vector<TestCase> Tests(const v1::Result& result) {
  std::vector<TestCase> tests;
  const std::vector<std::optional<int64_t>> durations_ns = Durations(result);
  for (int i = 0; i < result.cases_size(); ++i) {
    AddCase(result, result.cases(i), durations_ns[static_cast<size_t>(i)], tests);
  }
  if (!HasEnded(result)) {
    tests.push_back(OfRun(result));
    tests.back().message = "the run has not ended";
    tests.back().details =
        absl::StrCat(result.cases_size(), " of ", result.plan().cases_size(), " cases have ended so far");
    return tests;
  }
  // The store has lost some of a run that passed.
  const bool is_damaged = result.exit_code() == 0 && result.cases_size() < result.plan().cases_size();
  if (!is_damaged && (result.exit_code() == 0 || ShowsWhy(result, tests))) return tests;
  // None was run, or some are missing.
  TestCase run = OfRun(result);
  if (is_damaged) run.type = "damaged";
  run.message = FirstReason(result.reasons(), Words(run.type));
  run.details = absl::StrJoin(result.reasons(), "\n");
  tests.push_back(std::move(run));
  return tests;
}

std::string Seconds3(int64_t ns) { return absl::StrFormat("%.3f", static_cast<double>(ns) / 1e9); }

// "2026-11-30T19:18:43", UTC, which is all that JUnit's schemas allow.
std::string Timestamp(int64_t unix_ns) {
  const time_t seconds = unix_ns / 1'000'000'000;
  tm utc{};
  gmtime_r(&seconds, &utc);
  char text[32] = {};
  const size_t size = strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &utc);
  return std::string(text, size);
}

void WriteProperties(const v1::Result& result, XmlWriter& xml) {
  const auto hosts = absl::StrJoin(
      result.hosts(), " ", [](std::string* out, const v1::Host& host) { absl::StrAppend(out, host.name()); });
  const XmlAttributes properties = {{"run_id", result.run_id()},
                                    {"status", EnumName(result.status())},
                                    {"exit_code", HasEnded(result) ? absl::StrCat(result.exit_code()) : ""},
                                    {"plan_file", result.plan().source_name()},
                                    {"hosts", hosts},
                                    {"lab", result.lab() ? "true" : "false"},
                                    {"insecure", result.insecure() ? "true" : "false"},
                                    {"user", result.user()},
                                    {"tutti_version", result.tutti_version()}};
  xml.Open("properties");
  for (const XmlAttribute& property : properties) {
    if (!property.value.empty()) xml.Leaf("property", {{"name", property.name}, {"value", property.value}});
  }
  xml.Close();
}

void WriteTest(const TestCase& test, XmlWriter& xml) {
  XmlAttributes attributes = {{"classname", test.classname}, {"name", test.name}};
  if (test.time_ns) attributes.push_back({"time", Seconds3(*test.time_ns)});
  if (test.outcome == Outcome::kPassed && test.output.empty()) return xml.Leaf("testcase", attributes);
  xml.Open("testcase", attributes);
  switch (test.outcome) {
    case Outcome::kPassed:
      xml.Leaf("system-out", {}, test.output);
      break;
    case Outcome::kFailure:
      xml.Leaf("failure", {{"type", test.type}, {"message", test.message}}, test.details);
      break;
    case Outcome::kError:
      xml.Leaf("error", {{"type", test.type}, {"message", test.message}}, test.details);
      break;
    case Outcome::kSkipped:
      xml.Leaf("skipped", {{"message", test.message}}, test.details);
      break;
  }
  xml.Close();
}

}  // namespace

std::string RenderJunit(const v1::Result& result) {
  const std::vector<TestCase> tests = Tests(result);
  XmlAttributes counts = {{"name", SuiteName(result)},
                          {"tests", absl::StrCat(tests.size())},
                          {"failures", absl::StrCat(Count(tests, Outcome::kFailure))},
                          {"errors", absl::StrCat(Count(tests, Outcome::kError))},
                          {"skipped", absl::StrCat(Count(tests, Outcome::kSkipped))}};
  const int64_t began_ns = result.started_unix_ns();
  if (began_ns > 0 && result.finished_unix_ns() > began_ns) {
    counts.push_back({"time", Seconds3(result.finished_unix_ns() - began_ns)});
  }
  std::string out;
  XmlWriter xml(out);
  xml.Open("testsuites", counts);
  if (began_ns > 0) counts.push_back({"timestamp", Timestamp(began_ns)});
  xml.Open("testsuite", counts);
  WriteProperties(result, xml);
  for (const TestCase& test : tests) WriteTest(test, xml);
  xml.Close();
  xml.Close();
  return out;
}

}  // namespace tutti::report
