#include "coordinator/results/path_counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/coordinator/results/raw_trial.h"

namespace tutti::results {
namespace {

namespace v1 = tutti::v1;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

v1::EdgeSample& Edge(TrialInput& input, const std::string& host, int index) {
  return *FindInput(input, host).report->mutable_edges(index);
}

// Five edges bound the four intervals of a raw trial.
TrialInput CountedPair() {
  RawTrial raw = RawTrial::Pair();
  raw.traffic().set_protocol(v1::PROTOCOL_TCP);
  TrialInput input = raw.Build();
  for (int k = 0; k < 5; ++k) {
    v1::EdgeSample& edge = Edge(input, "a", k);
    for (auto* column : {edge.mutable_retransmits(), edge.mutable_rtt_us(), edge.mutable_cwnd_segments(),
                         edge.mutable_delivery_rate_bytes_per_s(), edge.mutable_busy_us(),
                         edge.mutable_rwnd_limited_us(), edge.mutable_sndbuf_limited_us()}) {
      column->Clear();
    }
    edge.add_retransmits(static_cast<uint64_t>(k) * 3);
    edge.add_rtt_us(100 + static_cast<uint64_t>(k));
    edge.add_cwnd_segments(10);
    edge.add_delivery_rate_bytes_per_s(1'000'000);
    edge.add_busy_us(static_cast<uint64_t>(k) * 250'000);
    edge.add_rwnd_limited_us(0);
    edge.add_sndbuf_limited_us(static_cast<uint64_t>(k) * 200'000);
  }
  return input;
}

TEST(PathCountersTest, TcpInfoOfTheSenderStandsAtEveryEdge) {
  const v1::TrialResult result = MergeTrial(CountedPair());
  ASSERT_TRUE(result.streams(0).has_tcp_series());
  const v1::TcpSeries& series = result.streams(0).tcp_series();
  EXPECT_THAT(series.retransmits(), ElementsAre(0, 3, 6, 9, 12));
  EXPECT_THAT(series.rtt_us(), ElementsAre(100, 101, 102, 103, 104));
  EXPECT_THAT(series.sndbuf_limited_us(), ElementsAre(0, 200'000, 400'000, 600'000, 800'000));
}

TEST(PathCountersTest, UdpHasNoTcpSeries) {
  EXPECT_FALSE(RawTrial::Pair().Merge().streams(0).has_tcp_series());
}

TEST(PathCountersTest, DropsOfASocketAreCountedPerIntervalAcrossTheCountersWrap) {
  RawTrial raw = RawTrial::Pair();
  TrialInput input = raw.Build();
  const uint64_t levels[] = {4294967290, 4294967295, 4, 4, 10};
  for (int k = 0; k < 5; ++k) {
    Edge(input, "b", k).clear_socket_drops();
    Edge(input, "b", k).add_socket_drops(levels[k]);
  }
  FindInput(input, "b").report->mutable_streams(0)->set_socket_drops_window(16);
  const v1::TrialResult result = MergeTrial(input);
  EXPECT_THAT(result.streams(0).socket_drops_intervals(), ElementsAre(5, 5, 0, 6));
}

TEST(PathCountersTest, DropsThatTheKernelDoesNotTellAreNotZero) {
  RawTrial raw = RawTrial::Pair();
  TrialInput input = raw.Build();
  for (int k = 0; k < 5; ++k) Edge(input, "b", k).add_socket_drops(0);
  FindInput(input, "b").report->mutable_streams(0)->clear_socket_drops_window();
  EXPECT_THAT(MergeTrial(input).streams(0).socket_drops_intervals(), IsEmpty());
}

v1::QdiscCounters Qdisc(const std::string& device, uint32_t handle, uint64_t drops, uint64_t backlog) {
  v1::QdiscCounters qdisc;
  qdisc.set_device(device);
  qdisc.set_kind("fq");
  qdisc.set_handle(handle);
  qdisc.set_drops(drops);
  qdisc.set_backlog_bytes(backlog);
  return qdisc;
}

TEST(PathCountersTest, DevicesAndQueuesAreDifferencesAndABacklogIsALevel) {
  v1::EdgeSample begin;
  v1::EdgeSample end;
  begin.add_devices()->set_device("eth0");
  begin.mutable_devices(0)->set_tx_packets(1'000);
  end.add_devices()->set_device("eth0");
  end.mutable_devices(0)->set_tx_packets(1'700);
  *begin.add_qdiscs() = Qdisc("eth0", 1, 5, 3'000);
  *end.add_qdiscs() = Qdisc("eth0", 1, 12, 2'000);
  *end.add_qdiscs() = Qdisc("eth0", 2, 99, 0);  // made meanwhile: nothing is known of its interval
  v1::HostInterval interval;
  AddPathCounters(begin, end, interval);
  ASSERT_EQ(interval.devices_size(), 1);
  EXPECT_EQ(interval.devices(0).tx_packets(), 700u);
  ASSERT_EQ(interval.qdiscs_size(), 1);
  EXPECT_EQ(interval.qdiscs(0).drops(), 7u);
  EXPECT_EQ(interval.qdiscs(0).backlog_bytes(), 2'000u);
}

TEST(PathCountersTest, TheReceivePathIsUnknownUnlessBothEdgesHaveIt) {
  v1::EdgeSample begin;
  v1::EdgeSample end;
  end.mutable_softnet()->set_processed(500);
  EXPECT_FALSE(SoftnetBetween(begin, end).has_value());
  begin.mutable_softnet()->set_processed(200);
  begin.mutable_softnet()->set_dropped(9);
  end.mutable_softnet()->set_dropped(4);  // a CPU went offline: its counts went with it
  ASSERT_TRUE(SoftnetBetween(begin, end).has_value());
  EXPECT_EQ(SoftnetBetween(begin, end)->processed(), 300u);
  EXPECT_EQ(SoftnetBetween(begin, end)->dropped(), 0u);
}

}  // namespace
}  // namespace tutti::results
