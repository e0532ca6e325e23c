#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "coordinator/report/csv_line.h"
#include "coordinator/report/field_cells.h"
#include "coordinator/report/report.h"
#include "tests/unit/coordinator/report/golden.h"
#include "tests/unit/coordinator/report/sample_result.h"

namespace tutti::report {
namespace {

namespace v1 = tutti::v1;
using testing::ElementsAre;
using testing::StartsWith;

using Line = std::vector<std::string>;

// A reader of RFC 4180, by its grammar.
std::vector<Line> ReadLines(const std::string& text) {
  std::vector<Line> lines;
  Line line;
  std::string cell;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (quoted && text[i] == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      cell += text[++i];
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && (text[i] == ',' || text[i] == '\n')) {
      line.push_back(cell);
      cell.clear();
      if (text[i] == ',') continue;
      lines.push_back(line);
      line.clear();
    } else {
      cell += text[i];
    }
  }
  EXPECT_TRUE(cell.empty() && line.empty() && !quoted) << "the last line has no end";
  return lines;
}

// The lines by the names of their columns. Every line has all of them.
std::vector<std::map<std::string, std::string>> Read(const v1::Result& result, CsvRows rows) {
  const std::vector<Line> lines = ReadLines(RenderCsv(result, rows));
  std::vector<std::map<std::string, std::string>> read;
  for (size_t i = 1; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i].size(), lines[0].size()) << "line " << i;
    auto& cells = read.emplace_back();
    for (size_t k = 0; k < std::min(lines[i].size(), lines[0].size()); ++k) cells[lines[0][k]] = lines[i][k];
  }
  return read;
}

TEST(CsvTest, Case) { ExpectGolden("case.csv", RenderCsv(SampleResult(), CsvRows::kCase)); }
TEST(CsvTest, Trial) { ExpectGolden("trial.csv", RenderCsv(SampleResult(), CsvRows::kTrial)); }
TEST(CsvTest, Host) { ExpectGolden("host.csv", RenderCsv(SampleResult(), CsvRows::kHost)); }
TEST(CsvTest, Stream) { ExpectGolden("stream.csv", RenderCsv(SampleResult(), CsvRows::kStream)); }
TEST(CsvTest, Interval) { ExpectGolden("interval.csv", RenderCsv(SampleResult(), CsvRows::kInterval)); }

TEST(CsvTest, ACaseHasItsMatrixValuesAndTheFiguresOfItsRow) {
  const auto lines = Read(SampleResult(), CsvRows::kCase);
  ASSERT_EQ(lines.size(), 3u);
  auto first = lines[0];
  EXPECT_EQ(first["run_id"], "run-7");
  EXPECT_EQ(first["plan"], "stream-test");
  EXPECT_EQ(first["case"], "1");
  EXPECT_EQ(first["matrix.streams"], "4");
  EXPECT_EQ(first["matrix.socket_buffer"], "default");
  EXPECT_EQ(first["case_status"], "good");
  EXPECT_EQ(first["entry"], "bulk");
  EXPECT_EQ(first["reverse"], "false");
  EXPECT_EQ(first["protocol"], "udp");
  EXPECT_EQ(std::stod(first["received_bps.median"]), 3776.3e6);
  EXPECT_EQ(std::stod(first["received_bps.min"]), 3700.8e6);
  EXPECT_EQ(std::stod(first["lost_ratio.median"]), 0.1003);
  EXPECT_EQ(std::stod(first["sender_cpu.service_demand_us_per_kb.median"]), 5.946);
  EXPECT_EQ(first["retransmits.median"], "");  // UDP has none
  auto third = lines[2];
  EXPECT_EQ(third["case_status"], "partial");
  EXPECT_EQ(third["case_reasons"], "trial 1 is partial: host b: its report is missing: session lost");
  EXPECT_EQ(third["good_trials"], "0");
  EXPECT_EQ(third["received_bps.median"], "");
  EXPECT_EQ(third["received_bps.trials"], "");
}

TEST(CsvTest, ACaseThatWasNotRunStillHasALine) {
  v1::Result result = SampleResult();
  v1::CaseResult& each = *result.add_cases();
  each.set_index(3);
  each.set_status(v1::CASE_STATUS_NOT_RUN);
  auto last = Read(result, CsvRows::kCase).back();
  EXPECT_EQ(last["case"], "4");
  EXPECT_EQ(last["case_status"], "not_run");
  EXPECT_EQ(last["matrix.streams"], "");
  EXPECT_EQ(last["entry"], "");
  EXPECT_EQ(last["streams"], "");
}

TEST(CsvTest, ATrialWithoutEntriesStillHasALine) {
  const auto lines = Read(SampleResult(), CsvRows::kTrial);
  ASSERT_EQ(lines.size(), 2u);
  auto tcp = lines[0];
  EXPECT_EQ(tcp["case"], "2");
  EXPECT_EQ(tcp["trial"], "1");
  EXPECT_EQ(tcp["entry"], "");
  auto partial = lines[1];
  EXPECT_EQ(partial["trial_status"], "partial");
  EXPECT_EQ(partial["entry"], "bulk");
  EXPECT_EQ(partial["sent_bytes.value"], "");  // 7 of 8 parts are missing
  EXPECT_EQ(partial["sent_bytes.known"], "125000000");
  EXPECT_EQ(partial["sent_bytes.parts"], "8");
  EXPECT_EQ(partial["received_bytes.known"], "");  // the whole total is not set
  EXPECT_EQ(partial["loss.lost"], "");
}

