#include "tests/unit/coordinator/results/raw_trial.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tutti::results {
namespace {

namespace v1 = tutti::v1;

constexpr int64_t kBootNs = 5'000 * kSecond;  // what the hosts' clocks and CPU counters began with

bool IsTcp(const v1::Case& plan_case, const std::string& entry) {
  for (const v1::TrafficEntry& traffic : plan_case.traffic()) {
    if (traffic.name() == entry) return traffic.protocol() == v1::PROTOCOL_TCP;
  }
  return false;
}

}  // namespace

RawTrial::RawTrial() {
  v1::TrafficEntry& entry = *plan_case.add_traffic();
  entry.set_name("bulk");
  entry.set_from("sender");
  entry.set_to("receiver");
  entry.set_protocol(v1::PROTOCOL_UDP);
  entry.set_message_size_bytes(1000);
  plan_case.mutable_timing()->set_warmup_ns(kSecond);
  plan_case.mutable_timing()->set_measure_ns(kSecond);
  plan_case.mutable_timing()->set_cooldown_ns(kSecond / 2);
  plan_case.mutable_timing()->set_interval_ns(250 * kMs);
  plan_case.set_repeat(1);
}

RawHost& RawTrial::AddHost(const std::string& name, const std::string& machine) {
  RawHost host;
  host.name = name;
  host.machine = machine;
  host.busy = {0.5, 0.25};
  hosts.push_back(host);
  return hosts.back();
}

RawStream& RawTrial::AddStream(const std::string& from, const std::string& to, const std::string& entry) {
  RawStream stream;
  stream.flow.set_stream_id(static_cast<uint32_t>(streams.size()));
  stream.flow.set_entry(entry);
  stream.flow.set_from_host(from);
  stream.flow.set_to_host(to);
  stream.flow.set_from_address("10.0.0.1");
  stream.flow.set_to_address("10.0.0.2");
  streams.push_back(stream);
  return streams.back();
}

void RawTrial::Fill(RawStream& stream, int64_t begin_ns, int64_t end_ns, int64_t every_ns, int64_t delay_ns) {
  for (int64_t at_ns = begin_ns; at_ns < end_ns; at_ns += every_ns) {
    stream.messages.push_back({at_ns, at_ns + delay_ns, Fate::kInOrder, 0});
  }
}

RawTrial RawTrial::Pair() {
  RawTrial trial;
  trial.AddHost("a", "m1");
  trial.AddHost("b", "m2");
  trial.roles = {{"sender", {"a"}}, {"receiver", {"b"}}};
  Fill(trial.AddStream("a", "b"), 0, 2'500 * kMs, kMs, 100'000);
  return trial;
}

uint32_t RawTrial::intervals() const {
  const v1::Timing& timing = plan_case.timing();
  return static_cast<uint32_t>((timing.measure_ns() + timing.interval_ns() - 1) / timing.interval_ns());
}

const RawHost& RawTrial::host(const std::string& name) const {
  return *std::find_if(hosts.begin(), hosts.end(), [&](const RawHost& host) { return host.name == name; });
}

int64_t RawTrial::EdgeNs(const RawHost& host, uint32_t edge) const {
  const v1::Timing& timing = plan_case.timing();
  return timing.warmup_ns() + std::min<int64_t>(timing.measure_ns(), edge * timing.interval_ns()) +
         host.late_ns;
}

uint64_t RawTrial::MessageBytes(const RawStream& stream) const {
  for (const v1::TrafficEntry& entry : plan_case.traffic()) {
    if (entry.name() == stream.flow.entry()) return entry.message_size_bytes();
  }
  return 0;
}

uint64_t RawTrial::SentBytes(const RawStream& stream, int64_t begin_ns, int64_t end_ns) const {
  uint64_t messages = 0;
  for (const RawMessage& message : stream.messages) {
    messages += message.sent_ns >= begin_ns && message.sent_ns < end_ns ? 1 : 0;
  }
  return messages * MessageBytes(stream);
}

uint64_t RawTrial::ReceivedBytes(const RawStream& stream, int64_t begin_ns, int64_t end_ns) const {
  uint64_t messages = 0;
  for (const RawMessage& message : stream.messages) {
    if (message.fate == Fate::kLost || message.received_ns < begin_ns || message.received_ns >= end_ns)
      continue;
    ++messages;  // duplicates are counted apart
  }
  return messages * MessageBytes(stream);
}

