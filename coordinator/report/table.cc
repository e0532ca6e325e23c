// The table: one line per case x entry x direction, then the thresholds, the verdict and every reason.
#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "coordinator/report/enum_name.h"
#include "coordinator/report/figures.h"
#include "coordinator/report/first_reasons.h"
#include "coordinator/report/report.h"
#include "coordinator/report/row_basis.h"
#include "coordinator/report/text_table.h"
#include "coordinator/report/threshold_table.h"
#include "coordinator/report/transactions.h"

namespace tutti::report {
namespace {

namespace v1 = tutti::v1;

// The columns that this result needs.
struct Columns {
  std::vector<std::string> axes;
  bool entry = false;
  bool streams = false;
  bool lost = false;
  bool retransmits = false;
  bool both_ends = false;
  bool roles = false;
  bool fairness = false;
  bool exchanges = false;
  bool corrected = false;   // transactions at a rate
  bool lost_trans = false;  // transactions over UDP
  bool completion = false;  // fixed volume
};

constexpr char kBusyMark[] = "*";

bool SharesMachines(const v1::Row& row) { return row.has_both_ends(); }

Columns ColumnsOf(const v1::Result& result) {
  Columns columns;
  std::set<std::pair<std::string, bool>> entries;
  for (const v1::CaseResult& each : result.cases()) {
    for (const v1::AxisValue& value : each.values()) {
      auto& axes = columns.axes;
      if (std::find(axes.begin(), axes.end(), value.axis()) == axes.end()) axes.push_back(value.axis());
    }
    for (const v1::Row& row : each.rows()) {
      entries.insert({row.entry(), row.reverse()});
      columns.lost = columns.lost || row.protocol() == v1::PROTOCOL_UDP;
      columns.retransmits = columns.retransmits || row.protocol() == v1::PROTOCOL_TCP;
      columns.fairness = columns.fairness || row.has_jain_index();
      columns.exchanges = columns.exchanges || Exchanges(row);
      columns.corrected = columns.corrected || row.has_corrected_p99_ns();
      columns.lost_trans = columns.lost_trans || (Exchanges(row) && row.protocol() == v1::PROTOCOL_UDP);
      columns.completion = columns.completion || row.has_completion_max_ns();
      (SharesMachines(row) ? columns.both_ends : columns.roles) = true;
    }
  }
  columns.entry = entries.size() > 1;
  columns.streams = std::find(columns.axes.begin(), columns.axes.end(), "streams") == columns.axes.end();
  return columns;
}

TextTable MakeTable(const Columns& columns) {
  TextTable table;
  table.AddColumn("case");
  for (const std::string& axis : columns.axes) table.AddColumn(axis);
  if (columns.entry) table.AddColumn("entry", Align::kLeft);
  if (columns.streams) table.AddColumn("streams");
  table.AddColumn("sent");
  table.AddColumn("received");
  if (columns.exchanges) {
    for (const char* name : {"trans/s", "p50", "p99"}) table.AddColumn(name);
  }
  if (columns.corrected) table.AddColumn("p99 due");
  if (columns.lost_trans) table.AddColumn("lost trans");
  if (columns.completion) {
    for (const char* name : {"complete", "last"}) table.AddColumn(name);
  }
  if (columns.lost) table.AddColumn("lost");
  if (columns.retransmits) table.AddColumn("retr");
  if (columns.roles) {
    for (const char* name : {"CPU send", "us/KB", "CPU recv", "us/KB"}) table.AddColumn(name);
  }
  if (columns.both_ends) {
    for (const char* name : {"CPU both ends", "us/KB"}) table.AddColumn(name);
  }
  if (columns.fairness) {
    for (const char* name : {"Jain", "slowest"}) table.AddColumn(name);
  }
  table.AddColumn("skew");
  table.AddColumn("good", Align::kLeft);
  return table;
}

std::string ValueOf(const v1::CaseResult& each, const std::string& axis) {
  for (const v1::AxisValue& value : each.values()) {
    if (value.axis() == axis) return value.value();
  }
  return kNone;
}

// "3/3", or "1/3 partial": what is not good says so in its own line.
std::string Standing(const v1::CaseResult& each) {
  std::string text = absl::StrCat(each.good_trials(), "/", each.wanted_trials());
  if (each.status() != v1::CASE_STATUS_GOOD) absl::StrAppend(&text, " ", Words(EnumName(each.status())));
  return text;
}

std::vector<std::string> CaseCells(const v1::CaseResult& each, const Columns& columns) {
  std::vector<std::string> cells = {absl::StrCat(each.index() + 1)};
  for (const std::string& axis : columns.axes) cells.push_back(ValueOf(each, axis));
  return cells;
}

// No trial of the case counts, and nothing but a limit is the reason.
bool OnlyOverLimit(const v1::CaseResult& each) {
  return each.status() == v1::CASE_STATUS_OVER_LIMIT && each.good_trials() == 0;
}

// With its bound where that is more than a tenth of it.
std::string Skew(const v1::Row& row) {
  std::string text = Duration(row.has_running_skew_ns(), row.running_skew_ns());
  if (row.has_running_skew_ns() && row.has_skew_bound_ns() &&
      row.skew_bound_ns().median() * 10 > row.running_skew_ns().median()) {
    absl::StrAppend(&text, " +-", Duration(true, row.skew_bound_ns()));
  }
  return text;
}

// "trans/s" to "last".
std::vector<std::string> TransactionCells(const v1::Row& row, const Columns& columns) {
  std::vector<std::string> cells;
  if (columns.exchanges) {
    cells.push_back(PerSecond(row.has_transactions_per_s(), row.transactions_per_s()));
    cells.push_back(Duration(row.has_p50_ns(), row.p50_ns()));
    cells.push_back(Duration(row.has_p99_ns(), row.p99_ns()));
  }
  if (columns.corrected) cells.push_back(Duration(row.has_corrected_p99_ns(), row.corrected_p99_ns()));
  if (columns.lost_trans) cells.push_back(Count(row.has_lost_transactions(), row.lost_transactions()));
  if (columns.completion) {
    cells.push_back(Duration(row.has_completion_median_ns(), row.completion_median_ns()));
    cells.push_back(Duration(row.has_completion_max_ns(), row.completion_max_ns()));
  }
  return cells;
}

// "sent" to "retr", the fairness and the skew: medians, or in brackets those of the trials over a limit.
struct TrafficCells {
  std::vector<std::string> before_cpu;
  std::vector<std::string> fairness;
  std::string skew;
};
TrafficCells TrafficCellsOf(const v1::CaseResult& each, const v1::Row& row, const Columns& columns) {
  const bool bracket = OnlyOverLimit(each);
  const v1::Row shown = bracket ? OverLimitRow(each, row) : row;
  const auto cell = [&](const std::string& text) {
    return bracket && text != kNone ? absl::StrCat("[", text, "]") : text;
  };
  TrafficCells cells;
  cells.before_cpu.push_back(cell(Rate(shown.has_sent_bps(), shown.sent_bps())));
  cells.before_cpu.push_back(cell(bracket ? Rate(shown.has_received_bps(), shown.received_bps())
                                          : RateWithRange(shown.has_received_bps(), shown.received_bps())));
  for (const std::string& text : TransactionCells(shown, columns)) cells.before_cpu.push_back(cell(text));
  if (columns.lost) cells.before_cpu.push_back(cell(Percent(shown.has_lost_ratio(), shown.lost_ratio())));
  if (columns.retransmits) {
    cells.before_cpu.push_back(cell(Count(shown.has_retransmits(), shown.retransmits())));
  }
  if (columns.fairness) {
    cells.fairness = {cell(Index(shown.has_jain_index(), shown.jain_index())),
                      cell(Rate(shown.has_slowest_bps(), shown.slowest_bps()))};
  }
  cells.skew = cell(Skew(shown));
  return cells;
}

// CPU and service demand of one side.
void AddCpuCells(bool exists, const v1::CpuSummary& cpu, bool busy_before, std::vector<std::string>& cells) {
  for (std::string text : {exists ? Cores(cpu) : kNone, exists ? ServiceDemand(cpu) : kNone}) {
    if (busy_before && text != kNone) text += kBusyMark;
    cells.push_back(std::move(text));
  }
}

std::vector<std::string> RowCells(const v1::CaseResult& each, const v1::Row& row, const Columns& columns) {
  std::vector<std::string> cells = CaseCells(each, columns);
  if (columns.entry) cells.push_back(absl::StrCat(row.entry(), row.reverse() ? " (reverse)" : ""));
  if (columns.streams) cells.push_back(absl::StrCat(row.streams()));
  const TrafficCells traffic = TrafficCellsOf(each, row, columns);
  cells.insert(cells.end(), traffic.before_cpu.begin(), traffic.before_cpu.end());
  const bool shared = SharesMachines(row);
  if (columns.roles) {
    AddCpuCells(!shared, row.sender_cpu(), WasBusyBefore(each, row, Ends::kSenders), cells);
    AddCpuCells(!shared, row.receiver_cpu(), WasBusyBefore(each, row, Ends::kReceivers), cells);
  }
  if (columns.both_ends) {
    AddCpuCells(shared, row.both_ends(), WasBusyBefore(each, row, Ends::kBoth), cells);
  }
  cells.insert(cells.end(), traffic.fairness.begin(), traffic.fairness.end());
  cells.push_back(traffic.skew);
  cells.push_back(Standing(each));
  return cells;
}

// A case that never had flows: its values, and why in the last column.
std::vector<std::string> EmptyCells(const v1::CaseResult& each, const Columns& columns, size_t width) {
  std::vector<std::string> cells = CaseCells(each, columns);
  cells.resize(width - 1, kNone);
  cells.push_back(Standing(each));
  return cells;
}

size_t WidthOf(const Columns& columns) {
  return 1 + columns.axes.size() + columns.entry + columns.streams + 2 + columns.lost + columns.retransmits +
         (columns.exchanges ? 3 : 0) + columns.corrected + columns.lost_trans + (columns.completion ? 2 : 0) +
         (columns.roles ? 4 : 0) + (columns.both_ends ? 2 : 0) + (columns.fairness ? 2 : 0) + 2;
}

// Why a service demand or a loss that one would expect is "-"; each sentence once.
std::set<std::string> Notes(const v1::Result& result) {
  std::set<std::string> notes;
  const auto demand = [&](const v1::CpuSummary& cpu) {
    if (!cpu.service_demand_note().empty()) notes.insert(absl::StrCat("us/KB: ", cpu.service_demand_note()));
  };
  for (const v1::CaseResult& each : result.cases()) {
    for (const v1::Row& row : each.rows()) {
      if (row.protocol() == v1::PROTOCOL_UDP && !row.loss_note().empty()) {
        notes.insert(absl::StrCat("lost: ", row.loss_note()));
      }
      if (SharesMachines(row)) {
        demand(row.both_ends());
      } else {
        demand(row.sender_cpu());
        demand(row.receiver_cpu());
      }
    }
  }
  return notes;
}

// What the marks of these rows mean; empty where a row has none.
std::string Legend(const v1::Result& result) {
  bool ranges = false;
  bool brackets = false;
  bool busy = false;
  for (const v1::CaseResult& each : result.cases()) {
    for (const v1::Row& row : each.rows()) {
      ranges = ranges || row.received_bps().trials() > 1;
      brackets = brackets || OnlyOverLimit(each);
      const bool has_cpu = row.sender_cpu().has_cores_busy() || row.receiver_cpu().has_cores_busy() ||
                           row.both_ends().has_cores_busy();
      busy = busy || (has_cpu && WasBusyBefore(each, row, Ends::kBoth));
    }
  }
  std::string text;
  if (ranges)
    text += "every figure is the median of the good trials; (minimum..maximum) of what was received\n";
  if (brackets) text += "[ ] medians of the trials over a limit, which do not count\n";
  if (busy) {
    absl::StrAppend(&text, kBusyMark,
                    " the machine was already busy before the case: CPU and us/KB contain that work\n");
  }
  return text;
}

// Each warning with the trials that it came from, in the order of their first appearance.
std::vector<std::string> Warnings(const v1::Result& result) {
  std::vector<std::string> order;
  std::map<std::string, int> times;
  for (const v1::CaseResult& each : result.cases()) {
    for (const v1::TrialResult& trial : each.trials()) {
      for (const std::string& warning : trial.warnings()) {
        const std::string text = absl::StrCat("case ", each.index() + 1, ": ", warning);
        if (times[text]++ == 0) order.push_back(text);
      }
    }
  }
  for (std::string& text : order) {
    if (times[text] > 1) absl::StrAppend(&text, " (", times[text], " times)");
  }
  return order;
}

}  // namespace

std::string RenderTable(const v1::Result& result, const Style& style) {
  const Columns columns = ColumnsOf(result);
  TextTable table = MakeTable(columns);
  for (const v1::CaseResult& each : result.cases()) {
    for (const v1::Row& row : each.rows()) table.AddRow(RowCells(each, row, columns));
    if (each.rows_size() == 0) table.AddRow(EmptyCells(each, columns, WidthOf(columns)));
  }
  std::string text = table.rows() > 0 ? table.Render("", style.color) : "no case was run\n";
  text += Legend(result);
  for (const std::string& note : Notes(result)) absl::StrAppend(&text, note, "\n");
  text += ThresholdTable(result, style);
  absl::StrAppend(&text, Colored(Words(EnumName(result.status())), MoodOf(result.status()), style));
  if (result.status() != v1::RUN_STATUS_RUNNING) absl::StrAppend(&text, ", exit code ", result.exit_code());
  text += '\n';
  for (const std::string& reason : FirstReasons(result.reasons())) {
    absl::StrAppend(&text, "  ", reason, "\n");
  }
  for (const std::string& warning : Warnings(result)) absl::StrAppend(&text, "  warning: ", warning, "\n");
  return text;
}

}  // namespace tutti::report
