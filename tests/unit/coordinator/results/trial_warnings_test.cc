#include "coordinator/results/trial_warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/coordinator/results/raw_trial.h"

namespace tutti::results {
namespace {

namespace v1 = tutti::v1;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

v1::EdgeSample& EdgeOf(TrialInput& input, const std::string& host, int index) {
  return *FindInput(input, host).report->mutable_edges(index);
}

void Shift(v1::EdgeSample& edge, int64_t late_ns) {
  edge.set_begin_trial_ns(edge.due_trial_ns() + late_ns);
  edge.set_end_trial_ns(edge.due_trial_ns() + late_ns);
}

TEST(TrialWarnings, AnHonestTrialHasNone) {
  const TrialInput input = RawTrial::Pair().Build();
  const TrialView trial(input);
  EXPECT_THAT(LateReadings(trial), IsEmpty());
  EXPECT_THAT(MissedRates(trial), IsEmpty());
  EXPECT_THAT(SessionClocks(trial), IsEmpty());
  EXPECT_THAT(StreamWarnings(trial), IsEmpty());
}

TEST(TrialWarnings, AHostThatStoodStillIsNamedWithTheIntervalsItSpoilt) {
  TrialInput input = RawTrial::Pair().Build();
  for (int k = 0; k < 5; ++k) Shift(EdgeOf(input, "b", k), 0);
  const int64_t interval_ns = EdgeOf(input, "b", 1).due_trial_ns() - EdgeOf(input, "b", 0).due_trial_ns();
  Shift(EdgeOf(input, "b", 2), interval_ns / 10);
  EXPECT_THAT(LateReadings(TrialView(input)), IsEmpty());
  Shift(EdgeOf(input, "b", 2), 4 * interval_ns / 5);
  // One interval too long by that, the next too short.
  EXPECT_THAT(LateReadings(TrialView(input)),
              ElementsAre(AllOf(HasSubstr("host b"), HasSubstr("2 of 4 intervals"))));
}

TEST(TrialWarnings, AWindowWhoseEdgeWasReadFarTooLateMakesTheTrialSuspect) {
  TrialInput input = RawTrial::Pair().Build();
  for (int k = 0; k < 5; ++k) Shift(EdgeOf(input, "b", k), 0);
  const int64_t window_ns = EdgeOf(input, "b", 4).due_trial_ns() - EdgeOf(input, "b", 0).due_trial_ns();
  Shift(EdgeOf(input, "b", 4), window_ns / 12);
  EXPECT_EQ(MergeTrial(input).status(), v1::TRIAL_STATUS_GOOD);
  Shift(EdgeOf(input, "b", 4), window_ns / 8);
  const v1::TrialResult result = MergeTrial(input);
  EXPECT_EQ(result.status(), v1::TRIAL_STATUS_SUSPECT);
  EXPECT_THAT(result.reasons(), ElementsAre(HasSubstr("did not measure one window")));
}

TEST(TrialWarnings, ARateThatWasNotKeptIsToldWithTheWorstStream) {
  RawTrial trial = RawTrial::Pair();
  TrialInput input = trial.Build();
  const TrialView view(input);
  const auto sent_bytes = static_cast<double>(*view.streams[0].sender->bytes);
  const double seconds = static_cast<double>(view.streams[0].from->elapsed_ns()) / 1e9;
  const auto set_rate = [&](double share) {
    input.plan_case.mutable_traffic(0)->set_rate_bps(static_cast<uint64_t>(sent_bytes * 8 / seconds / share));
  };
  set_rate(0.995);
  EXPECT_THAT(MissedRates(TrialView(input)), IsEmpty());
  set_rate(0.80);
  EXPECT_THAT(MissedRates(TrialView(input)),
              ElementsAre(AllOf(HasSubstr("less than 99% of the rate"), HasSubstr("80%"))));
  FindInput(input, "a").report->mutable_streams(0)->set_worst_behind_ns(12'000'000);
  EXPECT_THAT(MissedRates(TrialView(input)),
              ElementsAre(AllOf(HasSubstr("stream 0 (a -> b"), HasSubstr("a burst began up to 12ms late"))));
}

TEST(TrialWarnings, ARateThatTheKernelWasToKeepIsJudgedByWhatArrived) {
  TrialInput input = RawTrial::Pair().Build();
  const TrialView view(input);
  const auto received_bytes = static_cast<double>(*view.streams[0].receiver->bytes);
  const double seconds = static_cast<double>(view.streams[0].to->elapsed_ns()) / 1e9;
  v1::TrafficEntry& traffic = *input.plan_case.mutable_traffic(0);
  traffic.mutable_pacing()->set_keeper(v1::Pacing::KEEPER_KERNEL);
  const auto set_rate = [&](double share) {
    traffic.set_rate_bps(static_cast<uint64_t>(received_bytes * 8 / seconds / share));
  };
  set_rate(1);
  EXPECT_THAT(MissedRates(TrialView(input)), IsEmpty());
  set_rate(1.5);
  EXPECT_THAT(MissedRates(TrialView(input)),
              ElementsAre(AllOf(HasSubstr("more than 101% of the rate"), HasSubstr("150%"))));
  set_rate(0.5);
  EXPECT_THAT(MissedRates(TrialView(input)), ElementsAre(HasSubstr("less than 99% of the rate")));
}

TEST(TrialWarnings, ClocksThatAreMeasuredOverTheSessionAreNamed) {
  TrialInput input = RawTrial::Pair().Build();
  FindInput(input, "a").clock_source = v1::CLOCK_SOURCE_KERNEL;
  FindInput(input, "b").clock_source = v1::CLOCK_SOURCE_SESSION;
  EXPECT_THAT(SessionClocks(TrialView(input)),
              ElementsAre(HasSubstr("clocks of b: measured over the session")));
}

TEST(TrialWarnings, AHostThatDidNotFollowEveryFitIsNamed) {
  TrialInput input = RawTrial::Pair().Build();
  for (const char* host : {"a", "b"}) {
    FindInput(input, host).refits = 3;
    FindInput(input, host).refits_sent = 3;
  }
  EXPECT_THAT(MissedFits(TrialView(input)), IsEmpty());
  FindInput(input, "b").refits = 1;
  EXPECT_THAT(MissedFits(TrialView(input)), ElementsAre(HasSubstr("host b: followed 1 of 3 new fits")));
}

TEST(TrialWarnings, WhatStreamsWarnOfIsToldOnceForEachEntry) {
  TrialInput input = RawTrial::Pair().Build();
  v1::TrialReport& report = *FindInput(input, "a").report;
  for (v1::StreamReport& stream : *report.mutable_streams()) stream.add_warnings("is sent in fragments");
  const std::string all = std::to_string(report.streams_size());
  EXPECT_THAT(StreamWarnings(TrialView(input)),
              ElementsAre(HasSubstr(all + " of " + all + (all == "1" ? " stream" : " streams") +
                                    ": is sent in fragments")));
}

TEST(TrialWarnings, AnOptionThatWasNotAppliedIsToldOfOutsideTheDetailToo) {
  TrialInput input = RawTrial::Pair().Build();
  v1::OptionOutcome& option = *FindInput(input, "a").report->mutable_streams(0)->add_options();
  option.set_name("UDP_SEGMENT");
  option.set_asked("1473B");
  option.set_got("write");
  option.set_applied(true);
  EXPECT_THAT(StreamWarnings(TrialView(input)), IsEmpty());
  option.set_applied(false);
  EXPECT_THAT(StreamWarnings(TrialView(input)),
              ElementsAre(HasSubstr("UDP_SEGMENT was not applied: asked 1473B, got write")));
}

TEST(TrialWarnings, AStartWhoseBoundReachesBeyondTheLimitIsNotShownToHold) {
  v1::Limits limits;
  limits.set_start_skew_ns(200'000);
  v1::TrialResult result;
  v1::EntryResult& entry = *result.add_entries();
  entry.set_running_skew_ns(150'000);
  entry.set_skew_bound_ns(50'000);
  EXPECT_THAT(UnprovenStarts(limits, result), IsEmpty());
  entry.set_skew_bound_ns(50'001);
  EXPECT_THAT(UnprovenStarts(limits, result), ElementsAre(HasSubstr("is not shown")));
  entry.set_running_skew_ns(200'001);  // over the limit: that is said elsewhere
  EXPECT_THAT(UnprovenStarts(limits, result), IsEmpty());
}

}  // namespace
}  // namespace tutti::results