uint64_t RawTrial::CountSent(const RawStream& stream) const {
  const v1::Timing& timing = plan_case.timing();
  return SentBytes(stream, timing.warmup_ns(), timing.warmup_ns() + timing.measure_ns()) /
         MessageBytes(stream);
}

uint64_t RawTrial::CountFate(const RawStream& stream, Fate fate) const {
  const v1::Timing& timing = plan_case.timing();
  return static_cast<uint64_t>(
      std::count_if(stream.messages.begin(), stream.messages.end(), [&](const RawMessage& message) {
        return message.fate == fate && message.sent_ns >= timing.warmup_ns() &&
               message.sent_ns < timing.warmup_ns() + timing.measure_ns();
      }));
}

namespace {

// The place of an instant among the cohorts: 0 before the window, 1..n, n + 1 after it.
int CohortOf(const v1::Timing& timing, uint32_t intervals, int64_t at_ns) {
  if (at_ns < timing.warmup_ns()) return 0;
  if (at_ns >= timing.warmup_ns() + timing.measure_ns()) return static_cast<int>(intervals) + 1;
  return static_cast<int>((at_ns - timing.warmup_ns()) / timing.interval_ns()) + 1;
}

v1::StreamReport SenderReport(const RawTrial& trial, const RawStream& stream, bool tcp) {
  v1::StreamReport report;
  report.set_stream_id(stream.flow.stream_id());
  report.set_side(v1::SIDE_SEND);
  report.set_total_messages(stream.messages.size());
  report.set_total_bytes(stream.messages.size() * trial.MessageBytes(stream));
  report.set_max_send_call_bytes(trial.MessageBytes(stream));
  if (!stream.messages.empty()) {
    report.set_first_send_before_trial_ns(stream.messages.front().sent_ns);
    report.set_first_send_after_trial_ns(stream.messages.front().sent_ns);
    report.set_last_send_trial_ns(stream.messages.back().sent_ns);
    report.set_running_before_trial_ns(
        stream.messages[std::min<size_t>(99, stream.messages.size() - 1)].sent_ns);
    report.set_running_trial_ns(stream.messages[std::min<size_t>(99, stream.messages.size() - 1)].sent_ns);
  }
  if (tcp) return report;
  for (uint32_t i = 0; i < trial.intervals() + 2; ++i) report.add_sent_cohorts();
  for (const RawMessage& message : stream.messages) {
    v1::SentCohort& cohort =
        *report.mutable_sent_cohorts(CohortOf(trial.plan_case.timing(), trial.intervals(), message.sent_ns));
    cohort.set_messages(cohort.messages() + 1);
    cohort.set_bytes(cohort.bytes() + trial.MessageBytes(stream));
  }
  return report;
}

v1::StreamReport ReceiverReport(const RawTrial& trial, const RawStream& stream, bool tcp) {
  v1::StreamReport report;
  report.set_stream_id(stream.flow.stream_id());
  report.set_side(v1::SIDE_RECEIVE);
  report.set_total_bytes(trial.ReceivedBytes(stream, INT64_MIN, INT64_MAX));
  report.set_total_messages(report.total_bytes() / trial.MessageBytes(stream));
  report.set_drained(true);
  if (tcp) {
    report.mutable_tcp()->set_bytes_received(report.total_bytes());
    return report;
  }
  report.set_socket_drops_window(0);
  report.set_jitter_ns(1000 + stream.flow.stream_id());
  for (uint32_t i = 0; i < trial.intervals() + 2; ++i) report.add_received_cohorts();
  for (const RawMessage& message : stream.messages) {
    v1::ReceivedCohort& cohort = *report.mutable_received_cohorts(
        CohortOf(trial.plan_case.timing(), trial.intervals(), message.sent_ns));
    if (message.fate == Fate::kLost) continue;
    if (message.fate == Fate::kInOrder) cohort.set_in_order(cohort.in_order() + 1);
    if (message.fate == Fate::kReordered) cohort.set_reordered(cohort.reordered() + 1);
    if (message.fate == Fate::kLate) cohort.set_late(cohort.late() + 1);
    cohort.set_duplicates(cohort.duplicates() + message.duplicates);
    cohort.set_bytes(cohort.bytes() + trial.MessageBytes(stream));
  }
  return report;
}

v1::EdgeSample MakeEdge(const RawTrial& trial, const RawHost& host, uint32_t index, const HostInput& input) {
  v1::EdgeSample edge;
  const int64_t at_ns = trial.EdgeNs(host, index);
  edge.set_index(index);
  edge.set_due_trial_ns(at_ns - host.late_ns);
  edge.set_begin_trial_ns(at_ns - host.half_read_ns);
  edge.set_end_trial_ns(at_ns + host.half_read_ns);
  for (size_t i = 0; i < input.stream_ids.size(); ++i) {
    const auto stream = std::find_if(trial.streams.begin(), trial.streams.end(), [&](const RawStream& each) {
      return each.flow.stream_id() == input.stream_ids[i];
    });
    const bool sends = input.stream_sides[i] == v1::SIDE_SEND;
    const uint64_t bytes =
        sends ? trial.SentBytes(*stream, INT64_MIN, at_ns) : trial.ReceivedBytes(*stream, INT64_MIN, at_ns);
    edge.add_bytes(bytes);
    edge.add_messages(bytes / trial.MessageBytes(*stream));
    edge.add_thread_cpu_ns(0);
    edge.add_retransmits(sends ? index * 3 : 0);
    // What lies unread shrinks by 10 B per interval.
    const uint64_t queued = sends ? 0 : 1'000 - 10 * index;
    edge.add_kernel_bytes(bytes + queued);
    edge.add_queued_bytes(queued);
  }
  edge.mutable_cpu()->set_host_ns(kBootNs + at_ns);
  for (size_t cpu = 0; cpu < host.busy.size(); ++cpu) {
    v1::CpuTimes& times = *edge.mutable_cpu()->add_cpus();
    times.set_cpu(static_cast<uint32_t>(cpu));
    times.set_idle_ns(static_cast<uint64_t>(kBootNs + static_cast<double>(at_ns) * (1 - host.busy[cpu])));
    times.set_system_ns(static_cast<uint64_t>(static_cast<double>(at_ns) * host.busy[cpu]));
  }
  return edge;
}

}  // namespace

