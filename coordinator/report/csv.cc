// A result as a table for programs: one observation a line, its keys in front, then the fields of the message
// that it is, by the names that docs/result.md defines.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "coordinator/report/csv_line.h"
#include "coordinator/report/enum_name.h"
#include "coordinator/report/field_cells.h"
#include "coordinator/report/report.h"

namespace tutti::report {
namespace {

namespace v1 = tutti::v1;

using Cells = std::vector<std::string>;

template <typename M>
void AddNames(const std::string& prefix, Cells& cells) {
  AppendFieldNames(*M::descriptor(), prefix, cells);
}

// Empty cells for nullptr.
template <typename M>
void AddValues(const M* message, Cells& cells) {
  AppendFieldValues(*M::descriptor(), message, cells);
}

// The axes of the matrix in the plan's order.
Cells AxesOf(const v1::Result& result) {
  Cells axes;
  for (const v1::CaseResult& each : result.cases()) {
    for (const v1::AxisValue& value : each.values()) {
      if (std::find(axes.begin(), axes.end(), value.axis()) == axes.end()) axes.push_back(value.axis());
    }
  }
  return axes;
}

std::string ValueOf(const v1::CaseResult& each, const std::string& axis) {
  for (const v1::AxisValue& value : each.values()) {
    if (value.axis() == axis) return value.value();
  }
  return "";
}

// Header and lines; all begin with the run, the plan, the case (from 1, as tables count) and its matrix
// values.
class Sheet {
 public:
  Sheet(const v1::Result& result, const Cells& columns) : result_(result), axes_(AxesOf(result)) {
    Cells header = {"run_id", "plan", "case"};
    for (const std::string& axis : axes_) header.push_back(absl::StrCat("matrix.", axis));
    header.insert(header.end(), columns.begin(), columns.end());
    AppendCsvLine(header, text_);
  }

  void Add(const v1::CaseResult& each, const Cells& cells) {
    Cells line = {result_.run_id(), result_.plan().name(), absl::StrCat(each.index() + 1)};
    for (const std::string& axis : axes_) line.push_back(ValueOf(each, axis));
    line.insert(line.end(), cells.begin(), cells.end());
    AppendCsvLine(line, text_);
  }

  std::string Take() { return std::move(text_); }

