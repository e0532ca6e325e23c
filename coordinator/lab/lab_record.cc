#include "coordinator/lab/lab_record.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "common/status/printable.h"

namespace tutti::lab {
namespace {

constexpr char kVersionLine[] = "tutti-lab 1";

std::string OneLine(const std::string& text) { return absl::StrReplaceAll(text, {{"\n", " "}}); }

bool ParseHost(const std::string& value, LabHost* host) {
  const std::vector<std::string> fields = absl::StrSplit(value, ' ');
  if (fields.size() != 5) return false;
  host->name = fields[0];
  host->address = fields[1];
  host->address6 = fields[2] == "-" ? "" : fields[2];
  return absl::SimpleAtoi(fields[3], &host->pid) && absl::SimpleAtoi(fields[4], &host->clock_offset_ns);
}

bool ParseField(const std::string& key, const std::string& value, LabRecord* record) {
  if (key == "name") return record->name = value, true;
  if (key == "kind") return record->kind = value, true;
  if (key == "address") return record->coordinator_address = value, true;
  if (key == "logs") return record->log_dir = value, true;
  if (key == "supervisor") return absl::SimpleAtoi(value, &record->supervisor_pid);
  if (key == "supervisor_start") return absl::SimpleAtoi(value, &record->supervisor_start_ticks);
  if (key == "coordinator") return absl::SimpleAtoi(value, &record->coordinator_pid);
  if (key == "started") return absl::SimpleAtoi(value, &record->started_unix_ns);
  if (key != "host") return false;
  LabHost host;
  if (!ParseHost(value, &host)) return false;
  record->hosts.push_back(std::move(host));
  return true;
}

}  // namespace

std::string FormatRecord(const LabRecord& record) {
  std::string text = absl::StrCat(kVersionLine, "\nname ", record.name, "\nkind ", OneLine(record.kind),
                                  "\naddress ", record.coordinator_address, "\nlogs ", record.log_dir,
                                  "\nsupervisor ", record.supervisor_pid, "\nsupervisor_start ",
                                  record.supervisor_start_ticks, "\ncoordinator ", record.coordinator_pid);
  absl::StrAppend(&text, "\nstarted ", record.started_unix_ns, "\n");
  for (const LabHost& host : record.hosts) {
    absl::StrAppend(
        &text, "host ",
        absl::StrJoin({host.name, host.address, host.address6.empty() ? "-" : host.address6}, " "), " ",
        host.pid, " ", host.clock_offset_ns, "\n");
  }
  return text;
}

absl::StatusOr<LabRecord> ParseRecord(const std::string& text) {
  std::vector<std::string> lines = absl::StrSplit(text, '\n');
  // The line break at the end tells a whole record from a cut one.
  if (lines.size() < 2 || lines.front() != kVersionLine || !lines.back().empty()) {
    return absl::InvalidArgumentError("not a record of a lab");
  }
  LabRecord record;
  for (size_t i = 1; i + 1 < lines.size(); ++i) {
    const std::pair<std::string, std::string> field = absl::StrSplit(lines[i], absl::MaxSplits(' ', 1));
    if (!ParseField(field.first, field.second, &record)) {
      return absl::InvalidArgumentError(absl::StrCat("not a record of a lab: line ", i + 1, ": ", lines[i]));
    }
  }
  if (record.name.empty() || record.supervisor_pid <= 0 || record.hosts.empty()) {
    return absl::InvalidArgumentError("not a record of a lab: it names no lab, supervisor or host");
  }
  return record;
}

absl::Status CheckLabName(const std::string& name) {
  constexpr size_t kMaxBytes = 64;
  const bool good = !name.empty() && name.size() <= kMaxBytes && name[0] != '.' && name[0] != '-' &&
                    std::all_of(name.begin(), name.end(), [](char c) {
                      return absl::ascii_isalnum(c) || c == '-' || c == '_' || c == '.';
                    });
  if (good) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "'", Printable(name),
      "' cannot name a lab: letters, digits, '_', and but for the first '-' and '.', 64 at most"));
}

}  // namespace tutti::lab
