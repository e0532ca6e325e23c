#include "coordinator/results/merge.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "coordinator/results/credibility.h"
#include "coordinator/results/entry_merge.h"
#include "coordinator/results/host_merge.h"
#include "coordinator/results/limits.h"
#include "coordinator/results/loss.h"
#include "coordinator/results/machine_cpu.h"
#include "coordinator/results/path_counters.h"
#include "coordinator/results/skew.h"
#include "coordinator/results/trial_view.h"
#include "coordinator/results/trial_warnings.h"

namespace tutti::results {
namespace {

namespace v1 = tutti::v1;

double RateBps(uint64_t bytes, const HostSeries& host) {
  return static_cast<double>(bytes) * 8e9 / static_cast<double>(host.elapsed_ns());
}

v1::StreamResult MergeStream(const StreamView& stream, const StreamLoss& loss, const Grid& grid) {
  v1::StreamResult result;
  *result.mutable_flow() = *stream.flow;
  *result.mutable_loss() = loss.counts;
  result.mutable_lost_intervals()->Add(loss.lost_intervals.begin(), loss.lost_intervals.end());
  if (const EndSeries* sender = stream.sender; sender != nullptr) {
    if (sender->report != nullptr) *result.mutable_sender() = *sender->report;
    if (sender->bytes.has_value()) {
      result.set_sent_bytes(*sender->bytes);
      result.set_sent_bps(RateBps(*sender->bytes, *stream.from));
    }
    if (stream.one_connection() && sender->retransmits.has_value())
      result.set_retransmits(*sender->retransmits);
    if (sender->report != nullptr && sender->report->has_running_trial_ns()) {
      result.set_running_trial_ns(sender->report->running_trial_ns());
    }
    if (auto series = TcpSeriesOf(stream)) *result.mutable_tcp_series() = *std::move(series);
    result.mutable_sent_bytes_intervals()->Add(sender->interval_bytes.begin(), sender->interval_bytes.end());
  }
  if (const EndSeries* receiver = stream.receiver; receiver != nullptr) {
    if (receiver->report != nullptr) *result.mutable_receiver() = *receiver->report;
    if (receiver->bytes.has_value()) {
      result.set_received_bytes(*receiver->bytes);
      result.set_received_bps(RateBps(*receiver->bytes, *stream.to));
    }
    if (stream.one_connection() && receiver->kernel_bytes.has_value()) {
      result.set_kernel_received_bytes(*receiver->kernel_bytes);
    }
    if (stream.one_connection() && receiver->queue_change_bytes.has_value()) {
      result.set_receive_queue_change_bytes(*receiver->queue_change_bytes);
    }
    const std::vector<uint64_t> drops = SocketDropsOf(stream);
    result.mutable_socket_drops_intervals()->Add(drops.begin(), drops.end());
    result.mutable_received_bytes_intervals()->Add(receiver->interval_bytes.begin(),
                                                   receiver->interval_bytes.end());
  }
  if (const std::optional<uint32_t> stalled = StalledIntervals(stream, grid))
    result.set_stalled_intervals(*stalled);
  return result;
}

void AddErrors(const EndSeries* end, const StreamView& stream, const std::string& host, const char* side,
               std::vector<std::string>& reasons) {
  if (end == nullptr || !end->failed()) return;
  reasons.push_back(absl::StrCat("host ", host, ": ", side, " of ", stream.Name(),
                                 " failed: ", end->report->error().message()));
}

// What is missing, each part by name.
std::vector<std::string> MissingParts(const TrialView& trial) {
  std::vector<std::string> reasons;
  for (const HostSeries& host : trial.hosts) {
    const HostInput& input = *host.input;
    if (!input.report.has_value()) {
      reasons.push_back(absl::StrCat("host ", input.host, ": its report is missing: ",
                                     input.missing.empty() ? "no report arrived" : input.missing));
    } else if (!host.has_window) {
      reasons.push_back(absl::StrCat("host ", input.host, ": ", host.missing_edges, " of ", host.edges.size(),
                                     " readings are missing, an end of the window among them"));
    }
  }
  for (const StreamView& stream : trial.streams) {
    AddErrors(stream.sender, stream, stream.flow->from_host(), "the sender", reasons);
    AddErrors(stream.receiver, stream, stream.flow->to_host(), "the receiver", reasons);
    const auto absent = [](const HostSeries* host, const EndSeries* end) {
      if (host == nullptr || end == nullptr) return true;
      return host->input->report.has_value() && end->report == nullptr;
    };
    if (absent(stream.from, stream.sender)) {
      reasons.push_back(absl::StrCat("host ", stream.flow->from_host(),
                                     ": nothing was reported about the sender of ", stream.Name()));
    }
    if (absent(stream.to, stream.receiver)) {
      reasons.push_back(absl::StrCat("host ", stream.flow->to_host(),
                                     ": nothing was reported about the receiver of ", stream.Name()));
    }
  }
  return reasons;
}

// At least one interval of one host is known.
bool MeasuredAnything(const TrialView& trial) {
  return std::any_of(trial.hosts.begin(), trial.hosts.end(), [](const HostSeries& host) {
    return std::count_if(host.edges.begin(), host.edges.end(),
                         [](const v1::EdgeSample* edge) { return edge != nullptr; }) >= 2;
  });
}

bool HasMissingCounter(const v1::TrialResult& result) {
  return std::any_of(result.entries().begin(), result.entries().end(), [](const v1::EntryResult& entry) {
    return !entry.sent_bytes().has_value() || !entry.received_bytes().has_value();
  });
}

struct Verdict {
  std::vector<std::string> missing;
  std::vector<std::string> suspicions;
  std::vector<std::string> exceeded;
};

// In the order of priority: cancelled, failed, aborted, partial, suspect, over_limit, good. What an aborted
// one lacks it lacks because it was ended.
v1::TrialStatus StatusOf(const TrialView& trial, const Verdict& verdict, const v1::TrialResult& result) {
  if (trial.input->cancelled) return v1::TRIAL_STATUS_CANCELLED;
  if (!MeasuredAnything(trial)) return v1::TRIAL_STATUS_FAILED;
  if (!trial.input->aborted.empty()) return v1::TRIAL_STATUS_ABORTED;
  if (!trial.input->failure.empty() || !verdict.missing.empty()) return v1::TRIAL_STATUS_PARTIAL;
  if (!verdict.suspicions.empty()) return v1::TRIAL_STATUS_SUSPECT;
  if (HasMissingCounter(result)) return v1::TRIAL_STATUS_PARTIAL;
  if (!verdict.exceeded.empty()) return v1::TRIAL_STATUS_OVER_LIMIT;
  return v1::TRIAL_STATUS_GOOD;
}

void SetVerdict(const TrialView& trial, Verdict verdict, v1::TrialResult& result) {
  verdict.missing = MissingParts(trial);
  result.set_status(StatusOf(trial, verdict, result));
  if (trial.input->cancelled) {
    result.add_reasons(trial.input->cancel_cause.empty() ? "cancelled" : trial.input->cancel_cause);
  }
  if (!trial.input->failure.empty()) result.add_reasons(trial.input->failure);
  if (!trial.input->aborted.empty()) result.add_reasons(trial.input->aborted);
  // A trial that ended early has nothing to be missed: its one reason is above.
  const bool aborted = result.status() == v1::TRIAL_STATUS_ABORTED;
  const bool ended_early = result.status() == v1::TRIAL_STATUS_CANCELLED || aborted ||
                           (result.status() == v1::TRIAL_STATUS_FAILED && !trial.input->failure.empty());
  if (!ended_early) {
    for (std::string& reason : verdict.missing) result.add_reasons(std::move(reason));
  } else {
    for (const StreamView& stream : trial.streams) {
      std::vector<std::string> errors;
      AddErrors(stream.sender, stream, stream.flow->from_host(), "the sender", errors);
      AddErrors(stream.receiver, stream, stream.flow->to_host(), "the receiver", errors);
      for (std::string& error : errors) result.add_reasons(std::move(error));
    }
  }
  if (aborted) return;  // the rules of a whole trial say nothing of half a one
  for (std::string& reason : verdict.suspicions) result.add_reasons(std::move(reason));
  const bool complete =
      result.status() == v1::TRIAL_STATUS_OVER_LIMIT || result.status() == v1::TRIAL_STATUS_SUSPECT;
  if (!complete) return;  // a figure that is missing for want of a report exceeds nothing
  for (std::string& reason : verdict.exceeded) result.add_reasons(std::move(reason));
}

}  // namespace

v1::TrialResult MergeTrial(const TrialInput& input) {
  const TrialView trial(input);
  v1::TrialResult result;
  result.set_repetition(input.repetition);
  result.set_trial_id(input.trial_id);
  result.set_started_unix_ns(input.started_unix_ns);
  if (input.t0.ns != 0) result.set_t0_timeline_ns(input.t0.ns);  // 0: the trial ended before it was armed

  Verdict verdict;
  std::vector<StreamLoss> losses;
  for (const StreamView& stream : trial.streams) {
    losses.push_back(LossOf(stream, trial.grid));
    if (!losses.back().fault.empty()) verdict.suspicions.push_back(losses.back().fault);
    *result.add_streams() = MergeStream(stream, losses.back(), trial.grid);
  }
  std::vector<std::string> left_out;
  const std::vector<v1::MachineResult> machines = ReadMachines(trial, left_out);
  for (const v1::MachineResult& machine : machines) *result.add_machines() = machine;
  for (std::string& warning : left_out) result.add_warnings(std::move(warning));
  for (std::string& warning : BackgroundWarnings(machines)) result.add_warnings(std::move(warning));
  for (const HostSeries& host : trial.hosts) {
    *result.add_hosts() = MergeHost(host, trial);
    verdict.suspicions.insert(verdict.suspicions.end(), host.faults.begin(), host.faults.end());
    for (const std::string& warning : host.warnings) result.add_warnings(warning);
  }
  for (const EntryView& entry : EntriesOf(trial, losses)) {
    EntryMerge merge = MergeEntry(entry, trial, machines);
    *result.add_entries() = std::move(merge.result);
    verdict.suspicions.insert(verdict.suspicions.end(), merge.faults.begin(), merge.faults.end());
    if (std::string fault = DifferentWindows(result.entries(result.entries_size() - 1)); !fault.empty()) {
      verdict.suspicions.push_back(std::move(fault));
    }
    for (const std::string& warning : merge.warnings) result.add_warnings(warning);
  }
  for (const auto warn : {&LateReadings, &MissedRates, &SessionClocks, &MissedFits, &StreamWarnings}) {
    for (std::string& warning : warn(trial)) result.add_warnings(std::move(warning));
  }
  for (std::string& warning : UnprovenStarts(input.plan_case.limits(), result)) {
    result.add_warnings(std::move(warning));
  }
  for (v1::TimelineInterval& interval : MergeTimeline(trial)) *result.add_timeline() = std::move(interval);
  for (std::string& finding : CredibilityFindings(trial)) verdict.suspicions.push_back(std::move(finding));
  verdict.exceeded = ExceededLimits(input.plan_case.limits(), result);
  SetVerdict(trial, std::move(verdict), result);
  return result;
}

}  // namespace tutti::results
