#include "tests/unit/coordinator/report/sample_result.h"

#include <string>

#include "tests/nanoseconds.h"

namespace tutti::report {
namespace {

namespace v1 = tutti::v1;

void Set(v1::Spread& spread, double median, double min, double max, uint32_t trials) {
  spread.set_median(median);
  spread.set_min(min);
  spread.set_max(max);
  spread.set_trials(trials);
}

void AddHost(v1::Result& result, const std::string& name, const std::string& machine) {
  v1::Host& host = *result.add_hosts();
  host.set_name(name);
  host.set_machine(machine);
  host.mutable_facts()->set_kernel_release("6.1.0-18-amd64");
  host.mutable_facts()->set_cpu_model("Example CPU");
  for (uint32_t cpu = 0; cpu < 4; ++cpu) host.mutable_facts()->add_online_cpus(cpu);
  (*host.mutable_labels())["rack"] = "r1";
  v1::Machine& of = *result.add_machines();
  of.set_id(machine);
  of.add_hosts(name);
  of.set_online_cpus(4);
}

v1::Case& AddPlanCase(v1::Result& result, v1::Protocol protocol, const std::string& streams,
                      const std::string& buffer) {
  v1::Case& plan_case = *result.mutable_plan()->add_cases();
  plan_case.set_index(static_cast<uint32_t>(result.plan().cases_size() - 1));
  plan_case.set_repeat(3);
  v1::AxisValue& first = *plan_case.add_values();
  first.set_axis("streams");
  first.set_value(streams);
  v1::AxisValue& second = *plan_case.add_values();
  second.set_axis("socket_buffer");
  second.set_value(buffer);
  v1::TrafficEntry& traffic = *plan_case.add_traffic();
  traffic.set_name("bulk");
  traffic.set_protocol(protocol);
  traffic.set_message_size_bytes(protocol == v1::PROTOCOL_UDP ? 1472 : 65536);
  return plan_case;
}

v1::Row& AddRow(v1::CaseResult& each, v1::Protocol protocol, uint32_t streams) {
  v1::Row& row = *each.add_rows();
  row.set_entry("bulk");
  row.set_protocol(protocol);
  row.set_streams(streams);
  return row;
}

void SetCpu(v1::CpuSummary& cpu, double cores, double ratio, double demand) {
  Set(*cpu.mutable_cores_busy(), cores, cores, cores, 3);
  Set(*cpu.mutable_busy_ratio(), ratio, ratio, ratio, 3);
  if (demand > 0) Set(*cpu.mutable_service_demand_us_per_kb(), demand, demand, demand, 3);
  cpu.set_cpus(4);
}

void AddMachine(v1::TrialResult& trial) {
  v1::MachineResult& machine = *trial.add_machines();
  machine.set_machine("m1");
  machine.set_reader("a");
  machine.set_elapsed_ns(1000 * kMs);
  machine.set_cpus(4);
  machine.set_cores_busy(1.5);
  machine.set_busy_ratio(0.375);
  machine.set_resolution_ns(40 * kMs);
  machine.set_background_cores(0.02);
  machine.mutable_shares()->set_user(0.25);
  machine.mutable_shares()->set_system(0.5);
  machine.mutable_shares()->set_softirq(0.25);
  for (uint32_t id = 0; id < 4; ++id) {
    v1::CpuResult& cpu = *machine.add_per_cpu();
    cpu.set_cpu(id);
    cpu.set_busy_ratio(id == 0 ? 1 : id == 1 ? 0.5 : 0);
    *cpu.mutable_shares() = machine.shares();
  }
}

void AddTimeline(v1::TrialResult& trial) {
  for (uint32_t k = 0; k < 2; ++k) {
    v1::TimelineInterval& interval = *trial.add_timeline();
    interval.set_index(k);
    interval.set_begin_trial_ns((1000 + 500 * k) * kMs);
    interval.set_end_trial_ns((1500 + 500 * k) * kMs);
    v1::HostInterval& sender = *interval.add_hosts();
    sender.set_host("a");
    sender.set_begin_trial_ns(interval.begin_trial_ns());
    sender.set_end_trial_ns(interval.end_trial_ns());
    sender.set_sent_bytes(62'500'000);  // 1 Gbps over 500 ms
    sender.set_cores_busy(1.5);
    if (k == 1) continue;  // b's last reading is missing
    v1::HostInterval& receiver = *interval.add_hosts();
    receiver.set_host("b");
    receiver.set_begin_trial_ns(interval.begin_trial_ns());
    receiver.set_end_trial_ns(interval.end_trial_ns());
    receiver.set_received_bytes(31'250'000);  // 500 Mbps
    receiver.set_cores_busy(2);
  }
}

void AddStream(v1::TrialResult& trial) {
  v1::StreamResult& stream = *trial.add_streams();
  v1::Flow& flow = *stream.mutable_flow();
  flow.set_entry("bulk");
  flow.set_from_host("a");
  flow.set_to_host("b");
  stream.set_sent_bytes(125'000'000);
  stream.set_sent_bps(1e9);
  stream.mutable_loss()->set_note("host b did not report the stream");
  stream.set_stalled_intervals(0);
  v1::StreamReport& sender = *stream.mutable_sender();
  sender.set_side(v1::SIDE_SEND);
  sender.set_local_endpoint("10.0.0.1:40000");
  sender.set_egress_device("eth0");
  sender.set_path_mtu_bytes(1500);
  sender.set_cpu(2);
  v1::OptionOutcome& option = *sender.add_options();
  option.set_name("SO_SNDBUF");
  option.set_asked("1048576B");
  option.set_got("1048576B");
  option.set_applied(true);
  option.set_forced(true);
}

// The 2.6.21 row of 4 streams: 4197.4 sent, 3776.3 received.
void AddGoodUdp(v1::Result& result) {
  const v1::Case& plan_case = AddPlanCase(result, v1::PROTOCOL_UDP, "4", "default");
  v1::CaseResult& each = *result.add_cases();
  *each.mutable_values() = plan_case.values();
  each.set_status(v1::CASE_STATUS_GOOD);
  each.set_good_trials(3);
  each.set_wanted_trials(3);
  v1::Row& row = AddRow(each, v1::PROTOCOL_UDP, 4);
  Set(*row.mutable_sent_bps(), 4197.4e6, 4155.4e6, 4218.4e6, 3);    // most: 42.0 below, 1.0%
  Set(*row.mutable_received_bps(), 3776.3e6, 3700.8e6, 3800e6, 3);  // 75.5 below, 2.0%
  Set(*row.mutable_lost_ratio(), 0.1003, 0.09, 0.11, 3);
  Set(*row.mutable_running_skew_ns(), 12.5e6, 10e6, 15e6, 3);
  Set(*row.mutable_elapsed_s(), 10.05, 10.05, 10.05, 3);
  SetCpu(*row.mutable_sender_cpu(), 3.12, 0.78, 5.946);
  SetCpu(*row.mutable_receiver_cpu(), 2.04, 0.51, 4.321);
}

void AddGoodTcp(v1::Result& result) {
  const v1::Case& plan_case = AddPlanCase(result, v1::PROTOCOL_TCP, "1", "default");
  v1::CaseResult& each = *result.add_cases();
  each.set_index(1);
  *each.mutable_values() = plan_case.values();
  each.set_status(v1::CASE_STATUS_GOOD);
  each.set_good_trials(3);
  each.set_wanted_trials(3);
  v1::Row& row = AddRow(each, v1::PROTOCOL_TCP, 1);
  Set(*row.mutable_sent_bps(), 949.03e6, 949.03e6, 949.03e6, 3);
  Set(*row.mutable_received_bps(), 949.03e6, 949.03e6, 949.03e6, 3);
  Set(*row.mutable_retransmits(), 17, 3, 40, 3);
  Set(*row.mutable_elapsed_s(), 10.05, 10.05, 10.05, 3);
  row.set_loss_note("TCP: lost segments are sent again, see retransmits");
  SetCpu(*row.mutable_sender_cpu(), 1.5, 0.375, 0);
  SetCpu(*row.mutable_receiver_cpu(), 1.5, 0.375, 0);
  row.mutable_sender_cpu()->set_service_demand_note("senders and receivers share a machine: see both ends");
  SetCpu(*row.mutable_both_ends(), 1.5, 0.375, 12.948);
  v1::TrialResult& trial = *each.add_trials();
  trial.set_repetition(1);
  trial.set_status(v1::TRIAL_STATUS_GOOD);
  v1::StreamResult& stream = *trial.add_streams();
  stream.mutable_flow()->set_entry("bulk");
  v1::OptionOutcome& sent = *stream.mutable_sender()->add_options();
  sent.set_name("SO_SNDBUF");
  sent.set_got("65536B");
  sent.set_applied(true);
  v1::OptionOutcome& received = *stream.mutable_receiver()->add_options();
  received.set_name("SO_RCVBUF");
  received.set_got("87380B");
  received.set_applied(true);
}

void AddPartialUdp(v1::Result& result) {
  const v1::Case& plan_case = AddPlanCase(result, v1::PROTOCOL_UDP, "8", "1MiB");
  v1::CaseResult& each = *result.add_cases();
  each.set_index(2);
  *each.mutable_values() = plan_case.values();
  each.set_status(v1::CASE_STATUS_PARTIAL);
  each.set_wanted_trials(3);
  each.add_reasons("trial 1 is partial: host b: its report is missing: session lost");
  AddRow(each, v1::PROTOCOL_UDP, 8);
  v1::TrialResult& trial = *each.add_trials();
  trial.set_repetition(1);
  trial.set_trial_id(18'446'744'073'709'551'615u);
  trial.set_status(v1::TRIAL_STATUS_PARTIAL);
  trial.add_reasons("host b: its report is missing: session lost");
  trial.add_warnings("host a: 1 of 3 readings are missing");
  v1::EntryResult& entry = *trial.add_entries();
  entry.set_entry("bulk");
  entry.set_protocol(v1::PROTOCOL_UDP);
  entry.set_streams(8);
  entry.mutable_sent_bytes()->set_known(125'000'000);
  entry.mutable_sent_bytes()->set_parts_known(1);
  entry.mutable_sent_bytes()->set_parts(8);
  AddMachine(trial);
  v1::HostResult& a = *trial.add_hosts();
  a.set_host("a");
  a.set_machine("m1");
  a.set_sent_bps(1e9);
  a.set_load_thread_cores(1.25);
  a.set_sampler_worst_lateness_ns(31'000);
  a.mutable_clock()->set_offset_ns(-1500);
  a.mutable_clock()->set_bound_before_ns(12'300);
  v1::HostResult& b = *trial.add_hosts();
  b.set_host("b");
  b.set_machine("m2");
  b.set_missing("session lost");
  AddStream(trial);
  AddTimeline(trial);
}

}  // namespace

v1::Result SampleResult() {
  v1::Result result;
  result.set_schema_version(1);
  result.set_run_id("run-7");
  result.set_status(v1::RUN_STATUS_PARTIAL);
  result.set_exit_code(7);
  result.add_reasons(
      "case 3 (streams=8 socket_buffer=1MiB): trial 1 is partial: host b: its report is missing");
  result.set_started_unix_ns(1'700'000'000'123'456'789);
  result.set_expected_duration_ns(90'000 * kMs);
  result.set_lab(true);
  result.mutable_plan()->set_name("stream-test");
  result.mutable_plan()->set_source_name("plans/stream-test.yaml");
  result.mutable_plan()->set_source("name: \"stream-test\"\n# \xC3\xBC\n");
  AddHost(result, "a", "m1");
  AddHost(result, "b", "m2");
  v1::Pair& pair = *result.add_pairs();
  pair.set_entry("bulk");
  pair.set_from_host("a");
  pair.set_to_host("b");
  pair.set_from_address("10.0.0.1");
  pair.set_to_address("10.0.0.2");
  pair.set_from_device("eth0");
  pair.set_to_device("veth1");
  pair.set_from_speed_bps(10'000'000'000);
  AddGoodUdp(result);
  AddGoodTcp(result);
  AddPartialUdp(result);
  return result;
}

}  // namespace tutti::report
