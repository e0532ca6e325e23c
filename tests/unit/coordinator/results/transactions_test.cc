#include "coordinator/results/transactions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "common/stats/latency_histogram.h"
#include "tests/unit/coordinator/results/raw_trial.h"

namespace tutti::results {
namespace {

namespace v1 = tutti::v1;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

v1::LatencyCounts Counts(const std::vector<int64_t>& latencies_ns) {
  LatencyHistogram histogram;
  for (const int64_t ns : latencies_ns) histogram.Record(ns);
  v1::LatencyCounts counts;
  counts.set_first_bucket(static_cast<uint32_t>(histogram.first_bucket()));
  counts.mutable_counts()->Add(histogram.counts().begin(), histogram.counts().end());
  counts.set_min_ns(static_cast<uint64_t>(histogram.min_ns().value_or(0)));
  counts.set_max_ns(static_cast<uint64_t>(histogram.max_ns().value_or(0)));
  counts.set_sum_ns(histogram.sum_ns());
  return counts;
}

// 1, 2, ... n times `unit_ns`.
std::vector<int64_t> Ramp(int n, int64_t unit_ns) {
  std::vector<int64_t> values;
  for (int i = 1; i <= n; ++i) values.push_back(i * unit_ns);
  return values;
}

// Two clients on a, their servers on b; a request of 1000 B per ms and stream.
RawTrial Exchange(v1::Protocol protocol = v1::PROTOCOL_UDP) {
  RawTrial trial = RawTrial::Pair();
  RawTrial::Fill(trial.AddStream("a", "b"), 0, 2'500 * kMs, kMs, 100'000);
  trial.traffic().set_protocol(protocol);
  trial.traffic().mutable_request_response()->set_exchange(v1::EXCHANGE_REQUEST_RESPONSE);
  trial.traffic().mutable_request_response()->set_outstanding(1);
  return trial;
}

v1::StreamReport& Client(TrialInput& input, int stream) {
  return *FindInput(input, "a").report->mutable_streams(stream);
}
v1::StreamReport& Server(TrialInput& input, int stream) {
  return *FindInput(input, "b").report->mutable_streams(stream);
}

TEST(TransactionsTest, LatenciesOfAllStreamsAreThoseOfOneHistogram) {
  TrialInput input = Exchange().Build();
  *Client(input, 0).mutable_latency() = Counts(Ramp(1000, 100));   // 0.1 to 100 us
  *Client(input, 1).mutable_latency() = Counts(Ramp(500, 1'000));  // 1 to 500 us
  Client(input, 0).set_lost_transactions(2);
  Client(input, 1).set_lost_transactions(1);
  const v1::TrialResult result = MergeTrial(input);
  EXPECT_EQ(result.status(), v1::TRIAL_STATUS_GOOD) << result.DebugString();
  const v1::EntryResult& entry = OnlyEntry(result);
  EXPECT_EQ(entry.exchange(), v1::EXCHANGE_REQUEST_RESPONSE);
  EXPECT_EQ(entry.transactions(), 1500u);
  EXPECT_DOUBLE_EQ(entry.transactions_per_s(), 1500);  // a window of 1 s
  EXPECT_EQ(entry.lost_transactions(), 3u);
  // Sorted together by hand.
  std::vector<int64_t> all = Ramp(1000, 100);
  for (const int64_t ns : Ramp(500, 1'000)) all.push_back(ns);
  std::sort(all.begin(), all.end());
  const v1::Latency& latency = entry.latency();
  EXPECT_EQ(latency.transactions(), 1500u);
  EXPECT_EQ(latency.min_ns(), 100);
  EXPECT_EQ(latency.max_ns(), 500'000);
  EXPECT_DOUBLE_EQ(latency.mean_ns(), (100.0 * 1000 * 1001 / 2 + 1000.0 * 500 * 501 / 2) / 1500);
  for (const auto& [told_ns, rank] : {std::pair(latency.p50_ns(), 750), std::pair(latency.p90_ns(), 1350),
                                      std::pair(latency.p99_ns(), 1485), std::pair(latency.p99_9_ns(), 1499),
                                      std::pair(latency.p99_99_ns(), 1500)}) {
    const auto true_ns = static_cast<double>(all[static_cast<size_t>(rank) - 1]);
    EXPECT_GE(static_cast<double>(told_ns), true_ns) << rank;
    EXPECT_LE(static_cast<double>(told_ns), true_ns * 1.016) << rank;
  }
  EXPECT_FALSE(entry.has_corrected_latency());
  EXPECT_FALSE(entry.has_wire_bps());
  EXPECT_EQ(entry.stalled_intervals(), 0u);
}

TEST(TransactionsTest, AnIntervalOfAHostHasTheTransactionsOfItsClients) {
  const v1::TrialResult result = MergeTrial(Exchange().Build());
  ASSERT_EQ(result.timeline_size(), 4);
  for (const v1::TimelineInterval& interval : result.timeline()) {
    ASSERT_EQ(interval.hosts_size(), 2);
    EXPECT_EQ(interval.hosts(0).transactions(), 500u);  // two clients, one a ms each, over 250 ms
    EXPECT_FALSE(interval.hosts(1).has_transactions());
  }
  const v1::TrialResult one_way = RawTrial::Pair().Merge();
  for (const v1::TimelineInterval& interval : one_way.timeline()) {
    EXPECT_FALSE(interval.hosts(0).has_transactions());
  }
}

TEST(TransactionsTest, CorrectedLatencyStandsBesideTheOther) {
  TrialInput input = Exchange().Build();
  for (int stream : {0, 1}) {
    *Client(input, stream).mutable_latency() = Counts({1'000});
    *Client(input, stream).mutable_corrected_latency() = Counts({1'000, 90 * kMs});
  }
  const v1::TrialResult result = MergeTrial(input);
  EXPECT_EQ(result.status(), v1::TRIAL_STATUS_GOOD) << result.DebugString();
  EXPECT_EQ(OnlyEntry(result).transactions(), 2u);
  EXPECT_EQ(OnlyEntry(result).corrected_latency().transactions(), 4u);
  EXPECT_EQ(OnlyEntry(result).corrected_latency().p99_ns(), 90 * kMs);
}

TEST(TransactionsTest, AClientThatIsMissingLeavesNullAndNotLess) {
  RawTrial trial = Exchange();
  trial.AddHost("c", "m3");
  trial.roles["sender"] = {"a", "c"};
  RawTrial::Fill(trial.AddStream("c", "b"), 0, 2'500 * kMs, kMs, 100'000);
  trial.hosts[2].missing = true;
  TrialInput input = trial.Build();
  *Client(input, 0).mutable_latency() = Counts({1'000});
  *Client(input, 1).mutable_latency() = Counts({1'000});
  const v1::TrialResult result = MergeTrial(input);
  EXPECT_EQ(result.status(), v1::TRIAL_STATUS_PARTIAL);
  EXPECT_FALSE(OnlyEntry(result).has_transactions());
  EXPECT_FALSE(OnlyEntry(result).has_latency());
  EXPECT_FALSE(OnlyEntry(result).has_transactions_per_s());
}

TEST(TransactionsTest, NoTransactionMeansNoLatencyButARateOf0) {
  TrialInput input = Exchange().Build();
  for (int stream : {0, 1}) *Client(input, stream).mutable_latency() = Counts({});
  const v1::EntryResult entry = OnlyEntry(MergeTrial(input));
  EXPECT_TRUE(entry.has_transactions());
  EXPECT_EQ(entry.transactions(), 0u);
  EXPECT_FALSE(entry.has_latency());
}

TEST(TransactionsTest, CpuIsCountedPerTransaction) {
  TrialInput input = Exchange().Build();
  for (int stream : {0, 1}) *Client(input, stream).mutable_latency() = Counts(Ramp(1000, 100));
  const v1::EntryResult entry = OnlyEntry(MergeTrial(input));
  // 0.75 cores and 2000 transactions a second.
  EXPECT_NEAR(entry.sender_cpu().service_demand_us_per_transaction(), 375, 1e-6);
  EXPECT_NEAR(entry.receiver_cpu().service_demand_us_per_transaction(), 375, 1e-6);
  EXPECT_FALSE(entry.sender_cpu().has_service_demand_us_per_kb());
  EXPECT_THAT(entry.sender_cpu().service_demand_note(), HasSubstr("per transaction"));
}

// A client's messages are its transactions: some were lost, and the cohorts of requests still close.
TEST(TransactionsTest, LostTransactionsDoNotMakeATrialSuspect) {
  TrialInput input = Exchange().Build();
  for (int stream : {0, 1}) {
    *Client(input, stream).mutable_latency() = Counts({1'000});
    Client(input, stream).set_total_messages(2'400);
    Client(input, stream).set_lost_transactions(100);
  }
  const v1::TrialResult result = MergeTrial(input);
  EXPECT_EQ(result.status(), v1::TRIAL_STATUS_GOOD) << result.DebugString();
  EXPECT_EQ(OnlyEntry(result).loss().lost(), 0u);  // of the requests, none
}

TEST(TransactionsTest, WhatAConnectionForEachTransactionCannotTellIsNull) {
  RawTrial trial = Exchange(v1::PROTOCOL_TCP);
  trial.traffic().mutable_request_response()->set_exchange(v1::EXCHANGE_CONNECT_REQUEST_RESPONSE);
  TrialInput input = trial.Build();
  for (int stream : {0, 1}) {
    *Client(input, stream).mutable_latency() = Counts({1'000});
    Server(input, stream).clear_tcp();
  }
  const v1::TrialResult result = MergeTrial(input);
  EXPECT_EQ(result.status(), v1::TRIAL_STATUS_GOOD) << result.DebugString();
  EXPECT_FALSE(OnlyEntry(result).has_retransmits());
  EXPECT_FALSE(result.streams(0).has_retransmits());
  EXPECT_FALSE(result.streams(0).has_kernel_received_bytes());
  EXPECT_FALSE(result.timeline(0).hosts(0).has_retransmits());
}

void ExpectSuspect(const TrialInput& input, const std::string& why) {
  const v1::TrialResult result = MergeTrial(input);
  EXPECT_EQ(result.status(), v1::TRIAL_STATUS_SUSPECT);
  EXPECT_THAT(result.reasons(), Contains(HasSubstr(why)));
}

TEST(TransactionsTest, ContradictionsAreSuspect) {
  TrialInput good = Exchange(v1::PROTOCOL_TCP).Build();
  for (int stream : {0, 1}) *Client(good, stream).mutable_latency() = Counts({1'000});
  EXPECT_EQ(MergeTrial(good).status(), v1::TRIAL_STATUS_GOOD);

  TrialInput input = good;
  Client(input, 1).set_total_messages(Server(input, 1).total_messages() + 1);
  ExpectSuspect(input, "its server read only 2500 requests");

  input = good;
  Client(input, 0).mutable_latency()->set_max_ns(5'000'000);
  ExpectSuspect(input, "are not those of a histogram");

  input = good;
  Client(input, 0).set_total_messages(2);
  *Client(input, 0).mutable_latency() = Counts({1'000, 1'000, 1'000});
  ExpectSuspect(input, "of 3 transactions, of 2");

  input = good;  // 20 x 0.1 s one after the other in a window of 1 s
  *Client(input, 0).mutable_latency() = Counts(std::vector<int64_t>(20, 100 * kMs));
  ExpectSuspect(input, "took 2 s together");
}

TEST(TransactionsTest, TheRowHasTheMedianOverTheTrials) {
  std::vector<v1::TrialResult> trials;
  for (const int64_t ns : {50'000, 10'000, 20'000}) {
    TrialInput input = Exchange().Build();
    for (int stream : {0, 1}) {
      *Client(input, stream).mutable_latency() =
          Counts(std::vector<int64_t>(static_cast<size_t>(ns / 1000), ns));
      Client(input, stream).set_lost_transactions(0);
    }
    trials.push_back(MergeTrial(input));
  }
  v1::Case plan_case = Exchange().plan_case;
  plan_case.set_repeat(3);
  const v1::CaseResult result = SummarizeCase(plan_case, std::move(trials), false);
  ASSERT_EQ(result.rows_size(), 1);
  const v1::Row& row = result.rows(0);
  EXPECT_EQ(row.exchange(), v1::EXCHANGE_REQUEST_RESPONSE);
  EXPECT_EQ(row.transactions_per_s().median(), 40);
  EXPECT_EQ(row.transactions_per_s().max(), 100);
  EXPECT_EQ(row.p50_ns().median(), 20'000);
  EXPECT_EQ(row.p99_ns().min(), 10'000);
  EXPECT_EQ(row.p99_ns().max(), 50'000);
  EXPECT_EQ(row.lost_transactions().median(), 0);
  EXPECT_FALSE(row.has_corrected_p99_ns());
}

// --- fixed volume

// Two streams of 100 kB that end inside the window of 1 to 2 s, one after the other.
RawTrial FixedVolume() {
  RawTrial trial;
  trial.AddHost("a", "m1");
  trial.AddHost("b", "m2");
  trial.roles = {{"sender", {"a"}}, {"receiver", {"b"}}};
  RawTrial::Fill(trial.AddStream("a", "b"), 0, 1'100 * kMs, 11 * kMs, 100'000);
  RawTrial::Fill(trial.AddStream("a", "b"), 0, 500 * kMs, 5 * kMs, 100'000);
  trial.traffic().set_protocol(v1::PROTOCOL_TCP);
  trial.traffic().set_volume_bytes(100'000);
  return trial;
}

TEST(CompletionTest, StreamsThatEndByThemselvesAreNotSuspectAndTheirTimesAreTold) {
  TrialInput input = FixedVolume().Build();
  Server(input, 0).set_completed_trial_ns(1'090 * kMs);
  Server(input, 1).set_completed_trial_ns(496 * kMs);
  const v1::TrialResult result = MergeTrial(input);
  EXPECT_EQ(result.status(), v1::TRIAL_STATUS_GOOD) << result.DebugString();
  const v1::EntryResult& entry = OnlyEntry(result);
  EXPECT_EQ(entry.completion().streams(), 2u);
  EXPECT_DOUBLE_EQ(entry.completion().median_ns(), 793e6);
  EXPECT_DOUBLE_EQ(entry.completion().max_ns(), 1'090e6);
  EXPECT_EQ(entry.overlap_ratio(), 0);
  // One was over before the window: rates of what did not run together are not added.
  EXPECT_FALSE(entry.has_received_bps());
  EXPECT_TRUE(entry.received_bytes().has_value());
  EXPECT_THAT(result.warnings(), Contains(HasSubstr("completion times")));
  EXPECT_EQ(entry.stalled_intervals(), 0u);
}

TEST(CompletionTest, AnOverlapLimitDoesNotJudgeThem) {
  RawTrial trial = FixedVolume();
  trial.plan_case.mutable_limits()->set_overlap_ratio(0.99);
  TrialInput input = trial.Build();
  Server(input, 0).set_completed_trial_ns(1'090 * kMs);
  Server(input, 1).set_completed_trial_ns(496 * kMs);
  EXPECT_EQ(MergeTrial(input).status(), v1::TRIAL_STATUS_GOOD);
}

TEST(CompletionTest, AStreamThatDidNotFinishLeavesNoTimeAndAWarning) {
  TrialInput input = FixedVolume().Build();
  Server(input, 1).set_completed_trial_ns(496 * kMs);
  const v1::TrialResult result = MergeTrial(input);
  EXPECT_EQ(OnlyEntry(result).completion().streams(), 1u);
  EXPECT_FALSE(OnlyEntry(result).completion().has_max_ns());
  EXPECT_THAT(result.warnings(), Contains(HasSubstr("only 1 of 2 streams were completed")));
}

TEST(CompletionTest, ARateIsNotMissedByAStreamThatHasSentItsVolume) {
  RawTrial trial = FixedVolume();
  trial.traffic().set_rate_bps(1'600'000);  // 200 kB in a window of 1 s
  TrialInput input = trial.Build();
  Server(input, 0).set_completed_trial_ns(1'090 * kMs);
  Server(input, 1).set_completed_trial_ns(496 * kMs);
  const v1::TrialResult result = MergeTrial(input);
  EXPECT_THAT(result.warnings(), testing::Each(testing::Not(HasSubstr("of the rate"))));
}

}  // namespace
}  // namespace tutti::results
