#include "coordinator/run/live_merger.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "common/time/clock.h"

namespace tutti::run {
namespace {

using tutti::v1::EdgeSample;
using tutti::v1::LiveInterval;
using tutti::v1::StreamEnd;

// An interval is told this many intervals after its end even if hosts are missing.
constexpr uint32_t kPatienceIntervals = 2;

int64_t MiddleNs(const EdgeSample& edge) {
  return edge.begin_trial_ns() + (edge.end_trial_ns() - edge.begin_trial_ns()) / 2;
}

}  // namespace

LiveMerger::LiveMerger(const tutti::v1::Case& plan_case, uint32_t repetition,
                       const std::vector<tutti::v1::Flow>& flows,
                       const std::map<std::string, std::vector<StreamEnd>>& ends)
    : case_index_(plan_case.index()), repetition_(repetition), timing_(plan_case.timing()) {
  if (timing_.interval_ns() > 0) {
    intervals_ =
        static_cast<uint32_t>((timing_.measure_ns() + timing_.interval_ns() - 1) / timing_.interval_ns());
  }
  std::map<std::string, const tutti::v1::TrafficEntry*> traffic;
  for (const tutti::v1::TrafficEntry& entry : plan_case.traffic()) traffic[entry.name()] = &entry;
  for (const tutti::v1::Flow& flow : flows) {
    const EntryKey key{flow.entry(), flow.reverse()};
    if (std::find(entries_.begin(), entries_.end(), key) == entries_.end()) entries_.push_back(key);
    entry_of_stream_[flow.stream_id()] = key;
    if (const tutti::v1::TrafficEntry* entry = traffic[flow.entry()]; entry != nullptr) {
      kinds_[key] = {.exchanges = entry->has_request_response(),
                     .has_retransmits = entry->protocol() == tutti::v1::PROTOCOL_TCP &&
                                        entry->request_response().exchange() !=
                                            tutti::v1::EXCHANGE_CONNECT_REQUEST_RESPONSE};
    }
  }
  for (const auto& [host, host_ends] : ends) hosts_[host].ends = host_ends;
}

std::vector<LiveInterval> LiveMerger::Add(const std::string& host, const EdgeSample& edge) {
  std::vector<LiveInterval> told;
  const auto found = hosts_.find(host);
  if (found == hosts_.end() || edge.index() < next_ || edge.index() > intervals_) return told;
  const auto streams = static_cast<int>(found->second.ends.size());
  if (edge.bytes_size() != streams) return told;
  if (edge.retransmits_size() != streams && !edge.retransmits().empty()) return told;
  if (edge.messages_size() != streams) return told;
  if (!IsPlausibleNs(edge.begin_trial_ns()) || !IsPlausibleNs(edge.end_trial_ns())) return told;
  found->second.edges[edge.index()] = edge;
  newest_edge_ = std::max(newest_edge_, edge.index());
  while (next_ < intervals_ && (IsComplete(next_) || newest_edge_ > next_ + kPatienceIntervals)) {
    told.push_back(Merge(next_));
    ++next_;
    for (auto& [name, state] : hosts_) state.edges.erase(state.edges.begin(), state.edges.lower_bound(next_));
  }
  return told;
}

bool LiveMerger::IsComplete(uint32_t interval) const {
  return std::all_of(hosts_.begin(), hosts_.end(), [&](const auto& host) {
    return host.second.edges.contains(interval) && host.second.edges.contains(interval + 1);
  });
}

void LiveMerger::AddHost(const HostState& host, uint32_t interval, std::map<EntryKey, Sum>& sent,
                         std::map<EntryKey, Sum>& received) const {
  const auto begin = host.edges.find(interval);
  const auto end = host.edges.find(interval + 1);
  const bool known = begin != host.edges.end() && end != host.edges.end();
  const bool retransmits_known =
      known && !begin->second.retransmits().empty() && !end->second.retransmits().empty();
  const int64_t elapsed_ns = known ? MiddleNs(end->second) - MiddleNs(begin->second) : 0;
  for (int i = 0; i < static_cast<int>(host.ends.size()); ++i) {
    const StreamEnd& stream = host.ends[static_cast<size_t>(i)];
    const EntryKey& key = entry_of_stream_.at(stream.stream_id());
    Sum& sum = (stream.side() == tutti::v1::SIDE_SEND ? sent : received)[key];
    if (elapsed_ns <= 0 || end->second.bytes(i) < begin->second.bytes(i) ||
        end->second.messages(i) < begin->second.messages(i) ||
        (retransmits_known && end->second.retransmits(i) < begin->second.retransmits(i))) {
      sum.known = false;
      continue;
    }
    sum.retransmits_known = sum.retransmits_known && retransmits_known;
    const auto bytes = static_cast<double>(end->second.bytes(i) - begin->second.bytes(i));
    sum.bps += bytes * 8e9 / static_cast<double>(elapsed_ns);
    if (retransmits_known) {
      const uint64_t again = end->second.retransmits(i) - begin->second.retransmits(i);
      const bool wraps = __builtin_add_overflow(sum.retransmits, again, &sum.retransmits);
      sum.retransmits_known = sum.retransmits_known && !wraps;
    }
    const auto messages = static_cast<double>(end->second.messages(i) - begin->second.messages(i));
    sum.messages_per_s += messages * 1e9 / static_cast<double>(elapsed_ns);
  }
}

LiveInterval LiveMerger::Merge(uint32_t interval) const {
  LiveInterval live;
  live.set_case_index(case_index_);
  live.set_repetition(repetition_);
  live.set_interval(interval);
  const int64_t begin_ns = timing_.warmup_ns() + interval * timing_.interval_ns();
  live.set_begin_trial_ns(begin_ns);
  live.set_end_trial_ns(
      std::min(begin_ns + timing_.interval_ns(), timing_.warmup_ns() + timing_.measure_ns()));
  std::map<EntryKey, Sum> sent;
  std::map<EntryKey, Sum> received;
  for (const auto& [name, host] : hosts_) AddHost(host, interval, sent, received);
  for (const EntryKey& key : entries_) {
    tutti::v1::LiveEntry& entry = *live.add_entries();
    entry.set_entry(key.first);
    entry.set_reverse(key.second);
    const Sum& out = sent[key];
    const Sum& in = received[key];
    if (out.known) entry.set_sent_bps(out.bps);
    if (in.known) entry.set_received_bps(in.bps);
    const Kind kind = kinds_.count(key) > 0 ? kinds_.at(key) : Kind();
    if (out.known && out.retransmits_known && kind.has_retransmits) entry.set_retransmits(out.retransmits);
    if (out.known && kind.exchanges) entry.set_transactions_per_s(out.messages_per_s);
  }
  return live;
}

}  // namespace tutti::run
