#include "worker/session/load_convert.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/status/macros.h"

namespace tutti::session {
namespace {

constexpr uint32_t kMaxPort = 65535;
constexpr double kMaxDrift = 0.01;

absl::StatusOr<uint16_t> ToPort(uint32_t stream_id, uint32_t port) {
  if (port > kMaxPort) {
    return absl::InvalidArgumentError(
        absl::StrCat("stream ", stream_id, ": port ", port, " is above ", kMaxPort));
  }
  return static_cast<uint16_t>(port);
}

template <typename Field>
void Append(const std::vector<uint64_t>& values, Field* field) {
  field->Add(values.begin(), values.end());
}

v1::TcpInfo ToProto(const load::TcpInfo& info) {
  v1::TcpInfo proto;
  proto.set_bytes_acked(info.bytes_acked);
  proto.set_bytes_received(info.bytes_received);
  proto.set_bytes_sent(info.bytes_sent);
  proto.set_bytes_retrans(info.bytes_retrans);
  proto.set_total_retrans(info.total_retrans);
  proto.set_rtt_us(info.rtt_us);
  proto.set_rttvar_us(info.rttvar_us);
  proto.set_min_rtt_us(info.min_rtt_us);
  proto.set_snd_cwnd_segments(info.snd_cwnd_segments);
  proto.set_snd_mss_bytes(info.snd_mss_bytes);
  proto.set_pmtu_bytes(info.pmtu_bytes);
  proto.set_delivery_rate_bytes_per_s(info.delivery_rate_bytes_per_s);
  proto.set_busy_us(info.busy_us);
  proto.set_rwnd_limited_us(info.rwnd_limited_us);
  proto.set_sndbuf_limited_us(info.sndbuf_limited_us);
  return proto;
}

void AddOptions(const load::StreamReport& report, v1::StreamReport* proto) {
  for (const load::OptionOutcome& option : report.options) {
    v1::OptionOutcome* outcome = proto->add_options();
    outcome->set_name(option.name);
    outcome->set_asked(option.asked);
    outcome->set_got(option.got);
    outcome->set_applied(option.applied);
    outcome->set_forced(option.forced);
    outcome->set_note(option.note);
  }
}

void AddCohorts(const load::StreamReport& report, v1::StreamReport* proto) {
  for (const load::SentCohort& sent : report.sent_cohorts) {
    v1::SentCohort* cohort = proto->add_sent_cohorts();
    cohort->set_messages(sent.messages);
    cohort->set_bytes(sent.bytes);
  }
  for (const load::ReceivedCohort& received : report.received_cohorts) {
    v1::ReceivedCohort* cohort = proto->add_received_cohorts();
    cohort->set_in_order(received.in_order);
    cohort->set_reordered(received.reordered);
    cohort->set_late(received.late);
    cohort->set_duplicates(received.duplicates);
    cohort->set_bytes(received.bytes);
  }
}

v1::LatencyCounts ToProto(const LatencyHistogram& histogram) {
  v1::LatencyCounts proto;
  proto.set_first_bucket(static_cast<uint32_t>(histogram.first_bucket()));
  proto.mutable_counts()->Add(histogram.counts().begin(), histogram.counts().end());
  proto.set_min_ns(static_cast<uint64_t>(histogram.min_ns().value_or(0)));
  proto.set_max_ns(static_cast<uint64_t>(histogram.max_ns().value_or(0)));
  proto.set_sum_ns(histogram.sum_ns());
  return proto;
}

void SetTransactions(const load::StreamReport& report, v1::StreamReport* proto) {
  if (report.latency != nullptr) *proto->mutable_latency() = ToProto(*report.latency);
  if (report.corrected_latency != nullptr) {
    *proto->mutable_corrected_latency() = ToProto(*report.corrected_latency);
  }
  if (report.lost_transactions) proto->set_lost_transactions(*report.lost_transactions);
  if (report.stray_responses) proto->set_stray_responses(*report.stray_responses);
}

void SetInstants(const load::StreamReport& report, v1::StreamReport* proto) {
  if (report.first_send_before_trial_ns)
    proto->set_first_send_before_trial_ns(*report.first_send_before_trial_ns);
  if (report.first_send_after_trial_ns)
    proto->set_first_send_after_trial_ns(*report.first_send_after_trial_ns);
  if (report.running_before_trial_ns) proto->set_running_before_trial_ns(*report.running_before_trial_ns);
  if (report.running_trial_ns) proto->set_running_trial_ns(*report.running_trial_ns);
  if (report.last_send_trial_ns) proto->set_last_send_trial_ns(*report.last_send_trial_ns);
  if (report.first_receive_trial_ns) proto->set_first_receive_trial_ns(*report.first_receive_trial_ns);
  if (report.last_receive_trial_ns) proto->set_last_receive_trial_ns(*report.last_receive_trial_ns);
  if (report.completed_trial_ns) proto->set_completed_trial_ns(*report.completed_trial_ns);
}

void SetLimits(const v1::StreamEnd& end, load::StreamConfig* config) {
  if (end.has_read_size_bytes()) config->read_size_bytes = end.read_size_bytes();
  if (end.has_socket_buffer_bytes()) config->socket_buffer_bytes = end.socket_buffer_bytes();
  if (end.has_nodelay()) config->nodelay = end.nodelay();
  if (end.has_mss_bytes()) config->mss_bytes = end.mss_bytes();
  if (end.has_dscp()) config->dscp = end.dscp();
  if (end.has_rate_bps()) config->rate_bps = end.rate_bps();
}

load::SendWay ToSendWay(v1::SendWay way) {
  switch (way) {
    case v1::SEND_WAY_SENDMMSG:
      return load::SendWay::kSendmmsg;
    case v1::SEND_WAY_GSO:
      return load::SendWay::kGso;
    case v1::SEND_WAY_SENDFILE:
      return load::SendWay::kSendfile;
    case v1::SEND_WAY_ZEROCOPY:
      return load::SendWay::kZerocopy;
    default:
      return load::SendWay::kWrite;
  }
}

load::ReceiveWay ToReceiveWay(v1::ReceiveWay way) {
  switch (way) {
    case v1::RECEIVE_WAY_RECVMMSG:
      return load::ReceiveWay::kRecvmmsg;
    case v1::RECEIVE_WAY_GRO:
      return load::ReceiveWay::kGro;
    default:
      return load::ReceiveWay::kRead;
  }
}

v1::SendWay ToProto(load::SendWay way) {
  switch (way) {
    case load::SendWay::kSendmmsg:
      return v1::SEND_WAY_SENDMMSG;
    case load::SendWay::kGso:
      return v1::SEND_WAY_GSO;
    case load::SendWay::kSendfile:
      return v1::SEND_WAY_SENDFILE;
    case load::SendWay::kZerocopy:
      return v1::SEND_WAY_ZEROCOPY;
    case load::SendWay::kWrite:
      break;
  }
  return v1::SEND_WAY_WRITE;
}

v1::ReceiveWay ToProto(load::ReceiveWay way) {
  switch (way) {
    case load::ReceiveWay::kRecvmmsg:
      return v1::RECEIVE_WAY_RECVMMSG;
    case load::ReceiveWay::kGro:
      return v1::RECEIVE_WAY_GRO;
    case load::ReceiveWay::kRead:
      break;
  }
  return v1::RECEIVE_WAY_READ;
}

void AddWays(const load::StreamReport& report, v1::StreamReport* proto) {
  v1::Ways& ways = *proto->mutable_ways();
  ways.set_send(ToProto(report.ways.send));
  ways.set_receive(ToProto(report.ways.receive));
  ways.set_batch(report.ways.batch);
  ways.set_discard(report.ways.discard);
  ways.set_receive_wait(report.ways.receive_wait == load::ReceiveWait::kPoll ? v1::RECEIVE_WAIT_POLL
                                                                             : v1::RECEIVE_WAIT_BLOCK);
  proto->set_calls(report.calls);
  if (report.zerocopy_completions) proto->set_zerocopy_completions(*report.zerocopy_completions);
  if (report.zerocopy_copied) proto->set_zerocopy_copied(*report.zerocopy_copied);
}

// The bits of the header.
uint32_t EcnField(v1::Ecn ecn) { return ecn == v1::ECN_NOT_ECT ? 0 : static_cast<uint32_t>(ecn); }

void SetWays(const v1::StreamEnd& end, load::StreamConfig* config) {
  config->ways = {ToSendWay(end.ways().send()), ToReceiveWay(end.ways().receive()),
                  std::max<uint32_t>(1, end.ways().batch()), end.ways().discard(),
                  end.ways().receive_wait() == v1::RECEIVE_WAIT_POLL ? load::ReceiveWait::kPoll
                                                                     : load::ReceiveWait::kBlock};
  config->threads =
      end.threads() == v1::THREADS_PER_CPU ? load::ThreadChoice::kPerCpu : load::ThreadChoice::kPerStream;
  if (end.marks().has_priority()) config->marks.priority = end.marks().priority();
  if (end.marks().has_mark()) config->marks.mark = end.marks().mark();
  if (end.marks().has_ecn()) config->marks.ecn = EcnField(end.marks().ecn());
}

void SetPacing(const v1::Pacing& pacing, load::StreamConfig* config) {
  config->pacing = {pacing.keeper() == v1::Pacing::KEEPER_KERNEL ? load::PaceKeeper::kKernel
                    : pacing.spin()                              ? load::PaceKeeper::kSpin
                                                                 : load::PaceKeeper::kSleep,
                    pacing.catch_up_ns(), std::max<uint32_t>(1, pacing.burst())};
}

void SetExchange(const v1::RequestResponse& asked, load::StreamConfig* config) {
  load::RequestResponse& exchange = config->request_response;
  exchange.exchange = asked.exchange() == v1::EXCHANGE_CONNECT_REQUEST_RESPONSE
                          ? load::Exchange::kConnectRequestResponse
                      : asked.exchange() == v1::EXCHANGE_REQUEST_RESPONSE ? load::Exchange::kRequestResponse
                                                                          : load::Exchange::kNone;
  exchange.request_bytes = asked.request_bytes();
  exchange.response_bytes = asked.response_bytes();
  exchange.outstanding = std::max<uint32_t>(1, asked.outstanding());
}

}  // namespace

absl::StatusOr<load::StreamConfig> ToStreamConfig(const v1::StreamEnd& end, std::optional<uint32_t> cpu) {
  const auto invalid = [&](const char* what) {
    return absl::InvalidArgumentError(absl::StrCat("stream ", end.stream_id(), ": ", what));
  };
  if (end.side() != v1::SIDE_SEND && end.side() != v1::SIDE_RECEIVE) return invalid("the side is not set");
  if (end.protocol() != v1::PROTOCOL_TCP && end.protocol() != v1::PROTOCOL_UDP) {
    return invalid("the protocol is not set");
  }
  if (end.message_size_bytes() == 0) return invalid("the message size is 0");
  if (end.local_address().empty() || end.peer_address().empty()) return invalid("an address is missing");
  load::StreamConfig config;
  config.stream_id = end.stream_id();
  config.side = end.side() == v1::SIDE_SEND ? load::Side::kSend : load::Side::kReceive;
  config.protocol = end.protocol() == v1::PROTOCOL_TCP ? load::Protocol::kTcp : load::Protocol::kUdp;
  config.message_size_bytes = end.message_size_bytes();
  config.nonce = end.nonce();
  config.local_address = end.local_address();
  config.peer_address = end.peer_address();
  config.device = end.device();
  config.cpu = cpu;
  config.with_rx = end.cpus().kind() == v1::CpuChoice::KIND_WITH_RX;
  config.congestion = end.congestion();
  config.best_effort = end.best_effort();
  SetLimits(end, &config);
  SetWays(end, &config);
  if (end.has_pacing()) SetPacing(end.pacing(), &config);
  if (end.has_request_response()) SetExchange(end.request_response(), &config);
  if (end.has_volume_bytes()) config.volume_bytes = end.volume_bytes();
  if (end.has_ports()) {
    TUTTI_ASSIGN_OR_RETURN(config.first_port, ToPort(end.stream_id(), end.ports().first()));
    TUTTI_ASSIGN_OR_RETURN(config.last_port, ToPort(end.stream_id(), end.ports().last()));
    if (config.last_port < config.first_port) return invalid("the port range ends before it begins");
  }
  return config;
}

absl::StatusOr<load::TrialTiming> ToTrialTiming(const v1::Timing& timing) {
  const bool plausible = IsPlausibleNs(timing.warmup_ns()) && IsPlausibleNs(timing.measure_ns()) &&
                         IsPlausibleNs(timing.cooldown_ns()) && IsPlausibleNs(timing.interval_ns());
  if (!plausible || timing.warmup_ns() < 0 || timing.measure_ns() <= 0 || timing.cooldown_ns() < 0 ||
      timing.interval_ns() <= 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("timing: warmup ", timing.warmup_ns(), " ns, measure ", timing.measure_ns(),
                     " ns, cooldown ", timing.cooldown_ns(), " ns, interval ", timing.interval_ns(),
                     " ns: measure and interval must be positive, the others not negative, and none "
                     "longer than 36 years"));
  }
  return load::TrialTiming{timing.warmup_ns(), timing.measure_ns(), timing.cooldown_ns(),
                           timing.interval_ns()};
}

