// What two workers report of a trial, merged and judged. Each step is put into a report that would be right:
// merged into one of its parts, or in its place.
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "coordinator/results/merge.h"
#include "coordinator/results/plausible_report.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/quiet.h"
#include "tests/fuzz/steps.h"

namespace {

namespace v1 = tutti::v1;

using tutti::fuzz::Require;
using tutti::fuzz::Step;
using tutti::results::HostInput;
using tutti::results::TrialInput;

constexpr size_t kMostSteps = 64;
constexpr int64_t kMs = 1'000'000;
constexpr uint32_t kIntervals = 4;
constexpr uint64_t kMessageBytes = 1000;
constexpr uint64_t kMessagesEach = 250;  // in an interval of 250 ms
// What a step is, modulo kKinds.
enum Kind : uint8_t { kReport, kStream, kEdge, kCpu, kTrial, kKinds };
// Of a step's detail: which host, whether its bytes replace what was there, and which edge.
constexpr uint8_t kOfB = 1;
constexpr uint8_t kInstead = 2;

v1::Protocol ProtocolOf(bool tcp) { return tcp ? v1::PROTOCOL_TCP : v1::PROTOCOL_UDP; }

void AddCohorts(bool sends, v1::StreamReport& stream) {
  for (uint32_t i = 0; i < kIntervals + 2; ++i) {
    const uint64_t messages = i == 0 ? 4 * kMessagesEach : i <= kIntervals ? kMessagesEach : 0;
    if (sends) {
      v1::SentCohort& cohort = *stream.add_sent_cohorts();
      cohort.set_messages(messages);
      cohort.set_bytes(messages * kMessageBytes);
    } else {
      v1::ReceivedCohort& cohort = *stream.add_received_cohorts();
      cohort.set_in_order(messages);
      cohort.set_bytes(messages * kMessageBytes);
    }
  }
}

// A message a millisecond from 0 to 2 s, of which the second one is the window.
v1::TrialReport HonestReport(bool sends, bool tcp) {
  v1::TrialReport report;
  v1::StreamReport& stream = *report.add_streams();
  stream.set_side(sends ? v1::SIDE_SEND : v1::SIDE_RECEIVE);
  stream.set_total_messages(8 * kMessagesEach);
  stream.set_total_bytes(8 * kMessagesEach * kMessageBytes);
  stream.set_max_send_call_bytes(kMessageBytes);
  stream.set_drained(!sends);
  if (sends) {
    stream.set_first_send_before_trial_ns(0);
    stream.set_first_send_after_trial_ns(0);
    stream.set_running_before_trial_ns(100 * kMs);
    stream.set_running_trial_ns(100 * kMs);
    stream.set_last_send_trial_ns(2000 * kMs);
  }
  if (!tcp) AddCohorts(sends, stream);
  for (uint32_t k = 0; k <= kIntervals; ++k) {
    v1::EdgeSample& edge = *report.add_edges();
    const int64_t at_ns = (1000 + 250 * int64_t{k}) * kMs;
    edge.set_index(k);
    edge.set_begin_trial_ns(at_ns);
    edge.set_end_trial_ns(at_ns);
    edge.add_bytes((4 + k) * kMessagesEach * kMessageBytes);
    edge.add_messages((4 + k) * kMessagesEach);
    edge.add_retransmits(0);
    edge.add_kernel_bytes(edge.bytes(0));
    edge.add_queued_bytes(0);
    edge.mutable_cpu()->set_host_ns(at_ns);
    v1::CpuTimes& cpu = *edge.mutable_cpu()->add_cpus();
    cpu.set_idle_ns(static_cast<uint64_t>(at_ns / 2));
    cpu.set_system_ns(static_cast<uint64_t>(at_ns / 2));
  }
  return report;
}

TrialInput HonestTrial(bool tcp) {
  TrialInput input;
  v1::TrafficEntry& entry = *input.plan_case.add_traffic();
  entry.set_name("bulk");
  entry.set_from("sender");
  entry.set_to("receiver");
  entry.set_protocol(ProtocolOf(tcp));
  entry.set_message_size_bytes(kMessageBytes);
  input.plan_case.mutable_timing()->set_warmup_ns(1000 * kMs);
  input.plan_case.mutable_timing()->set_measure_ns(1000 * kMs);
  input.plan_case.mutable_timing()->set_interval_ns(250 * kMs);
  input.plan_case.set_repeat(1);
  input.roles = {{"sender", {"a"}}, {"receiver", {"b"}}};
  input.t0 = {5000 * kMs};
  v1::Flow& flow = input.flows.emplace_back();
  flow.set_entry("bulk");
  flow.set_from_host("a");
  flow.set_to_host("b");
  for (const bool sends : {true, false}) {
    HostInput& host = input.hosts.emplace_back();
    host.host = sends ? "a" : "b";
    host.machine = sends ? "m1" : "m2";
    host.stream_ids = {0};
    host.stream_sides = {sends ? v1::SIDE_SEND : v1::SIDE_RECEIVE};
    host.report = HonestReport(sends, tcp);
  }
  return input;
}

void Put(const Step& step, google::protobuf::Message& part) {
  if ((step.detail & kInstead) != 0) part.Clear();
  part.MergeFromString(step.bytes);
}

void Take(const Step& step, TrialInput& input) {
  v1::TrialReport& report = *input.hosts[(step.detail & kOfB) != 0 ? 1 : 0].report;
  const int edge = (step.detail / 4) % static_cast<int>(kIntervals + 1);
  switch (step.kind % kKinds) {
    case kReport:
      return Put(step, report);
    case kStream:
      if (report.streams_size() > 0) Put(step, *report.mutable_streams(0));
      return;
    case kEdge:
      if (report.edges_size() > edge) Put(step, *report.mutable_edges(edge));
      return;
    case kCpu:
      if (report.edges_size() > edge) Put(step, *report.mutable_edges(edge)->mutable_cpu());
      return;
    default:
      input.cancelled = (step.detail & kInstead) != 0;
      if (!input.cancelled) input.failure = "MEASURE on host b: it was lost";
  }
}

// As run/trial_machine does.
void LeaveOutUnusable(TrialInput& input) {
  const tutti::results::ReportBounds bounds{
      .intervals = kIntervals, .hosts = input.hosts.size(), .largest_datagram_bytes = kMessageBytes};
  for (HostInput& host : input.hosts) {
    std::string why = tutti::results::WhyUnusable(*host.report, bounds);
    if (why.empty() && host.report->streams_size() != 1) why = "has not one stream";
    if (why.empty()) continue;
    host.report.reset();
    host.missing = "its report " + why;
  }
}

template <typename Intervals>
void RequireSum(const v1::Total& total, const Intervals& intervals) {
  if (!total.has_value() || intervals.empty()) return;
  uint64_t sum = 0;
  for (const uint64_t each : intervals) {
    Require(!__builtin_add_overflow(sum, each, &sum), "the intervals can be added");
  }
  Require(sum == total.value(), "the intervals add up to the total");
}

void RequireFigure(bool has, double figure, const char* what) {
  if (has) Require(std::isfinite(figure) && figure >= 0, what);
}

void CheckEntry(const v1::EntryResult& entry) {
  RequireSum(entry.sent_bytes(), entry.sent_bytes_intervals());
  RequireSum(entry.received_bytes(), entry.received_bytes_intervals());
  RequireFigure(entry.has_sent_bps(), entry.sent_bps(), "a rate is a number, and not below 0");
  RequireFigure(entry.has_received_bps(), entry.received_bps(), "a rate is a number, and not below 0");
  RequireFigure(entry.sender_cpu().has_cores_busy(), entry.sender_cpu().cores_busy(),
                "nobody is busy below 0");
  const v1::LossCounts& loss = entry.loss();
  if (!loss.has_sent()) return;
  Require(loss.in_order() + loss.reordered() + loss.late() + loss.lost() == loss.sent(),
          "what was sent arrived in one way or was lost");
  if (!entry.has_in_flight_bytes()) return;
  const auto received = static_cast<int64_t>(entry.received_bytes().value() + loss.lost() * kMessageBytes);
  Require(entry.in_flight_bytes() + received == static_cast<int64_t>(entry.sent_bytes().value()),
          "what is in flight closes the sum");
}

}  // namespace

