#include "coordinator/results/machine_cpu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_format.h"
#include "tests/unit/coordinator/results/raw_trial.h"

namespace tutti::results {
namespace {

namespace v1 = tutti::v1;
using testing::HasSubstr;

TEST(MachineCpuTest, RolesOnMachinesOfTheirOwnHaveAServiceDemandEach) {
  const v1::EntryResult entry = OnlyEntry(RawTrial::Pair().Merge());
  // 0.75 cores over 1 s for 1,000,000 B = 976.5625 KB: 768 us/KB.
  EXPECT_DOUBLE_EQ(entry.sender_cpu().cores_busy(), 0.75);
  EXPECT_DOUBLE_EQ(entry.sender_cpu().busy_ratio(), 0.375);
  EXPECT_DOUBLE_EQ(entry.sender_cpu().service_demand_us_per_kb(), 768);
  EXPECT_DOUBLE_EQ(entry.receiver_cpu().service_demand_us_per_kb(), 768);
  EXPECT_EQ(entry.sender_cpu().cpus(), 2u);
  EXPECT_FALSE(entry.has_both_ends());
}

TEST(MachineCpuTest, WorkersOfOneMachineShareOneReadingThatIsCountedOnce) {
  RawTrial trial = RawTrial::Pair();
  trial.hosts[1].machine = "m1";
  trial.hosts[1].busy = {1, 1};  // the first host's reading stands for the machine
  const v1::TrialResult result = trial.Merge();
  ASSERT_EQ(result.machines_size(), 1);
  EXPECT_EQ(result.machines(0).reader(), "a");
  EXPECT_DOUBLE_EQ(result.machines(0).cores_busy(), 0.75);
  EXPECT_TRUE(result.hosts(0).shared_machine());
  const v1::EntryResult& entry = OnlyEntry(result);
  EXPECT_FALSE(entry.sender_cpu().has_service_demand_us_per_kb());
  EXPECT_THAT(entry.sender_cpu().service_demand_note(), HasSubstr("share a machine"));
  EXPECT_FALSE(entry.receiver_cpu().has_service_demand_us_per_kb());
  EXPECT_DOUBLE_EQ(entry.both_ends().cores_busy(), 0.75);
  EXPECT_DOUBLE_EQ(entry.both_ends().service_demand_us_per_kb(), 768);
}

TEST(MachineCpuTest, AReaderThatLostAnEdgeIsReplacedByTheNextHostOfTheMachine) {
  RawTrial trial = RawTrial::Pair();
  trial.hosts[1].machine = "m1";
  trial.hosts[0].edges = 3;
  EXPECT_EQ(trial.Merge().machines(0).reader(), "b");
}

TEST(MachineCpuTest, AReadingThatCannotBeTrueLeavesNullAndAWarning) {
  TrialInput input = RawTrial::Pair().Build();
  FindInput(input, "a").report->mutable_edges(2)->mutable_cpu()->mutable_cpus(1)->set_idle_ns(UINT64_MAX);
  const v1::TrialResult result = MergeTrial(input);
  ASSERT_EQ(result.machines_size(), 1);
  EXPECT_EQ(result.machines(0).machine(), "m2");
  EXPECT_FALSE(OnlyEntry(result).sender_cpu().has_cores_busy());
  EXPECT_TRUE(OnlyEntry(result).receiver_cpu().has_cores_busy());
  EXPECT_THAT(
      result.warnings(),
      testing::Contains("machine m1: its CPU figures are left out: a column of CPU 1 grew by far more "
                        "than the time that passed (host a)"));
}

TEST(MachineCpuTest, AMachineThatNobodyReadLeavesNullAndNotZero) {
  RawTrial trial = RawTrial::Pair();
  trial.hosts[0].busy.clear();
  const v1::TrialResult result = trial.Merge();
  EXPECT_EQ(result.machines_size(), 1);
  EXPECT_FALSE(OnlyEntry(result).sender_cpu().has_cores_busy());
  EXPECT_FALSE(OnlyEntry(result).sender_cpu().has_service_demand_us_per_kb());
  EXPECT_TRUE(OnlyEntry(result).receiver_cpu().has_service_demand_us_per_kb());
}

TEST(MachineCpuTest, AnotherRoleOnTheMachineTakesTheServiceDemand) {
  RawTrial trial = RawTrial::Pair();
  trial.roles["witness"] = {"a"};
  const v1::EntryResult entry = OnlyEntry(trial.Merge());
  EXPECT_THAT(entry.sender_cpu().service_demand_note(), HasSubstr("the role witness"));
  EXPECT_FALSE(entry.sender_cpu().has_service_demand_us_per_kb());
  EXPECT_TRUE(entry.receiver_cpu().has_service_demand_us_per_kb());
}

TEST(MachineCpuTest, AnotherEntryOnTheMachineTakesTheServiceDemand) {
  RawTrial trial = RawTrial::Pair();
  v1::TrafficEntry second = trial.traffic();
  second.set_name("acks");
  *trial.plan_case.add_traffic() = second;
  RawTrial::Fill(trial.AddStream("a", "b", "acks"), 0, 2'500 * kMs, kMs, 1000);
  const v1::TrialResult result = trial.Merge();
  for (const v1::EntryResult& entry : result.entries()) {
    EXPECT_FALSE(entry.sender_cpu().has_service_demand_us_per_kb());
    EXPECT_FALSE(entry.receiver_cpu().has_service_demand_us_per_kb());
    EXPECT_DOUBLE_EQ(entry.sender_cpu().cores_busy(), 0.75);
  }
  EXPECT_THAT(result.entries(0).sender_cpu().service_demand_note(), HasSubstr("the entry acks"));
}

TEST(MachineCpuTest, ARingsMachinesSendAndReceiveSoOnlyBothEndsExist) {
  RawTrial trial;
  trial.traffic().set_from("peer");
  trial.traffic().set_to("peer");
  trial.AddHost("a", "m1");
  trial.AddHost("b", "m2");
  trial.roles = {{"peer", {"a", "b"}}};
  RawTrial::Fill(trial.AddStream("a", "b"), 0, 2'500 * kMs, kMs, 1000);
  RawTrial::Fill(trial.AddStream("b", "a"), 0, 2'500 * kMs, kMs, 1000);
  const v1::EntryResult entry = OnlyEntry(trial.Merge());
  EXPECT_FALSE(entry.sender_cpu().has_service_demand_us_per_kb());
  EXPECT_DOUBLE_EQ(entry.both_ends().cores_busy(), 1.5);
  EXPECT_DOUBLE_EQ(entry.both_ends().service_demand_us_per_kb(), 768);
}

TEST(MachineCpuTest, BothWaysHasNoServiceDemandOfOneDirection) {
  RawTrial trial = RawTrial::Pair();
  trial.traffic().set_both_ways(true);
  RawStream& reverse = trial.AddStream("b", "a");
  reverse.flow.set_reverse(true);
  RawTrial::Fill(reverse, 0, 2'500 * kMs, kMs, 1000);
  const v1::TrialResult result = trial.Merge();
  EXPECT_THAT(result.entries(0).sender_cpu().service_demand_note(), HasSubstr("both directions"));
  EXPECT_FALSE(result.entries(1).receiver_cpu().has_service_demand_us_per_kb());
}

TEST(MachineCpuTest, TheWorstMachineOfARoleIsNamed) {
  RawTrial trial = RawTrial::Pair();
  trial.AddHost("c", "m3").busy = {1, 0.5};
  trial.roles["sender"] = {"a", "c"};
  RawTrial::Fill(trial.AddStream("c", "b"), 0, 2'500 * kMs, kMs, 1000);
  const v1::EntryResult entry = OnlyEntry(trial.Merge());
  EXPECT_DOUBLE_EQ(entry.sender_cpu().cores_busy(), 2.25);
  EXPECT_DOUBLE_EQ(entry.sender_cpu().busy_ratio(), 2.25 / 4);
  EXPECT_EQ(entry.sender_cpu().worst_machine(), "m3");
  EXPECT_DOUBLE_EQ(entry.sender_cpu().worst_machine_ratio(), 0.75);
}

TEST(MachineCpuTest, BackgroundIsShownBesideBusyAndNotSubtracted) {
  TrialInput input = RawTrial::Pair().Build();
  input.background_cores = {{"m2", 0.5}};
  const v1::TrialResult result = MergeTrial(input);
  EXPECT_FALSE(result.machines(0).has_background_cores());
  EXPECT_DOUBLE_EQ(result.machines(1).background_cores(), 0.5);
  EXPECT_DOUBLE_EQ(result.machines(1).cores_busy(), 0.75);
}

TEST(MachineCpuTest, AMachineThatWasBusyBeforeTheCaseIsNamed) {
  TrialInput input = RawTrial::Pair().Build();
  input.background_cores = {{"m1", 1.9}, {"m2", 0.2}};  // of 2 CPUs each: 95%, and 10%, which is still quiet
  const v1::TrialResult result = MergeTrial(input);
  EXPECT_THAT(result.warnings(),
              testing::ElementsAre("machine m1 was already busy before the case: 1.90 of 2 cores; its CPU "
                                   "figures and us/KB contain that work"));
  EXPECT_EQ(result.status(), v1::TRIAL_STATUS_GOOD);
  EXPECT_DOUBLE_EQ(OnlyEntry(result).sender_cpu().cores_busy(), 0.75);
  input.background_cores = {{"m1", 0.21}};
  EXPECT_EQ(MergeTrial(input).warnings_size(), 1);
}

// A row of netperf's output, TCP_SENDFILE between hosts of 2 CPUs (2008). The printed utilization is rounded
// to two digits; where the printed service demand needs a third one, `send_util` and `recv_util` have it, and
// the test checks that they print as the row does.
struct NetperfRow {
  double seconds;
  double mbps;
  double send_util;
  double recv_util;
  const char* util;
  const char* demand;
};

// Machine counters that make `util` percent of 2 CPUs busy over the window.
void SetBusy(v1::TrialReport& report, int64_t elapsed_ns, double util) {
  const int64_t busy_ns = static_cast<int64_t>(util / 100 * static_cast<double>(elapsed_ns));
  for (const int edge : {0, 1}) {
    v1::CpuReading& reading = *report.mutable_edges(edge)->mutable_cpu();
    reading.set_host_ns(edge * elapsed_ns + 1);
    for (v1::CpuTimes& cpu : *reading.mutable_cpus()) {
      cpu.Clear();
      cpu.set_idle_ns(static_cast<uint64_t>(edge * (elapsed_ns - busy_ns)));
    }
    reading.mutable_cpus(1)->set_cpu(1);
  }
}

TEST(MachineCpuTest, TheFourSendfileRowsRecomputeToAllTheirDigits) {
  const NetperfRow rows[] = {
      {10.05, 949.03, 14.54, 20.01, "14.54 20.01", "2.510 3.455"},
      {10.05, 947.04, 46.484, 20.046, "46.48 20.05", "8.042 3.468"},
      {10.01, 9466.27, 19.00, 73.43, "19.00 73.43", "0.329 1.271"},
      {10.00, 7693.19, 49.81, 60.03, "49.81 60.03", "1.061 1.278"},
  };
  for (const NetperfRow& row : rows) {
    RawTrial trial = RawTrial::Pair();
    trial.traffic().set_protocol(v1::PROTOCOL_TCP);
    const int64_t elapsed_ns = static_cast<int64_t>(row.seconds * 1e9);
    trial.plan_case.mutable_timing()->set_measure_ns(elapsed_ns);
    trial.plan_case.mutable_timing()->set_interval_ns(elapsed_ns);
    TrialInput input = trial.Build();
    const uint64_t bytes = static_cast<uint64_t>(row.mbps * 1e6 / 8 * row.seconds);
    for (HostInput& host : input.hosts) {
      v1::TrialReport& report = *host.report;
      report.mutable_edges(1)->set_bytes(0, report.edges(0).bytes(0) + bytes);
      SetBusy(report, elapsed_ns, host.host == "a" ? row.send_util : row.recv_util);
    }
    const v1::EntryResult entry = OnlyEntry(MergeTrial(input));
    EXPECT_EQ(absl::StrFormat("%.2f", entry.received_bps() / 1e6), absl::StrFormat("%.2f", row.mbps));
    EXPECT_EQ(absl::StrFormat("%.2f %.2f", entry.sender_cpu().busy_ratio() * 100,
                              entry.receiver_cpu().busy_ratio() * 100),
              row.util);
    EXPECT_EQ(absl::StrFormat("%.3f %.3f", entry.sender_cpu().service_demand_us_per_kb(),
                              entry.receiver_cpu().service_demand_us_per_kb()),
              row.demand);
  }
}

}  // namespace
}  // namespace tutti::results