 private:
  const v1::Result& result_;
  const Cells axes_;
  std::string text_;
};

// The messages of a list; of an empty one nullptr, so that what has none still has a line.
template <typename M>
std::vector<const M*> AtLeastOne(const google::protobuf::RepeatedPtrField<M>& list) {
  std::vector<const M*> all;
  for (const M& each : list) all.push_back(&each);
  if (all.empty()) all.push_back(nullptr);
  return all;
}

std::string Joined(const google::protobuf::RepeatedPtrField<std::string>& texts) {
  return absl::StrJoin(texts, "; ");
}

Cells TrialCells(const v1::TrialResult& trial) {
  return {absl::StrCat(trial.repetition()), EnumName(trial.status())};
}

std::string CaseLines(const v1::Result& result) {
  Cells columns = {"case_status", "case_reasons", "good_trials", "wanted_trials"};
  AddNames<v1::Row>("", columns);
  Sheet sheet(result, columns);
  for (const v1::CaseResult& each : result.cases()) {
    for (const v1::Row* row : AtLeastOne(each.rows())) {
      Cells cells = {EnumName(each.status()), Joined(each.reasons()), absl::StrCat(each.good_trials()),
                     absl::StrCat(each.wanted_trials())};
      AddValues(row, cells);
      sheet.Add(each, cells);
    }
  }
  return sheet.Take();
}

std::string TrialLines(const v1::Result& result) {
  Cells columns = {"trial", "trial_status", "trial_reasons", "started_unix_ns"};
  AddNames<v1::EntryResult>("", columns);
  Sheet sheet(result, columns);
  for (const v1::CaseResult& each : result.cases()) {
    for (const v1::TrialResult& trial : each.trials()) {
      for (const v1::EntryResult* entry : AtLeastOne(trial.entries())) {
        Cells cells = TrialCells(trial);
        cells.push_back(Joined(trial.reasons()));
        cells.push_back(trial.started_unix_ns() == 0 ? "" : absl::StrCat(trial.started_unix_ns()));
        AddValues(entry, cells);
        sheet.Add(each, cells);
      }
    }
  }
  return sheet.Take();
}

const v1::MachineResult* MachineOf(const v1::TrialResult& trial, const v1::HostResult& host) {
  for (const v1::MachineResult& machine : trial.machines()) {
    if (machine.machine() == host.machine()) return &machine;
  }
  return nullptr;
}

// The schema has no null for these, and 0 where the host did not read the edge or did not report at all.
void ClearWhatWasNotRead(const v1::HostResult& host, const Cells& columns, Cells& cells) {
  for (size_t i = 0; i < columns.size(); ++i) {
    const bool edge = columns[i] == "window_begin_trial_ns" || columns[i] == "window_end_trial_ns";
    const bool lateness = columns[i] == "sampler_worst_lateness_ns" && !host.missing().empty();
    if ((edge || lateness) && cells[i] == "0") cells[i].clear();
  }
}

// With its machine's CPU, which the hosts of one machine have together: `shared_machine` says so.
std::string HostLines(const v1::Result& result) {
  Cells columns = {"trial", "trial_status"};
  AddNames<v1::HostResult>("", columns);
  AddNames<v1::MachineResult>("machine_cpu.", columns);
  Sheet sheet(result, columns);
  for (const v1::CaseResult& each : result.cases()) {
    for (const v1::TrialResult& trial : each.trials()) {
      for (const v1::HostResult& host : trial.hosts()) {
        Cells cells = TrialCells(trial);
        AddValues(&host, cells);
        AddValues(MachineOf(trial, host), cells);
        ClearWhatWasNotRead(host, columns, cells);
        sheet.Add(each, cells);
      }
    }
  }
  return sheet.Take();
}

std::string StreamLines(const v1::Result& result) {
  Cells columns = {"trial", "trial_status"};
  AddNames<v1::StreamResult>("", columns);
  Sheet sheet(result, columns);
  for (const v1::CaseResult& each : result.cases()) {
    for (const v1::TrialResult& trial : each.trials()) {
      for (const v1::StreamResult& stream : trial.streams()) {
        Cells cells = TrialCells(trial);
        AddValues(&stream, cells);
        sheet.Add(each, cells);
      }
    }
  }
  return sheet.Take();
}

// A line for every host of the trial, also where its reading of the interval is missing.
void AddInterval(const v1::CaseResult& each, const v1::TrialResult& trial,
                 const v1::TimelineInterval& interval, Sheet& sheet) {
  std::map<std::string, const v1::HostInterval*> readings;
  for (const v1::HostInterval& reading : interval.hosts()) readings[reading.host()] = &reading;
  for (const v1::HostResult& host : trial.hosts()) {
    Cells cells = TrialCells(trial);
    cells.push_back(absl::StrCat(interval.index()));
    cells.push_back(absl::StrCat(interval.begin_trial_ns()));
    cells.push_back(absl::StrCat(interval.end_trial_ns()));
    cells.emplace_back(interval.shorter() ? "true" : "false");
    const size_t name_at = cells.size();  // `host` is the first field of a reading
    const auto reading = readings.find(host.host());
    AddValues<v1::HostInterval>(reading == readings.end() ? nullptr : reading->second, cells);
    cells[name_at] = host.host();
    sheet.Add(each, cells);
  }
}

std::string IntervalLines(const v1::Result& result) {
  Cells columns = {"trial", "trial_status", "interval", "due_begin_trial_ns", "due_end_trial_ns", "shorter"};
  AddNames<v1::HostInterval>("", columns);
  Sheet sheet(result, columns);
  for (const v1::CaseResult& each : result.cases()) {
    for (const v1::TrialResult& trial : each.trials()) {
      for (const v1::TimelineInterval& interval : trial.timeline()) AddInterval(each, trial, interval, sheet);
    }
  }
  return sheet.Take();
}

}  // namespace

std::string RenderCsv(const v1::Result& result, CsvRows rows) {
  switch (rows) {
    case CsvRows::kCase:
      return CaseLines(result);
    case CsvRows::kTrial:
      return TrialLines(result);
    case CsvRows::kHost:
      return HostLines(result);
    case CsvRows::kStream:
      return StreamLines(result);
    case CsvRows::kInterval:
      return IntervalLines(result);
  }
  return "";
}

}  // namespace tutti::report
