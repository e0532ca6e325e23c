#include "coordinator/results/trial_warnings.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/units/units.h"

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
  };
  std::map<std::string, Missed> entries;
  for (const StreamView& stream : trial.streams) {
    if (stream.traffic == nullptr || !stream.traffic->has_rate_bps() || stream.sender == nullptr) continue;
    if (!stream.sender->bytes.has_value() || stream.from->elapsed_ns() <= 0) continue;
    const double asked_bytes = static_cast<double>(stream.traffic->rate_bps()) / 8e9 *
                               static_cast<double>(stream.from->elapsed_ns());
    const auto sent_bytes = static_cast<double>(*stream.sender->bytes);
    const auto message_bytes = static_cast<double>(stream.traffic->message_size_bytes());
    if (sent_bytes >= kKeptRate * asked_bytes || sent_bytes + message_bytes >= asked_bytes) continue;
    Missed& missed = entries[EntryName(*stream.flow)];
    ++missed.streams;
    if (sent_bytes / asked_bytes >= missed.worst) continue;
    missed.worst = sent_bytes / asked_bytes;
    missed.name = stream.Name();
  }
  const std::map<std::string, size_t> all = StreamsByEntry(trial);
  std::vector<std::string> warnings;
  for (const auto& [entry, missed] : entries) {
    warnings.push_back(absl::StrCat(entry, ": ", Of(missed.streams, all.at(entry)),
                                    " sent less than 99% of the rate; the worst, ", missed.name, ", ",
                                    FormatPercent(missed.worst)));
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
      ": measured over the session, since no datagram comes through to the coordinator; instants are "
      "true to their bound (see --detail)")};
}

std::vector<std::string> StreamWarnings(const TrialView& trial) {
  std::map<std::pair<std::string, std::string>, size_t> count;
  for (const StreamView& stream : trial.streams) {
    for (const EndSeries* end : {stream.sender, stream.receiver}) {
      if (end == nullptr || end->report == nullptr) continue;
      for (const std::string& warning : end->report->warnings()) ++count[{EntryName(*stream.flow), warning}];
    }
  }
  const std::map<std::string, size_t> all = StreamsByEntry(trial);
  std::vector<std::string> warnings;
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