TEST(CsvTest, AHostHasTheCpuOfItsMachine) {
  const auto lines = Read(SampleResult(), CsvRows::kHost);
  ASSERT_EQ(lines.size(), 2u);
  auto a = lines[0];
  EXPECT_EQ(a["host"], "a");
  EXPECT_EQ(a["clock.offset_ns"], "-1500");
  EXPECT_EQ(a["machine_cpu.cores_busy"], "1.5");
  EXPECT_EQ(a["machine_cpu.shares.softirq"], "0.25");
  auto b = lines[1];
  EXPECT_EQ(b["missing"], "session lost");
  EXPECT_EQ(b["clock.offset_ns"], "");
  EXPECT_EQ(a["sampler_worst_lateness_ns"], "31000");
  for (const char* not_read : {"sampler_worst_lateness_ns", "window_begin_trial_ns", "window_end_trial_ns"}) {
    EXPECT_EQ(b[not_read], "") << not_read;
  }
  EXPECT_EQ(b["machine_cpu.cores_busy"], "");  // nobody has read it
}

TEST(CsvTest, AStreamHasWhatBothEndsReported) {
  auto stream = Read(SampleResult(), CsvRows::kStream).back();
  EXPECT_EQ(stream["flow.from_host"], "a");
  EXPECT_EQ(stream["sent_bytes"], "125000000");
  EXPECT_EQ(stream["received_bytes"], "");
  EXPECT_EQ(stream["stalled_intervals"], "0");
  EXPECT_EQ(stream["sender.side"], "send");
  EXPECT_EQ(stream["sender.cpu"], "2");
  EXPECT_EQ(stream["receiver.side"], "");  // it did not report
}

TEST(CsvTest, AnIntervalHasALineForEveryHostOfTheTrial) {
  const auto lines = Read(SampleResult(), CsvRows::kInterval);
  ASSERT_EQ(lines.size(), 4u);
  auto received = lines[1];
  EXPECT_EQ(received["interval"], "0");
  EXPECT_EQ(received["host"], "b");
  EXPECT_EQ(received["due_begin_trial_ns"], "1000000000");
  EXPECT_EQ(received["received_bytes"], "31250000");
  EXPECT_EQ(received["sent_bytes"], "");
  auto missing = lines[3];
  EXPECT_EQ(missing["interval"], "1");
  EXPECT_EQ(missing["host"], "b");
  EXPECT_EQ(missing["begin_trial_ns"], "");
  EXPECT_EQ(missing["received_bytes"], "");
}

TEST(CsvTest, NoColumnIsThereTwice) {
  for (const CsvRows rows :
       {CsvRows::kCase, CsvRows::kTrial, CsvRows::kHost, CsvRows::kStream, CsvRows::kInterval}) {
    const Line header = ReadLines(RenderCsv(SampleResult(), rows))[0];
    EXPECT_EQ(std::set<std::string>(header.begin(), header.end()).size(), header.size());
  }
}

TEST(CsvTest, WhatHasACommaAQuoteOrALineBreakIsQuoted) {
  std::string line;
  AppendCsvLine({"a b", "a,b", "say \"a\"", "one\ntwo", "", " a "}, line);
  EXPECT_EQ(line, "a b,\"a,b\",\"say \"\"a\"\"\",\"one\ntwo\",, a \n");
  EXPECT_THAT(ReadLines(line), ElementsAre(ElementsAre("a b", "a,b", "say \"a\"", "one\ntwo", "", " a ")));
}

TEST(CsvTest, ControlCharactersAndBytesThatAreNotUtf8AreWrittenOut) {
  std::string line;
  AppendCsvLine({"\x1b[2J", "\xff", "\r\n", "\xC3\xBC"}, line);
  EXPECT_EQ(line, "\\x1B[2J,\\xFF,\"\\r\n\",\xC3\xBC\n");
}

TEST(CsvTest, HostileNamesStayInTheirCells) {
  v1::Result result = SampleResult();
  result.mutable_plan()->set_name("a\",\"b\nc");
  for (v1::AxisValue& value : *result.mutable_cases(0)->mutable_values()) {
    if (value.axis() == "streams") value.set_axis("st,reams");
  }
  auto first = Read(result, CsvRows::kCase)[0];
  EXPECT_EQ(first["plan"], "a\",\"b\nc");
  EXPECT_EQ(first["matrix.st,reams"], "4");
  EXPECT_EQ(first["matrix.streams"], "");  // the other cases have this axis
}

TEST(FieldCellsTest, NumbersAreThereToTheLastDigit) {
  v1::TrialResult trial;
  trial.set_trial_id(std::numeric_limits<uint64_t>::max());
  trial.set_started_unix_ns(std::numeric_limits<int64_t>::min());
  Line names;
  Line values;
  AppendFieldNames(*v1::TrialResult::descriptor(), "", names);
  AppendFieldValues(*v1::TrialResult::descriptor(), &trial, values);
  EXPECT_THAT(names, ElementsAre("repetition", "status", "started_unix_ns", "trial_id", "t0_timeline_ns"));
  EXPECT_THAT(values, ElementsAre("0", "unspecified", "-9223372036854775808", "18446744073709551615", ""));
  v1::Spread spread;
  spread.set_median(0.1 + 0.2);
  spread.set_min(std::numeric_limits<double>::infinity());
  spread.set_max(0);
  values.clear();
  AppendFieldValues(*v1::Spread::descriptor(), &spread, values);
  EXPECT_THAT(values, ElementsAre("0.30000000000000004", "", "0", "0"));
}

TEST(CsvTest, AnEmptyResultIsAHeader) {
  const std::string text = RenderCsv(v1::Result(), CsvRows::kHost);
  EXPECT_THAT(text, StartsWith("run_id,plan,case,trial,trial_status,host,machine,shared_machine,"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
}

}  // namespace
}  // namespace tutti::report
