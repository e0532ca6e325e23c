#include "worker/session/load_convert.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>

namespace tutti::session {
namespace {

using ::google::protobuf::TextFormat;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <typename Message>
Message Parse(const std::string& text) {
  Message message;
  EXPECT_TRUE(TextFormat::ParseFromString(text, &message)) << text;
  return message;
}

v1::StreamEnd FullEnd() {
  return Parse<v1::StreamEnd>(R"(
    stream_id: 7 side: SIDE_RECEIVE protocol: PROTOCOL_TCP message_size_bytes: 1000 read_size_bytes: 2000
    nonce: 18446744073709551615 local_address: "10.0.0.1" peer_address: "10.0.0.2" device: "eth0"
    socket_buffer_bytes: 3000 nodelay: false congestion: "cubic" mss_bytes: 500 dscp: 46 rate_bps: 9000
    ports {first: 5000 last: 5010} best_effort: true)");
}

TEST(LoadConvertTest, CarriesEveryFieldOfAStream) {
  const auto config = ToStreamConfig(FullEnd(), 5);
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->stream_id, 7u);
  EXPECT_EQ(config->side, load::Side::kReceive);
  EXPECT_EQ(config->protocol, load::Protocol::kTcp);
  EXPECT_EQ(config->message_size_bytes, 1000u);
  EXPECT_EQ(config->read_size_bytes, 2000u);
  EXPECT_EQ(config->nonce, UINT64_MAX);
  EXPECT_EQ(config->local_address, "10.0.0.1");
  EXPECT_EQ(config->peer_address, "10.0.0.2");
  EXPECT_EQ(config->device, "eth0");
  EXPECT_EQ(config->socket_buffer_bytes, 3000u);
  EXPECT_EQ(config->cpu, 5u);
  EXPECT_EQ(config->nodelay, false);
  EXPECT_EQ(config->congestion, "cubic");
  EXPECT_EQ(config->mss_bytes, 500u);
  EXPECT_EQ(config->dscp, 46u);
  EXPECT_EQ(config->rate_bps, 9000u);
  EXPECT_EQ(config->first_port, 5000);
  EXPECT_EQ(config->last_port, 5010);
  EXPECT_TRUE(config->best_effort);
  EXPECT_FALSE(config->with_rx);
}

TEST(LoadConvertTest, AStreamThatFollowsItsPacketsIsNotPinnedBeforehand) {
  v1::StreamEnd end = FullEnd();
  end.mutable_cpus()->set_kind(v1::CpuChoice::KIND_WITH_RX);
  const auto config = ToStreamConfig(end, std::nullopt);
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_TRUE(config->with_rx);
  EXPECT_FALSE(config->cpu.has_value());
}

// RFC 3168, section 5.
TEST(LoadConvertTest, TheEcnFieldHasTheBitsOfTheHeader) {
  v1::StreamEnd end = FullEnd();
  EXPECT_FALSE(ToStreamConfig(end, 5)->marks.ecn.has_value());
  for (const auto& [ecn, bits] : {std::pair(v1::ECN_NOT_ECT, 0b00u), std::pair(v1::ECN_ECT1, 0b01u),
                                  std::pair(v1::ECN_ECT0, 0b10u), std::pair(v1::ECN_CE, 0b11u)}) {
    end.mutable_marks()->set_ecn(ecn);
    EXPECT_EQ(ToStreamConfig(end, 5)->marks.ecn, bits) << v1::Ecn_Name(ecn);
  }
}

TEST(LoadConvertTest, LeavesUnsetWhatIsNotSaid) {
  const auto config = ToStreamConfig(Parse<v1::StreamEnd>(R"(
    stream_id: 1 side: SIDE_SEND protocol: PROTOCOL_UDP message_size_bytes: 64
    local_address: "::1" peer_address: "::1")"),
                                     std::nullopt);
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_FALSE(config->read_size_bytes || config->socket_buffer_bytes || config->cpu || config->nodelay ||
               config->mss_bytes || config->dscp || config->rate_bps);
  EXPECT_EQ(config->first_port, 0);
}

TEST(LoadConvertTest, RefusesStreamsThatCannotBe) {
  const auto refuses = [](auto change) {
    v1::StreamEnd end = FullEnd();
    change(end);
    const auto config = ToStreamConfig(end, std::nullopt);
    return config.status().code() == absl::StatusCode::kInvalidArgument &&
           std::string(config.status().message()).find("stream 7") == 0;
  };
  EXPECT_TRUE(refuses([](v1::StreamEnd& end) { end.clear_side(); }));
  EXPECT_TRUE(refuses([](v1::StreamEnd& end) { end.clear_protocol(); }));
  EXPECT_TRUE(refuses([](v1::StreamEnd& end) { end.clear_message_size_bytes(); }));
  EXPECT_TRUE(refuses([](v1::StreamEnd& end) { end.clear_peer_address(); }));
  EXPECT_TRUE(refuses([](v1::StreamEnd& end) { end.mutable_ports()->set_last(65536); }));
  EXPECT_TRUE(refuses([](v1::StreamEnd& end) { end.mutable_ports()->set_last(4999); }));
}

TEST(LoadConvertTest, RefusesTimingWithoutAWindow) {
  EXPECT_TRUE(ToTrialTiming(Parse<v1::Timing>("measure_ns: 1 interval_ns: 1")).ok());
  EXPECT_FALSE(ToTrialTiming(Parse<v1::Timing>("interval_ns: 1")).ok());
  EXPECT_FALSE(ToTrialTiming(Parse<v1::Timing>("measure_ns: 1")).ok());
  EXPECT_FALSE(ToTrialTiming(Parse<v1::Timing>("measure_ns: 1 interval_ns: 1 warmup_ns: -1")).ok());
  EXPECT_FALSE(ToTrialTiming(Parse<v1::Timing>("measure_ns: 9223372036854775807 interval_ns: 1")).ok());
}

TEST(LoadConvertTest, ChecksTheClockMapping) {
  const auto mapping = ToClockMapping(Parse<v1::ClockMappingProto>(
      "reference_host_ns: 10 reference_timeline_ns: 1000 drift: 0.001 bound_ns: 5 drift_bound: 0.0001"));
  ASSERT_TRUE(mapping.ok());
  // 1 s after the reference the timeline gained 1 ms.
  EXPECT_EQ(mapping->Convert(HostTime{1'000'000'010}).ns, 1'001'001'000);
  EXPECT_EQ(mapping->BoundAt(HostTime{1'000'000'010}), 100'005);
  EXPECT_FALSE(ToClockMapping(Parse<v1::ClockMappingProto>("drift: 0.5")).ok());
  EXPECT_FALSE(ToClockMapping(Parse<v1::ClockMappingProto>("drift: nan")).ok());
  EXPECT_FALSE(ToClockMapping(Parse<v1::ClockMappingProto>("bound_ns: -1")).ok());
  EXPECT_FALSE(ToClockMapping(Parse<v1::ClockMappingProto>("drift_bound: inf")).ok());
  EXPECT_FALSE(ToClockMapping(Parse<v1::ClockMappingProto>("reference_host_ns: -9223372036854775808")).ok());
}

TEST(LoadConvertTest, RefusesAPortThatIsNone) {
  EXPECT_EQ((*ToBoundPorts(Parse<v1::Connect>("targets {stream_id: 3 port: 65535}")))[0].port, 65535);
  EXPECT_FALSE(ToBoundPorts(Parse<v1::Connect>("targets {stream_id: 3 port: 65536}")).ok());
}

TEST(LoadConvertTest, CarriesEveryFieldOfAnEdge) {
  load::Edge edge{3, 30, 31, 32, {1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}, {11, 12}, {13, 14}, {15, 16}};
  const auto expected = Parse<v1::EdgeSample>(R"(
    index: 3 due_trial_ns: 30 begin_trial_ns: 31 end_trial_ns: 32 bytes: [1, 2] messages: [3, 4]
    thread_cpu_ns: [5, 6] retransmits: [7, 8] kernel_bytes: [9, 10] rtt_us: [11, 12] cwnd_segments: [13, 14]
    queued_bytes: [15, 16])");
  EXPECT_EQ(ToProto(edge).DebugString(), expected.DebugString());
}

load::StreamReport FullReport() {
  load::StreamReport report;
  report.stream_id = 9;
  report.side = load::Side::kReceive;
  report.total_bytes = 1;
  report.total_messages = 2;
  report.first_send_before_trial_ns = -3;
  report.first_send_after_trial_ns = 4;
  report.running_before_trial_ns = -5;
  report.running_trial_ns = 5;
  report.last_send_trial_ns = 6;
  report.first_receive_trial_ns = 7;
  report.last_receive_trial_ns = 8;
  report.sent_cohorts = {{9, 10}};
  report.received_cohorts = {{11, 12, 13, 14, 15}};
  report.foreign = 16;
  report.jitter_ns = 17;
  report.socket_drops = 18;
  report.socket_drops_window = 19;
  report.failed_sends = 20;
  report.options = {{"SO_RCVBUF", "1", "2", true, true, "note"}};
  report.local_endpoint = "a:1";
  report.peer_endpoint = "b:2";
  report.path_mtu_bytes = 21;
  report.cpu = 22;
  report.rx_cpu = 52;
  report.tcp = load::TcpInfo{23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37};
  report.warnings = {"careful"};
  report.error_errno = 38;
  report.error = "broke";
  report.read_size_bytes = 39;
  report.drained = true;
  report.max_send_call_bytes = 40;
  const auto latency = std::make_shared<LatencyHistogram>();
  latency->Record(41);
  latency->Record(43);
  report.latency = latency;
  const auto corrected = std::make_shared<LatencyHistogram>();
  corrected->Record(200);  // the bucket of 200 and 201: the 64 + 36th of those that are 2 ns wide
  report.corrected_latency = corrected;
  report.completed_trial_ns = 44;
  report.lost_transactions = 45;
  report.stray_responses = 46;
  report.ways = {load::SendWay::kGso, load::ReceiveWay::kRecvmmsg, 47, true, load::ReceiveWait::kPoll};
  report.calls = 48;
  report.zerocopy_completions = 49;
  report.zerocopy_copied = 50;
  report.worst_behind_ns = 51;
  return report;
}

TEST(LoadConvertTest, CarriesEveryFieldOfAReport) {
  const auto expected = Parse<v1::StreamReport>(R"(
    stream_id: 9 side: SIDE_RECEIVE total_bytes: 1 total_messages: 2 first_send_before_trial_ns: -3
    first_send_after_trial_ns: 4 running_trial_ns: 5 running_before_trial_ns: -5 last_send_trial_ns: 6 first_receive_trial_ns: 7
    last_receive_trial_ns: 8 sent_cohorts {messages: 9 bytes: 10}
    received_cohorts {in_order: 11 reordered: 12 late: 13 duplicates: 14 bytes: 15}
    foreign: 16 jitter_ns: 17 socket_drops: 18 socket_drops_window: 19 failed_sends: 20
    options {name: "SO_RCVBUF" asked: "1" got: "2" applied: true forced: true note: "note"}
    local_endpoint: "a:1" peer_endpoint: "b:2" path_mtu_bytes: 21 cpu: 22
    tcp {bytes_acked: 23 bytes_received: 24 bytes_sent: 25 bytes_retrans: 26 total_retrans: 27 rtt_us: 28
         rttvar_us: 29 min_rtt_us: 30 snd_cwnd_segments: 31 snd_mss_bytes: 32 pmtu_bytes: 33
         delivery_rate_bytes_per_s: 34 busy_us: 35 rwnd_limited_us: 36 sndbuf_limited_us: 37}
    warnings: "careful" error {errno_value: 38 message: "broke"} read_size_bytes: 39 drained: true
    max_send_call_bytes: 40
    ways {send: SEND_WAY_GSO receive: RECEIVE_WAY_RECVMMSG batch: 47 discard: true receive_wait: RECEIVE_WAIT_POLL}
    calls: 48 zerocopy_completions: 49 zerocopy_copied: 50
    latency {first_bucket: 41 counts: [1, 0, 1] min_ns: 41 max_ns: 43 sum_ns: 84}
    corrected_latency {first_bucket: 164 counts: 1 min_ns: 200 max_ns: 200 sum_ns: 200}
    worst_behind_ns: 51 completed_trial_ns: 44 rx_cpu: 52 lost_transactions: 45 stray_responses: 46)");
  EXPECT_EQ(ToProto(FullReport()).DebugString(), expected.DebugString());
}

// Whoever adds a field to the protocol is told here that the conversion must carry it. The two that are not
// the load's are filled from the kernel's route.
TEST(LoadConvertTest, NoFieldOfAReportIsForgotten) {
  const v1::StreamReport proto = ToProto(FullReport());
  const auto* descriptor = v1::StreamReport::descriptor();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const auto* field = descriptor->field(i);
    if (field->name() == "egress_device") continue;
    const auto* reflection = v1::StreamReport::GetReflection();
    const bool set =
        field->is_repeated() ? reflection->FieldSize(proto, field) > 0 : reflection->HasField(proto, field);
    EXPECT_TRUE(set) << field->name();
  }
}

TEST(LoadConvertTest, MissingIsUnsetAndNotZero) {
  const v1::StreamReport proto = ToProto(load::StreamReport());
  EXPECT_FALSE(proto.has_running_trial_ns());
  EXPECT_FALSE(proto.has_jitter_ns());
  EXPECT_FALSE(proto.has_socket_drops());
  EXPECT_FALSE(proto.has_cpu());
  EXPECT_FALSE(proto.has_rx_cpu());
  EXPECT_FALSE(proto.has_tcp());
  EXPECT_FALSE(proto.has_error());
  EXPECT_FALSE(proto.has_latency());
  EXPECT_FALSE(proto.has_lost_transactions());
}

TEST(LoadConvertTest, AClientWithoutATransactionHasAnEmptyHistogram) {
  load::StreamReport report;
  report.latency = std::make_shared<LatencyHistogram>();
  const v1::StreamReport proto = ToProto(report);
  EXPECT_TRUE(proto.has_latency());
  EXPECT_EQ(proto.latency().counts_size(), 0);
}

}  // namespace
}  // namespace tutti::session