absl::StatusOr<ClockMapping> ToClockMapping(const v1::ClockMappingProto& mapping) {
  const bool plausible = IsPlausibleNs(mapping.reference_host_ns()) &&
                         IsPlausibleNs(mapping.reference_timeline_ns()) && IsPlausibleNs(mapping.bound_ns());
  // Written so that a NaN fails too.
  if (!plausible || !(std::abs(mapping.drift()) < kMaxDrift) ||
      !(mapping.drift_bound() >= 0 && mapping.drift_bound() < kMaxDrift) || mapping.bound_ns() < 0) {
    return absl::InvalidArgumentError(absl::StrCat("clock mapping: drift ", mapping.drift(), ", drift bound ",
                                                   mapping.drift_bound(), ", bound ", mapping.bound_ns(),
                                                   " ns are not those of a clock"));
  }
  return ClockMapping(HostTime{mapping.reference_host_ns()}, TimelineTime{mapping.reference_timeline_ns()},
                      mapping.drift(), mapping.bound_ns(), mapping.drift_bound());
}

absl::StatusOr<std::vector<load::BoundPort>> ToBoundPorts(const v1::Connect& connect) {
  std::vector<load::BoundPort> ports;
  for (const v1::ConnectTarget& target : connect.targets()) {
    TUTTI_ASSIGN_OR_RETURN(const uint16_t port, ToPort(target.stream_id(), target.port()));
    ports.push_back({target.stream_id(), port});
  }
  return ports;
}

