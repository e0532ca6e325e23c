#include "coordinator/results/thresholds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coordinator/results/merge.h"
#include "tests/nanoseconds.h"

namespace tutti::results {
namespace {

namespace v1 = tutti::v1;
using testing::HasSubstr;

v1::Threshold Expect(const std::string& metric, v1::Comparison comparison, double limit,
                     v1::ThresholdScope scope = v1::THRESHOLD_SCOPE_TOTAL, const std::string& member = "") {
  v1::Threshold threshold;
  threshold.set_metric(metric);
  threshold.set_comparison(comparison);
  threshold.set_limit(limit);
  threshold.set_scope(scope);
  threshold.set_member(member);
  threshold.set_window(v1::THRESHOLD_WINDOW_MEASURE);
  threshold.set_severity(v1::SEVERITY_FAIL);
  return threshold;
}

v1::Threshold InWorstInterval(v1::Threshold threshold) {
  threshold.set_window(v1::THRESHOLD_WINDOW_WORST_INTERVAL);
  return threshold;
}

// One UDP entry from the role `a` to the role `b`.
v1::Case PlanCase(const v1::Threshold& threshold, uint32_t repeat = 1) {
  v1::Case plan_case;
  plan_case.set_repeat(repeat);
  v1::TrafficEntry& entry = *plan_case.add_traffic();
  entry.set_name("bulk");
  entry.set_from("a");
  entry.set_to("b");
  entry.set_protocol(v1::PROTOCOL_UDP);
  *plan_case.add_thresholds() = threshold;
  return plan_case;
}

// Streams 0 and 1 from a1 to b1 and b2; 2 from a2 to b2. Each sent 100 datagrams.
struct StreamFigures {
  const char* from;
  const char* to;
  double received_bps;
  uint64_t lost;
  std::vector<uint64_t> received_intervals;  // of 100 ms
  std::vector<uint64_t> lost_intervals;      // of 50 datagrams each
};
const StreamFigures kStreams[] = {{"a1", "b1", 1000, 0, {10, 15}, {0, 0}},
                                  {"a1", "b2", 3000, 10, {35, 40}, {10, 0}},
                                  {"a2", "b2", 2000, 2, {20, 30}, {1, 1}}};

void AddStream(const StreamFigures& figures, v1::TrialResult& trial) {
  v1::StreamResult& stream = *trial.add_streams();
  v1::Flow& flow = *stream.mutable_flow();
  flow.set_stream_id(static_cast<uint32_t>(trial.streams_size() - 1));
  flow.set_entry("bulk");
  flow.set_from_host(figures.from);
  flow.set_to_host(figures.to);
  stream.set_received_bps(figures.received_bps);
  stream.mutable_loss()->set_sent(100);
  stream.mutable_loss()->set_lost(figures.lost);
  for (const uint64_t bytes : figures.received_intervals) stream.add_received_bytes_intervals(bytes);
  for (const uint64_t lost : figures.lost_intervals) stream.add_lost_intervals(lost);
  for (const uint64_t messages : {5, 50, 50, 5})
    stream.mutable_sender()->add_sent_cohorts()->set_messages(messages);
}

// b1 and b2 read their counters over exactly 100 ms, but b2's second interval was 200 ms long.
void AddTimeline(v1::TrialResult& trial) {
  for (uint32_t k = 0; k < 2; ++k) {
    v1::TimelineInterval& interval = *trial.add_timeline();
    interval.set_index(k);
    interval.set_begin_trial_ns(100 * kMs * k);
    interval.set_end_trial_ns(100 * kMs * (k + 1));
    for (const char* name : {"b1", "b2"}) {
      v1::HostInterval& host = *interval.add_hosts();
      host.set_host(name);
      host.set_begin_trial_ns(interval.begin_trial_ns());
      host.set_end_trial_ns(interval.end_trial_ns() + (k == 1 && name[1] == '2' ? 100 * kMs : 0));
    }
  }
}

v1::TrialResult ScaledTrial(double scale = 1, v1::TrialStatus status = v1::TRIAL_STATUS_GOOD) {
  v1::TrialResult trial;
  trial.set_status(status);
  v1::EntryResult& entry = *trial.add_entries();
  entry.set_entry("bulk");
  entry.set_protocol(v1::PROTOCOL_UDP);
  entry.set_streams(3);
  entry.set_received_bps(6000 * scale);
  entry.mutable_loss()->set_lost_ratio(0.04);  // 12 of 300
  entry.set_jain_index(0.857);
  entry.mutable_sender_cpu()->set_service_demand_note("senders and receivers share a machine: see both ends");
  for (StreamFigures figures : kStreams) {
    figures.received_bps *= scale;
    AddStream(figures, trial);
  }
  AddTimeline(trial);
  return trial;
}

v1::ThresholdOutcome Judge(const v1::Threshold& threshold,
                           std::vector<v1::TrialResult> trials = {ScaledTrial()}) {
  const auto repeat = static_cast<uint32_t>(trials.size());
  const v1::CaseResult result = SummarizeCase(PlanCase(threshold, repeat), std::move(trials), false);
  EXPECT_EQ(result.thresholds_size(), 1);
  return result.thresholds_size() == 1 ? result.thresholds(0) : v1::ThresholdOutcome();
}

TEST(ThresholdsTest, TheTotalIsTheEntrysMedianOverTheGoodTrials) {
  const v1::ThresholdOutcome outcome =
      Judge(Expect("throughput.received", v1::COMPARISON_AT_LEAST, 12'000),
            {ScaledTrial(1), ScaledTrial(2), ScaledTrial(3), ScaledTrial(9, v1::TRIAL_STATUS_SUSPECT)});
  EXPECT_TRUE(outcome.passed());
  EXPECT_EQ(outcome.value(), 12'000);
  EXPECT_EQ(outcome.trials(), 3u);
  EXPECT_EQ(outcome.entry(), "bulk");
  EXPECT_EQ(outcome.member(), "");
  EXPECT_EQ(outcome.unit(), "bps");
  EXPECT_EQ(outcome.text(), "throughput.received >= 12Kbps");
  EXPECT_EQ(outcome.reason(), "");
  EXPECT_FALSE(Judge(Expect("throughput.received", v1::COMPARISON_ABOVE, 6000)).passed());
}

TEST(ThresholdsTest, OfTheHostsStreamsAndPairsTheWorstDecides) {
  // b1 has 1000, b2 3000 + 2000.
  v1::ThresholdOutcome outcome =
      Judge(Expect("throughput.received", v1::COMPARISON_AT_LEAST, 1000, v1::THRESHOLD_SCOPE_HOST));
  EXPECT_TRUE(outcome.passed());
  EXPECT_EQ(outcome.member(), "b1");
  EXPECT_EQ(outcome.value(), 1000);
  outcome = Judge(Expect("throughput.received", v1::COMPARISON_AT_MOST, 4999, v1::THRESHOLD_SCOPE_HOST));
  EXPECT_FALSE(outcome.passed());
  EXPECT_EQ(outcome.member(), "b2");
  EXPECT_EQ(outcome.value(), 5000);
  // Of 100 datagrams each 0, 10 and 2 were lost: pair a1 -> b2 and its stream lost 10%, host b2 12 of 200.
  outcome = Judge(Expect("loss", v1::COMPARISON_BELOW, 0.05, v1::THRESHOLD_SCOPE_STREAM));
  EXPECT_FALSE(outcome.passed());
  EXPECT_EQ(outcome.member(), "stream 1 (a1 -> b2)");
  EXPECT_DOUBLE_EQ(outcome.value(), 0.1);
  outcome = Judge(Expect("loss", v1::COMPARISON_BELOW, 0.11, v1::THRESHOLD_SCOPE_PAIR));
  EXPECT_TRUE(outcome.passed());
  EXPECT_EQ(outcome.member(), "a1 -> b2");
  outcome = Judge(Expect("loss", v1::COMPARISON_BELOW, 0.05, v1::THRESHOLD_SCOPE_HOST));
  EXPECT_EQ(outcome.member(), "b2");
  EXPECT_DOUBLE_EQ(outcome.value(), 0.06);
}

TEST(ThresholdsTest, AHostIsJudgedByTheMetricsEndAndARoleWhereItHasIt) {
  v1::ThresholdOutcome outcome =
      Judge(Expect("throughput.received", v1::COMPARISON_AT_LEAST, 5000, v1::THRESHOLD_SCOPE_HOST, "b2"));
  EXPECT_TRUE(outcome.passed());
  EXPECT_EQ(outcome.member(), "b2");
  outcome = Judge(Expect("throughput.received", v1::COMPARISON_AT_LEAST, 1, v1::THRESHOLD_SCOPE_HOST, "a1"));
  EXPECT_FALSE(outcome.passed());
  EXPECT_EQ(outcome.reason(), "host a1 receives no stream that it judges");
  EXPECT_FALSE(outcome.has_value());
  outcome =
      Judge(Expect("throughput.received", v1::COMPARISON_AT_LEAST, 6000, v1::THRESHOLD_SCOPE_ROLE, "b"));
  EXPECT_TRUE(outcome.passed());
  EXPECT_EQ(outcome.value(), 6000);
}

TEST(ThresholdsTest, TheWorstIntervalIsTakenPerTrialOverTheHostsOwnEdges) {
  // Interval 0: b1 10 B, b2 55 B in 100 ms: 800 + 4400 bps. Interval 1: b1 15 B in 100 ms, b2 70 B in 200 ms.
  v1::ThresholdOutcome outcome =
      Judge(InWorstInterval(Expect("throughput.received", v1::COMPARISON_AT_LEAST, 4000)));
  EXPECT_TRUE(outcome.passed());
  EXPECT_DOUBLE_EQ(outcome.value(), 1200 + 2800);
  outcome = Judge(InWorstInterval(
      Expect("throughput.received", v1::COMPARISON_AT_LEAST, 801, v1::THRESHOLD_SCOPE_STREAM)));
  EXPECT_FALSE(outcome.passed());
  EXPECT_EQ(outcome.member(), "stream 0 (a1 -> b1)");
  EXPECT_DOUBLE_EQ(outcome.value(), 800);
  // Of 150 datagrams sent in interval 0 eleven were lost.
  outcome = Judge(InWorstInterval(Expect("loss", v1::COMPARISON_BELOW, 0.07)));
  EXPECT_FALSE(outcome.passed());
  EXPECT_DOUBLE_EQ(outcome.value(), 11.0 / 150);
}

TEST(ThresholdsTest, AShorterLastIntervalIsLeftOut) {
  v1::TrialResult trial = ScaledTrial();
  trial.mutable_timeline(1)->set_shorter(true);
  const v1::ThresholdOutcome outcome =
      Judge(InWorstInterval(Expect("throughput.received", v1::COMPARISON_AT_LEAST, 5000)), {trial});
  EXPECT_DOUBLE_EQ(outcome.value(), 5200);
}

TEST(ThresholdsTest, WhatIsNotKnownFailsAndSaysWhy) {
  v1::ThresholdOutcome outcome = Judge(Expect("service_demand.sender", v1::COMPARISON_BELOW, 1e9));
  EXPECT_FALSE(outcome.passed());
  EXPECT_FALSE(outcome.has_value());
  EXPECT_EQ(outcome.reason(), "senders and receivers share a machine: see both ends");
  outcome = Judge(Expect("cpu.receiver", v1::COMPARISON_BELOW, 1e9));
  EXPECT_EQ(outcome.reason(), "no good trial has the figure");
  // One stream among several.
  v1::TrialResult trial = ScaledTrial();
  trial.mutable_streams(2)->clear_received_bps();
  outcome =
      Judge(Expect("throughput.received", v1::COMPARISON_AT_LEAST, 1, v1::THRESHOLD_SCOPE_STREAM), {trial});
  EXPECT_FALSE(outcome.passed());
  EXPECT_FALSE(outcome.has_value());
  EXPECT_EQ(outcome.member(), "stream 2 (a2 -> b2)");
  // An interval of one stream.
  trial = ScaledTrial();
  trial.mutable_streams(0)->clear_received_bytes_intervals();
  outcome = Judge(InWorstInterval(Expect("throughput.received", v1::COMPARISON_AT_LEAST, 1)), {trial});
  EXPECT_EQ(outcome.reason(), "no good trial has all of its intervals");
}

TEST(ThresholdsTest, WithoutATrialThatCountsNothingPasses) {
  v1::ThresholdOutcome outcome = Judge(Expect("throughput.received", v1::COMPARISON_AT_LEAST, 0),
                                       {ScaledTrial(1, v1::TRIAL_STATUS_OVER_LIMIT)});
  EXPECT_FALSE(outcome.passed());
  EXPECT_EQ(outcome.reason(), "no trial of the case counts");
  outcome = Judge(Expect("throughput.received", v1::COMPARISON_AT_LEAST, 0), {});
  EXPECT_FALSE(outcome.passed());
  EXPECT_EQ(outcome.reason(), "no trial of the case was run");
}

TEST(ThresholdsTest, ATrialThatLacksTheFigureIsNotInItsMedian) {
  v1::TrialResult without = ScaledTrial(9);
  without.mutable_entries(0)->clear_received_bps();
  const v1::ThresholdOutcome outcome =
      Judge(Expect("throughput.received", v1::COMPARISON_AT_LEAST, 6000), {ScaledTrial(), without});
  EXPECT_TRUE(outcome.passed());
  EXPECT_EQ(outcome.trials(), 1u);
}

TEST(ThresholdsTest, WhatTheCaseCannotHaveIsNotJudged) {
  v1::TrialResult alone = ScaledTrial();
  alone.mutable_entries(0)->set_streams(1);
  EXPECT_EQ(
      SummarizeCase(PlanCase(Expect("jain", v1::COMPARISON_ABOVE, 0.9)), {alone}, false).thresholds_size(),
      0);
  EXPECT_FALSE(Judge(Expect("jain", v1::COMPARISON_ABOVE, 0.9)).passed());
  EXPECT_EQ(SummarizeCase(PlanCase(Expect("retransmits", v1::COMPARISON_BELOW, 1)), {ScaledTrial()}, false)
                .thresholds_size(),
            0);
}

TEST(ThresholdsTest, EntriesAndDirectionsAreJudgedOneByOne) {
  v1::Case plan_case = PlanCase(Expect("throughput.received", v1::COMPARISON_AT_LEAST, 5000));
  plan_case.mutable_traffic(0)->set_both_ways(true);
  *plan_case.add_traffic() = plan_case.traffic(0);
  plan_case.mutable_traffic(1)->set_name("other");
  v1::TrialResult trial = ScaledTrial();
  for (const char* name : {"bulk", "other"}) {
    v1::EntryResult& entry = *trial.add_entries();
    entry.set_entry(name);
    entry.set_reverse(name[0] == 'b');
    entry.set_received_bps(name[0] == 'b' ? 4000 : 7000);
  }
  v1::CaseResult result = SummarizeCase(plan_case, {trial}, false);
  ASSERT_EQ(result.thresholds_size(), 3);
  EXPECT_TRUE(result.thresholds(0).passed());
  EXPECT_TRUE(result.thresholds(1).reverse());
  EXPECT_FALSE(result.thresholds(1).passed());
  EXPECT_EQ(result.thresholds(2).entry(), "other");
  EXPECT_TRUE(result.thresholds(2).passed());
  plan_case.mutable_thresholds(0)->set_entry("other");
  result = SummarizeCase(plan_case, {trial}, false);
  ASSERT_EQ(result.thresholds_size(), 1);
  EXPECT_EQ(result.thresholds(0).value(), 7000);
}

TEST(ThresholdsTest, RetransmitsOfAnIntervalAreTheDifferenceOfItsEdges) {
  v1::Case plan_case = PlanCase(InWorstInterval(Expect("retransmits", v1::COMPARISON_BELOW, 60)));
  plan_case.mutable_traffic(0)->set_protocol(v1::PROTOCOL_TCP);
  v1::TrialResult trial = ScaledTrial();
  for (v1::StreamResult& stream : *trial.mutable_streams()) {
    for (const uint64_t edge : {7, 8, 10}) stream.mutable_tcp_series()->add_retransmits(edge);
    stream.mutable_flow()->set_from_host("a");
  }
  // The sender was late at the edge between: its second interval lasted 80 ms.
  for (v1::TimelineInterval& interval : *trial.mutable_timeline()) {
    v1::HostInterval& sender = *interval.add_hosts();
    sender.set_host("a");
    sender.set_begin_trial_ns(interval.index() == 0 ? 0 : 120 * kMs);
    sender.set_end_trial_ns(interval.index() == 0 ? 120 * kMs : 200 * kMs);
  }
  const v1::CaseResult result = SummarizeCase(plan_case, {trial}, false);
  ASSERT_EQ(result.thresholds_size(), 1);
  EXPECT_DOUBLE_EQ(result.thresholds(0).value(), 75);  // 3 x 2 in 80 ms
  EXPECT_FALSE(result.thresholds(0).passed());
  EXPECT_THAT(result.thresholds(0).text(), HasSubstr("retransmits < 60/s (worst interval)"));
}

}  // namespace
}  // namespace tutti::results
