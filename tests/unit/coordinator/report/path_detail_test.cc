#include "coordinator/report/path_detail.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::report {
namespace {

namespace v1 = tutti::v1;
using ::testing::HasSubstr;

TEST(PathDetailTest, SumsTheIntervalsAndShowsTheLargestBacklog) {
  v1::TrialResult trial;
  trial.add_machines()->set_machine("m1");
  trial.mutable_machines(0)->set_reader("a");
  for (int k = 0; k < 2; ++k) {
    v1::HostInterval& a = *trial.add_timeline()->add_hosts();
    a.set_host("a");
    a.mutable_softnet()->set_processed(100);
    a.mutable_softnet()->set_dropped(3);
    v1::DeviceCounters& device = *a.add_devices();
    device.set_device("eth0");
    device.set_tx_packets(50);
    device.set_tx_dropped(2);
    v1::QdiscCounters& fq = *a.add_qdiscs();
    fq.set_device("eth0");
    fq.set_kind("fq");
    fq.set_handle(0x80010000);
    fq.set_drops(4);
    fq.set_backlog_bytes(k == 0 ? 2048 : 1024);
  }
  const std::string text = PathDetail(trial);
  EXPECT_THAT(text, HasSubstr("machine m1 receive path: 200 frames, 6 dropped"));
  EXPECT_THAT(text, HasSubstr("fq 8001:"));
  EXPECT_THAT(text, HasSubstr("2KiB"));
}

TEST(PathDetailTest, IsEmptyWhereNothingIsKnown) {
  EXPECT_EQ(PathDetail(v1::TrialResult()), "");
  EXPECT_EQ(TcpSeriesLine(v1::TcpSeries()), "");
}

TEST(PathDetailTest, SaysWhatHeldTheSenderUp) {
  v1::TcpSeries series;
  for (const uint64_t rtt_us : {90, 60, 120}) series.add_rtt_us(rtt_us);
  for (const uint64_t segments : {10, 10, 14}) series.add_cwnd_segments(segments);
  for (const uint64_t us : {1'000'000, 1'500'000, 2'000'000}) series.add_busy_us(us);
  for (const uint64_t us : {0, 0, 0}) series.add_rwnd_limited_us(us);
  for (const uint64_t us : {500'000, 800'000, 1'250'000}) series.add_sndbuf_limited_us(us);
  EXPECT_EQ(TcpSeriesLine(series),
            "rtt 90 (60..120) us, cwnd 10 (10..14) segments; of its busy time limited by the receiver's "
            "window 0%, by its send buffer 75%");
}

}  // namespace
}  // namespace tutti::report
