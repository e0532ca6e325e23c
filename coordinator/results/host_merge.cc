#include "coordinator/results/host_merge.h"

#include <algorithm>

#include "coordinator/results/cpu.h"
#include "coordinator/results/entry_merge.h"
#include "coordinator/results/machine_cpu.h"
#include "coordinator/results/path_counters.h"

namespace tutti::results {
namespace {

namespace v1 = tutti::v1;

std::vector<const EndSeries*> EndsOf(const HostSeries& host, v1::Side side) {
  std::vector<const EndSeries*> ends;
  for (const EndSeries& end : host.ends) {
    if (end.side == side) ends.push_back(&end);
  }
  return ends;
}

bool IsShared(const HostSeries& host, const TrialView& trial) {
  return std::any_of(trial.hosts.begin(), trial.hosts.end(), [&](const HostSeries& other) {
    return other.input->host != host.input->host && other.input->machine == host.input->machine;
  });
}

uint64_t Forward(uint64_t begin, uint64_t end) { return end > begin ? end - begin : 0; }

std::vector<v1::DeviceCounters> DeviceDifferences(const v1::TrialReport& report) {
  std::vector<v1::DeviceCounters> differences;
  for (const v1::DeviceCounters& end : report.devices_end()) {
    for (const v1::DeviceCounters& begin : report.devices_begin()) {
      if (begin.device() != end.device()) continue;
      differences.push_back(Between(begin, end));
    }
  }
  return differences;
}

v1::HostClock ClockOf(const HostSeries& host, const TrialView& trial) {
  const ClockMapping& mapping = host.input->mapping;
  const TimelineTime t0 = trial.input->t0;
  const HostTime t0_host = mapping.ToHost(t0);
  v1::HostClock clock;
  clock.set_host(host.input->host);
  clock.set_offset_ns(t0.ns - t0_host.ns);
  clock.set_drift_ppm(mapping.drift() * 1e6);
  clock.set_drift_bound_ppm(mapping.drift_bound() * 1e6);
  clock.set_bound_before_ns(mapping.BoundAt(t0_host));
  clock.set_bound_during_ns(ClockBound(host, trial.grid.end_ns, t0));
  clock.set_refits(host.input->refits);
  clock.set_source(host.input->clock_source);
  if (host.input->clock_round_trip_ns) clock.set_round_trip_ns(*host.input->clock_round_trip_ns);
  if (host.input->clock_restarts) clock.set_restarts(*host.input->clock_restarts);
  if (host.input->mapping_after.has_value()) {
    const ClockMapping used = host.input->mapping_at_end.value_or(mapping);
    const ClockMapping& after = *host.input->mapping_after;
    const HostTime end = used.ToHost(t0 + trial.grid.end_ns);
    clock.set_bound_after_ns(after.BoundAt(end));
    clock.set_moved_ns(after.Convert(end) - used.Convert(end));
  }
  return clock;
}

void SetUdpWindow(const HostSeries& host, v1::HostResult& result) {
  const v1::EdgeSample& first = *host.edges.front();
  const v1::EdgeSample& last = *host.edges.back();
  if (!first.has_udp() || !last.has_udp()) return;
  v1::UdpCounters& udp = *result.mutable_udp_window();
  udp.set_in_datagrams(Forward(first.udp().in_datagrams(), last.udp().in_datagrams()));
  udp.set_out_datagrams(Forward(first.udp().out_datagrams(), last.udp().out_datagrams()));
  udp.set_rcvbuf_errors(Forward(first.udp().rcvbuf_errors(), last.udp().rcvbuf_errors()));
  udp.set_in_errors(Forward(first.udp().in_errors(), last.udp().in_errors()));
}

void SetSide(const HostSeries& host, v1::Side side, v1::Total* (v1::HostResult::*total)(),
             void (v1::HostResult::*rate)(double), v1::HostResult& result) {
  const std::vector<const EndSeries*> ends = EndsOf(host, side);
  if (ends.empty()) return;
  const v1::Total sum = SumOf(ends);
  *(result.*total)() = sum;
  if (sum.has_value() && host.has_window) {
    (result.*rate)(static_cast<double>(sum.value()) * 8e9 / static_cast<double>(host.elapsed_ns()));
  }
}

// The difference of a column between two edges, over the ends of one side; nullopt if there is none or one
// stepped back or failed.
std::optional<uint64_t> SumBetween(const HostSeries& host, v1::Side side, size_t interval, bool retransmits) {
  uint64_t sum = 0;
  bool any = false;
  const auto& begin = retransmits ? host.edges[interval]->retransmits() : host.edges[interval]->bytes();
  const auto& end = retransmits ? host.edges[interval + 1]->retransmits() : host.edges[interval + 1]->bytes();
  for (const EndSeries& each : host.ends) {
    if (each.side != side) continue;
    const int column = static_cast<int>(each.column);
    if (each.failed() || column >= begin.size() || column >= end.size() || end[column] < begin[column]) {
      return std::nullopt;
    }
    sum += end[column] - begin[column];
    any = true;
  }
  return any ? std::optional<uint64_t>(sum) : std::nullopt;
}

bool SendsTcp(const HostSeries& host, const TrialView& trial) {
  return std::any_of(trial.streams.begin(), trial.streams.end(), [&](const StreamView& stream) {
    return stream.from == &host && stream.one_connection();
  });
}

// The clients of each host. Null: one whose counts are not known.
std::vector<std::vector<const EndSeries*>> ClientsOf(const TrialView& trial) {
  std::vector<std::vector<const EndSeries*>> clients(trial.hosts.size());
  for (const StreamView& stream : trial.streams) {
    if (stream.from == nullptr || !stream.exchanges()) continue;
    clients[static_cast<size_t>(stream.from - trial.hosts.data())].push_back(stream.sender);
  }
  return clients;
}

// A client's message is counted when its response is there. nullopt: there is no client, or one stepped back
// or failed.
std::optional<uint64_t> TransactionsBetween(const v1::EdgeSample& begin, const v1::EdgeSample& end,
                                            const std::vector<const EndSeries*>& clients) {
  if (clients.empty()) return std::nullopt;
  uint64_t sum = 0;
  for (const EndSeries* client : clients) {
    if (client == nullptr || client->failed()) return std::nullopt;
    const int column = static_cast<int>(client->column);
    if (column >= begin.messages_size() || column >= end.messages_size()) return std::nullopt;
    if (end.messages(column) < begin.messages(column)) return std::nullopt;
    sum += end.messages(column) - begin.messages(column);
  }
  return sum;
}

v1::HostInterval IntervalOf(const HostSeries& host, uint32_t k, bool tcp, const HostSeries* reader) {
  v1::HostInterval interval;
  interval.set_host(host.input->host);
  interval.set_begin_trial_ns(MiddleNs(*host.edges[k]));
  interval.set_end_trial_ns(MiddleNs(*host.edges[k + 1]));
  const std::optional<uint64_t> sent = SumBetween(host, v1::SIDE_SEND, k, false);
  const std::optional<uint64_t> received = SumBetween(host, v1::SIDE_RECEIVE, k, false);
  if (sent.has_value()) interval.set_sent_bytes(*sent);
  if (received.has_value()) interval.set_received_bytes(*received);
  if (tcp) {
    const std::optional<uint64_t> retransmits = SumBetween(host, v1::SIDE_SEND, k, true);
    if (retransmits.has_value()) interval.set_retransmits(*retransmits);
  }
  if (reader != nullptr && reader->edges[k] != nullptr && reader->edges[k + 1] != nullptr) {
    const v1::MachineResult cpu = CpuBetween(reader->edges[k]->cpu(), reader->edges[k + 1]->cpu());
    if (cpu.elapsed_ns() > 0) interval.set_cores_busy(cpu.cores_busy());
    if (auto softnet = SoftnetBetween(*reader->edges[k], *reader->edges[k + 1])) {
      *interval.mutable_softnet() = *std::move(softnet);
    }
  }
  AddPathCounters(*host.edges[k], *host.edges[k + 1], interval);
  return interval;
}

}  // namespace

v1::HostResult MergeHost(const HostSeries& host, const TrialView& trial) {
  v1::HostResult result;
  const HostInput& input = *host.input;
  result.set_host(input.host);
  result.set_machine(input.machine);
  result.set_shared_machine(IsShared(host, trial));
  if (!input.report.has_value())
    result.set_missing(input.missing.empty() ? "no report arrived" : input.missing);
  SetSide(host, v1::SIDE_SEND, &v1::HostResult::mutable_sent_bytes, &v1::HostResult::set_sent_bps, result);
  SetSide(host, v1::SIDE_RECEIVE, &v1::HostResult::mutable_received_bytes, &v1::HostResult::set_received_bps,
          result);
  *result.mutable_clock() = ClockOf(host, trial);
  if (host.has_window) {
    result.set_window_begin_trial_ns(host.begin_ns);
    result.set_window_end_trial_ns(host.end_ns);
    SetUdpWindow(host, result);
  }
  if (!input.report.has_value()) return result;
  if (input.report->load_threads() > 0) result.set_load_threads(input.report->load_threads());
  result.set_sampler_worst_lateness_ns(input.report->sampler_worst_lateness_ns());
  for (v1::DeviceCounters& device : DeviceDifferences(*input.report))
    *result.add_devices() = std::move(device);
  if (host.has_window) {
    result.set_load_thread_cores(static_cast<double>(input.report->load_thread_cpu_ns()) /
                                 static_cast<double>(host.elapsed_ns()));
  }
  return result;
}

std::vector<v1::TimelineInterval> MergeTimeline(const TrialView& trial) {
  std::vector<const HostSeries*> readers;
  std::vector<bool> tcp;
  for (const HostSeries& host : trial.hosts) {
    readers.push_back(MachineReader(trial, host.input->machine));
    tcp.push_back(SendsTcp(host, trial));
  }
  const std::vector<std::vector<const EndSeries*>> clients = ClientsOf(trial);
  std::vector<v1::TimelineInterval> timeline;
  for (uint32_t k = 0; k < trial.grid.intervals; ++k) {
    v1::TimelineInterval interval;
    interval.set_index(k);
    interval.set_begin_trial_ns(trial.grid.DueNs(k));
    interval.set_end_trial_ns(trial.grid.DueNs(k + 1));
    interval.set_shorter(k + 1 == trial.grid.intervals && trial.grid.LastIsShorter());
    for (size_t h = 0; h < trial.hosts.size(); ++h) {
      const HostSeries& host = trial.hosts[h];
      if (host.edges[k] == nullptr || host.edges[k + 1] == nullptr) continue;
      v1::HostInterval& reading = *interval.add_hosts();
      reading = IntervalOf(host, k, tcp[h], readers[h]);
      if (const auto completed = TransactionsBetween(*host.edges[k], *host.edges[k + 1], clients[h])) {
        reading.set_transactions(*completed);
      }
    }
    timeline.push_back(std::move(interval));
  }
  return timeline;
}

}  // namespace tutti::results