std::vector<std::string> tutti::fuzz::Seeds() {
  std::vector<std::string> seeds = {InputOf({{kReport, 0, ""}})};
  for (const uint64_t count : {uint64_t{1} << 61, uint64_t{1} << 62, uint64_t{1} << 63, UINT64_MAX}) {
    v1::StreamReport stream;
    stream.set_total_bytes(count);
    stream.set_max_send_call_bytes(count);
    stream.mutable_latency()->set_max_ns(count);
    v1::StreamReport cohorts;
    cohorts.set_side(v1::SIDE_RECEIVE);
    for (uint32_t i = 0; i < kIntervals + 2; ++i) cohorts.add_received_cohorts()->set_late(count / 1000);
    v1::EdgeSample edge;
    edge.set_index(kIntervals);
    edge.set_begin_trial_ns(2000 * kMs);
    edge.set_end_trial_ns(2000 * kMs);
    edge.add_bytes(count);
    v1::CpuReading cpu;
    cpu.set_host_ns(2000 * kMs);
    cpu.add_cpus()->set_idle_ns(count);
    constexpr uint8_t kLastEdge = kIntervals * 4;
    seeds.push_back(InputOf({{kStream, 0, stream.SerializeAsString()},
                             {kStream, kOfB | kInstead, cohorts.SerializeAsString()},
                             {kEdge, kLastEdge | kInstead, edge.SerializeAsString()},
                             {kEdge, kLastEdge | kInstead | kOfB, edge.SerializeAsString()},
                             {kCpu, kLastEdge | kInstead, cpu.SerializeAsString()}}));
  }
  v1::StreamReport instants;
  instants.set_first_send_before_trial_ns(INT64_MIN);
  instants.set_last_send_trial_ns(INT64_MAX);
  seeds.push_back(InputOf({{kStream, 0, instants.SerializeAsString()}, {kTrial, 0, ""}}));
  return seeds;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tutti::fuzz::BeQuiet();
  for (const bool tcp : {false, true}) {
    TrialInput input = HonestTrial(tcp);
    for (const Step& step : tutti::fuzz::StepsOf(data, size, kMostSteps)) Take(step, input);
    LeaveOutUnusable(input);
    v1::TrialResult trial = tutti::results::MergeTrial(input);
    for (const v1::EntryResult& entry : trial.entries()) CheckEntry(entry);
    for (const v1::MachineResult& machine : trial.machines()) {
      RequireFigure(true, machine.cores_busy(), "nobody is busy below 0");
      Require(machine.cores_busy() <= machine.cpus(), "no more is busy than there is");
    }
    v1::Result result;
    std::vector<v1::TrialResult> trials;
    trials.push_back(std::move(trial));
    *result.add_cases() = tutti::results::SummarizeCase(input.plan_case, std::move(trials), input.cancelled);
    tutti::results::JudgeRun(result, input.cancelled);
    Require(result.status() != v1::RUN_STATUS_UNSPECIFIED, "a run is judged");
  }
  return 0;
}
