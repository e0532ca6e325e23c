#include "coordinator/results/interval_figures.h"

#include <cstdint>
#include <map>
#include <string>

namespace tutti::results {
namespace {

namespace v1 = tutti::v1;

using metrics::Series;
using Figures = std::optional<std::vector<double>>;

// Without a last one that is shorter.
int FullIntervals(const v1::TrialResult& trial) {
  const int all = trial.timeline_size();
  return all > 0 && trial.timeline(all - 1).shorter() ? all - 1 : all;
}

// Between the edges as the host read them; 0: not known.
int64_t ElapsedNs(const v1::TimelineInterval& interval, const std::string& host) {
  for (const v1::HostInterval& each : interval.hosts()) {
    if (each.host() == host) return each.end_trial_ns() - each.begin_trial_ns();
  }
  return 0;
}

// Bytes are added per host, then each host's rate is taken over its own interval.
Figures Rates(const metrics::Streams& streams, bool sending, const v1::TrialResult& trial) {
  const int intervals = FullIntervals(trial);
  std::map<std::string, std::vector<uint64_t>> bytes_of_host;
  for (const v1::StreamResult* stream : streams) {
    const auto& bytes = sending ? stream->sent_bytes_intervals() : stream->received_bytes_intervals();
    if (bytes.size() < intervals) return std::nullopt;
    std::vector<uint64_t>& sums =
        bytes_of_host[sending ? stream->flow().from_host() : stream->flow().to_host()];
    sums.resize(static_cast<size_t>(intervals));
    for (int k = 0; k < intervals; ++k) sums[static_cast<size_t>(k)] += bytes.Get(k);
  }
  std::vector<double> rates(static_cast<size_t>(intervals));
  for (const auto& [host, sums] : bytes_of_host) {
    for (int k = 0; k < intervals; ++k) {
      const int64_t elapsed_ns = ElapsedNs(trial.timeline(k), host);
      if (elapsed_ns <= 0) return std::nullopt;
      const auto place = static_cast<size_t>(k);
      rates[place] += static_cast<double>(sums[place]) * 8e9 / static_cast<double>(elapsed_ns);
    }
  }
  return rates;
}

Figures Losses(const metrics::Streams& streams, const v1::TrialResult& trial) {
  const int intervals = FullIntervals(trial);
  std::vector<uint64_t> sent(static_cast<size_t>(intervals));
  std::vector<uint64_t> lost(static_cast<size_t>(intervals));
  for (const v1::StreamResult* stream : streams) {
    // Cohort 0 is what was sent before the window.
    const auto& cohorts = stream->sender().sent_cohorts();
    if (stream->lost_intervals_size() < intervals || cohorts.size() < intervals + 1) return std::nullopt;
    for (int k = 0; k < intervals; ++k) {
      sent[static_cast<size_t>(k)] += cohorts.Get(k + 1).messages();
      lost[static_cast<size_t>(k)] += stream->lost_intervals(k);
    }
  }
  std::vector<double> ratios;
  for (size_t k = 0; k < sent.size(); ++k) {
    if (sent[k] > 0) ratios.push_back(static_cast<double>(lost[k]) / static_cast<double>(sent[k]));
  }
  return ratios;
}

Figures Retransmits(const metrics::Streams& streams, const v1::TrialResult& trial) {
  const int intervals = FullIntervals(trial);
  std::vector<double> per_s(static_cast<size_t>(intervals));
  for (const v1::StreamResult* stream : streams) {
    const auto& edges = stream->tcp_series().retransmits();
    if (edges.size() < intervals + 1) return std::nullopt;
    for (int k = 0; k < intervals; ++k) {
      const int64_t elapsed_ns = ElapsedNs(trial.timeline(k), stream->flow().from_host());
      if (elapsed_ns <= 0 || edges.Get(k + 1) < edges.Get(k)) return std::nullopt;
      per_s[static_cast<size_t>(k)] +=
          static_cast<double>(edges.Get(k + 1) - edges.Get(k)) * 1e9 / static_cast<double>(elapsed_ns);
    }
  }
  return per_s;
}

Figures Of(Series series, const metrics::Streams& streams, const v1::TrialResult& trial) {
  switch (series) {
    case Series::kSentRate:
      return Rates(streams, true, trial);
    case Series::kReceivedRate:
      return Rates(streams, false, trial);
    case Series::kLoss:
      return Losses(streams, trial);
    case Series::kRetransmits:
      return Retransmits(streams, trial);
    case Series::kNone:
      break;
  }
  return std::nullopt;
}

}  // namespace

Figures IntervalFigures(Series series, const metrics::Streams& streams, const v1::TrialResult& trial) {
  if (streams.empty()) return std::nullopt;
  Figures figures = Of(series, streams, trial);
  if (figures && figures->empty()) return std::nullopt;
  return figures;
}

}  // namespace tutti::results
