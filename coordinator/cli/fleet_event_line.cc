#include "coordinator/cli/fleet_event_line.h"

#include "absl/strings/str_cat.h"
#include "common/status/printable.h"
#include "coordinator/cli/instant.h"
#include "coordinator/report/document.h"
#include "coordinator/report/enum_name.h"
#include "coordinator/report/report.h"

namespace tutti::cli {
namespace {

using tutti::v1::WorkerInfo;

std::string LineOf(const tutti::v1::FleetEvent& event) {
  if (event.resync()) {
    return absl::StrCat(FormatInstant(event.at_unix_ns()),
                        "  what changed before is not told; `tutti workers` shows how things stand\n");
  }
  const bool is_new = event.before() == WorkerInfo::STATE_UNSPECIFIED;
  const bool is_gone = event.after() == WorkerInfo::STATE_UNSPECIFIED;
  std::string line = absl::StrCat(FormatInstant(event.at_unix_ns()), "  ", event.worker(), "  ",
                                  is_new ? "new" : report::EnumName(event.before()), " -> ",
                                  is_gone ? "forgotten" : report::EnumName(event.after()));
  if (!event.run_id().empty()) absl::StrAppend(&line, " (", event.run_id(), ")");
  if (!event.reason().empty()) absl::StrAppend(&line, ": ", event.reason());
  return absl::StrCat(Printable(line), "\n");
}

}  // namespace

std::string RenderFleetEvent(const tutti::v1::FleetEvent& event, Output output) {
  switch (output) {
    case Output::kTable:
      return LineOf(event);
    case Output::kJson:
      return absl::StrCat(report::RenderMessageJson(event, report::JsonStyle{.indent = false}), "\n");
    case Output::kYaml:
      return absl::StrCat("---\n", report::DocumentYaml(report::MessageDocument(event)));
  }
  return "";
}

}  // namespace tutti::cli
