#include "coordinator/results/entry_merge.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/units/units.h"
#include "coordinator/results/fairness.h"
#include "coordinator/results/machine_cpu.h"
#include "coordinator/results/skew.h"
#include "coordinator/results/transactions.h"
#include "coordinator/results/wire_rate.h"

namespace tutti::results {
namespace {

namespace v1 = tutti::v1;

std::vector<const EndSeries*> Senders(const EntryView& entry) {
  std::vector<const EndSeries*> ends;
  for (const StreamView* stream : entry.streams) ends.push_back(stream->sender);
  return ends;
}

std::vector<const EndSeries*> Receivers(const EntryView& entry) {
  std::vector<const EndSeries*> ends;
  for (const StreamView* stream : entry.streams) ends.push_back(stream->receiver);
  return ends;
}

// The sum of the hosts' rates, each its bytes / its actual window. Only called where every part is known.
double SumOfHostRates(const EntryView& entry, bool sending) {
  std::map<std::string, std::pair<const HostSeries*, uint64_t>> hosts;  // by name: sums in one order
  for (const StreamView* stream : entry.streams) {
    const HostSeries* host = sending ? stream->from : stream->to;
    auto& [series, bytes] = hosts[host->input->host];
    series = host;
    bytes += *(sending ? stream->sender : stream->receiver)->bytes;
  }
  double bps = 0;
  for (const auto& [name, part] : hosts) {
    bps += static_cast<double>(part.second) * 8 * 1e9 / static_cast<double>(part.first->elapsed_ns());
  }
  return bps;
}

void SetWindow(const EntryView& entry, const Grid& grid, v1::EntryResult& result) {
  int64_t elapsed_ns = 0;
  int64_t error_ns = 0;
  for (const StreamView* stream : entry.streams) {
    for (const HostSeries* host : {stream->from, stream->to}) {
      if (host == nullptr || !host->has_window) return;
      elapsed_ns = std::max(elapsed_ns, host->elapsed_ns());
      error_ns = std::max(error_ns, host->edge_error_ns);
    }
  }
  if (elapsed_ns == 0 || grid.end_ns <= grid.begin_ns) return;
  result.set_elapsed_ns(elapsed_ns);
  result.set_edge_error_ratio(static_cast<double>(error_ns) /
                              static_cast<double>(grid.end_ns - grid.begin_ns));
}

void SetStalls(const EntryView& entry, const Grid& grid, v1::EntryResult& result) {
  for (const StreamView* stream : entry.streams) {
    const uint32_t stalled = StalledIntervals(*stream, grid).value_or(0);
    result.set_stalled_intervals(result.stalled_intervals() + stalled);
    if (stalled > 0) result.set_stalled_streams(result.stalled_streams() + 1);
  }
}

void SetLostIntervals(const EntryView& entry, v1::EntryResult& result) {
  if (!result.loss().has_lost()) return;
  std::vector<uint64_t> sums;
  for (const StreamLoss* loss : entry.losses) {
    sums.resize(loss->lost_intervals.size());
    for (size_t k = 0; k < sums.size(); ++k) sums[k] += loss->lost_intervals[k];
  }
  result.mutable_lost_intervals()->Add(sums.begin(), sums.end());
}

// The retransmits of TCP, the drops and the jitter of UDP.
void SetProtocolFigures(const EntryView& entry, v1::EntryResult& result) {
  if (result.protocol() == v1::PROTOCOL_TCP) {
    if (!entry.streams.front()->one_connection()) return;
    *result.mutable_retransmits() = SumOf(Senders(entry), &EndSeries::retransmits);
    return;
  }
  v1::Total drops;
  drops.set_parts(static_cast<uint32_t>(entry.streams.size()));
  std::optional<uint64_t> jitter_ns;
  bool all_jitter = true;
  for (const StreamView* stream : entry.streams) {
    const bool reported = stream->receiver != nullptr && stream->receiver->report != nullptr;
    if (reported && stream->receiver->report->has_socket_drops_window()) {
      drops.set_known(drops.known() + stream->receiver->report->socket_drops_window());
      drops.set_parts_known(drops.parts_known() + 1);
    }
    if (reported && stream->receiver->report->has_jitter_ns()) {
      jitter_ns = std::max(jitter_ns.value_or(0), stream->receiver->report->jitter_ns());
    } else {
      all_jitter = false;
    }
  }
  if (drops.parts_known() == drops.parts()) drops.set_value(drops.known());
  *result.mutable_socket_drops() = drops;
  if (all_jitter && jitter_ns.has_value()) result.set_jitter_ns(*jitter_ns);
}

void SetInFlight(const v1::TrafficEntry* traffic, v1::EntryResult& result) {
  if (!result.sent_bytes().has_value() || !result.received_bytes().has_value() || traffic == nullptr) return;
  uint64_t lost_bytes = 0;
  if (result.protocol() == v1::PROTOCOL_UDP) {
    if (!result.loss().has_lost()) return;
    lost_bytes = result.loss().lost() * traffic->message_size_bytes();
  }
  result.set_in_flight_bytes(static_cast<int64_t>(result.sent_bytes().value()) -
                             static_cast<int64_t>(result.received_bytes().value()) -
                             static_cast<int64_t>(lost_bytes));
}

bool IsLoopback(const StreamView& stream) {
  const std::string& egress = stream.sender->report->egress_device();
  return egress == "lo" || stream.flow->from_host() == stream.flow->to_host();
}

void SetWireRate(const EntryView& entry, v1::EntryResult& result) {
  // Nothing is estimated of packets that carry a request or a response, or neither.
  if (!result.has_received_bps() || entry.streams.front()->exchanges()) return;
  double wire_bps = 0;
  for (const StreamView* stream : entry.streams) {
    if (stream->sender->report == nullptr || stream->traffic == nullptr || IsLoopback(*stream)) return;
    const v1::StreamReport& sender = *stream->sender->report;
    WireShape shape;
    shape.protocol = stream->traffic->protocol();
    shape.ipv6 = stream->flow->to_address().find(':') != std::string::npos;
    shape.message_size_bytes = stream->traffic->message_size_bytes();
    shape.path_mtu_bytes = sender.has_path_mtu_bytes() ? sender.path_mtu_bytes() : sender.tcp().pmtu_bytes();
    shape.mss_bytes = sender.tcp().snd_mss_bytes();
    const std::optional<double> ratio = WirePerPayload(shape);
    if (!ratio.has_value()) return;
    wire_bps += *ratio * static_cast<double>(*stream->receiver->bytes) * 8e9 /
                static_cast<double>(stream->to->elapsed_ns());
  }
  result.set_wire_bps(wire_bps);
}

void SetFairness(const EntryView& entry, v1::EntryResult& result) {
  const std::optional<Fairness> fairness = FairnessOf(entry.streams);
  if (!fairness) return;
  result.set_jain_index(fairness->jain_index);
  result.set_slowest_bps(fairness->slowest_bps);
  result.set_fastest_bps(fairness->fastest_bps);
  result.set_slowest_stream(fairness->slowest_stream);
}

// Streams on hosts whose CPUs they outnumber: the scheduler decides when each one starts.
bool OutnumberCpus(const EntryView& entry, const TrialView& trial) {
  std::map<std::string, size_t> streams;
  for (const StreamView* stream : entry.streams) ++streams[stream->flow->from_host()];
  for (const v1::Host& host : trial.input->all_hosts) {
    const auto found = streams.find(host.name());
    const size_t cpus = static_cast<size_t>(host.facts().online_cpus_size());
    if (found != streams.end() && cpus > 0 && found->second > cpus) return true;
  }
  return false;
}

void SetTogetherness(const EntryView& entry, const TrialView& trial, EntryMerge& merge) {
  Togetherness together = TogethernessOf(entry.streams, trial);
  v1::EntryResult& result = merge.result;
  if (together.first_send_skew_ns.has_value()) result.set_first_send_skew_ns(*together.first_send_skew_ns);
  if (together.running_skew_ns.has_value()) result.set_running_skew_ns(*together.running_skew_ns);
  if (together.bound_ns.has_value()) result.set_skew_bound_ns(*together.bound_ns);
  if (together.overlap_ratio.has_value()) result.set_overlap_ratio(*together.overlap_ratio);
  // Of many the first few are named: they have one cause. One that was completed sends less than that.
  constexpr size_t kMostNamed = 4;
  std::erase_if(together.never_running,
                [](const StreamView* stream) { return CompletedNs(*stream).has_value(); });
  for (size_t i = 0; i < std::min(together.never_running.size(), kMostNamed); ++i) {
    merge.warnings.push_back(absl::StrCat(together.never_running[i]->Name(),
                                          " never reached a steady start (100 messages, or 10 ms at "
                                          "its rate)"));
  }
  if (together.never_running.size() > kMostNamed) {
    merge.warnings.push_back(absl::StrCat("entry ", entry.entry, ": ",
                                          together.never_running.size() - kMostNamed,
                                          " further streams never reached a steady start"));
  }
  const int64_t warmup_ns = trial.grid.begin_ns;
  if (together.running_skew_ns.has_value() && *together.running_skew_ns > warmup_ns) {
    merge.warnings.push_back(absl::StrCat(
        "entry ", entry.entry, ": its streams started ", FormatDuration(*together.running_skew_ns),
        " apart, longer than the warm-up of ", FormatDuration(warmup_ns),
        OutnumberCpus(entry, trial) ? " (they outnumber their host's CPUs, so the scheduler decides)" : "",
        "; lengthen timing.warmup"));
  } else if (together.last_running_ns.has_value() && *together.last_running_ns > warmup_ns) {
    merge.warnings.push_back(absl::StrCat(
        "entry ", entry.entry, ": its last stream reached a steady start only ",
        FormatDuration(*together.last_running_ns), " after T0, inside the window; lengthen timing.warmup"));
  }
}

}  // namespace

std::vector<uint64_t> SumIntervals(const std::vector<const EndSeries*>& ends) {
  std::vector<uint64_t> sums;
  for (const EndSeries* end : ends) {
    if (end == nullptr || end->interval_bytes.empty()) return {};
    sums.resize(end->interval_bytes.size());
    for (size_t k = 0; k < sums.size(); ++k) sums[k] += end->interval_bytes[k];
  }
  return sums;
}

v1::Total SumOf(const std::vector<const EndSeries*>& ends, std::optional<uint64_t> EndSeries::*counter) {
  v1::Total total;
  total.set_parts(static_cast<uint32_t>(ends.size()));
  uint64_t known = 0;
  uint32_t parts_known = 0;
  for (const EndSeries* end : ends) {
    if (end == nullptr || !(end->*counter).has_value()) continue;
    known += *(end->*counter);
    ++parts_known;
  }
  total.set_known(known);
  total.set_parts_known(parts_known);
  if (parts_known == total.parts()) total.set_value(known);
  return total;
}

std::vector<EntryView> EntriesOf(const TrialView& trial, const std::vector<StreamLoss>& losses) {
  std::vector<std::string> names;
  for (const v1::TrafficEntry& traffic : trial.input->plan_case.traffic()) names.push_back(traffic.name());
  std::set<std::string> unplanned;
  for (const StreamView& stream : trial.streams) {
    if (std::find(names.begin(), names.end(), stream.flow->entry()) == names.end()) {
      unplanned.insert(stream.flow->entry());
    }
  }
  names.insert(names.end(), unplanned.begin(), unplanned.end());
  std::vector<EntryView> entries;
  for (const std::string& name : names) {
    for (const bool reverse : {false, true}) {
      EntryView view{name, reverse, {}, {}};
      for (size_t i = 0; i < trial.streams.size(); ++i) {
        const v1::Flow& flow = *trial.streams[i].flow;
        if (flow.entry() != name || flow.reverse() != reverse) continue;
        view.streams.push_back(&trial.streams[i]);
        view.losses.push_back(&losses[i]);
      }
      if (!view.streams.empty()) entries.push_back(std::move(view));
    }
  }
  return entries;
}

EntryMerge MergeEntry(const EntryView& entry, const TrialView& trial,
                      const std::vector<v1::MachineResult>& machines) {
  EntryMerge merge;
  v1::EntryResult& result = merge.result;
  const v1::TrafficEntry* traffic = entry.streams.front()->traffic;
  result.set_entry(entry.entry);
  result.set_reverse(entry.reverse);
  if (traffic != nullptr) result.set_protocol(traffic->protocol());
  result.set_streams(static_cast<uint32_t>(entry.streams.size()));
  *result.mutable_sent_bytes() = SumOf(Senders(entry));
  *result.mutable_received_bytes() = SumOf(Receivers(entry));
  SetTogetherness(entry, trial, merge);
  const bool apart = entry.streams.size() > 1 && result.has_overlap_ratio() && result.overlap_ratio() == 0;
  if (apart && entry.streams.front()->has_volume()) {
    merge.warnings.push_back(
        absl::StrCat("entry ", entry.entry, entry.reverse ? " (reverse)" : "",
                     ": its streams ended before all of them ran together in the window; "
                     "their rates are not added, their completion times are what counts"));
  } else if (apart) {
    merge.faults.push_back(absl::StrCat("entry ", entry.entry, entry.reverse ? " (reverse)" : "", ": its ",
                                        entry.streams.size(),
                                        " streams at no time ran together (overlap 0%); their "
                                        "rates are not added"));
  } else {
    if (result.sent_bytes().has_value()) result.set_sent_bps(SumOfHostRates(entry, true));
    if (result.received_bytes().has_value()) result.set_received_bps(SumOfHostRates(entry, false));
  }
  *result.mutable_loss() = SumLoss(entry.losses);
  SetWindow(entry, trial.grid, result);
  SetProtocolFigures(entry, result);
  SetInFlight(traffic, result);
  SetTransactions(entry.streams, trial.grid, !apart, result);
  SetCompletion(entry.streams, result);
  if (!trial.input->cancelled && result.has_completion() &&
      result.completion().streams() < result.streams()) {
    merge.warnings.push_back(absl::StrCat("entry ", entry.entry, entry.reverse ? " (reverse)" : "", ": only ",
                                          result.completion().streams(), " of ", result.streams(),
                                          " streams were completed before the trial ended; lengthen "
                                          "timing.measure or make `bytes` smaller"));
  }
  SetWireRate(entry, result);
  SetStalls(entry, trial.grid, result);
  SetFairness(entry, result);
  SetLostIntervals(entry, result);
  const std::vector<uint64_t> sent = SumIntervals(Senders(entry));
  const std::vector<uint64_t> received = SumIntervals(Receivers(entry));
  result.mutable_sent_bytes_intervals()->Add(sent.begin(), sent.end());
  result.mutable_received_bytes_intervals()->Add(received.begin(), received.end());

  EntryFlow flow{.entry = entry.entry, .reverse = entry.reverse};
  flow.exchanges = entry.streams.front()->exchanges();
  if (result.has_transactions_per_s()) flow.transactions_per_s = result.transactions_per_s();
  if (result.has_sent_bps()) flow.sent_bps = result.sent_bps();
  if (result.has_received_bps()) flow.received_bps = result.received_bps();
  const EntryCpu cpu = CpuOfEntry(flow, trial, machines);
  *result.mutable_sender_cpu() = cpu.sender;
  *result.mutable_receiver_cpu() = cpu.receiver;
  if (cpu.shared) *result.mutable_both_ends() = cpu.both_ends;
  return merge;
}

}  // namespace tutti::results
