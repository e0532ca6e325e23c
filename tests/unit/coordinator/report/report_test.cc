#include "coordinator/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "coordinator/report/figures.h"
#include "coordinator/report/text_table.h"
#include "tests/unit/coordinator/report/golden.h"
#include "tests/unit/coordinator/report/sample_result.h"

namespace tutti::report {
namespace {

namespace v1 = tutti::v1;
using testing::HasSubstr;
using testing::Not;

void SetSpread(v1::Spread& spread, double median, double min, double max) {
  spread.set_median(median);
  spread.set_min(min);
  spread.set_max(max);
  spread.set_trials(3);
}

// A result with the case of 4 UDP streams alone.
v1::Result OneCase() {
  v1::Result result = SampleResult();
  result.mutable_cases()->DeleteSubrange(1, 2);
  return result;
}

v1::TrialResult& AddOverLimitTrial(v1::CaseResult& each, double received_bps) {
  v1::TrialResult& trial = *each.add_trials();
  trial.set_status(v1::TRIAL_STATUS_OVER_LIMIT);
  v1::EntryResult& entry = *trial.add_entries();
  entry.set_entry("bulk");
  entry.set_sent_bps(2 * received_bps);
  entry.set_received_bps(received_bps);
  entry.set_running_skew_ns(20'000'000);
  return trial;
}

// The case without a good trial: both were over the limit of the skew.
v1::Result OverLimit() {
  v1::Result result = OneCase();
  v1::CaseResult& each = *result.mutable_cases(0);
  each.set_status(v1::CASE_STATUS_OVER_LIMIT);
  each.set_good_trials(0);
  each.add_reasons("trial 1 is over a limit: entry bulk: running skew 20ms is over limits.start_skew (5ms)");
  v1::Row row;
  row.set_entry("bulk");
  row.set_protocol(v1::PROTOCOL_UDP);
  row.set_streams(4);
  *each.mutable_rows(0) = row;
  AddOverLimitTrial(each, 1e9);
  AddOverLimitTrial(each, 2e9);
  return result;
}

// The sender's machine m1 did 0.9 cores of other work on 4 CPUs.
v1::Result BusyBefore() {
  v1::Result result = OneCase();
  v1::TrialResult& trial = *result.mutable_cases(0)->add_trials();
  v1::MachineResult& machine = *trial.add_machines();
  machine.set_machine("m1");
  machine.set_cpus(4);
  machine.set_background_cores(0.9);
  for (const char* name : {"a", "b"}) {
    v1::HostResult& host = *trial.add_hosts();
    host.set_host(name);
    host.set_machine(name[0] == 'a' ? "m1" : "m2");
  }
  v1::Flow& flow = *trial.add_streams()->mutable_flow();
  flow.set_entry("bulk");
  flow.set_from_host("a");
  flow.set_to_host("b");
  return result;
}

TEST(ReportTest, Head) { ExpectGolden("head.txt", RenderHead(SampleResult(), {})); }
TEST(ReportTest, Table) { ExpectGolden("table.txt", RenderTable(SampleResult(), {})); }
TEST(ReportTest, Detail) { ExpectGolden("detail.txt", RenderDetail(SampleResult(), {})); }
TEST(ReportTest, Timeline) { ExpectGolden("timeline.txt", RenderTimeline(SampleResult(), {})); }
TEST(ReportTest, StreamTest) { ExpectGolden("stream_test.txt", RenderStreamTest(SampleResult())); }
TEST(ReportTest, Netperf) { ExpectGolden("netperf.txt", RenderNetperf(SampleResult())); }
TEST(ReportTest, Json) { ExpectGolden("result.json", RenderJson(SampleResult())); }

TEST(ReportTest, StreamTestPrintsTheLineOf2007) {
  EXPECT_THAT(RenderStreamTest(SampleResult()),
              HasSubstr("** default: 4 streams: Send at 4197.4 Mb/s, Receive at 3776.3 Mb/s\n"));
}

TEST(ReportTest, StreamTestNamesTheEntryOnlyWhereThereAreSeveral) {
  v1::Result result = SampleResult();
  v1::Row& second = *result.mutable_cases(0)->add_rows();
  second = result.cases(0).rows(0);
  second.set_reverse(true);
  EXPECT_THAT(RenderStreamTest(result),
              HasSubstr("** default: bulk (reverse): 4 streams: Send at 4197.4 Mb/s"));
}

TEST(ReportTest, WithoutABufferAxisThePlansBufferNamesTheLine) {
  v1::Result result = SampleResult();
  result.mutable_cases(0)->clear_values();
  EXPECT_THAT(RenderStreamTest(result), HasSubstr("** default: 4 streams"));
  result.mutable_plan()->mutable_cases(0)->mutable_traffic(0)->set_send_buffer_bytes(1 << 20);
  EXPECT_THAT(RenderStreamTest(result), HasSubstr("** 1MiB: 4 streams"));
}

TEST(ReportTest, NetperfLeavesAColumnEmptyWhereStreamsDisagree) {
  v1::Result result = SampleResult();
  EXPECT_THAT(RenderNetperf(result), HasSubstr("174760  131072  65536"));
  v1::TrialResult& trial = *result.mutable_cases(1)->mutable_trials(0);
  *trial.add_streams() = trial.streams(0);
  trial.mutable_streams(1)->mutable_receiver()->mutable_options(0)->set_got("1000B");
  EXPECT_THAT(RenderNetperf(result), HasSubstr("\n        131072  65536"));
}

TEST(ReportTest, TheTableOfTheStreamTestFits140Columns) {
  v1::Result result = SampleResult();
  result.mutable_cases()->DeleteSubrange(1, 1);  // the stream test is UDP alone
  SetSpread(*result.mutable_cases(0)->mutable_rows(0)->mutable_received_bps(), 949.03e6, 900e6, 999e6);
  std::istringstream lines(RenderTable(result, {}));
  for (std::string line; std::getline(lines, line) && line.find("exit code") == std::string::npos;) {
    EXPECT_LE(DisplayWidth(line), 140u) << line;
  }
}

TEST(ReportTest, CpuOfAMachineThatWasBusyBeforeTheCaseIsMarked) {
  v1::Result result = BusyBefore();
  const std::string table = RenderTable(result, {});
  EXPECT_THAT(table, HasSubstr("3.12 (78%)*  5.95*"));
  EXPECT_THAT(table, HasSubstr("2.04 (51%)   4.32"));  // the receiver's was not
  EXPECT_THAT(table, HasSubstr("\n* the machine was already busy before the case"));
  EXPECT_THAT(RenderNetperf(result), HasSubstr("already busy before the case"));
  v1::Result without_cpu = result;
  without_cpu.mutable_cases(0)->mutable_rows(0)->clear_sender_cpu();
  without_cpu.mutable_cases(0)->mutable_rows(0)->clear_receiver_cpu();
  EXPECT_THAT(RenderTable(without_cpu, {}), Not(HasSubstr("*")));  // a mark's meaning without the mark
  result.mutable_cases(0)->mutable_trials(0)->mutable_machines(0)->set_background_cores(0.4);  // 10%
  EXPECT_THAT(RenderTable(result, {}), Not(HasSubstr("*")));
}

TEST(ReportTest, ACaseOverItsLimitShowsItsFiguresInBrackets) {
  const std::string table = RenderTable(OverLimit(), {});
  EXPECT_THAT(table, HasSubstr("[3.00 Gbps]  [1.50 Gbps]"));
  EXPECT_THAT(table, HasSubstr("[20ms]  0/3 over limit"));
  EXPECT_THAT(table, HasSubstr("\n[ ] medians of the trials over a limit"));
}

TEST(ReportTest, StreamTestSaysWhyThereAreNoFigures) {
  EXPECT_THAT(RenderStreamTest(OverLimit()),
              HasSubstr("** default: 4 streams: no figures, 0 of 3 trials are good (over limit): trial 1 is "
                        "over a limit: entry bulk: running skew 20ms"));
}

TEST(ReportTest, StreamTestHasALineForACaseThatWasNotRun) {
  v1::Result result;
  v1::CaseResult& cancelled = *result.add_cases();
  cancelled.set_status(v1::CASE_STATUS_CANCELLED);
  cancelled.set_wanted_trials(3);
  cancelled.add_reasons("0 of 3 trials were run");
  v1::AxisValue& streams = *cancelled.add_values();
  streams.set_axis("streams");
  streams.set_value("8");
  v1::Case& plan_case = *result.mutable_plan()->add_cases();
  plan_case.add_traffic()->set_send_buffer_bytes(1 << 20);
  result.mutable_plan()->add_cases()->set_index(1);
  EXPECT_EQ(
      RenderStreamTest(result),
      "** 1MiB: case 1 (streams=8): no figures, 0 of 3 trials are good (cancelled): 0 of 3 trials were run\n"
      "** no figures of 1 of 2 cases: they were not run\n");
}

TEST(ReportTest, MinimumAndMaximumTakeTheMediansUnit) {
  v1::Result result = OneCase();
  SetSpread(*result.mutable_cases(0)->mutable_rows(0)->mutable_received_bps(), 1.05e9, 0.9e9, 12.3e9);
  EXPECT_THAT(RenderTable(result, {}), HasSubstr("1.05 Gbps (0.90..12.30)"));
  result.mutable_cases(0)->mutable_rows(0)->mutable_received_bps()->set_trials(1);
  EXPECT_THAT(RenderTable(result, {}), Not(HasSubstr("..")));
}

TEST(ReportTest, ServiceDemandHasThreeDigits) {
  EXPECT_EQ(ThreeDigits(848.337), "848");
  EXPECT_EQ(ThreeDigits(12.948), "12.9");
  EXPECT_EQ(ThreeDigits(5.946), "5.95");
  EXPECT_EQ(ThreeDigits(9.996), "10.0");
  EXPECT_EQ(ThreeDigits(0.0123456), "0.0123");
  EXPECT_EQ(ThreeDigits(1234.5), "1230");
  EXPECT_EQ(ThreeDigits(0), "0.00");
}

TEST(ReportTest, NetperfHasNoUtilizationOfARoleOnASharedMachine) {
  v1::Result result = SampleResult();
  result.mutable_cases()->DeleteSubrange(0, 1);
  const std::string text = RenderNetperf(result);
  EXPECT_THAT(text, Not(HasSubstr("37.50")));
  EXPECT_THAT(text, HasSubstr("left out where senders and receivers share a machine"));
  EXPECT_THAT(RenderNetperf(OneCase()), Not(HasSubstr("left out")));
}

TEST(ReportTest, DetailHasTheSkewWithItsBoundAndTheJitterOfAStream) {
  v1::Result result = SampleResult();
  v1::TrialResult& trial = *result.mutable_cases(2)->mutable_trials(0);
  v1::EntryResult& entry = *trial.mutable_entries(0);
  entry.set_running_skew_ns(5'468'000);
  entry.set_first_send_skew_ns(1'000'000);
  entry.set_skew_bound_ns(218'000);
  entry.set_wire_bps(1.05e9);
  entry.set_in_flight_bytes(-1472);
  trial.mutable_streams(0)->mutable_receiver()->set_jitter_ns(31'000);
  const std::string detail = RenderDetail(result, {});
  for (const char* part : {"5.468ms +-218us", "1ms +-218us", "1.05 Gbps", "-1472B", "31us"}) {
    EXPECT_THAT(detail, HasSubstr(part));
  }
}

// The part of the detail that has the first stream of the partial trial in a row.
std::string DetailOfTcp(const v1::StreamResult& tcp) {
  v1::Result result = SampleResult();
  v1::StreamResult& stream = *result.mutable_cases(2)->mutable_trials(0)->mutable_streams(0);
  *stream.mutable_sender()->mutable_tcp() = tcp.sender().tcp();
  *stream.mutable_tcp_series() = tcp.tcp_series();
  return RenderDetail(result, {});
}

TEST(ReportTest, DetailHasTheRoundTripAndTheCongestionWindowOfTheWindowNotOfTheTrialsEnd) {
  v1::StreamResult tcp;
  tcp.mutable_sender()->mutable_tcp()->set_rtt_us(40'123);  // the acknowledgement behind the last message
  tcp.mutable_sender()->mutable_tcp()->set_snd_cwnd_segments(987);
  for (const uint64_t rtt_us : {420, 380, 440, 410}) tcp.mutable_tcp_series()->add_rtt_us(rtt_us);
  for (const uint64_t segments : {654, 10, 900}) tcp.mutable_tcp_series()->add_cwnd_segments(segments);
  const std::string detail = DetailOfTcp(tcp);
  EXPECT_THAT(detail, HasSubstr("  410us   654  1500"));
  EXPECT_THAT(detail, HasSubstr("rtt 410 (380..440) us, cwnd 654 (10..900) segments"));
  EXPECT_THAT(detail, Not(HasSubstr("40123")));
  EXPECT_THAT(detail, Not(HasSubstr("987")));
}

TEST(ReportTest, DetailMarksWhatTheEndOfTheTrialHadWhereNoEdgeTells) {
  v1::StreamResult tcp;
  tcp.mutable_sender()->mutable_tcp()->set_rtt_us(40'123);
  tcp.mutable_sender()->mutable_tcp()->set_snd_cwnd_segments(987);
  EXPECT_THAT(DetailOfTcp(tcp), HasSubstr("  40123us (end)  987 (end)  1500"));
}

TEST(ReportTest, ColoursOnlyIfAsked) {
  for (const auto& render : {RenderHead, RenderTable, RenderDetail, RenderTimeline}) {
    EXPECT_THAT(render(SampleResult(), {}), Not(HasSubstr("\033")));
  }
  EXPECT_THAT(RenderTable(SampleResult(), {.color = true}), HasSubstr("\033[33mpartial\033[0m"));
}

TEST(ReportTest, ACaseThatWasNotRunHasALineOfItsOwn) {
  v1::Result result = SampleResult();
  v1::CaseResult& each = *result.add_cases();
  each.set_index(3);
  each.set_status(v1::CASE_STATUS_NOT_RUN);
  each.set_wanted_trials(3);
  EXPECT_THAT(RenderTable(result, {}), HasSubstr("0/3 not run"));
}

TEST(ReportTest, AnEmptyResultIsRenderedInEveryFormat) {
  for (const Exporter& exporter : Exporters()) {
    const std::string text = exporter.render(v1::Result(), {});
    if (!text.empty()) {
      EXPECT_EQ(text.back(), '\n') << exporter.name;
    }
  }
  EXPECT_EQ(RenderDetail(v1::Result(), {}), "");
  EXPECT_EQ(RenderTimeline(v1::Result(), {}), "");
}

TEST(ReportTest, AnUnknownFormatIsAnErrorThatNamesTheKnownOnes) {
  EXPECT_TRUE(FindExporter("netperf").ok());
  EXPECT_THAT(std::string(FindExporter("xml").status().message()),
              HasSubstr("table, json, yaml, csv:case, csv:trial, csv:host, csv:stream, csv:interval, junit, "
                        "stream-test, netperf"));
}

TEST(ReportTest, CsvIsALinePerCase) {
  const absl::StatusOr<const Exporter*> exporter = FindExporter("csv");
  ASSERT_TRUE(exporter.ok());
  EXPECT_STREQ((*exporter)->name, "csv:case");
}

TEST(LiveTest, AnIntervalIsOneLineWithoutLoss) {
  v1::LiveInterval interval;
  interval.set_begin_trial_ns(1'100'000'000);
  interval.set_end_trial_ns(1'200'000'000);
  v1::LiveEntry& entry = *interval.add_entries();
  entry.set_entry("bulk");
  entry.set_sent_bps(4.2e9);
  EXPECT_EQ(RenderLiveInterval(interval, {}, {}), "      1.10-1.20     4.20 Gbps             -\n");
  entry.set_received_bps(3.78e9);
  entry.set_retransmits(3);
  EXPECT_EQ(RenderLiveInterval(interval, {}, {}), "      1.10-1.20     4.20 Gbps     3.78 Gbps       3\n");
}

TEST(LiveTest, OnlyTcpHasAColumnOfRetransmits) {
  v1::TrialStarted started;
  started.set_case_index(0);  // UDP
  EXPECT_THAT(RenderLiveTrialStarted(started, SampleResult(), {}),
              HasSubstr("\n     s since T0          sent      received\n"));
  started.set_case_index(1);  // TCP
  EXPECT_THAT(RenderLiveTrialStarted(started, SampleResult(), {}), HasSubstr("received    retr\n"));
}

TEST(LiveTest, SeveralEntriesAreNamed) {
  v1::LiveInterval interval;
  interval.add_entries()->set_entry("bulk");
  interval.add_entries()->set_entry("bulk");
  interval.mutable_entries(1)->set_reverse(true);
  EXPECT_THAT(RenderLiveInterval(interval, {}, {}), HasSubstr("bulk (reverse)\n"));
}

TEST(LiveTest, ATrialIsAnnouncedWithItsCaseAndEndsWithItsStatus) {
  v1::TrialStarted started;
  started.set_case_index(2);
  started.set_repetition(1);
  started.set_repetitions(3);
  started.set_streams(8);
  EXPECT_THAT(RenderLiveTrialStarted(started, SampleResult(), {}),
              HasSubstr("case 3/3  streams=8 socket_buffer=1MiB  trial 1/3  8 streams\n"));
  v1::TrialEnded ended;
  ended.set_repetition(2);
  ended.set_status(v1::TRIAL_STATUS_OVER_LIMIT);
  ended.add_reasons("running skew 20ms is over limits.start_skew (5ms)");
  EXPECT_EQ(RenderLiveTrialEnded(ended, {}, {}),
            "  trial 2: over limit\n    running skew 20ms is over limits.start_skew (5ms)\n");
}

TEST(LiveTest, AQueuedRunSaysWhatItWaitsFor) {
  v1::RunEvent event;
  event.set_run_id("run-8");
  event.mutable_queued()->set_position(1);
  event.mutable_queued()->add_waits_for("host a: runs run-7 of alice since 13:50:02");
  EXPECT_EQ(RenderLiveEvent(event, {}, {}),
            "run-8 waits in the queue at place 1 for\n  host a: runs run-7 of alice since 13:50:02\n");
  event.mutable_ended();
  EXPECT_EQ(RenderLiveEvent(event, {}, {}), "");
}

TEST(TextTableTest, WidthIsCountedInCharactersAndNotInBytes) {
  TextTable table;
  table.AddColumn("name", Align::kLeft);
  table.AddColumn("rate");
  table.AddRow({"a", "1 ±2%"});
  table.AddRow({"long name", "3"});
  EXPECT_EQ(table.Render(), "name        rate\na          1 ±2%\nlong name      3\n");
}

}  // namespace
}  // namespace tutti::report
