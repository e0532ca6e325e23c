#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "coordinator/report/report.h"
#include "coordinator/store/result_parts.h"
#include "tests/unit/coordinator/report/sample_result.h"

namespace tutti::report {
namespace {

namespace v1 = tutti::v1;
using testing::UnorderedElementsAre;

void AddSeries(v1::StreamResult& stream) {
  for (uint64_t k = 0; k < 3; ++k) {
    stream.add_sent_bytes_intervals(1'000'000 + k);
    stream.add_received_bytes_intervals(900'000 + k);
    stream.add_lost_intervals(k);
    stream.add_socket_drops_intervals(k);
    stream.mutable_sender()->add_sent_cohorts()->set_messages(100 + k);
    stream.mutable_receiver()->add_received_cohorts()->set_in_order(90 + k);
    v1::TcpSeries& series = *stream.mutable_tcp_series();
    series.add_retransmits(k);
    series.add_rtt_us(70 + k);
    series.add_cwnd_segments(10 + k);
    series.add_delivery_rate_bytes_per_s(1'000'000);
    series.add_busy_us(1000 * k);
    series.add_rwnd_limited_us(100 * k);
    series.add_sndbuf_limited_us(10 * k);
  }
}

// The sample, with everything that there may be once for each interval in each of its trials.
v1::Result WithSeries() {
  v1::Result result = SampleResult();
  for (v1::CaseResult& each : *result.mutable_cases()) {
    for (v1::TrialResult& trial : *each.mutable_trials()) {
      v1::TimelineInterval& interval = *trial.add_timeline();
      interval.set_begin_trial_ns(500'000'000);
      interval.set_end_trial_ns(600'000'000);
      interval.add_hosts()->set_host("a");
      interval.mutable_hosts(0)->set_sent_bytes(1'000'000);
      for (v1::EntryResult& entry : *trial.mutable_entries()) {
        entry.add_sent_bytes_intervals(1'000'000);
        entry.add_received_bytes_intervals(900'000);
        entry.add_lost_intervals(7);
      }
      for (v1::StreamResult& stream : *trial.mutable_streams()) AddSeries(stream);
    }
  }
  return result;
}

TEST(ExportersTest, WhatDoesWithoutIntervalsIsTheSameTextWithoutThem) {
  const v1::Result whole = WithSeries();
  const v1::Result without = store::WithoutIntervals(whole);
  // There was something to leave out, and two reports show it.
  ASSERT_NE(RenderTimeline(whole, {}), RenderTimeline(without, {}));
  ASSERT_NE(RenderDetail(whole, {}), RenderDetail(without, {}));
  std::vector<std::string> names;
  for (const Exporter& exporter : Exporters()) {
    if (!exporter.without_intervals) continue;
    names.emplace_back(exporter.name);
    for (const bool color : {false, true}) {
      EXPECT_EQ(exporter.render(without, {.color = color}), exporter.render(whole, {.color = color}))
          << exporter.name;
    }
  }
  EXPECT_THAT(names, UnorderedElementsAre("table", "junit", "stream-test", "netperf"));
}

}  // namespace
}  // namespace tutti::report
