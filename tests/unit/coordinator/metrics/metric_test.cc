#include "coordinator/metrics/metric.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

namespace tutti::metrics {
namespace {

namespace v1 = tutti::v1;

v1::TrafficEntry Entry(v1::Protocol protocol) {
  v1::TrafficEntry entry;
  entry.set_name("bulk");
  entry.set_from("a");
  entry.set_to("b");
  entry.set_protocol(protocol);
  return entry;
}

v1::Threshold Of(const std::string& metric) {
  v1::Threshold threshold;
  threshold.set_metric(metric);
  threshold.set_scope(v1::THRESHOLD_SCOPE_TOTAL);
  return threshold;
}

TEST(Metrics, EachHasANameOfItsOwnADefinitionAndAReading) {
  std::set<std::string> names;
  for (const Metric& metric : Metrics()) {
    EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
    EXPECT_EQ(FindMetric(metric.name), &metric);
    EXPECT_GT(std::string(metric.definition).size(), 10u) << metric.name;
    EXPECT_EQ(std::string(metric.definition).find('|'), std::string::npos) << metric.name;
    EXPECT_TRUE(metric.of_entry != nullptr || metric.of_streams != nullptr) << metric.name;
    EXPECT_TRUE(metric.series == Series::kNone || metric.of_streams != nullptr) << metric.name;
  }
  EXPECT_EQ(FindMetric("goodput"), nullptr);
}

TEST(Metrics, AnEmptyEntryHasNoFigureAtAll) {
  for (const Metric& metric : Metrics()) {
    if (metric.of_entry == nullptr) continue;
    EXPECT_FALSE(metric.of_entry(v1::EntryResult()).has_value()) << metric.name;
  }
  const v1::StreamResult stream;
  for (const Metric& metric : Metrics()) {
    if (metric.of_streams == nullptr) continue;
    EXPECT_FALSE(metric.of_streams({&stream}, v1::EntryResult()).has_value()) << metric.name;
  }
}

TEST(Metrics, FiguresOfAnEntryAreItsOwn) {
  v1::EntryResult entry;
  entry.set_sent_bps(2e9);
  entry.set_elapsed_ns(2'000'000'000);
  entry.mutable_retransmits()->set_value(30);
  entry.mutable_loss()->set_lost_ratio(0.25);
  entry.mutable_receiver_cpu()->set_service_demand_us_per_kb(0.5);
  entry.mutable_latency()->set_p99_9_ns(4000);
  entry.set_jain_index(0.75);
  EXPECT_EQ(FindMetric("throughput.sent")->of_entry(entry), 2e9);
  EXPECT_EQ(FindMetric("retransmits")->of_entry(entry), 15);  // 30 in 2 s
  EXPECT_EQ(FindMetric("loss")->of_entry(entry), 0.25);
  EXPECT_EQ(FindMetric("service_demand.receiver")->of_entry(entry), 0.5);
  EXPECT_EQ(FindMetric("latency.p99_9")->of_entry(entry), 4000);
  EXPECT_EQ(FindMetric("jain")->of_entry(entry), 0.75);
  entry.clear_elapsed_ns();
  EXPECT_FALSE(FindMetric("retransmits")->of_entry(entry).has_value());
}

TEST(Metrics, WhatIsKnownWhileATrialRunsIsReadFromTheInterval) {
  v1::LiveEntry entry;
  for (const Metric& metric : Metrics()) {
    if (metric.of_live == nullptr) continue;
    EXPECT_FALSE(metric.of_live(entry, 0.1).has_value()) << metric.name;
  }
  entry.set_sent_bps(3e9);
  entry.set_received_bps(2e9);
  entry.set_retransmits(10);
  entry.set_transactions_per_s(5000);
  EXPECT_EQ(FindMetric("throughput.sent")->of_live(entry, 0.5), 3e9);
  EXPECT_EQ(FindMetric("throughput.received")->of_live(entry, 0.5), 2e9);
  EXPECT_EQ(FindMetric("retransmits")->of_live(entry, 0.5), 20);  // 10 in half a second
  EXPECT_EQ(FindMetric("transactions")->of_live(entry, 0.5), 5000);
}

TEST(Metrics, StreamsAreAddedAndOneThatLacksTheFigureLeavesNone) {
  v1::EntryResult entry;
  entry.set_received_bps(30);
  v1::StreamResult a;
  v1::StreamResult b;
  a.set_received_bps(10);
  b.set_received_bps(20);
  a.mutable_loss()->set_sent(100);
  a.mutable_loss()->set_lost(1);
  b.mutable_loss()->set_sent(300);
  b.mutable_loss()->set_lost(7);
  EXPECT_EQ(FindMetric("throughput.received")->of_streams({&a, &b}, entry), 30);
  EXPECT_EQ(FindMetric("loss")->of_streams({&a, &b}, entry), 0.02);  // 8 of 400
  b.clear_received_bps();
  EXPECT_FALSE(FindMetric("throughput.received")->of_streams({&a, &b}, entry).has_value());
  b.set_received_bps(20);
  entry.clear_received_bps();  // they did not run together: never added, but each has its own
  EXPECT_FALSE(FindMetric("throughput.received")->of_streams({&a, &b}, entry).has_value());
  EXPECT_EQ(FindMetric("throughput.received")->of_streams({&b}, entry), 20);
}

TEST(Judges, OnlyEntriesThatHaveTheMetricByTheirNature) {
  const v1::TrafficEntry udp = Entry(v1::PROTOCOL_UDP);
  const v1::TrafficEntry tcp = Entry(v1::PROTOCOL_TCP);
  EXPECT_TRUE(Judges(Of("loss"), udp, false));
  EXPECT_FALSE(Judges(Of("loss"), tcp, false));
  EXPECT_TRUE(Judges(Of("retransmits"), tcp, false));
  EXPECT_FALSE(Judges(Of("latency.p99"), tcp, false));
  EXPECT_FALSE(Judges(Of("goodput"), tcp, false));
  v1::TrafficEntry asks = tcp;
  asks.mutable_request_response()->set_exchange(v1::EXCHANGE_REQUEST_RESPONSE);
  EXPECT_TRUE(Judges(Of("latency.p99"), asks, false));
  EXPECT_FALSE(Judges(Of("corrected_latency.p99"), asks, false));
  asks.set_rate_bps(1000);
  EXPECT_TRUE(Judges(Of("corrected_latency.p99"), asks, false));
  asks.mutable_request_response()->set_exchange(v1::EXCHANGE_CONNECT_REQUEST_RESPONSE);
  EXPECT_FALSE(Judges(Of("retransmits"), asks, false));
}

TEST(Judges, ARoleWhereItIsAtTheMetricsEnd) {
  v1::TrafficEntry entry = Entry(v1::PROTOCOL_UDP);
  v1::Threshold received = Of("throughput.received");
  received.set_scope(v1::THRESHOLD_SCOPE_ROLE);
  received.set_member("b");
  EXPECT_TRUE(Judges(received, entry, false));
  received.set_member("a");
  EXPECT_FALSE(Judges(received, entry, false));
  EXPECT_FALSE(Judges(received, entry, true));  // there is no way back
  entry.set_both_ways(true);
  EXPECT_TRUE(Judges(received, entry, true));
  received.set_entry("other");
  EXPECT_FALSE(Judges(received, entry, true));
}

// TUTTI_WRITE_GOLDEN=1 writes the page anew.
TEST(MetricsPage, IsThePageOfTheDocumentation) {
  const std::string path = std::string(TUTTI_SOURCE_DIR) + "/docs/metrics.md";
  if (std::getenv("TUTTI_WRITE_GOLDEN") != nullptr) std::ofstream(path) << MetricsPage();
  std::ifstream file(path);
  std::stringstream page;
  page << file.rdbuf();
  EXPECT_EQ(page.str(), MetricsPage());
}

}  // namespace
}  // namespace tutti::metrics