std::vector<load::SenderFinal> ToSenderFinals(const v1::Drain& drain) {
  std::vector<load::SenderFinal> finals;
  for (const v1::SenderFinal& each : drain.finals()) {
    finals.push_back({each.stream_id(), each.messages(), each.bytes()});
  }
  return finals;
}

v1::EdgeSample ToProto(const load::Edge& edge) {
  v1::EdgeSample proto;
  proto.set_index(edge.index);
  proto.set_due_trial_ns(edge.due_trial_ns);
  proto.set_begin_trial_ns(edge.begin_trial_ns);
  proto.set_end_trial_ns(edge.end_trial_ns);
  Append(edge.bytes, proto.mutable_bytes());
  Append(edge.messages, proto.mutable_messages());
  Append(edge.thread_cpu_ns, proto.mutable_thread_cpu_ns());
  Append(edge.retransmits, proto.mutable_retransmits());
  Append(edge.kernel_bytes, proto.mutable_kernel_bytes());
  Append(edge.rtt_us, proto.mutable_rtt_us());
  Append(edge.cwnd_segments, proto.mutable_cwnd_segments());
  Append(edge.queued_bytes, proto.mutable_queued_bytes());
  Append(edge.delivery_rate_bytes_per_s, proto.mutable_delivery_rate_bytes_per_s());
  Append(edge.busy_us, proto.mutable_busy_us());
  Append(edge.rwnd_limited_us, proto.mutable_rwnd_limited_us());
  Append(edge.sndbuf_limited_us, proto.mutable_sndbuf_limited_us());
  Append(edge.socket_drops, proto.mutable_socket_drops());
  return proto;
}

