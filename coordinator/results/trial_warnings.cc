#include "coordinator/results/trial_warnings.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/units/units.h"
#include "coordinator/results/transactions.h"

namespace tutti::results {
namespace {

namespace v1 = tutti::v1;

constexpr double kLateShare = 0.1;  // of an interval
constexpr double kKeptRate = 0.99;
constexpr double kMostEdgeError = 0.1;

std::string EntryName(const v1::Flow& flow) {
  return absl::StrCat("entry ", flow.entry(), flow.reverse() ? " (reverse)" : "");
}

// "1 of 8 streams"
std::string Of(size_t count, size_t all) {
  return absl::StrCat(count, " of ", all, all == 1 ? " stream" : " streams");
}

std::map<std::string, size_t> StreamsByEntry(const TrialView& trial) {
  std::map<std::string, size_t> count;
  for (const StreamView& stream : trial.streams) ++count[EntryName(*stream.flow)];
  return count;
}

// What a stream with a rate carried in the window, at the end that shows whether its rate was kept.
struct Carried {
  double bytes = 0;
  double asked_bytes = 0;
  double edge_bytes = 0;  // that may lie on either side of the window's edges
  bool by_kernel = false;
};

std::optional<Carried> CarriedOf(const StreamView& stream) {
  if (stream.traffic == nullptr || !stream.traffic->has_rate_bps()) return std::nullopt;
  // A sender that the kernel paces fills its socket buffer ahead of the rate: what left it is seen at the
  // other end.
  const bool by_kernel = stream.traffic->pacing().keeper() == v1::Pacing::KEEPER_KERNEL;
  const EndSeries* end = by_kernel ? stream.receiver : stream.sender;
  const HostSeries* host = by_kernel ? stream.to : stream.from;
  if (end == nullptr || host == nullptr || !end->bytes.has_value() || host->elapsed_ns() <= 0) {
    return std::nullopt;
  }
  const auto message_bytes = static_cast<double>(stream.traffic->message_size_bytes());
  const double rate_bytes_per_ns = static_cast<double>(stream.traffic->rate_bps()) / 8e9;
  const double read_bytes =
      by_kernel && end->report != nullptr ? static_cast<double>(end->report->read_size_bytes()) : 0;
  const double burst = std::max<uint32_t>(1, stream.traffic->pacing().burst());
  return Carried{static_cast<double>(*end->bytes),
                 rate_bytes_per_ns * static_cast<double>(host->elapsed_ns()),
                 std::max(message_bytes * burst, read_bytes), by_kernel};
}

// ", its worst burst began 12ms late"; empty where its host did not tell.
std::string Behind(const StreamView& stream) {
  if (stream.sender == nullptr || stream.sender->report == nullptr ||
      !stream.sender->report->has_worst_behind_ns()) {
    return "";
  }
  const int64_t behind_ns = stream.sender->report->worst_behind_ns();
  return absl::StrCat(", a burst began up to ", FormatDuration(behind_ns), " late");
}

}  // namespace

std::vector<std::string> LateReadings(const TrialView& trial) {
  std::vector<std::string> warnings;
  for (const HostSeries& host : trial.hosts) {
    size_t off = 0;
    size_t known = 0;
    int64_t worst_ns = 0;
    for (size_t k = 0; k + 1 < host.edges.size(); ++k) {
      if (host.edges[k] == nullptr || host.edges[k + 1] == nullptr) continue;
      ++known;
      const int64_t due_ns = host.edges[k + 1]->due_trial_ns() - host.edges[k]->due_trial_ns();
      const int64_t was_ns = MiddleNs(*host.edges[k + 1]) - MiddleNs(*host.edges[k]);
      const int64_t late_ns = std::max(MiddleNs(*host.edges[k]) - host.edges[k]->due_trial_ns(),
                                       MiddleNs(*host.edges[k + 1]) - host.edges[k + 1]->due_trial_ns());
      if (static_cast<double>(std::llabs(was_ns - due_ns)) > kLateShare * static_cast<double>(due_ns)) {
        ++off;
        worst_ns = std::max(worst_ns, late_ns);
      }
    }
    if (off == 0) continue;
    warnings.push_back(absl::StrCat(
        "host ", host.input->host, ": it read its counters up to ", FormatDuration(worst_ns),
        " late (it stood still, or its CPUs were taken); ", off, " of ", known,
        " intervals differ from the grid by more than a tenth, their rates are over their own edges"));
  }
  return warnings;
}

std::string DifferentWindows(const v1::EntryResult& entry) {
  if (!entry.has_edge_error_ratio() || entry.edge_error_ratio() <= kMostEdgeError) return "";
  return absl::StrCat("entry ", entry.entry(), entry.reverse() ? " (reverse)" : "",
                      ": its hosts did not measure one window, its edges were read up to ",
                      FormatPercent(entry.edge_error_ratio()),
                      " of it late: a host stood still or its CPUs were taken");
}

std::vector<std::string> MissedRates(const TrialView& trial) {
  struct Missed {
    size_t streams = 0;
    double worst = 1;
    std::string name;
    std::string behind;
  };
  // By entry, and what is wrong with the rate.
  std::map<std::pair<std::string, const char*>, Missed> entries;
  for (const StreamView& stream : trial.streams) {
    const std::optional<Carried> carried = CarriedOf(stream);
    if (!carried || CompletedNs(stream)) continue;  // completed: it has sent what it was to send
    const double share = carried->bytes / carried->asked_bytes;
    const double off_bytes = carried->bytes - carried->asked_bytes;
    const char* fault = nullptr;
    if (share < kKeptRate && -off_bytes > carried->edge_bytes) fault = "less than 99%";
    // A thread never sends ahead of its schedule, but for what it makes up for.
    if (carried->by_kernel && share > 2 - kKeptRate && off_bytes > carried->edge_bytes) {
      fault = "more than 101%";
    }
    if (fault == nullptr) continue;
    Missed& missed = entries[{EntryName(*stream.flow), fault}];
    if (++missed.streams > 1 && std::abs(share - 1) <= std::abs(missed.worst - 1)) continue;
    missed.worst = share;
    missed.name = stream.Name();
    missed.behind = Behind(stream);
  }
  const std::map<std::string, size_t> all = StreamsByEntry(trial);
  std::vector<std::string> warnings;
  warnings.reserve(entries.size());
  for (const auto& [what, missed] : entries) {
    warnings.push_back(absl::StrCat(what.first, ": ", Of(missed.streams, all.at(what.first)), " sent ",
                                    what.second, " of the rate; the worst, ", missed.name, ", ",
                                    FormatPercent(missed.worst), missed.behind));
  }
  return warnings;
}

std::vector<std::string> SessionClocks(const TrialView& trial) {
  std::vector<std::string> hosts;
  for (const HostSeries& host : trial.hosts) {
    if (host.input->clock_source == v1::CLOCK_SOURCE_SESSION) hosts.push_back(host.input->host);
  }
  if (hosts.empty()) return {};
  return {absl::StrCat(
      "clocks of ", absl::StrJoin(hosts, ", "),
      ": measured over the session, since no datagram came through to the coordinator in time; instants "
      "are true to their bound (see --detail)")};
}

std::vector<std::string> MissedFits(const TrialView& trial) {
  std::vector<std::string> warnings;
  for (const HostSeries& host : trial.hosts) {
    const HostInput& input = *host.input;
    if (input.refits >= input.refits_sent) continue;
    warnings.push_back(absl::StrCat("host ", input.host, ": followed ", input.refits, " of ",
                                    input.refits_sent,
                                    " new fits of its clock, the others came too late to it; its clock's "
                                    "bound has what that can have cost"));
  }
  return warnings;
}

// Under best_effort only: else the trial would have failed.
std::string NotApplied(const v1::OptionOutcome& option) {
  return absl::StrCat(option.name(), " was not applied: asked ", option.asked(), ", got ",
                      option.got().empty() ? "nothing" : option.got());
}

std::vector<std::string> StreamWarnings(const TrialView& trial) {
  std::map<std::pair<std::string, std::string>, size_t> count;
  for (const StreamView& stream : trial.streams) {
    for (const EndSeries* end : {stream.sender, stream.receiver}) {
      if (end == nullptr || end->report == nullptr) continue;
      for (const std::string& warning : end->report->warnings()) ++count[{EntryName(*stream.flow), warning}];
      for (const v1::OptionOutcome& option : end->report->options()) {
        if (!option.applied()) ++count[{EntryName(*stream.flow), NotApplied(option)}];
      }
    }
  }
  const std::map<std::string, size_t> all = StreamsByEntry(trial);
  std::vector<std::string> warnings;
  warnings.reserve(count.size());
  for (const auto& [what, streams] : count) {
    warnings.push_back(absl::StrCat(what.first, ": ", Of(streams, all.at(what.first)), ": ", what.second));
  }
  return warnings;
}

std::vector<std::string> UnprovenStarts(const v1::Limits& limits, const v1::TrialResult& result) {
  std::vector<std::string> warnings;
  if (!limits.has_start_skew_ns()) return warnings;
  for (const v1::EntryResult& entry : result.entries()) {
    if (!entry.has_running_skew_ns() || !entry.has_skew_bound_ns()) continue;
    if (entry.running_skew_ns() > limits.start_skew_ns()) continue;  // over the limit, and said so
    if (entry.running_skew_ns() + entry.skew_bound_ns() <= limits.start_skew_ns()) continue;
    warnings.push_back(absl::StrCat("entry ", entry.entry(), entry.reverse() ? " (reverse)" : "",
                                    ": running skew ", FormatDuration(entry.running_skew_ns()), " +-",
                                    FormatDuration(entry.skew_bound_ns()), ": that limits.start_skew (",
                                    FormatDuration(limits.start_skew_ns()),
                                    ") holds is not shown, the bound reaches beyond it"));
  }
  return warnings;
}

}  // namespace tutti::results
