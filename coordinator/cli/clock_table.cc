#include "coordinator/cli/clock_table.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/status/printable.h"
#include "common/units/units.h"
#include "coordinator/report/clock_offset.h"
#include "coordinator/report/text_table.h"

namespace tutti::cli {
namespace {

using tutti::v1::WorkerInfo;

std::string Drift(const WorkerInfo& worker) {
  if (!worker.has_clock_drift_ppm()) return "-";
  return absl::StrFormat("%+.3f +-%.3f ppm", worker.clock_drift_ppm(), worker.clock_drift_bound_ppm());
}

bool IsOver(const WorkerInfo& worker, std::optional<int64_t> limit_ns) {
  return limit_ns && worker.has_clock_bound_ns() && worker.clock_bound_ns() > *limit_ns;
}

std::string Names(const std::vector<const WorkerInfo*>& workers) {
  std::string names;
  for (const WorkerInfo* worker : workers) absl::StrAppend(&names, names.empty() ? "" : ", ", worker->name());
  return names;
}

// One line for each kind of trouble that somebody has.
void AddAdvice(const tutti::v1::ListWorkersResponse& workers, std::optional<int64_t> limit_ns,
               std::string& text) {
  std::vector<const WorkerInfo*> by_session;
  std::vector<const WorkerInfo*> stepped;
  std::vector<const WorkerInfo*> over;
  for (const WorkerInfo& worker : workers.workers()) {
    if (worker.clock_source() == tutti::v1::CLOCK_SOURCE_SESSION) by_session.push_back(&worker);
    if (worker.clock_restarts() > 0) stepped.push_back(&worker);
    if (IsOver(worker, limit_ns)) over.push_back(&worker);
  }
  if (!by_session.empty()) {
    absl::StrAppend(
        &text, Names(by_session),
        ": no datagram comes through, so the clock is measured over the session, less exactly; let "
        "UDP through to the coordinator's port (a Unix socket has none)\n");
  }
  if (!stepped.empty()) {
    absl::StrAppend(
        &text, Names(stepped),
        ": the clock contradicted its own history (a suspend, a VM that stood still, a time service that "
        "slews hard); let chrony or PTP settle before a run\n");
  }
  if (!over.empty()) {
    absl::StrAppend(
        &text, Names(over), ": over ", FormatDuration(*limit_ns),
        " (marked *); use a quieter control path, or wait until the clock has been measured longer\n");
  }
}

}  // namespace

const char* ClockSourceName(tutti::v1::ClockSource source) {
  switch (source) {
    case tutti::v1::CLOCK_SOURCE_KERNEL:
      return "udp, kernel stamps";
    case tutti::v1::CLOCK_SOURCE_PROGRAM:
      return "udp, program stamps";
    case tutti::v1::CLOCK_SOURCE_SESSION:
      return "session";
    default:
      return "-";
  }
}

std::string RenderClocks(const tutti::v1::ListWorkersResponse& workers, std::optional<int64_t> limit_ns) {
  if (workers.workers().empty()) return "no workers; start one: tutti-worker --coordinator ADDR\n";
  report::TextTable table;
  table.AddColumn("WORKER", report::Align::kLeft);
  table.AddColumn("OFFSET");
  table.AddColumn("DRIFT");
  table.AddColumn("BOUND");
  table.AddColumn("ROUND TRIP");
  table.AddColumn("MEASURED BY", report::Align::kLeft);
  table.AddColumn("STEPS");
  for (const WorkerInfo& worker : workers.workers()) {
    if (worker.state() == WorkerInfo::STATE_LOST) {
      table.AddRow({worker.name(), "-", "-", "-", "-", "lost: " + Printable(worker.state_reason()), "-"});
      continue;
    }
    table.AddRow({worker.name(),
                  worker.has_clock_offset_ns() ? report::FormatClockOffset(worker.clock_offset_ns()) : "-",
                  Drift(worker),
                  worker.has_clock_bound_ns() ? absl::StrCat(IsOver(worker, limit_ns) ? "*" : "",
                                                             FormatDuration(worker.clock_bound_ns()))
                                              : "-",
                  worker.has_clock_round_trip_ns() ? FormatDuration(worker.clock_round_trip_ns()) : "-",
                  ClockSourceName(worker.clock_source()), absl::StrCat(worker.clock_restarts())});
  }
  std::string text = table.Render();
  AddAdvice(workers, limit_ns, text);
  return text;
}

bool ClocksAreKnown(const tutti::v1::ListWorkersResponse& workers, std::optional<int64_t> limit_ns) {
  bool any = false;
  for (const WorkerInfo& worker : workers.workers()) {
    if (worker.state() == WorkerInfo::STATE_LOST) continue;
    any = true;
    if (limit_ns && (!worker.has_clock_bound_ns() || IsOver(worker, limit_ns))) return false;
  }
  return any;
}

}  // namespace tutti::cli
