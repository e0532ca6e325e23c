// What the text reports make of request/response and fixed volumes.
#include "coordinator/report/transactions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "coordinator/report/report.h"

namespace tutti::report {
namespace {

namespace v1 = tutti::v1;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

void Set(v1::Spread& spread, double value) {
  spread.set_median(value);
  spread.set_min(value);
  spread.set_max(value);
  spread.set_trials(1);
}

// Bulk streams over TCP beside transactions over UDP at a rate.
v1::Result Mixed() {
  v1::Result result;
  result.set_status(v1::RUN_STATUS_PASSED);
  v1::Case& plan_case = *result.mutable_plan()->add_cases();
  for (const char* name : {"bulk", "ask"}) plan_case.add_traffic()->set_name(name);
  v1::RequestResponse& asked = *plan_case.mutable_traffic(1)->mutable_request_response();
  asked.set_exchange(v1::EXCHANGE_REQUEST_RESPONSE);
  asked.set_request_bytes(100);
  asked.set_response_bytes(200);
  v1::CaseResult& each = *result.add_cases();
  each.set_status(v1::CASE_STATUS_GOOD);
  each.set_good_trials(1);
  each.set_wanted_trials(1);
  v1::Row& bulk = *each.add_rows();
  bulk.set_entry("bulk");
  bulk.set_protocol(v1::PROTOCOL_TCP);
  bulk.set_streams(2);
  Set(*bulk.mutable_received_bps(), 2e9);
  v1::Row& ask = *each.add_rows();
  ask.set_entry("ask");
  ask.set_protocol(v1::PROTOCOL_UDP);
  ask.set_streams(1);
  ask.set_exchange(v1::EXCHANGE_REQUEST_RESPONSE);
  Set(*ask.mutable_received_bps(), 800'000);
  Set(*ask.mutable_elapsed_s(), 2.0);
  Set(*ask.mutable_transactions_per_s(), 999.5);
  Set(*ask.mutable_p50_ns(), 50'000);
  Set(*ask.mutable_p99_ns(), 1'250'000);
  Set(*ask.mutable_corrected_p99_ns(), 7'000'000);
  Set(*ask.mutable_lost_transactions(), 3);
  Set(*ask.mutable_sender_cpu()->mutable_busy_ratio(), 0.25);
  Set(*ask.mutable_sender_cpu()->mutable_service_demand_us_per_transaction(), 12.5);
  return result;
}

std::vector<std::string> Words(const std::string& line) {
  std::vector<std::string> words;
  std::istringstream in(line);
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::string LineWith(const std::string& text, const std::string& what) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(what) != std::string::npos) return line;
  }
  return "";
}

TEST(TransactionsReport, TheTableHasTheirColumnsAndDashesForStreams) {
  const std::string table = RenderTable(Mixed(), {});
  const std::string header = LineWith(table, "trans/s");
  EXPECT_THAT(header, testing::ContainsRegex("received  trans/s +p50 +p99 +p99 due +lost trans +lost +retr"));
  EXPECT_THAT(Words(LineWith(table, "ask")), testing::IsSupersetOf({"1000", "50us", "1.25ms", "7ms", "3"}));
  // case, entry, streams, sent, received (number and unit), and five figures that streams do not have.
  const std::vector<std::string> bulk = Words(LineWith(table, "bulk"));
  ASSERT_GT(bulk.size(), 11u);
  EXPECT_THAT(std::vector<std::string>(bulk.begin() + 6, bulk.begin() + 11), testing::Each("-"));
}

TEST(TransactionsReport, WithoutTransactionsThereAreNoColumnsOfThem) {
  v1::Result result = Mixed();
  result.mutable_cases(0)->mutable_rows()->RemoveLast();
  EXPECT_THAT(RenderTable(result, {}), Not(HasSubstr("trans")));
  EXPECT_THAT(RenderTable(result, {}), Not(HasSubstr("p99")));
}

TEST(TransactionsReport, NetperfHasTheColumnsOfItsRequestResponseTestsBelowTheOthers) {
  const std::string text = RenderNetperf(Mixed());
  EXPECT_LT(text.find("Throughput"), text.find("Trans."));
  EXPECT_THAT(LineWith(text, ", ask"),
              testing::ContainsRegex("100 +200 +2\\.00 +999\\.50 +25\\.00 +12\\.500 +case 1, ask, 1 stream"));
  EXPECT_THAT(LineWith(text, ", bulk"), testing::ContainsRegex("2000\\.00 +case 1, bulk, 2 streams"));
  v1::Result only = Mixed();
  only.mutable_cases(0)->mutable_rows()->DeleteSubrange(0, 1);
  EXPECT_THAT(RenderNetperf(only), Not(HasSubstr("Throughput")));
}

TEST(TransactionsReport, TheScriptsLineIsOfStreamsAlone) {
  EXPECT_THAT(LineWith(RenderStreamTest(Mixed()), "bulk"), HasSubstr(" Mb/s, Receive at "));
  EXPECT_EQ(
      LineWith(RenderStreamTest(Mixed()), "ask"),
      "** default: ask: request/response has no such line: --format table and netperf have its figures");
}

TEST(TransactionsReport, TheLiveLineHasTransactionsPerSecond) {
  const v1::Result head = Mixed();
  v1::TrialStarted started;
  started.set_repetition(1);
  started.set_repetitions(1);
  started.set_streams(3);
  EXPECT_THAT(RenderLiveTrialStarted(started, head, {}), HasSubstr("received    trans/s"));
  v1::LiveInterval interval;
  for (const char* name : {"bulk", "ask"}) interval.add_entries()->set_entry(name);
  interval.mutable_entries(1)->set_transactions_per_s(1234.4);
  const std::string text = RenderLiveInterval(interval, head, {});
  EXPECT_THAT(LineWith(text, "ask"), HasSubstr("1234"));
}

v1::TrialResult DetailedTrial() {
  v1::TrialResult trial;
  v1::EntryResult& ask = *trial.add_entries();
  ask.set_entry("ask");
  ask.set_streams(1);
  ask.set_exchange(v1::EXCHANGE_REQUEST_RESPONSE);
  ask.set_transactions(2000);
  ask.set_transactions_per_s(1000);
  ask.set_lost_transactions(4);
  v1::Latency& latency = *ask.mutable_latency();
  latency.set_transactions(2000);
  latency.set_min_ns(11'000);
  latency.set_p50_ns(12'000);
  latency.set_p90_ns(13'000);
  latency.set_p99_ns(14'000);
  latency.set_p99_9_ns(15'000);
  latency.set_p99_99_ns(16'000);
  latency.set_max_ns(17'000);
  latency.set_mean_ns(12'500.4);
  *ask.mutable_corrected_latency() = latency;
  ask.mutable_corrected_latency()->set_transactions(2100);
  ask.mutable_corrected_latency()->set_max_ns(90'000'000);
  ask.mutable_sender_cpu()->set_service_demand_us_per_transaction(123.4);
  return trial;
}

TEST(TransactionsReport, DetailHasEveryPercentileOfBothLatencies) {
  const std::string text = TransactionDetail(DetailedTrial());
  EXPECT_THAT(Words(LineWith(text, "of each request")),
              testing::ElementsAre("ask", "of", "each", "request", "2000", "11us", "12us", "13us", "14us",
                                   "15us", "16us", "17us", "12.5us", "1000", "4", "123", "-", "-"));
  EXPECT_THAT(Words(LineWith(text, "from when it was due")), testing::IsSupersetOf({"2100", "90ms"}));
  EXPECT_THAT(TransactionDetail(v1::TrialResult()), IsEmpty());
}

TEST(TransactionsReport, DetailOfAFixedVolumeSaysWhenItWasComplete) {
  v1::TrialResult trial;
  v1::EntryResult& entry = *trial.add_entries();
  entry.set_entry("bulk");
  entry.set_streams(8);
  entry.mutable_completion()->set_streams(7);
  EXPECT_EQ(CompletionDetail(trial), "    bulk: 7 of 8 streams complete\n");
  entry.mutable_completion()->set_streams(8);
  entry.mutable_completion()->set_median_ns(1.25e9);
  entry.mutable_completion()->set_max_ns(1.4e9);
  EXPECT_EQ(CompletionDetail(trial),
            "    bulk: 8 of 8 streams complete, the median at 1.25s and the last at 1.4s after T0\n");
}

TEST(TransactionsReport, FixedVolumesHaveTheirColumns) {
  v1::Result result = Mixed();
  Set(*result.mutable_cases(0)->mutable_rows(0)->mutable_completion_median_ns(), 1.25e9);
  Set(*result.mutable_cases(0)->mutable_rows(0)->mutable_completion_max_ns(), 1.4e9);
  const std::string table = RenderTable(result, {});
  EXPECT_THAT(LineWith(table, "trans/s"), testing::ContainsRegex("complete +last"));
  EXPECT_THAT(Words(LineWith(table, "bulk")), testing::IsSupersetOf({"1.25s", "1.4s"}));
}

TEST(TransactionsReport, TheTimelineHasTheRateOfEachHostsClients) {
  v1::Result result;
  v1::TrialResult& trial = *result.add_cases()->add_trials();
  trial.add_hosts()->set_host("a");
  for (const bool known : {true, false}) {
    v1::TimelineInterval& interval = *trial.add_timeline();
    interval.set_end_trial_ns(500'000'000);
    v1::HostInterval& a = *interval.add_hosts();
    a.set_host("a");
    a.set_end_trial_ns(500'000'000);
    if (known) a.set_transactions(1'000);
  }
  EXPECT_EQ(RenderTimeline(result, {}),
            "case 1  trial 0\n"
            "  interval (s)  trans/s\n"
            "  0.00-0.50        2000\n"
            "  0.00-0.50           -\n");
}

}  // namespace
}  // namespace tutti::report
