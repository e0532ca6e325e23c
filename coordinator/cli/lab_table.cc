#include "coordinator/cli/lab_table.h"

#include <time.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "coordinator/cli/aligned_columns.h"

namespace tutti::cli {
namespace {

std::string LocalTime(int64_t unix_ns) {
  const time_t seconds = static_cast<time_t>(unix_ns / 1'000'000'000);
  tm broken_down = {};
  localtime_r(&seconds, &broken_down);
  char text[32] = "";
  strftime(text, sizeof(text), "%F %T", &broken_down);
  return text;
}

}  // namespace

std::string DescribeLab(const lab::LabRecord& lab) {
  std::vector<std::vector<std::string>> hosts;
  for (const lab::LabHost& host : lab.hosts) hosts.push_back({"  " + host.name, host.address, host.address6});
  const std::string name_option = lab.name == lab::kDefaultLabName ? "" : absl::StrCat(" --name ", lab.name);
  std::string text = absl::StrCat("lab ", lab.name, " is up (", lab.kind, ")\n");
  for (std::vector<std::string>& host : hosts) {
    if (host.back().empty()) host.pop_back();
  }
  absl::StrAppend(&text, AlignColumns(hosts));
  absl::StrAppend(&text, "run a plan:  tutti run PLAN --coordinator ", lab.coordinator_address, "\n");
  absl::StrAppend(&text, "enter one:   tutti lab exec", name_option, " ",
                  lab.hosts.empty() ? "HOST" : lab.hosts.front().name, " COMMAND\n");
  absl::StrAppend(&text, "end it:      tutti lab down", name_option, "\n");
  return text;
}

std::string RenderLabs(const std::vector<lab::LabRecord>& labs) {
  if (labs.empty()) return "no lab is up; start one: tutti lab up\n";
  std::vector<std::vector<std::string>> rows = {{"NAME", "HOSTS", "PID", "SINCE", "COORDINATOR"}};
  for (const lab::LabRecord& lab : labs) {
    rows.push_back({lab.name, absl::StrCat(lab.hosts.size()), absl::StrCat(lab.supervisor_pid),
                    LocalTime(lab.started_unix_ns), lab.coordinator_address});
  }
  return AlignColumns(rows);
}

report::Document LabDocument(const lab::LabRecord& lab) {
  using report::Document;
  Document hosts = Document::List();
  for (const lab::LabHost& host : lab.hosts) {
    Document each = Document::Map();
    each.Add("name", Document::Text(host.name));
    each.Add("address", Document::Text(host.address));
    each.Add("address6", host.address6.empty() ? Document::Null() : Document::Text(host.address6));
    each.Add("pid", Document::Number(host.pid));
    each.Add("clock_offset_ns", Document::Number(host.clock_offset_ns));
    hosts.Add(std::move(each));
  }
  Document document = Document::Map();
  document.Add("name", Document::Text(lab.name));
  document.Add("kind", Document::Text(lab.kind));
  document.Add("coordinator_address", Document::Text(lab.coordinator_address));
  document.Add("log_dir", Document::Text(lab.log_dir));
  document.Add("supervisor_pid", Document::Number(lab.supervisor_pid));
  document.Add("coordinator_pid", Document::Number(lab.coordinator_pid));
  document.Add("started_unix_ns", Document::Number(lab.started_unix_ns));
  document.Add("hosts", std::move(hosts));
  return document;
}

report::Document LabsDocument(const std::vector<lab::LabRecord>& labs) {
  report::Document list = report::Document::List();
  for (const lab::LabRecord& lab : labs) list.Add(LabDocument(lab));
  return report::Document::Map().Add("labs", std::move(list));
}

}  // namespace tutti::cli
