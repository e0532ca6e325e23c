// Rows of a case: every figure per trial first, then its median with min and max over the good trials.
#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/stats/spread.h"
#include "coordinator/results/merge.h"
#include "coordinator/results/thresholds.h"

namespace tutti::results {
namespace {

namespace v1 = tutti::v1;

using Entries = std::vector<const v1::EntryResult*>;  // one row's, of the good trials
using Figure = std::function<std::optional<double>(const v1::EntryResult&)>;

// False: no good trial has the figure, `spread` is untouched.
bool SpreadOver(const Entries& entries, const Figure& figure, v1::Spread& spread) {
  std::vector<double> values;
  for (const v1::EntryResult* entry : entries) {
    if (const std::optional<double> value = figure(*entry)) values.push_back(*value);
  }
  const std::optional<SpreadOf> of = Spread(std::move(values));
  if (!of.has_value()) return false;
  spread.set_median(of->median);
  spread.set_min(of->min);
  spread.set_max(of->max);
  spread.set_trials(static_cast<uint32_t>(of->count));
  return true;
}

// A Figure of an optional scalar, scaled.
template <typename T>
Figure Field(bool (v1::EntryResult::*has)() const, T (v1::EntryResult::*get)() const, double scale = 1) {
  return [=](const v1::EntryResult& entry) -> std::optional<double> {
    if (!(entry.*has)()) return std::nullopt;
    return static_cast<double>((entry.*get)()) * scale;
  };
}

std::optional<double> LostRatio(const v1::EntryResult& entry) {
  if (!entry.loss().has_lost_ratio()) return std::nullopt;
  return entry.loss().lost_ratio();
}

std::optional<double> Retransmits(const v1::EntryResult& entry) {
  if (!entry.has_retransmits() || !entry.retransmits().has_value()) return std::nullopt;
  return static_cast<double>(entry.retransmits().value());
}

using Side = const v1::CpuUse& (v1::EntryResult::*)() const;

Figure CpuField(Side side, bool (v1::CpuUse::*has)() const, double (v1::CpuUse::*get)() const) {
  return [=](const v1::EntryResult& entry) -> std::optional<double> {
    const v1::CpuUse& use = (entry.*side)();
    if (!(use.*has)()) return std::nullopt;
    return (use.*get)();
  };
}

// Sets or clears the message field that `mutable_field` names.
template <typename M>
void Set(M& message, v1::Spread* (M::*mutable_field)(), const Entries& entries, const Figure& figure) {
  v1::Spread spread;
  if (SpreadOver(entries, figure, spread)) *(message.*mutable_field)() = spread;
}

v1::CpuSummary SummarizeCpu(const Entries& entries, Side side) {
  v1::CpuSummary summary;
  Set(summary, &v1::CpuSummary::mutable_cores_busy, entries,
      CpuField(side, &v1::CpuUse::has_cores_busy, &v1::CpuUse::cores_busy));
  Set(summary, &v1::CpuSummary::mutable_busy_ratio, entries,
      CpuField(side, &v1::CpuUse::has_busy_ratio, &v1::CpuUse::busy_ratio));
  Set(summary, &v1::CpuSummary::mutable_service_demand_us_per_kb, entries,
      CpuField(side, &v1::CpuUse::has_service_demand_us_per_kb, &v1::CpuUse::service_demand_us_per_kb));
  Set(summary, &v1::CpuSummary::mutable_service_demand_us_per_transaction, entries,
      CpuField(side, &v1::CpuUse::has_service_demand_us_per_transaction,
               &v1::CpuUse::service_demand_us_per_transaction));
  Set(summary, &v1::CpuSummary::mutable_worst_machine_ratio, entries,
      CpuField(side, &v1::CpuUse::has_worst_machine_ratio, &v1::CpuUse::worst_machine_ratio));
  double worst = -1;
  for (const v1::EntryResult* entry : entries) {
    const v1::CpuUse& use = (entry->*side)();
    if (!use.service_demand_note().empty() && summary.service_demand_note().empty()) {
      summary.set_service_demand_note(use.service_demand_note());
    }
    if (use.has_worst_machine_ratio() && use.worst_machine_ratio() > worst) {
      worst = use.worst_machine_ratio();
      summary.set_worst_machine(use.worst_machine());
    }
    summary.set_cpus(std::max(summary.cpus(), use.cpus()));
  }
  if (summary.has_service_demand_us_per_kb()) summary.clear_service_demand_note();
  return summary;
}

// A Figure of one of the two latencies.
Figure LatencyField(bool (v1::EntryResult::*has)() const,
                    const v1::Latency& (v1::EntryResult::*latency)() const,
                    int64_t (v1::Latency::*get)() const) {
  return [=](const v1::EntryResult& entry) -> std::optional<double> {
    if (!(entry.*has)()) return std::nullopt;
    return static_cast<double>(((entry.*latency)().*get)());
  };
}

std::optional<double> CompletionMedian(const v1::EntryResult& entry) {
  if (!entry.completion().has_median_ns()) return std::nullopt;
  return entry.completion().median_ns();
}

std::optional<double> CompletionMax(const v1::EntryResult& entry) {
  if (!entry.completion().has_max_ns()) return std::nullopt;
  return entry.completion().max_ns();
}

void SetTransactions(const Entries& entries, v1::Row& row) {
  using E = v1::EntryResult;
  using L = v1::Latency;
  Set(row, &v1::Row::mutable_transactions_per_s, entries,
      Field(&E::has_transactions_per_s, &E::transactions_per_s));
  Set(row, &v1::Row::mutable_lost_transactions, entries,
      Field(&E::has_lost_transactions, &E::lost_transactions));
  Set(row, &v1::Row::mutable_p50_ns, entries, LatencyField(&E::has_latency, &E::latency, &L::p50_ns));
  Set(row, &v1::Row::mutable_p99_ns, entries, LatencyField(&E::has_latency, &E::latency, &L::p99_ns));
  Set(row, &v1::Row::mutable_corrected_p50_ns, entries,
      LatencyField(&E::has_corrected_latency, &E::corrected_latency, &L::p50_ns));
  Set(row, &v1::Row::mutable_corrected_p99_ns, entries,
      LatencyField(&E::has_corrected_latency, &E::corrected_latency, &L::p99_ns));
  Set(row, &v1::Row::mutable_completion_median_ns, entries, &CompletionMedian);
  Set(row, &v1::Row::mutable_completion_max_ns, entries, &CompletionMax);
}

v1::Row MakeRow(const v1::EntryResult& like, const Entries& entries) {
  using E = v1::EntryResult;
  v1::Row row;
  row.set_entry(like.entry());
  row.set_reverse(like.reverse());
  row.set_protocol(like.protocol());
  row.set_streams(like.streams());
  Set(row, &v1::Row::mutable_sent_bps, entries, Field(&E::has_sent_bps, &E::sent_bps));
  Set(row, &v1::Row::mutable_received_bps, entries, Field(&E::has_received_bps, &E::received_bps));
  Set(row, &v1::Row::mutable_wire_bps, entries, Field(&E::has_wire_bps, &E::wire_bps));
  Set(row, &v1::Row::mutable_lost_ratio, entries, &LostRatio);
  Set(row, &v1::Row::mutable_retransmits, entries, &Retransmits);
  Set(row, &v1::Row::mutable_first_send_skew_ns, entries,
      Field(&E::has_first_send_skew_ns, &E::first_send_skew_ns));
  Set(row, &v1::Row::mutable_running_skew_ns, entries, Field(&E::has_running_skew_ns, &E::running_skew_ns));
  Set(row, &v1::Row::mutable_skew_bound_ns, entries, Field(&E::has_skew_bound_ns, &E::skew_bound_ns));
  Set(row, &v1::Row::mutable_overlap_ratio, entries, Field(&E::has_overlap_ratio, &E::overlap_ratio));
  row.set_exchange(like.exchange());
  SetTransactions(entries, row);
  Set(row, &v1::Row::mutable_elapsed_s, entries, Field(&E::has_elapsed_ns, &E::elapsed_ns, 1e-9));
  Set(row, &v1::Row::mutable_jain_index, entries, Field(&E::has_jain_index, &E::jain_index));
  Set(row, &v1::Row::mutable_slowest_bps, entries, Field(&E::has_slowest_bps, &E::slowest_bps));
  Set(row, &v1::Row::mutable_fastest_bps, entries, Field(&E::has_fastest_bps, &E::fastest_bps));
  *row.mutable_sender_cpu() = SummarizeCpu(entries, &E::sender_cpu);
  *row.mutable_receiver_cpu() = SummarizeCpu(entries, &E::receiver_cpu);
  if (like.has_both_ends()) *row.mutable_both_ends() = SummarizeCpu(entries, &E::both_ends);
  if (!row.has_lost_ratio()) {
    for (const E* entry : entries) {
      if (row.loss_note().empty()) row.set_loss_note(entry->loss().note());
    }
  }
  return row;
}

// The rows that any trial has, in the order in which they appear; a case without a good trial has them
// without figures.
void AddRows(v1::CaseResult& result) {
  std::vector<const v1::EntryResult*> kinds;
  const auto same = [](const v1::EntryResult& a, const v1::EntryResult& b) {
    return a.entry() == b.entry() && a.reverse() == b.reverse();
  };
  for (const v1::TrialResult& trial : result.trials()) {
    for (const v1::EntryResult& entry : trial.entries()) {
      bool known = false;
      for (const v1::EntryResult* kind : kinds) known = known || same(*kind, entry);
      if (!known) kinds.push_back(&entry);
    }
  }
  for (const v1::EntryResult* kind : kinds) {
    Entries entries;
    for (const v1::TrialResult& trial : result.trials()) {
      if (trial.status() != v1::TRIAL_STATUS_GOOD) continue;
      for (const v1::EntryResult& entry : trial.entries()) {
        if (same(entry, *kind)) entries.push_back(&entry);
      }
    }
    *result.add_rows() = MakeRow(*kind, entries);
  }
}

const char* StatusName(v1::TrialStatus status) {
  switch (status) {
    case v1::TRIAL_STATUS_OVER_LIMIT:
      return "over a limit";
    case v1::TRIAL_STATUS_SUSPECT:
      return "suspect";
    case v1::TRIAL_STATUS_PARTIAL:
      return "partial";
    case v1::TRIAL_STATUS_FAILED:
      return "failed";
    case v1::TRIAL_STATUS_CANCELLED:
      return "cancelled";
    case v1::TRIAL_STATUS_ABORTED:
      return "aborted";
    default:
      return "good";
  }
}

uint32_t Count(const v1::CaseResult& result, v1::TrialStatus status) {
  uint32_t count = 0;
  for (const v1::TrialResult& trial : result.trials()) count += trial.status() == status ? 1 : 0;
  return count;
}

v1::CaseStatus StatusOf(const v1::CaseResult& result, bool cancelled) {
  const uint32_t trials = static_cast<uint32_t>(result.trials_size());
  if (trials == 0) return v1::CASE_STATUS_NOT_RUN;
  if (Count(result, v1::TRIAL_STATUS_ABORTED) > 0) return v1::CASE_STATUS_ABORTED;
  const uint32_t good = result.good_trials();
  const uint32_t over = Count(result, v1::TRIAL_STATUS_OVER_LIMIT);
  if (good >= result.wanted_trials()) return v1::CASE_STATUS_GOOD;
  if (good + over >= result.wanted_trials()) return v1::CASE_STATUS_OVER_LIMIT;
  if (cancelled || Count(result, v1::TRIAL_STATUS_CANCELLED) > 0) return v1::CASE_STATUS_CANCELLED;
  if (Count(result, v1::TRIAL_STATUS_FAILED) == trials) return v1::CASE_STATUS_FAILED;
  return v1::CASE_STATUS_PARTIAL;
}

}  // namespace

v1::CaseResult SummarizeCase(const v1::Case& plan_case, std::vector<v1::TrialResult> trials, bool cancelled) {
  v1::CaseResult result;
  result.set_index(plan_case.index());
  *result.mutable_values() = plan_case.values();
  result.set_wanted_trials(plan_case.repeat() > 0 ? plan_case.repeat() : 1);
  for (v1::TrialResult& trial : trials) *result.add_trials() = std::move(trial);
  result.set_good_trials(Count(result, v1::TRIAL_STATUS_GOOD));
  AddRows(result);
  for (v1::ThresholdOutcome& outcome : JudgeThresholds(plan_case, result)) {
    *result.add_thresholds() = std::move(outcome);
  }
  result.set_status(StatusOf(result, cancelled));
  for (const v1::TrialResult& trial : result.trials()) {
    if (trial.status() == v1::TRIAL_STATUS_GOOD) continue;
    if (trial.reasons_size() == 0) {
      result.add_reasons(absl::StrCat("trial ", trial.repetition(), " is ", StatusName(trial.status())));
    }
    for (const std::string& reason : trial.reasons()) {
      result.add_reasons(
          absl::StrCat("trial ", trial.repetition(), " is ", StatusName(trial.status()), ": ", reason));
    }
  }
  const uint32_t ran = static_cast<uint32_t>(result.trials_size());
  if (ran < result.wanted_trials()) {
    result.add_reasons(absl::StrCat(ran, " of ", result.wanted_trials(), " trials were run",
                                    cancelled ? " before the run was cancelled" : ""));
  }
  return result;
}

}  // namespace tutti::results
