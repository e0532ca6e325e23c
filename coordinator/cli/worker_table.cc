#include "coordinator/cli/worker_table.h"

#include <map>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/units/units.h"
#include "coordinator/cli/aligned_columns.h"
#include "coordinator/cli/instant.h"
#include "coordinator/report/enum_name.h"

namespace tutti::cli {
namespace {

using Cells = std::vector<std::string>;

std::string Drain(const tutti::v1::DrainMark& drain) {
  return absl::StrCat("since ", FormatInstant(drain.since_unix_ns()), drain.reason().empty() ? "" : ": ",
                      drain.reason());
}

// As fleet::DrainText has it.
std::string DrainReason(const tutti::v1::DrainMark& drain) {
  return absl::StrCat("drained", drain.user().empty() ? "" : absl::StrCat(" by ", drain.user()),
                      drain.reason().empty() ? "" : absl::StrCat(": ", drain.reason()));
}

std::string State(const tutti::v1::WorkerInfo& worker) {
  if (worker.state() == tutti::v1::WorkerInfo::STATE_UNSPECIFIED) return "-";
  const bool draining = worker.state() == tutti::v1::WorkerInfo::STATE_DRAINING;
  std::string state = report::EnumName(worker.state());
  if (!worker.run_id().empty()) absl::StrAppend(&state, " (", worker.run_id(), ")");
  if (draining && worker.has_drain()) return absl::StrCat(state, " ", Drain(worker.drain()));
  // Of a busy one it is the run once more.
  if (!worker.state_reason().empty() && worker.state() != tutti::v1::WorkerInfo::STATE_BUSY) {
    absl::StrAppend(&state, ": ", worker.state_reason());
  }
  // The coordinator's reason for a lost one names its drain as well.
  if (worker.has_drain() && !absl::StrContains(worker.state_reason(), DrainReason(worker.drain()))) {
    absl::StrAppend(&state, "; draining ", Drain(worker.drain()));
  }
  return state;
}

// First the one that data takes unless the plan names a network: --address of the worker, else the one that
// reaches the coordinator.
std::string Addresses(const tutti::v1::WorkerInfo& worker) {
  std::vector<std::string> addresses;
  if (!worker.control_address().empty()) addresses.push_back(worker.control_address());
  for (const tutti::v1::HostAddress& address : worker.facts().addresses()) {
    if (address.loopback() || address.link_local() || address.address() == worker.control_address()) continue;
    addresses.push_back(address.address());
  }
  return addresses.empty() ? "-" : absl::StrJoin(addresses, ",");
}

std::string Labels(const tutti::v1::WorkerInfo& worker) {
  const std::map<std::string, std::string> sorted(worker.labels().begin(), worker.labels().end());
  return sorted.empty() ? "-" : absl::StrJoin(sorted, ",", absl::PairFormatter("="));
}

Cells Line(const tutti::v1::WorkerInfo& worker) {
  const tutti::v1::HostFacts& facts = worker.facts();
  return {worker.name(),
          State(worker),
          Addresses(worker),
          facts.online_cpus_size() > 0 ? absl::StrCat(facts.online_cpus_size()) : "-",
          facts.kernel_release().empty() ? "-" : facts.kernel_release(),
          worker.has_clock_bound_ns() ? FormatDuration(worker.clock_bound_ns()) : "-",
          Labels(worker)};
}

}  // namespace

std::string RenderWorkers(const tutti::v1::ListWorkersResponse& workers) {
  if (workers.workers().empty()) return "no workers; start one: tutti-worker --coordinator ADDR\n";
  std::vector<Cells> lines = {{"NAME", "STATE", "ADDRESSES", "CPUS", "KERNEL", "CLOCK BOUND", "LABELS"}};
  for (const tutti::v1::WorkerInfo& worker : workers.workers()) lines.push_back(Line(worker));
  return AlignColumns(lines);
}

}  // namespace tutti::cli
