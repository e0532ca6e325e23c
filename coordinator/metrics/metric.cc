#include "coordinator/metrics/metric.h"

#include <algorithm>
#include <cstdint>

namespace tutti::metrics {
namespace {

namespace v1 = tutti::v1;

using E = v1::EntryResult;
using T = v1::TrafficEntry;
using S = v1::StreamResult;
using Live = v1::LiveEntry;

constexpr Kind kAll = {"any", [](const T&) { return true; }};
constexpr Kind kOneWay = {"one-way", [](const T& entry) { return !entry.has_request_response(); }};
// What has a rate is not expected to move something in every interval.
constexpr Kind kUnpaced = {"one-way without rate", [](const T& entry) {
                             return !entry.has_request_response() && !entry.has_rate_bps();
                           }};
constexpr Kind kUdp = {"udp, one-way", [](const T& entry) {
                         return entry.protocol() == v1::PROTOCOL_UDP && !entry.has_request_response();
                       }};
// A connection for each transaction has no counter that goes through the window.
constexpr Kind kTcp = {"tcp, without connect", [](const T& entry) {
                         return entry.protocol() == v1::PROTOCOL_TCP &&
                                entry.request_response().exchange() != v1::EXCHANGE_CONNECT_REQUEST_RESPONSE;
                       }};
constexpr Kind kExchange = {"request_response", [](const T& entry) { return entry.has_request_response(); }};
constexpr Kind kPacedExchange = {"request_response with rate", [](const T& entry) {
                                   return entry.has_request_response() && entry.has_rate_bps();
                                 }};
constexpr Kind kUdpExchange = {"request_response over udp", [](const T& entry) {
                                 return entry.has_request_response() && entry.protocol() == v1::PROTOCOL_UDP;
                               }};
constexpr Kind kVolume = {"with bytes", [](const T& entry) { return entry.has_volume_bytes(); }};
// Streams of a fixed volume end when they have sent it, not together.
constexpr Kind kNoVolume = {"without bytes", [](const T& entry) { return !entry.has_volume_bytes(); }};

std::optional<double> If(bool present, double value) {
  return present ? std::optional<double>(value) : std::nullopt;
}

// `figure` of each stream, joined by `join`; nullopt if one lacks it.
template <typename Figure, typename Join>
std::optional<double> Over(const Streams& streams, Figure figure, Join join) {
  std::optional<double> all;
  for (const S* stream : streams) {
    const std::optional<double> one = figure(*stream);
    if (!one) return std::nullopt;
    all = all ? join(*all, *one) : *one;
  }
  return all;
}

double Plus(double a, double b) { return a + b; }
double Larger(double a, double b) { return std::max(a, b); }

// Rates of streams that did not run together are never added: the entry then has none.
std::optional<double> SentRate(const Streams& streams, const E& entry) {
  if (streams.size() > 1 && !entry.has_sent_bps()) return std::nullopt;
  return Over(
      streams, [](const S& s) { return If(s.has_sent_bps(), s.sent_bps()); }, Plus);
}

std::optional<double> ReceivedRate(const Streams& streams, const E& entry) {
  if (streams.size() > 1 && !entry.has_received_bps()) return std::nullopt;
  return Over(
      streams, [](const S& s) { return If(s.has_received_bps(), s.received_bps()); }, Plus);
}

std::optional<double> LossOfStreams(const Streams& streams, const E&) {
  uint64_t sent = 0;
  uint64_t lost = 0;
  for (const S* stream : streams) {
    if (!stream->loss().has_sent() || !stream->loss().has_lost()) return std::nullopt;
    sent += stream->loss().sent();
    lost += stream->loss().lost();
  }
  return If(sent > 0, static_cast<double>(lost) / static_cast<double>(std::max<uint64_t>(1, sent)));
}

std::optional<double> PerSecond(const E& entry, const std::optional<double>& count) {
  if (!count || entry.elapsed_ns() <= 0) return std::nullopt;
  return *count * 1e9 / static_cast<double>(entry.elapsed_ns());
}

std::optional<double> PerSecond(const E& entry, const v1::Total& total) {
  return PerSecond(entry, If(total.has_value(), static_cast<double>(total.value())));
}

std::optional<double> RetransmitsOfStreams(const Streams& streams, const E& entry) {
  return PerSecond(
      entry,
      Over(
          streams, [](const S& s) { return If(s.has_retransmits(), static_cast<double>(s.retransmits())); },
          Plus));
}

std::optional<double> DropsOfStreams(const Streams& streams, const E& entry) {
  return PerSecond(entry, Over(
                              streams,
                              [](const S& s) {
                                return If(s.receiver().has_socket_drops_window(),
                                          static_cast<double>(s.receiver().socket_drops_window()));
                              },
                              Plus));
}

std::optional<double> JitterOfStreams(const Streams& streams, const E&) {
  return Over(
      streams,
      [](const S& s) {
        return If(s.receiver().has_jitter_ns(), static_cast<double>(s.receiver().jitter_ns()));
      },
      Larger);
}

std::optional<double> StallsOfStreams(const Streams& streams, const E&) {
  return Over(
      streams,
      [](const S& s) { return If(s.has_stalled_intervals(), static_cast<double>(s.stalled_intervals())); },
      Plus);
}

std::optional<double> Demand(const v1::CpuUse& cpu) {
  return If(cpu.has_service_demand_us_per_kb(), cpu.service_demand_us_per_kb());
}

std::optional<double> Cores(const v1::CpuUse& cpu) { return If(cpu.has_cores_busy(), cpu.cores_busy()); }

std::string BothEndsNote(const E& entry) {
  return entry.has_both_ends() ? entry.both_ends().service_demand_note()
                               : "senders and receivers do not share a machine: see sender and receiver";
}

template <int64_t (v1::Latency::*kGet)() const>
std::optional<double> OfLatency(const E& entry) {
  return If(entry.has_latency(), static_cast<double>((entry.latency().*kGet)()));
}

template <int64_t (v1::Latency::*kGet)() const>
std::optional<double> OfCorrected(const E& entry) {
  return If(entry.has_corrected_latency(), static_cast<double>((entry.corrected_latency().*kGet)()));
}

std::vector<Metric> ThroughputMetrics() {
  return {
      {"throughput.sent", Dimension::kRate, Better::kHigher, End::kSenders, &kAll,
       "payload that the senders' kernels accepted, per second of the window",
       [](const E& e) { return If(e.has_sent_bps(), e.sent_bps()); }, SentRate, Series::kSentRate, false,
       nullptr, [](const Live& e, double) { return If(e.has_sent_bps(), e.sent_bps()); }},
      {"throughput.received", Dimension::kRate, Better::kHigher, End::kReceivers, &kAll,
       "payload that the receivers read, per second of the window",
       [](const E& e) { return If(e.has_received_bps(), e.received_bps()); }, ReceivedRate,
       Series::kReceivedRate, false, nullptr,
       [](const Live& e, double) { return If(e.has_received_bps(), e.received_bps()); }},
      {"loss", Dimension::kRatio, Better::kLower, End::kReceivers, &kUdp,
       "of the datagrams sent in the window, the part that never arrived",
       [](const E& e) { return If(e.loss().has_lost_ratio(), e.loss().lost_ratio()); }, LossOfStreams,
       Series::kLoss, false, [](const E& e) { return e.loss().note(); }},
      {"retransmits", Dimension::kPerSecond, Better::kLower, End::kSenders, &kTcp,
       "segments sent again, per second of the window",
       [](const E& e) { return PerSecond(e, e.retransmits()); }, RetransmitsOfStreams, Series::kRetransmits,
       false, nullptr,
       [](const Live& e, double interval_s) {
         return If(e.has_retransmits(), static_cast<double>(e.retransmits()) / interval_s);
       }},
      {"jitter", Dimension::kDuration, Better::kLower, End::kReceivers, &kUdp,
       "RFC 3550's at the end of the window, of the worst stream",
       [](const E& e) { return If(e.has_jitter_ns(), static_cast<double>(e.jitter_ns())); }, JitterOfStreams},
      {"socket_drops", Dimension::kPerSecond, Better::kLower, End::kReceivers, &kUdp,
       "datagrams dropped in the receiving sockets, per second of the window",
       [](const E& e) { return PerSecond(e, e.socket_drops()); }, DropsOfStreams},
      {"stalled_intervals", Dimension::kCount, Better::kLower, End::kSenders, &kUnpaced,
       "full intervals in which a stream moved nothing, summed over the streams", nullptr, StallsOfStreams},
  };
}

std::vector<Metric> CpuMetrics() {
  return {
      {"service_demand.sender", Dimension::kServiceDemand, Better::kLower, End::kSenders, &kOneWay,
       "CPU time of the senders' machines per 1024 bytes that their kernels accepted",
       [](const E& e) { return Demand(e.sender_cpu()); }, nullptr, Series::kNone, false,
       [](const E& e) { return e.sender_cpu().service_demand_note(); }},
      {"service_demand.receiver", Dimension::kServiceDemand, Better::kLower, End::kReceivers, &kOneWay,
       "CPU time of the receivers' machines per 1024 bytes that they read",
       [](const E& e) { return Demand(e.receiver_cpu()); }, nullptr, Series::kNone, false,
       [](const E& e) { return e.receiver_cpu().service_demand_note(); }},
      {"service_demand.both_ends", Dimension::kServiceDemand, Better::kLower, End::kEither, &kOneWay,
       "where senders and receivers share a machine: CPU time of all of them per 1024 bytes received",
       [](const E& e) { return Demand(e.both_ends()); }, nullptr, Series::kNone, false, BothEndsNote},
      {"cpu.sender", Dimension::kCores, Better::kLower, End::kSenders, &kAll,
       "CPUs busy on the senders' machines, each machine counted once",
       [](const E& e) { return Cores(e.sender_cpu()); }},
      {"cpu.receiver", Dimension::kCores, Better::kLower, End::kReceivers, &kAll,
       "CPUs busy on the receivers' machines, each machine counted once",
       [](const E& e) { return Cores(e.receiver_cpu()); }},
  };
}

std::vector<Metric> LatencyMetrics() {
  using L = v1::Latency;
  const auto line = [](const char* name, const char* definition, const Kind& kind,
                       std::optional<double> (*of_entry)(const E&)) {
    return Metric{name, Dimension::kDuration, Better::kLower, End::kSenders, &kind, definition, of_entry};
  };
  return {
      {"transactions", Dimension::kPerSecond, Better::kHigher, End::kSenders, &kExchange,
       "transactions completed, per second of the window",
       [](const E& e) { return If(e.has_transactions_per_s(), e.transactions_per_s()); }, nullptr,
       Series::kNone, false, nullptr,
       [](const Live& e, double) { return If(e.has_transactions_per_s(), e.transactions_per_s()); }},
      {"lost_transactions", Dimension::kPerSecond, Better::kLower, End::kSenders, &kUdpExchange,
       "requests sent in the window that had no response after 1 s, per second of the window",
       [](const E& e) {
         return PerSecond(e, If(e.has_lost_transactions(), static_cast<double>(e.lost_transactions())));
       }},
      line("latency.p50", "what half of the transactions took at most", kExchange, OfLatency<&L::p50_ns>),
      line("latency.p90", "what 90% of the transactions took at most", kExchange, OfLatency<&L::p90_ns>),
      line("latency.p99", "what 99% of the transactions took at most", kExchange, OfLatency<&L::p99_ns>),
      line("latency.p99_9", "what 99.9% of the transactions took at most", kExchange,
           OfLatency<&L::p99_9_ns>),
      line("latency.p99_99", "what 99.99% of the transactions took at most", kExchange,
           OfLatency<&L::p99_99_ns>),
      line("latency.max", "what the longest transaction took", kExchange, OfLatency<&L::max_ns>),
      line("corrected_latency.p50", "latency.p50 from when each transaction was due", kPacedExchange,
           OfCorrected<&L::p50_ns>),
      line("corrected_latency.p90", "latency.p90 from when each transaction was due", kPacedExchange,
           OfCorrected<&L::p90_ns>),
      line("corrected_latency.p99", "latency.p99 from when each transaction was due", kPacedExchange,
           OfCorrected<&L::p99_ns>),
      line("corrected_latency.p99_9", "latency.p99_9 from when each transaction was due", kPacedExchange,
           OfCorrected<&L::p99_9_ns>),
      line("corrected_latency.p99_99", "latency.p99_99 from when each transaction was due", kPacedExchange,
           OfCorrected<&L::p99_99_ns>),
      line("corrected_latency.max", "latency.max from when each transaction was due", kPacedExchange,
           OfCorrected<&L::max_ns>),
  };
}

std::vector<Metric> TogethernessMetrics() {
  return {
      {"running_skew", Dimension::kDuration, Better::kLower, End::kSenders, &kAll,
       "how far apart the streams reached their steady start",
       [](const E& e) { return If(e.has_running_skew_ns(), static_cast<double>(e.running_skew_ns())); },
       nullptr, Series::kNone, true},
      {"first_send_skew", Dimension::kDuration, Better::kLower, End::kSenders, &kAll,
       "how far apart the streams' first messages were sent",
       [](const E& e) { return If(e.has_first_send_skew_ns(), static_cast<double>(e.first_send_skew_ns())); },
       nullptr, Series::kNone, true},
      {"overlap", Dimension::kRatio, Better::kHigher, End::kSenders, &kNoVolume,
       "the part of the window in which every stream sends",
       [](const E& e) { return If(e.has_overlap_ratio(), e.overlap_ratio()); }},
      {"jain", Dimension::kIndex, Better::kHigher, End::kReceivers, &kAll,
       "Jain's index of the streams' received rates: 1 if all are equal, 1/n if one of n has all",
       [](const E& e) { return If(e.has_jain_index(), e.jain_index()); }, nullptr, Series::kNone, true},
      {"completion.median", Dimension::kDuration, Better::kLower, End::kReceivers, &kVolume,
       "from T0 until the median stream's bytes had all been received",
       [](const E& e) { return If(e.completion().has_median_ns(), e.completion().median_ns()); }},
      {"completion.max", Dimension::kDuration, Better::kLower, End::kReceivers, &kVolume,
       "from T0 until the last stream's bytes had all been received",
       [](const E& e) { return If(e.completion().has_max_ns(), e.completion().max_ns()); }},
  };
}

}  // namespace

const std::vector<Metric>& Metrics() {
  static const std::vector<Metric> metrics = [] {
    std::vector<Metric> all;
    for (const auto& part : {ThroughputMetrics(), CpuMetrics(), LatencyMetrics(), TogethernessMetrics()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return metrics;
}

const Metric* FindMetric(std::string_view name) {
  for (const Metric& metric : Metrics()) {
    if (name == metric.name) return &metric;
  }
  return nullptr;
}

std::vector<std::string> MetricNames() {
  std::vector<std::string> names;
  for (const Metric& metric : Metrics()) names.emplace_back(metric.name);
  return names;
}

bool IsOfAny(const Metric& metric) { return metric.kind == &kAll; }

bool Judges(const v1::Threshold& threshold, const v1::TrafficEntry& entry, bool reverse) {
  const Metric* metric = FindMetric(threshold.metric());
  if (metric == nullptr || !metric->kind->has(entry)) return false;
  if (!threshold.entry().empty() && threshold.entry() != entry.name()) return false;
  if (reverse && !entry.both_ways()) return false;
  if (threshold.scope() != v1::THRESHOLD_SCOPE_ROLE) return true;
  const std::string& sender = reverse ? entry.to() : entry.from();
  const std::string& receiver = reverse ? entry.from() : entry.to();
  return (metric->end != End::kReceivers && threshold.member() == sender) ||
         (metric->end != End::kSenders && threshold.member() == receiver);
}

}  // namespace tutti::metrics
