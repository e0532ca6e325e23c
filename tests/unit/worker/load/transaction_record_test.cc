#include "worker/load/transaction_record.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/worker/load/two_ends.h"
#include "worker/load/request_schedule.h"

namespace tutti::load {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

// The window is 30 to 140 ms.
StreamReport ReportOf(const TransactionRecord& record) {
  StreamReport report;
  record.WriteTo(report);
  return report;
}

TEST(TransactionRecord, CountsWhatIsCompleteInTheWindow) {
  TransactionRecord record(WindowGrid(kShort), false);
  record.Completed(30 * kMs - 1, 10, 10);
  record.Completed(30 * kMs, 30 * kMs - 7, 0);  // begun before it
  record.Completed(140 * kMs - 1, 140 * kMs - 10, 0);
  record.Completed(140 * kMs, 140 * kMs - 11, 0);
  const StreamReport report = ReportOf(record);
  EXPECT_EQ(report.latency->first_bucket(), 7u);
  EXPECT_THAT(report.latency->counts(), ElementsAre(1, 0, 1));
  EXPECT_FALSE(report.corrected_latency);
}

TEST(TransactionRecord, CorrectsByTheInstantAtWhichEachWasDue) {
  TransactionRecord record(WindowGrid(kShort), true);
  record.Completed(50 * kMs, 50 * kMs - 20, 50 * kMs - 100);
  const StreamReport report = ReportOf(record);
  EXPECT_THAT(report.latency->max_ns(), Optional(20));
  EXPECT_THAT(report.corrected_latency->max_ns(), Optional(100));
}

// Ten were due every 10 ns from 0 on; given up at 120 they have waited for 120, 110, ... 30.
TEST(TransactionRecord, WhatWasGivenUpHasWaitedUntilThen) {
  TransactionRecord record(WindowGrid(kShort), true);
  record.GivenUp(50 * kMs + 120, 50 * kMs, 10, 10);
  const StreamReport report = ReportOf(record);
  EXPECT_EQ(report.latency->count(), 0u);
  EXPECT_EQ(report.corrected_latency->count(), 10u);
  EXPECT_THAT(report.corrected_latency->min_ns(), Optional(30));
  EXPECT_THAT(report.corrected_latency->max_ns(), Optional(120));
  EXPECT_EQ(report.corrected_latency->sum_ns(), 750u);
}

TEST(TransactionRecord, CountsMillionsThatWereGivenUpByTheThousand) {
  TransactionRecord record(WindowGrid(kShort), true);
  record.GivenUp(130 * kMs, 30 * kMs, 0.01, 10'000'000'000);
  const StreamReport report = ReportOf(record);
  EXPECT_EQ(report.corrected_latency->count(), 10'000'000'000u);
  EXPECT_NEAR(static_cast<double>(*report.corrected_latency->PercentileNs(500'000)), 50e6, 1e6);
  EXPECT_NEAR(*report.corrected_latency->mean_ns(), 50e6, 1e5);
}

TEST(TransactionRecord, OutsideTheWindowNothingIsGivenUp) {
  TransactionRecord record(WindowGrid(kShort), true);
  record.GivenUp(20 * kMs, 0, 10, 5);
  record.GivenUp(140 * kMs, 0, 10, 5);
  EXPECT_EQ(ReportOf(record).corrected_latency->count(), 0u);
}

// 1000 a second from T0 on; held up from the 60th to 100 ms.
TEST(RequestSchedule, TellsTheRecordWhatIsNotMadeUpFor) {
  StreamConfig config = ExchangeEnd(Side::kSend, Protocol::kTcp, 1, 1);
  config.rate_bps = 8'000;
  TransactionRecord record(WindowGrid(kShort), true);
  RequestSchedule schedule(config);
  for (int i = 0; i < 60; ++i) {
    ASSERT_EQ(schedule.NextDueNs(i * kMs, record), i * kMs);
    schedule.Started(i * kMs);
  }
  EXPECT_EQ(schedule.NextDueNs(100 * kMs, record), 90 * kMs);  // 10 ms are made up for
  const StreamReport report = ReportOf(record);
  EXPECT_EQ(report.corrected_latency->count(), 30u);  // those of 60 to 89 ms
  EXPECT_THAT(report.corrected_latency->max_ns(), Optional(40 * kMs));
  EXPECT_THAT(report.corrected_latency->min_ns(), Optional(11 * kMs));
}

TEST(RequestSchedule, WithoutARateTheNextIsAlwaysDue) {
  TransactionRecord record(WindowGrid(kShort), false);
  RequestSchedule schedule(ExchangeEnd(Side::kSend, Protocol::kTcp, 1, 1));
  EXPECT_FALSE(schedule.paced());
  EXPECT_EQ(schedule.NextDueNs(77, record), 77);
  schedule.Started(77);
  EXPECT_EQ(schedule.NextDueNs(78, record), 78);
}

}  // namespace
}  // namespace tutti::load