v1::StreamReport ToProto(const load::StreamReport& report) {
  v1::StreamReport proto;
  proto.set_stream_id(report.stream_id);
  proto.set_side(report.side == load::Side::kSend ? v1::SIDE_SEND : v1::SIDE_RECEIVE);
  proto.set_total_bytes(report.total_bytes);
  proto.set_total_messages(report.total_messages);
  SetInstants(report, &proto);
  SetTransactions(report, &proto);
  AddCohorts(report, &proto);
  AddOptions(report, &proto);
  proto.set_foreign(report.foreign);
  if (report.jitter_ns) proto.set_jitter_ns(*report.jitter_ns);
  if (report.socket_drops) proto.set_socket_drops(*report.socket_drops);
  if (report.socket_drops_window) proto.set_socket_drops_window(*report.socket_drops_window);
  proto.set_failed_sends(report.failed_sends);
  if (report.worst_behind_ns) proto.set_worst_behind_ns(*report.worst_behind_ns);
  proto.set_local_endpoint(report.local_endpoint);
  proto.set_peer_endpoint(report.peer_endpoint);
  if (report.path_mtu_bytes) proto.set_path_mtu_bytes(*report.path_mtu_bytes);
  if (report.cpu) proto.set_cpu(*report.cpu);
  if (report.rx_cpu) proto.set_rx_cpu(*report.rx_cpu);
  if (report.tcp) *proto.mutable_tcp() = ToProto(*report.tcp);
  for (const std::string& warning : report.warnings) proto.add_warnings(warning);
  if (!report.error.empty()) {
    proto.mutable_error()->set_errno_value(report.error_errno);
    proto.mutable_error()->set_message(report.error);
  }
  proto.set_read_size_bytes(report.read_size_bytes);
  proto.set_drained(report.drained);
  proto.set_max_send_call_bytes(report.max_send_call_bytes);
  AddWays(report, &proto);
  return proto;
}

v1::SenderFinal ToProto(const load::SenderFinal& final_count) {
  v1::SenderFinal proto;
  proto.set_stream_id(final_count.stream_id);
  proto.set_messages(final_count.messages);
  proto.set_bytes(final_count.bytes);
  return proto;
}

v1::BoundPort ToProto(const load::BoundPort& port) {
  v1::BoundPort proto;
  proto.set_stream_id(port.stream_id);
  proto.set_port(port.port);
  return proto;
}

}  // namespace tutti::session
