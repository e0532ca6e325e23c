#include "coordinator/results/plausible_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/coordinator/results/raw_trial.h"

namespace tutti::results {
namespace {

namespace v1 = tutti::v1;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr uint64_t kShareOfTwo = uint64_t{1} << 61;  // 2305843009213693952
constexpr ReportBounds kOfTwo{.intervals = 4, .hosts = 2, .largest_datagram_bytes = 1000};

v1::TrialReport HonestReport() {
  TrialInput input = RawTrial::Pair().Build();
  return *FindInput(input, "a").report;
}

TEST(PlausibleReportTest, AnHonestReportIsUsable) {
  EXPECT_EQ(WhyUnusable(HonestReport(), kOfTwo), "");
  EXPECT_EQ(WhyUnusable(v1::TrialReport(), kOfTwo), "");
}

TEST(PlausibleReportTest, ACounterMayHaveItsShareAndNotOneMore) {
  for (const uint64_t count : {kShareOfTwo, uint64_t{1} << 62, uint64_t{1} << 63, UINT64_MAX}) {
    v1::StreamReport stream;
    stream.set_total_bytes(count);
    const std::string why = WhyUnusable(stream, kOfTwo);
    EXPECT_EQ(why.empty(), count == kShareOfTwo) << count;
    if (why.empty()) continue;
    EXPECT_THAT(why, AllOf(HasSubstr("total_bytes"), HasSubstr("2305843009213693952")));
  }
  v1::StreamReport more;
  more.set_total_bytes(kShareOfTwo + 1);
  EXPECT_NE(WhyUnusable(more, kOfTwo), "");
  // Alone it would have twice as much.
  ReportBounds alone = kOfTwo;
  alone.hosts = 1;
  EXPECT_EQ(WhyUnusable(more, alone), "");
}

TEST(PlausibleReportTest, StreamsAreSummedAlsoWhereTheSumWraps) {
  v1::TrialReport report;
  for (int i = 0; i < 2; ++i) report.add_streams()->set_total_bytes(kShareOfTwo / 2);
  EXPECT_EQ(WhyUnusable(report, kOfTwo), "");
  report.mutable_streams(1)->set_total_bytes(kShareOfTwo / 2 + 1);
  EXPECT_THAT(WhyUnusable(report, kOfTwo), HasSubstr("total_bytes"));
  // 2^63 twice is 0 in 64 bits.
  for (v1::StreamReport& stream : *report.mutable_streams()) stream.set_total_bytes(uint64_t{1} << 63);
  EXPECT_THAT(WhyUnusable(report, kOfTwo), HasSubstr("total_bytes"));
}

TEST(PlausibleReportTest, EveryReadingHasToFitForItselfSinceItsCountersAreCumulative) {
  v1::TrialReport report;
  for (int edge = 0; edge < 5; ++edge) report.add_edges()->add_bytes(kShareOfTwo);
  EXPECT_EQ(WhyUnusable(report, kOfTwo), "");
  report.mutable_edges(3)->add_bytes(1);  // of a second stream
  EXPECT_THAT(WhyUnusable(report, kOfTwo), HasSubstr("bytes"));
  v1::EdgeSample edge;
  edge.add_retransmits(UINT64_MAX);
  EXPECT_THAT(WhyUnusable(edge, kOfTwo), HasSubstr("retransmits"));
}

TEST(PlausibleReportTest, DatagramsAreCountedInTheirBytes) {
  v1::StreamReport stream;
  // 2^61 / 1000, rounded down.
  stream.add_received_cohorts()->set_late(2'305'843'009'213'693);
  EXPECT_EQ(WhyUnusable(stream, kOfTwo), "");
  stream.add_received_cohorts()->set_late(1);
  EXPECT_THAT(WhyUnusable(stream, kOfTwo), HasSubstr("late"));
  stream.clear_received_cohorts();
  stream.add_received_cohorts()->set_bytes(kShareOfTwo);
  EXPECT_EQ(WhyUnusable(stream, kOfTwo), "");
}

TEST(PlausibleReportTest, InstantsOfStreamsAreThoseOfAClockToo) {
  for (const auto spoil : std::vector<void (*)(v1::TrialReport&)>{
           [](v1::TrialReport& report) { report.add_streams()->set_first_send_before_trial_ns(INT64_MIN); },
           [](v1::TrialReport& report) { report.add_streams()->set_last_send_trial_ns(INT64_MAX); },
           [](v1::TrialReport& report) { report.add_streams()->set_completed_trial_ns(INT64_MAX); },
           [](v1::TrialReport& report) { report.add_edges()->set_end_trial_ns(INT64_MAX); },
           [](v1::TrialReport& report) { report.add_edges()->mutable_cpu()->set_uncertainty_ns(INT64_MIN); },
           [](v1::TrialReport& report) { report.set_sampler_worst_lateness_ns(INT64_MAX); },
           [](v1::TrialReport& report) { report.mutable_clock()->set_largest_bound_ns(INT64_MAX); }}) {
    v1::TrialReport report;
    spoil(report);
    EXPECT_EQ(WhyUnusable(report, kOfTwo), "has instants that no clock shows") << report.ShortDebugString();
  }
}

TEST(PlausibleReportTest, IdsAndCountersSinceBootMayBeAnything) {
  v1::TrialReport report = HonestReport();
  report.set_trial_id(UINT64_MAX);
  report.add_devices_end()->set_rx_bytes(UINT64_MAX);
  report.mutable_edges(0)->mutable_softnet()->set_processed(UINT64_MAX);
  EXPECT_EQ(WhyUnusable(report, kOfTwo), "");
}

TEST(PlausibleReportTest, AWindowHasOneReadingMoreThanIntervals) {
  v1::TrialReport report;
  for (int edge = 0; edge < 5; ++edge) report.add_edges();
  EXPECT_EQ(WhyUnusable(report, kOfTwo), "");
  report.add_edges();
  EXPECT_EQ(WhyUnusable(report, kOfTwo), "has 6 readings of a window that has 5");
}

// What is let through is added up without an error: 2^61 bytes in a window of 1 s are 2^64 bit/s.
TEST(PlausibleReportTest, TheMostThatIsTakenIsMergedExactly) {
  RawTrial trial = RawTrial::Pair();
  trial.traffic().set_protocol(v1::PROTOCOL_TCP);
  TrialInput input = trial.Build();
  for (HostInput& host : input.hosts) {
    for (int k = 0; k < 5; ++k) {
      v1::EdgeSample& edge = *host.report->mutable_edges(k);
      edge.set_bytes(0, (kShareOfTwo / 4) * static_cast<uint64_t>(k));
      edge.set_kernel_bytes(0, edge.bytes(0));
      edge.set_queued_bytes(0, 0);
    }
    host.report->mutable_streams(0)->set_total_bytes(kShareOfTwo);
    if (host.report->streams(0).has_tcp()) {
      host.report->mutable_streams(0)->mutable_tcp()->set_bytes_received(kShareOfTwo);
    }
    EXPECT_EQ(WhyUnusable(*host.report, kOfTwo), "");
  }
  const v1::TrialResult result = MergeTrial(input);
  const v1::EntryResult& entry = OnlyEntry(result);
  EXPECT_EQ(entry.sent_bytes().value(), 2'305'843'009'213'693'952u);
  EXPECT_EQ(entry.received_bytes().value(), 2'305'843'009'213'693'952u);
  EXPECT_EQ(entry.in_flight_bytes(), 0);
  EXPECT_DOUBLE_EQ(entry.sent_bps(), 18'446'744'073'709'551'616.0);
  EXPECT_DOUBLE_EQ(entry.received_bps(), 18'446'744'073'709'551'616.0);
  const uint64_t quarter = 576'460'752'303'423'488u;
  EXPECT_THAT(entry.received_bytes_intervals(), ElementsAre(quarter, quarter, quarter, quarter));
}

}  // namespace
}  // namespace tutti::results
