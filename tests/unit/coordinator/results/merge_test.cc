#include "coordinator/results/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/coordinator/results/raw_trial.h"

namespace tutti::results {
namespace {

namespace v1 = tutti::v1;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(MergeTest, AHonestTrialIsGoodAndItsFiguresAreThoseOfItsEvents) {
  const v1::TrialResult result = RawTrial::Pair().Merge();
  EXPECT_EQ(result.status(), v1::TRIAL_STATUS_GOOD) << result.DebugString();
  EXPECT_THAT(result.reasons(), IsEmpty());
  const v1::EntryResult& entry = OnlyEntry(result);
  EXPECT_EQ(entry.sent_bytes().value(), 1'000'000u);
  EXPECT_EQ(entry.received_bytes().value(), 1'000'000u);
  EXPECT_DOUBLE_EQ(entry.sent_bps(), 8e6);
  EXPECT_DOUBLE_EQ(entry.received_bps(), 8e6);
  EXPECT_EQ(entry.in_flight_bytes(), 0);
  EXPECT_EQ(entry.loss().sent(), 1000u);
  EXPECT_EQ(entry.loss().lost(), 0u);
  EXPECT_EQ(entry.loss().lost_ratio(), 0);
  EXPECT_THAT(entry.sent_bytes_intervals(), ElementsAre(250'000, 250'000, 250'000, 250'000));
  EXPECT_THAT(entry.lost_intervals(), ElementsAre(0, 0, 0, 0));
  EXPECT_EQ(entry.elapsed_ns(), kSecond);
  EXPECT_EQ(entry.overlap_ratio(), 1);
  EXPECT_EQ(entry.jitter_ns(), 1000u);
  EXPECT_FALSE(entry.has_retransmits());  // UDP has none
}

TEST(MergeTest, AHostsRateIsItsBytesOverItsOwnActualWindowAndTheEntrysIsTheirSum) {
  RawTrial trial = RawTrial::Pair();
  trial.AddHost("c", "m3");
  trial.roles["sender"] = {"a", "c"};
  RawTrial::Fill(trial.AddStream("c", "b"), 0, 2'500 * kMs, 2 * kMs, 100'000);
  TrialInput input = trial.Build();
  // c reads its last edge 10 ms late and has counted five messages more by then.
  v1::EdgeSample& last = *FindInput(input, "c").report->mutable_edges(4);
  last.set_begin_trial_ns(2'009 * kMs);
  last.set_end_trial_ns(2'011 * kMs);
  last.set_bytes(0, last.bytes(0) + 5'000);
  const v1::TrialResult result = MergeTrial(input);
  const v1::EntryResult& entry = OnlyEntry(result);
  EXPECT_EQ(entry.sent_bytes().value(), 1'505'000u);
  EXPECT_DOUBLE_EQ(entry.sent_bps(), 8e6 + 505'000 * 8 / 1.010);
  // Half of the readings' lengths, 0 + 1 ms, and 10 ms of difference in lateness.
  EXPECT_DOUBLE_EQ(entry.edge_error_ratio(), 0.011);
  EXPECT_EQ(entry.elapsed_ns(), 1'010 * kMs);
}

TEST(MergeTest, AMissingHostLeavesNullAndWhatIsKnownBesideIt) {
  RawTrial trial = RawTrial::Pair();
  trial.AddHost("c", "m3");
  RawTrial::Fill(trial.AddStream("c", "b"), 0, 2'500 * kMs, 2 * kMs, 100'000);
  trial.hosts[2].missing = true;
  trial.hosts[2].edges = 2;
  const v1::TrialResult result = trial.Merge();
  EXPECT_EQ(result.status(), v1::TRIAL_STATUS_PARTIAL);
  EXPECT_THAT(result.reasons(), Contains(HasSubstr("host c: its report is missing: session lost")));
  const v1::EntryResult& entry = OnlyEntry(result);
  EXPECT_FALSE(entry.sent_bytes().has_value());
  EXPECT_EQ(entry.sent_bytes().known(), 1'000'000u);
  EXPECT_EQ(entry.sent_bytes().parts_known(), 1u);
  EXPECT_EQ(entry.sent_bytes().parts(), 2u);
  EXPECT_FALSE(entry.has_sent_bps());
  EXPECT_TRUE(entry.received_bytes().has_value());
  EXPECT_FALSE(entry.has_in_flight_bytes());
  EXPECT_FALSE(entry.loss().has_lost());
  EXPECT_THAT(entry.loss().note(), HasSubstr("host c did not report"));
  EXPECT_THAT(entry.sent_bytes_intervals(), IsEmpty());
  EXPECT_FALSE(entry.has_running_skew_ns());
  // The interval that c did report is on the time axis, the others are not 0 but absent.
  EXPECT_EQ(result.timeline(0).hosts_size(), 3);
  EXPECT_EQ(result.timeline(1).hosts_size(), 2);
}

TEST(MergeTest, AHostThatWasLostAfterTheWindowIsKnownByWhatItSentWhileTheTrialRan) {
  RawTrial trial = RawTrial::Pair();
  trial.hosts[0].missing = true;
  const v1::TrialResult result = trial.Merge();
  EXPECT_EQ(result.status(), v1::TRIAL_STATUS_PARTIAL);
  EXPECT_EQ(OnlyEntry(result).sent_bytes().value(), 1'000'000u);
  EXPECT_FALSE(OnlyEntry(result).loss().has_lost());
}

TEST(MergeTest, AMissingReadingInsideTheWindowTakesTheIntervalsButNotTheTotal) {
  TrialInput input = RawTrial::Pair().Build();
  FindInput(input, "a").report->mutable_edges()->DeleteSubrange(2, 1);
  const v1::TrialResult result = MergeTrial(input);
  EXPECT_EQ(result.status(), v1::TRIAL_STATUS_GOOD);
  EXPECT_EQ(OnlyEntry(result).sent_bytes().value(), 1'000'000u);
  EXPECT_THAT(OnlyEntry(result).sent_bytes_intervals(), IsEmpty());
  EXPECT_THAT(result.warnings(), Contains(HasSubstr("1 of 5 readings are missing")));
}

TEST(MergeTest, AFailedStreamIsNeverASilentZero) {
  TrialInput input = RawTrial::Pair().Build();
  v1::StreamReport failed;
  failed.set_stream_id(0);
  failed.set_side(v1::SIDE_SEND);
  failed.mutable_error()->set_message("send to 10.0.0.2:5001: No route to host (EHOSTUNREACH)");
  FindInput(input, "a").failed_streams.push_back(failed);
  const v1::TrialResult result = MergeTrial(input);
  EXPECT_EQ(result.status(), v1::TRIAL_STATUS_PARTIAL);
  EXPECT_THAT(result.reasons(),
              Contains(testing::AllOf(HasSubstr("host a"), HasSubstr("stream 0 (a -> b, bulk)"),
                                      HasSubstr("EHOSTUNREACH"))));
  EXPECT_FALSE(OnlyEntry(result).sent_bytes().has_value());
  EXPECT_FALSE(result.streams(0).has_sent_bytes());
}

TEST(MergeTest, AByteCounterThatStepsBackIsSuspectAndNotKnown) {
  TrialInput input = RawTrial::Pair().Build();
  FindInput(input, "b").report->mutable_edges(2)->set_bytes(0, 1);
  const v1::TrialResult result = MergeTrial(input);
  EXPECT_EQ(result.status(), v1::TRIAL_STATUS_SUSPECT);
  EXPECT_THAT(result.reasons(), Contains(HasSubstr("stepped back")));
  EXPECT_FALSE(OnlyEntry(result).received_bytes().has_value());
}

TEST(MergeTest, AnAbortedTrialHasOneReasonWhateverItLacks) {
  TrialInput input = RawTrial::Pair().Build();
  input.aborted = "throughput.received of entry bulk was 3Gbps over 5s, wanted >= 9Gbps (missed for 5s)";
  for (HostInput& host : input.hosts) host.report->mutable_edges()->RemoveLast();
  const v1::TrialResult result = MergeTrial(input);
  EXPECT_EQ(result.status(), v1::TRIAL_STATUS_ABORTED);
  EXPECT_THAT(result.reasons(), testing::ElementsAre(input.aborted));
  EXPECT_FALSE(OnlyEntry(result).received_bytes().has_value());
}

TEST(MergeTest, TheMostSeriousStatusWins) {
  RawTrial trial = RawTrial::Pair();
  trial.plan_case.mutable_limits()->set_overlap_ratio(1);
  TrialInput input = trial.Build();
  v1::StreamReport& sender = *FindInput(input, "a").report->mutable_streams(0);
  sender.set_last_send_trial_ns(1'500 * kMs);
  EXPECT_EQ(MergeTrial(input).status(), v1::TRIAL_STATUS_OVER_LIMIT);
  sender.set_total_messages(1);  // contradicts its cohorts
  EXPECT_EQ(MergeTrial(input).status(), v1::TRIAL_STATUS_SUSPECT);
  TrialInput partial = input;
  FindInput(partial, "b").report.reset();
  EXPECT_EQ(MergeTrial(partial).status(), v1::TRIAL_STATUS_PARTIAL);
  FindInput(partial, "a").report.reset();
  partial.failure = "PREPARE on host b: bind 10.0.0.2:5001: Address already in use (EADDRINUSE)";
  const v1::TrialResult failed = MergeTrial(partial);
  EXPECT_EQ(failed.status(), v1::TRIAL_STATUS_FAILED);
  EXPECT_THAT(failed.reasons(), ElementsAre(HasSubstr("EADDRINUSE")));
  partial.cancelled = true;
  EXPECT_EQ(MergeTrial(partial).status(), v1::TRIAL_STATUS_CANCELLED);
}

TEST(MergeTest, ALimitThatIsExceededNamesTheFigureAndTheLimit) {
  RawTrial trial = RawTrial::Pair();
  trial.plan_case.mutable_limits()->set_start_skew_ns(5 * kMs);
  RawTrial::Fill(trial.AddStream("a", "b"), 20 * kMs, 2'500 * kMs, kMs, 100'000);
  const v1::TrialResult result = trial.Merge();
  EXPECT_EQ(result.status(), v1::TRIAL_STATUS_OVER_LIMIT);
  EXPECT_THAT(result.reasons(), ElementsAre(testing::AllOf(HasSubstr("20ms"), HasSubstr("5ms"))));
}

TEST(MergeTest, OneStreamPassesTheLimitOfTheSkew) {
  RawTrial trial = RawTrial::Pair();
  trial.plan_case.mutable_limits()->set_start_skew_ns(1);
  TrialInput input = trial.Build();
  EXPECT_EQ(MergeTrial(input).status(), v1::TRIAL_STATUS_GOOD);
  FindInput(input, "a").report->mutable_streams(0)->clear_running_trial_ns();
  EXPECT_EQ(MergeTrial(input).status(), v1::TRIAL_STATUS_GOOD);
}

TEST(MergeTest, ASkewThatNobodyKnowsDoesNotPassItsLimit) {
  RawTrial trial = RawTrial::Pair();
  RawTrial::Fill(trial.AddStream("a", "b"), 0, 2'500 * kMs, kMs, 100'000);
  trial.plan_case.mutable_limits()->set_start_skew_ns(5 * kMs);
  TrialInput input = trial.Build();
  FindInput(input, "a").report->mutable_streams(0)->clear_running_trial_ns();
  const v1::TrialResult result = MergeTrial(input);
  EXPECT_EQ(result.status(), v1::TRIAL_STATUS_OVER_LIMIT);
  EXPECT_THAT(result.warnings(), Contains(HasSubstr("never reached a steady start")));
}

TEST(MergeTest, AClockThatIsKnownTooCoarselyIsOverItsLimit) {
  RawTrial trial = RawTrial::Pair();
  trial.plan_case.mutable_limits()->set_clock_error_ns(100'000);
  trial.hosts[1].mapping = ClockMapping(HostTime{7}, TimelineTime{9}, 0, 150'000, 0);
  const v1::TrialResult result = trial.Merge();
  EXPECT_EQ(result.status(), v1::TRIAL_STATUS_OVER_LIMIT);
  EXPECT_THAT(result.reasons(), ElementsAre(testing::AllOf(HasSubstr("host b"), HasSubstr("150us"))));
  EXPECT_EQ(result.hosts(1).clock().offset_ns(), 2);
  EXPECT_EQ(result.hosts(1).clock().bound_before_ns(), 150'000);
  EXPECT_FALSE(result.hosts(1).clock().has_bound_after_ns());
}

TEST(MergeTest, AClockThatWasLostFromSightInTheMiddleIsOverItsLimitAndTheAdviceFitsItsSource) {
  RawTrial trial = RawTrial::Pair();
  trial.plan_case.mutable_limits()->set_clock_error_ns(100'000);
  TrialInput input = trial.Build();
  HostInput& host = FindInput(input, "b");
  host.refits = 3;
  host.largest_bound_ns = 120'000;
  host.clock_source = v1::CLOCK_SOURCE_SESSION;
  host.clock_round_trip_ns = 80'000;
  host.clock_restarts = 0;
  const v1::TrialResult filtered = MergeTrial(input);
  EXPECT_THAT(filtered.reasons(),
              ElementsAre(testing::AllOf(HasSubstr("120us"), HasSubstr("let UDP through"))));
  const v1::HostClock& clock = filtered.hosts(1).clock();
  EXPECT_EQ(clock.bound_during_ns(), 120'000);
  EXPECT_EQ(clock.refits(), 3u);
  EXPECT_EQ(clock.source(), v1::CLOCK_SOURCE_SESSION);
  EXPECT_EQ(clock.round_trip_ns(), 80'000);
  EXPECT_TRUE(clock.has_restarts());
  EXPECT_FALSE(filtered.hosts(0).clock().has_restarts());
  host.clock_restarts = 1;
  EXPECT_THAT(MergeTrial(input).reasons(), ElementsAre(HasSubstr("stepped, suspended or slewed hard")));
  EXPECT_THAT(MergeTrial(input).warnings(),
              Contains(HasSubstr("host b: its clock contradicted its own history 1")));
  host.clock_restarts = 0;
  host.clock_source = v1::CLOCK_SOURCE_KERNEL;
  EXPECT_THAT(MergeTrial(input).reasons(), ElementsAre(HasSubstr("quieter control path")));
}

TEST(MergeTest, StreamsThatNeverRanTogetherHaveNoCommonRate) {
  RawTrial trial;
  trial.AddHost("a", "m1");
  trial.AddHost("b", "m2");
  trial.roles = {{"sender", {"a"}}, {"receiver", {"b"}}};
  RawTrial::Fill(trial.AddStream("a", "b"), 0, 1'400 * kMs, kMs, 1000);
  RawTrial::Fill(trial.AddStream("a", "b"), 1'500 * kMs, 2'500 * kMs, kMs, 1000);
  const v1::TrialResult result = trial.Merge();
  EXPECT_EQ(result.status(), v1::TRIAL_STATUS_SUSPECT);
  EXPECT_THAT(result.reasons(), ElementsAre(HasSubstr("at no time ran together")));
  EXPECT_EQ(OnlyEntry(result).overlap_ratio(), 0);
  EXPECT_FALSE(OnlyEntry(result).has_sent_bps());
  EXPECT_FALSE(OnlyEntry(result).has_received_bps());
  EXPECT_EQ(OnlyEntry(result).sent_bytes().value(), 900'000u);  // bytes add, rates do not
}

TEST(MergeTest, EntriesAndDirectionsAreRowsOfTheirOwn) {
  RawTrial trial = RawTrial::Pair();
  v1::TrafficEntry second = trial.traffic();
  second.set_name("acks");
  second.set_both_ways(true);
  *trial.plan_case.add_traffic() = second;
  RawTrial::Fill(trial.AddStream("a", "b", "acks"), 0, 2'500 * kMs, 10 * kMs, 1000);
  RawStream& reverse = trial.AddStream("b", "a", "acks");
  reverse.flow.set_reverse(true);
  RawTrial::Fill(reverse, 0, 2'500 * kMs, 20 * kMs, 1000);
  const v1::TrialResult result = trial.Merge();
  ASSERT_EQ(result.entries_size(), 3);
  EXPECT_EQ(result.entries(0).sent_bytes().value(), 1'000'000u);
  EXPECT_EQ(result.entries(1).sent_bytes().value(), 100'000u);
  EXPECT_EQ(result.entries(2).sent_bytes().value(), 50'000u);
  EXPECT_TRUE(result.entries(2).reverse());
  // The host has them all.
  EXPECT_EQ(result.hosts(0).sent_bytes().value(), 1'100'000u);
  EXPECT_EQ(result.hosts(0).received_bytes().value(), 50'000u);
}

TEST(MergeTest, TcpHasRetransmitsOfTheWindowAndNoLoss) {
  RawTrial trial = RawTrial::Pair();
  trial.traffic().set_protocol(v1::PROTOCOL_TCP);
  const v1::TrialResult result = trial.Merge();
  EXPECT_EQ(result.status(), v1::TRIAL_STATUS_GOOD) << result.DebugString();
  EXPECT_EQ(OnlyEntry(result).retransmits().value(), 12u);  // 3 per interval
  EXPECT_FALSE(OnlyEntry(result).loss().has_lost());
  EXPECT_FALSE(OnlyEntry(result).has_socket_drops());
  EXPECT_EQ(OnlyEntry(result).in_flight_bytes(), 0);
  EXPECT_EQ(result.timeline(1).hosts(0).retransmits(), 3u);
  EXPECT_EQ(result.streams(0).received_bytes(), 1'000'000u);
  EXPECT_EQ(result.streams(0).receive_queue_change_bytes(), -40);
  EXPECT_EQ(result.streams(0).kernel_received_bytes(), 999'960u);
}

TEST(MergeTest, AShorterLastIntervalIsMarkedAndIsNotAStall) {
  RawTrial trial = RawTrial::Pair();
  trial.plan_case.mutable_timing()->set_interval_ns(333'300'000);  // 3 x 333.3 ms + 0.1 ms
  const v1::TrialResult result = trial.Merge();
  ASSERT_EQ(result.timeline_size(), 4);
  EXPECT_FALSE(result.timeline(2).shorter());
  EXPECT_TRUE(result.timeline(3).shorter());
  EXPECT_EQ(result.timeline(3).end_trial_ns(), 2 * kSecond);
  EXPECT_EQ(result.streams(0).stalled_intervals(), 0u);
}

TEST(MergeTest, AnIntervalWithoutAByteIsAStallUnlessTheStreamHasARate) {
  RawTrial trial;
  trial.AddHost("a", "m1");
  trial.AddHost("b", "m2");
  RawStream& stream = trial.AddStream("a", "b");
  RawTrial::Fill(stream, 0, 1'100 * kMs, kMs, 1000);
  RawTrial::Fill(stream, 1'600 * kMs, 2'500 * kMs, kMs, 1000);
  EXPECT_EQ(OnlyEntry(trial.Merge()).stalled_intervals(), 1u);  // 1.25 to 1.5 s
  EXPECT_EQ(OnlyEntry(trial.Merge()).stalled_streams(), 1u);
  trial.traffic().set_rate_bps(1000);
  EXPECT_FALSE(trial.Merge().streams(0).has_stalled_intervals());
  EXPECT_EQ(OnlyEntry(trial.Merge()).stalled_intervals(), 0u);
}

TEST(MergeTest, NothingAtAllIsAFailedTrialAndNotAnEmptyGoodOne) {
  EXPECT_EQ(MergeTrial(TrialInput{}).status(), v1::TRIAL_STATUS_FAILED);
}

TEST(MergeTest, CountersThatDoNotFitTheStreamsAreLeftOut) {
  TrialInput input = RawTrial::Pair().Build();
  FindInput(input, "a").report->mutable_edges(4)->clear_bytes();
  const v1::TrialResult result = MergeTrial(input);
  EXPECT_EQ(result.status(), v1::TRIAL_STATUS_PARTIAL);
  EXPECT_FALSE(OnlyEntry(result).sent_bytes().has_value());
}

}  // namespace
}  // namespace tutti::results