TrialInput RawTrial::Build() const {
  TrialInput input;
  input.plan_case = plan_case;
  input.trial_id = 77;
  input.t0 = TimelineTime{1'000 * kSecond};
  input.roles = roles;
  input.all_hosts = all_hosts;
  for (const RawStream& stream : streams) input.flows.push_back(stream.flow);
  for (const RawHost& host : hosts) {
    HostInput host_input;
    host_input.host = host.name;
    host_input.machine = host.machine;
    host_input.mapping = host.mapping;
    v1::TrialReport report;
    for (const RawStream& stream : streams) {
      const bool tcp = IsTcp(plan_case, stream.flow.entry());
      if (stream.flow.from_host() == host.name) {
        host_input.stream_ids.push_back(stream.flow.stream_id());
        host_input.stream_sides.push_back(v1::SIDE_SEND);
        *report.add_streams() = SenderReport(*this, stream, tcp);
      }
      if (stream.flow.to_host() == host.name) {
        host_input.stream_ids.push_back(stream.flow.stream_id());
        host_input.stream_sides.push_back(v1::SIDE_RECEIVE);
        *report.add_streams() = ReceiverReport(*this, stream, tcp);
      }
    }
    for (uint32_t k = 0; k <= intervals() && k < host.edges; ++k)
      *report.add_edges() = MakeEdge(*this, host, k, host_input);
    if (host.missing) {
      host_input.progress.assign(report.edges().begin(), report.edges().end());
      host_input.missing = "session lost: connection reset";
    } else {
      host_input.report = report;
    }
    input.hosts.push_back(std::move(host_input));
  }
  return input;
}

const v1::EntryResult& OnlyEntry(const v1::TrialResult& result) {
  static const v1::EntryResult& none = *new v1::EntryResult;
  EXPECT_EQ(result.entries_size(), 1);
  return result.entries_size() == 1 ? result.entries(0) : none;
}

HostInput& FindInput(TrialInput& input, const std::string& host) {
  return *std::find_if(input.hosts.begin(), input.hosts.end(),
                       [&](const HostInput& each) { return each.host == host; });
}

}  // namespace tutti::results
