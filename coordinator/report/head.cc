// The head of a report: what ran where, before any figure.
#include "absl/strings/str_cat.h"
#include "common/units/units.h"
#include "coordinator/report/enum_name.h"
#include "coordinator/report/figures.h"
#include "coordinator/report/report.h"
#include "coordinator/report/text_table.h"

namespace tutti::report {
namespace {

namespace v1 = tutti::v1;

// A thousand hosts in all_to_all have a million pairs: the rest is in the JSON document.
constexpr int kMostLines = 32;

std::string Device(const std::string& name, bool has_speed, uint64_t speed_bps, bool hardware) {
  if (name.empty()) return "";
  if (!has_speed) return absl::StrCat(" (", name, ")");
  // Without hardware behind it a speed is a claim and no limit.
  return absl::StrCat(" (", name, hardware ? ", " : ", claims ", FormatRate(static_cast<double>(speed_bps)),
                      ")");
}

std::string Rest(int all) {
  return all <= kMostLines ? ""
                           : absl::StrCat("  ... and ", all - kMostLines, " more, see the JSON document\n");
}

std::string Hosts(const v1::Result& result) {
  if (result.hosts_size() == 0) return "";
  TextTable table;
  for (const char* name : {"host", "machine"}) table.AddColumn(name, Align::kLeft);
  table.AddColumn("CPUs");
  for (const char* name : {"kernel", "CPU model"}) table.AddColumn(name, Align::kLeft);
  for (int i = 0; i < result.hosts_size() && i < kMostLines; ++i) {
    const v1::Host& host = result.hosts(i);
    const int cpus = host.facts().online_cpus_size();
    table.AddRow({host.name(), host.machine(), cpus > 0 ? absl::StrCat(cpus) : kNone,
                  host.facts().kernel_release().empty() ? kNone : host.facts().kernel_release(),
                  host.facts().has_cpu_model() ? host.facts().cpu_model() : kNone});
  }
  return table.Render("  ") + Rest(result.hosts_size());
}

std::string Pairs(const v1::Result& result) {
  if (result.pairs_size() == 0) return "";
  TextTable table;
  for (const char* name : {"entry", "from", "", "to"}) table.AddColumn(name, Align::kLeft);
  for (int i = 0; i < result.pairs_size() && i < kMostLines; ++i) {
    const v1::Pair& pair = result.pairs(i);
    table.AddRow({absl::StrCat(pair.entry(), pair.reverse() ? " (reverse)" : ""),
                  absl::StrCat(pair.from_host(), " ", pair.from_address(),
                               Device(pair.from_device(), pair.has_from_speed_bps(), pair.from_speed_bps(),
                                      pair.hardware())),
                  "->",
                  absl::StrCat(pair.to_host(), " ", pair.to_address(),
                               Device(pair.to_device(), pair.has_to_speed_bps(), pair.to_speed_bps(),
                                      pair.hardware()))});
  }
  return table.Render("  ") + Rest(result.pairs_size());
}

}  // namespace

std::string RenderHead(const v1::Result& result, const Style& style) {
  std::string text = Bold(absl::StrCat("run ", result.run_id().empty() ? kNone : result.run_id()), style);
  absl::StrAppend(&text, "  plan ", result.plan().name());
  if (!result.plan().source_name().empty()) absl::StrAppend(&text, " (", result.plan().source_name(), ")");
  if (result.lab()) absl::StrAppend(&text, "  ", Colored("lab", Mood::kWarning, style));
  if (result.insecure()) absl::StrAppend(&text, "  ", Colored("insecure", Mood::kBad, style));
  text += '\n';
  uint64_t trials = 0;
  for (const v1::Case& each : result.plan().cases()) trials += each.repeat() > 0 ? each.repeat() : 1;
  const int cases = result.plan().cases_size();
  absl::StrAppend(&text, "  ", cases, cases == 1 ? " case, " : " cases, ", trials,
                  trials == 1 ? " trial" : " trials");
  if (result.expected_duration_ns() > 0) {
    absl::StrAppend(&text, ", expected to take ", FormatDuration(result.expected_duration_ns()));
  }
  text += '\n';
  if (result.machines_size() > 0 && result.machines_size() < result.hosts_size()) {
    absl::StrAppend(&text, "  ", result.hosts_size(), " hosts on ", result.machines_size(),
                    result.machines_size() == 1 ? " machine: its" : " machines: their",
                    " CPU figures belong to all of them together\n");
  }
  return text + Hosts(result) + Pairs(result);
}

}  // namespace tutti::report
