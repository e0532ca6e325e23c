#include "coordinator/report/row_basis.h"

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/stats/background.h"
#include "common/stats/spread.h"

namespace tutti::report {
namespace {

namespace v1 = tutti::v1;

using Entries = std::vector<const v1::EntryResult*>;

Entries OverLimitEntries(const v1::CaseResult& each, const v1::Row& row) {
  Entries entries;
  for (const v1::TrialResult& trial : each.trials()) {
    if (trial.status() != v1::TRIAL_STATUS_OVER_LIMIT) continue;
    for (const v1::EntryResult& entry : trial.entries()) {
      if (entry.entry() == row.entry() && entry.reverse() == row.reverse()) entries.push_back(&entry);
    }
  }
  return entries;
}

// `figure` returns nullopt where an entry does not have it; `mutable_field` is then not touched.
template <typename Figure>
void Set(v1::Row& row, v1::Spread* (v1::Row::*mutable_field)(), const Entries& entries, Figure figure) {
  std::vector<double> values;
  for (const v1::EntryResult* entry : entries) {
    if (const std::optional<double> value = figure(*entry)) values.push_back(*value);
  }
  const std::optional<SpreadOf> of = Spread(std::move(values));
  if (!of.has_value()) return;
  v1::Spread& spread = *(row.*mutable_field)();
  spread.set_median(of->median);
  spread.set_min(of->min);
  spread.set_max(of->max);
  spread.set_trials(static_cast<uint32_t>(of->count));
}

std::optional<double> If(bool present, double value) {
  return present ? std::optional<double>(value) : std::nullopt;
}

}  // namespace

v1::Row OverLimitRow(const v1::CaseResult& each, const v1::Row& row) {
  using E = v1::EntryResult;
  const Entries entries = OverLimitEntries(each, row);
  v1::Row result;
  Set(result, &v1::Row::mutable_sent_bps, entries,
      [](const E& e) { return If(e.has_sent_bps(), e.sent_bps()); });
  Set(result, &v1::Row::mutable_received_bps, entries,
      [](const E& e) { return If(e.has_received_bps(), e.received_bps()); });
  Set(result, &v1::Row::mutable_lost_ratio, entries,
      [](const E& e) { return If(e.loss().has_lost_ratio(), e.loss().lost_ratio()); });
  Set(result, &v1::Row::mutable_retransmits, entries, [](const E& e) {
    return If(e.retransmits().has_value(), static_cast<double>(e.retransmits().value()));
  });
  Set(result, &v1::Row::mutable_running_skew_ns, entries,
      [](const E& e) { return If(e.has_running_skew_ns(), static_cast<double>(e.running_skew_ns())); });
  Set(result, &v1::Row::mutable_transactions_per_s, entries,
      [](const E& e) { return If(e.has_transactions_per_s(), e.transactions_per_s()); });
  Set(result, &v1::Row::mutable_p50_ns, entries,
      [](const E& e) { return If(e.has_latency(), static_cast<double>(e.latency().p50_ns())); });
  Set(result, &v1::Row::mutable_p99_ns, entries,
      [](const E& e) { return If(e.has_latency(), static_cast<double>(e.latency().p99_ns())); });
  Set(result, &v1::Row::mutable_corrected_p99_ns, entries, [](const E& e) {
    return If(e.has_corrected_latency(), static_cast<double>(e.corrected_latency().p99_ns()));
  });
  Set(result, &v1::Row::mutable_lost_transactions, entries,
      [](const E& e) { return If(e.has_lost_transactions(), static_cast<double>(e.lost_transactions())); });
  Set(result, &v1::Row::mutable_completion_median_ns, entries,
      [](const E& e) { return If(e.completion().has_median_ns(), e.completion().median_ns()); });
  Set(result, &v1::Row::mutable_completion_max_ns, entries,
      [](const E& e) { return If(e.completion().has_max_ns(), e.completion().max_ns()); });
  return result;
}

bool WasBusyBefore(const v1::CaseResult& each, const v1::Row& row, Ends ends) {
  for (const v1::TrialResult& trial : each.trials()) {
    std::set<std::string> busy;
    for (const v1::MachineResult& machine : trial.machines()) {
      if (machine.has_background_cores() && HasBusyBackground(machine.background_cores(), machine.cpus())) {
        busy.insert(machine.machine());
      }
    }
    if (busy.empty()) continue;
    std::set<std::string> busy_hosts;
    for (const v1::HostResult& host : trial.hosts()) {
      if (busy.count(host.machine()) > 0) busy_hosts.insert(host.host());
    }
    for (const v1::StreamResult& stream : trial.streams()) {
      const v1::Flow& flow = stream.flow();
      if (flow.entry() != row.entry() || flow.reverse() != row.reverse()) continue;
      if (ends != Ends::kReceivers && busy_hosts.count(flow.from_host()) > 0) return true;
      if (ends != Ends::kSenders && busy_hosts.count(flow.to_host()) > 0) return true;
    }
  }
  return false;
}

}  // namespace tutti::report
