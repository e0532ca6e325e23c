// Whole runs of transactions beside bulk streams, over two machines whose clocks are days apart.
#include <string>

#include "tests/integration/cluster.h"
#include "tests/nanoseconds.h"

namespace tutti::integration {
namespace {

class RequestResponseRun : public Cluster {
 protected:
  void SetUp() override {
    Cluster::SetUp();
    Join("a", {.boot_id = "aaaa", .address = "10.99.0.11", .clock_shift_ns = 5 * kDay, .cpus = {0, 1}});
    Join("b", {.boot_id = "bbbb", .address = "10.99.0.12", .clock_shift_ns = -3 * kDay, .cpus = {0, 1}});
  }

  // The only trial of a plan with these entries.
  tutti::v1::TrialResult RunEntries(const std::string& entries) {
    const tutti::v1::Result result = RunUntilPassed(
        "version: 1\nname: t\nroles:\n  client: {hosts: [a]}\n  server: {hosts: [b]}\ntraffic:\n" + entries +
        "timing: {warmup: 100ms, measure: 1950ms, cooldown: 50ms, interval: 100ms}\n");
    if (result.cases_size() != 1 || result.cases(0).trials_size() != 1) {
      ADD_FAILURE() << result.ShortDebugString();
      return {};
    }
    return result.cases(0).trials(0);
  }
};

std::string Entry(const std::string& name, const std::string& protocol, const std::string& lines) {
  return "  - name: " + name + "\n    from: client\n    to: server\n    protocol: " + protocol + "\n" + lines;
}

void ExpectOrdered(const tutti::v1::Latency& latency) {
  EXPECT_GT(latency.transactions(), 0u);
  EXPECT_GT(latency.min_ns(), 0);
  EXPECT_LE(latency.min_ns(), latency.p50_ns());
  EXPECT_LE(latency.p50_ns(), latency.p90_ns());
  EXPECT_LE(latency.p90_ns(), latency.p99_ns());
  EXPECT_LE(latency.p99_ns(), latency.p99_9_ns());
  EXPECT_LE(latency.p99_9_ns(), latency.p99_99_ns());
  EXPECT_LE(latency.p99_99_ns(), latency.max_ns());
  EXPECT_LT(latency.max_ns(), 2'000'000'000);  // of one clock, whatever the hosts' are apart
}

TEST_F(RequestResponseRun, EveryKindRunsBesideBulkStreamsAndItsCountsClose) {
  const tutti::v1::TrialResult trial = RunEntries(
      Entry("bulk", "tcp", "    rate: 100Mbps\n") +
      Entry("rr", "tcp", "    streams: 2\n    request_response: {request: 100B, response: 300B}\n") +
      Entry("deep", "tcp", "    nodelay: true\n    request_response: {outstanding: 8}\n") +
      Entry("dgram", "udp", "    request_response: {response: 100B}\n    rate: 192Kbps\n") +
      Entry("crr", "tcp", "    both_ways: true\n    request_response: {connect: true}\n"));
  ASSERT_EQ(trial.status(), tutti::v1::TRIAL_STATUS_GOOD) << trial.ShortDebugString();
  ASSERT_EQ(trial.entries_size(), 6);
  EXPECT_FALSE(trial.entries(0).has_transactions());
  for (int i = 1; i < 6; ++i) {
    const tutti::v1::EntryResult& entry = trial.entries(i);
    SCOPED_TRACE(entry.entry());
    ASSERT_TRUE(entry.has_latency());
    ExpectOrdered(entry.latency());
    EXPECT_EQ(entry.transactions(), entry.latency().transactions());
    EXPECT_DOUBLE_EQ(entry.transactions_per_s(), static_cast<double>(entry.transactions()) / 1.95);
    EXPECT_FALSE(entry.has_wire_bps());
  }
  const tutti::v1::EntryResult& dgram = trial.entries(3);
  EXPECT_EQ(dgram.lost_transactions(), 0u);
  EXPECT_TRUE(dgram.loss().has_lost());
  ASSERT_TRUE(dgram.has_corrected_latency());
  // 1000 a second were due, whatever the machine was busy with; the window may be read late at both ends.
  EXPECT_NEAR(static_cast<double>(dgram.corrected_latency().transactions()), 1950, 100);
  EXPECT_FALSE(trial.entries(4).has_retransmits());
  EXPECT_TRUE(trial.entries(5).reverse());
  for (const auto& stream : trial.streams()) {
    EXPECT_EQ(stream.sender().total_bytes(), stream.receiver().total_bytes()) << stream.flow().entry();
  }
}

TEST_F(RequestResponseRun, TheLiveLineCountsTransactions) {
  const auto run_id =
      Submit("version: 1\nname: t\nroles:\n  client: {hosts: [a]}\n  server: {hosts: [b]}\ntraffic:\n" +
             Entry("rr", "tcp", "    request_response: {}\n") +
             "timing: {warmup: 100ms, measure: 400ms, cooldown: 50ms, interval: 100ms}\n");
  ASSERT_TRUE(run_id.ok()) << run_id.status();
  int intervals = 0;
  const tutti::v1::Result result = Watch(*run_id, [&](const tutti::v1::RunEvent& event) {
    if (!event.has_interval()) return;
    ++intervals;
    EXPECT_GT(event.interval().entries(0).transactions_per_s(), 0);
  });
  EXPECT_EQ(intervals, 4);
  EXPECT_EQ(result.exit_code(), 0);
  ASSERT_EQ(result.cases(0).rows_size(), 1);
  EXPECT_TRUE(result.cases(0).rows(0).has_p99_ns());
}

}  // namespace
}  // namespace tutti::integration
