// What bad input and bad luck get: a clear message, and nothing left behind.
#include <errno.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/worker/load/plain_sockets.h"
#include "tests/unit/worker/load/two_ends.h"
#include "worker/load/file_descriptor.h"
#include "worker/load/udp_header.h"

namespace tutti::load {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::SizeIs;

uint64_t ReadSysctl(const char* path) {
  uint64_t value = 0;
  if (FILE* file = fopen(path, "r")) {
    if (fscanf(file, "%lu", &value) != 1) value = 0;
    fclose(file);
  }
  return value;
}

bool TcpTimestamps() { return ReadSysctl("/proc/sys/net/ipv4/tcp_timestamps") != 0; }

const OptionOutcome* FindOption(const StreamReport& report, const std::string& name) {
  for (const OptionOutcome& option : report.options) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

TEST(LoadTrialFailures, APortInUseIsNamed) {
  for (const Protocol protocol : {Protocol::kUdp, Protocol::kTcp}) {
    const FileDescriptor taken = BoundSocket(protocol == Protocol::kUdp ? SOCK_DGRAM : SOCK_STREAM);
    StreamConfig config = End(3, Side::kReceive, protocol, 1000);
    config.first_port = config.last_port = PortOf(taken);
    EXPECT_THAT(PrepareError(config),
                AllOf(HasSubstr("stream 3"), HasSubstr("127.0.0.1:" + std::to_string(config.first_port)),
                      HasSubstr("Address already in use (EADDRINUSE)"), HasSubstr("`ports`")));
  }
}

TEST(LoadTrialFailures, ARangeOfPortsSkipsTheOnesInUse) {
  const FileDescriptor taken = BoundSocket(SOCK_STREAM);
  StreamConfig config = End(3, Side::kReceive, Protocol::kTcp, 1000);
  config.first_port = PortOf(taken);
  config.last_port = static_cast<uint16_t>(std::min(65535, config.first_port + 20));
  const auto trial = LoadTrial::Prepare({config}, kShort, SystemClock::Get());
  ASSERT_TRUE(trial.ok()) << trial.status();
  EXPECT_GT((*trial)->bound_ports()[0].port, config.first_port);
  EXPECT_LE((*trial)->bound_ports()[0].port, config.last_port);
}

TEST(LoadTrialFailures, AnAddressOfAnotherHostIsRefused) {
  EXPECT_THAT(PrepareError(End(3, Side::kReceive, Protocol::kUdp, 1000, "192.0.2.1")),
              AllOf(HasSubstr("192.0.2.1"), HasSubstr("EADDRNOTAVAIL")));
}

TEST(LoadTrialFailures, ARefusedConnectionSaysWhoAndWhere) {
  uint16_t free_port;
  {
    const FileDescriptor taken = BoundSocket(SOCK_STREAM);
    free_port = PortOf(taken);
  }
  auto trial = LoadTrial::Prepare({End(9, Side::kSend, Protocol::kTcp, 1000)}, kShort, SystemClock::Get());
  ASSERT_TRUE(trial.ok());
  const absl::Status status = (*trial)->Connect({{9, free_port}}, InNs(1000 * kMs));
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("stream 9"),
                    HasSubstr("connect tcp 127.0.0.1 -> 127.0.0.1:" + std::to_string(free_port)),
                    HasSubstr("Connection refused (ECONNREFUSED)"), HasSubstr("is the receiving worker")));
}

TEST(LoadTrialFailures, ASenderWithoutATargetIsRefused) {
  auto trial = LoadTrial::Prepare({End(9, Side::kSend, Protocol::kUdp, 1000)}, kShort, SystemClock::Get());
  ASSERT_TRUE(trial.ok());
  EXPECT_EQ((*trial)->Connect({{8, 1}}, InNs(100 * kMs)).code(), absl::StatusCode::kInvalidArgument);
}

TEST(LoadTrialFailures, AReceiverThatNobodyConnectsToTimesOut) {
  auto trial = LoadTrial::Prepare({End(9, Side::kReceive, Protocol::kTcp, 1000)}, kShort, SystemClock::Get());
  ASSERT_TRUE(trial.ok());
  const absl::Status status = (*trial)->Connect({}, InNs(50 * kMs));
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(status.message()), HasSubstr("nobody connected"));
}

TEST(LoadTrialFailures, ForeignConnectionsAreClosedAndCounted) {
  TwoEnds ends;
  ASSERT_NO_FATAL_FAILURE(ends.Prepare({End(1, Side::kSend, Protocol::kTcp, 1000)},
                                       {End(1, Side::kReceive, Protocol::kTcp, 1000)}));
  const FileDescriptor stranger =
      ConnectedSocket(SOCK_STREAM, "127.0.0.9", ends.receiver->bound_ports()[0].port);
  ASSERT_NO_FATAL_FAILURE(ends.Connect());
  ASSERT_NO_FATAL_FAILURE(ends.Arm());
  ends.Finish();
  EXPECT_EQ(ends.received.streams[0].foreign, 1u);
  EXPECT_GT(ends.received.streams[0].total_bytes, 0u);
  EXPECT_EQ(ends.received.streams[0].total_bytes, ends.sent.streams[0].total_bytes);
}

TEST(LoadTrialFailures, ForeignDatagramsDoNotCount) {
  TwoEnds ends;
  StreamConfig sender = End(1, Side::kSend, Protocol::kUdp, 1000);
  sender.rate_bps = 1'000'000;
  ASSERT_NO_FATAL_FAILURE(ends.Prepare({sender}, {End(1, Side::kReceive, Protocol::kUdp, 1000)}));
  const FileDescriptor stranger =
      ConnectedSocket(SOCK_DGRAM, "127.0.0.1", ends.receiver->bound_ports()[0].port);
  ASSERT_NO_FATAL_FAILURE(ends.Connect());
  ASSERT_NO_FATAL_FAILURE(ends.Arm());
  std::array<unsigned char, 100> datagram{};
  EncodeUdpHeader({.nonce = 42, .sequence = 0, .send_trial_ns = 50 * kMs}, datagram.data());
  ASSERT_EQ(send(stranger.get(), datagram.data(), datagram.size(), 0), 100);  // another nonce
  ASSERT_EQ(send(stranger.get(), datagram.data(), 10, 0), 10);                // too short for a header
  ASSERT_EQ(send(stranger.get(), datagram.data(), 0, 0), 0);                  // empty
  ends.Finish();
  EXPECT_EQ(ends.received.streams[0].foreign, 3u);
  EXPECT_GT(ends.received.streams[0].total_messages, 0u);
  EXPECT_EQ(ends.received.streams[0].total_bytes, ends.sent.streams[0].total_bytes);
}

TEST(LoadTrialFailures, DuplicatesAreCountedApart) {
  TwoEnds ends;
  StreamConfig sender = End(1, Side::kSend, Protocol::kUdp, 1000);
  sender.rate_bps = 1'000'000;
  ASSERT_NO_FATAL_FAILURE(ends.Prepare({sender}, {End(1, Side::kReceive, Protocol::kUdp, 1000)}));
  const FileDescriptor network =
      ConnectedSocket(SOCK_DGRAM, "127.0.0.1", ends.receiver->bound_ports()[0].port);
  ASSERT_NO_FATAL_FAILURE(ends.Connect());
  ASSERT_NO_FATAL_FAILURE(ends.Arm());
  ends.finals = ends.sender->WaitSenders();
  std::array<unsigned char, 1000> copy{};
  EncodeUdpHeader({.nonce = sender.nonce, .sequence = 0, .send_trial_ns = 40 * kMs}, copy.data());
  for (int i = 0; i < 2; ++i) ASSERT_EQ(send(network.get(), copy.data(), copy.size(), 0), 1000);
  ends.Finish();
  const StreamReport& received = ends.received.streams[0];
  EXPECT_EQ(received.total_bytes, ends.sent.streams[0].total_bytes);
  ASSERT_THAT(received.received_cohorts, SizeIs(5));
  EXPECT_EQ(received.received_cohorts[1].duplicates, 2u);  // sent at 40 ms: the first interval
  EXPECT_EQ(received.foreign, 0u);
}

TEST(LoadTrialFailures, ABufferThatIsClampedNamesTheSysctlLine) {
  for (const auto& [side, sysctl, path] :
       {std::tuple(Side::kReceive, "net.core.rmem_max", "/proc/sys/net/core/rmem_max"),
        std::tuple(Side::kSend, "net.core.wmem_max", "/proc/sys/net/core/wmem_max")}) {
    StreamConfig config = End(1, side, Protocol::kUdp, 1000);
    config.socket_buffer_bytes = ReadSysctl(path) * 2;
    const auto trial = LoadTrial::Prepare({config}, kShort, SystemClock::Get());
    if (trial.ok()) {
      // CAP_NET_ADMIN: forced past the limit, and marked.
      const LoadReport report = (*trial)->Report();
      const OptionOutcome& outcome = report.streams[0].options[0];
      EXPECT_TRUE(outcome.applied);
      EXPECT_TRUE(outcome.forced);
      EXPECT_EQ(outcome.got, outcome.asked);
    } else {
      EXPECT_THAT(
          std::string(trial.status().message()),
          HasSubstr("sysctl -w " + std::string(sysctl) + "=" + std::to_string(*config.socket_buffer_bytes)));
    }
  }
}

TEST(LoadTrialFailures, ABufferBelowTheKernelsLeastIsNotApplied) {
  StreamConfig config = End(1, Side::kReceive, Protocol::kUdp, 1000);
  config.socket_buffer_bytes = 10;
  EXPECT_THAT(PrepareError(config), AllOf(HasSubstr("SO_RCVBUF to 10B"), HasSubstr("the least it takes")));
  config.best_effort = true;
  const auto trial = LoadTrial::Prepare({config}, kShort, SystemClock::Get());
  ASSERT_TRUE(trial.ok()) << trial.status();
  const LoadReport report = (*trial)->Report();
  EXPECT_FALSE(report.streams[0].options[0].applied);
  EXPECT_THAT(report.streams[0].options[0].note, HasSubstr("the least it takes"));
}

TEST(LoadTrialFailures, EveryTcpOptionIsReadBack) {
  TwoEnds ends;
  StreamConfig sender = End(1, Side::kSend, Protocol::kTcp, 1000);
  sender.socket_buffer_bytes = 65536;
  sender.nodelay = true;
  sender.mss_bytes = 1000;
  sender.dscp = 10;
  sender.congestion = "reno";
  sender.cpu = 0;
  StreamConfig receiver = End(1, Side::kReceive, Protocol::kTcp, 1000);
  receiver.socket_buffer_bytes = 65536;
  receiver.dscp = 10;
  ASSERT_NO_FATAL_FAILURE(ends.RunAll({sender}, {receiver}));
  ASSERT_THAT(ends.sent.streams[0].options, SizeIs(6));
  EXPECT_THAT(ends.sent.streams[0].options, Each(Field(&OptionOutcome::applied, true)));
  for (const OptionOutcome& option : ends.sent.streams[0].options) {
    // What the connection carries: 12 B of timestamps come off where the host has them on.
    if (option.name == "TCP_MAXSEG") {
      EXPECT_EQ(option.asked, "1000B");
      EXPECT_EQ(option.got, TcpTimestamps() ? "988B" : "1000B");
    } else {
      EXPECT_EQ(option.got, option.asked) << option.name;
    }
  }
  EXPECT_THAT(ends.received.streams[0].options, Each(Field(&OptionOutcome::applied, true)));
  EXPECT_EQ(ends.sent.streams[0].cpu, 0u);
  EXPECT_EQ(ends.sent.streams[0].tcp->snd_mss_bytes, TcpTimestamps() ? 988u : 1000u);
}

TEST(LoadTrialFailures, TheCongestionControlThatIsLeftToTheKernelIsRecordedByTheSender) {
  std::ifstream file("/proc/sys/net/ipv4/tcp_congestion_control");
  std::string kernels;
  ASSERT_TRUE(std::getline(file, kernels));
  TwoEnds ends;
  ASSERT_NO_FATAL_FAILURE(ends.Prepare({End(1, Side::kSend, Protocol::kTcp, 1000)},
                                       {End(1, Side::kReceive, Protocol::kTcp, 1000)}));
  ASSERT_NO_FATAL_FAILURE(ends.Connect());
  const LoadReport sent = ends.sender->Report();
  const OptionOutcome* congestion = FindOption(sent.streams[0], "TCP_CONGESTION");
  ASSERT_NE(congestion, nullptr);
  EXPECT_EQ(congestion->asked, "default");
  EXPECT_EQ(congestion->got, kernels);
  EXPECT_TRUE(congestion->applied);
  const LoadReport received = ends.receiver->Report();
  EXPECT_EQ(FindOption(received.streams[0], "TCP_CONGESTION"), nullptr);
}

TEST(LoadTrialFailures, AnUnknownCongestionControlListsTheAvailableOnes) {
  StreamConfig config = End(1, Side::kSend, Protocol::kTcp, 1000);
  config.congestion = "nosuchcc";
  EXPECT_THAT(PrepareError(config), AllOf(HasSubstr("TCP_CONGESTION nosuchcc"), HasSubstr("reno")));
}

TEST(LoadTrialFailures, AnMssThatLinuxDoesNotTakeSaysTheRange) {
  StreamConfig config = End(1, Side::kSend, Protocol::kTcp, 1000);
  config.mss_bytes = 40;
  EXPECT_THAT(PrepareError(config), AllOf(HasSubstr("TCP_MAXSEG 40"), HasSubstr("88 to 32767")));
}

// The peer's MSS stands for a path of MTU 1500: loopback's own is 65536.
TEST(LoadTrialFailures, AnMssThatTheConnectionDoesNotReachFailsOnEitherEnd) {
  const std::string allowed = TcpTimestamps() ? "1448B" : "1460B";
  for (const Side asks_too_much : {Side::kSend, Side::kReceive}) {
    StreamConfig sender = End(1, Side::kSend, Protocol::kTcp, 1000);
    StreamConfig receiver = End(1, Side::kReceive, Protocol::kTcp, 1000);
    sender.mss_bytes = asks_too_much == Side::kSend ? 32767 : 1460;
    receiver.mss_bytes = asks_too_much == Side::kSend ? 1460 : 32767;
    TwoEnds ends;
    ASSERT_NO_FATAL_FAILURE(ends.Prepare({sender}, {receiver}));
    const absl::Status sends = ends.sender->Connect(ends.receiver->bound_ports(), InNs(2000 * kMs));
    const absl::Status receives = ends.receiver->Connect({}, InNs(2000 * kMs));
    const absl::Status& failed = asks_too_much == Side::kSend ? sends : receives;
    const absl::Status& passed = asks_too_much == Side::kSend ? receives : sends;
    EXPECT_TRUE(passed.ok()) << passed;
    EXPECT_EQ(failed.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(std::string(failed.message()),
                AllOf(HasSubstr("stream 1"), HasSubstr("asked 32767B, the path allows " + allowed +
                                                       ": lower mss or raise the MTU")));
  }
}

TEST(LoadTrialFailures, AnMssThatTheConnectionDoesNotReachIsMarkedUnderBestEffort) {
  const std::string allowed = TcpTimestamps() ? "1448B" : "1460B";
  StreamConfig sender = End(1, Side::kSend, Protocol::kTcp, 1000);
  sender.mss_bytes = 32767;
  sender.best_effort = true;
  StreamConfig receiver = End(1, Side::kReceive, Protocol::kTcp, 1000);
  receiver.mss_bytes = 1460;
  TwoEnds ends;
  ASSERT_NO_FATAL_FAILURE(ends.Prepare({sender}, {receiver}));
  ASSERT_NO_FATAL_FAILURE(ends.Connect());
  const LoadReport sent = ends.sender->Report();
  const LoadReport received = ends.receiver->Report();
  const OptionOutcome* missed = FindOption(sent.streams[0], "TCP_MAXSEG");
  ASSERT_NE(missed, nullptr);
  EXPECT_FALSE(missed->applied);
  EXPECT_EQ(missed->asked, "32767B");
  EXPECT_EQ(missed->got, allowed);
  EXPECT_THAT(missed->note, HasSubstr("raise the MTU"));
  const OptionOutcome* met = FindOption(received.streams[0], "TCP_MAXSEG");
  ASSERT_NE(met, nullptr);
  EXPECT_TRUE(met->applied);
  EXPECT_EQ(met->asked, "1460B");
  EXPECT_EQ(met->got, allowed);
}

TEST(LoadTrialFailures, AnUnknownDeviceIsNamed) {
  StreamConfig config = End(1, Side::kSend, Protocol::kTcp, 1000);
  config.device = "nosuchdevice0";
  EXPECT_THAT(PrepareError(config), HasSubstr("SO_BINDTODEVICE nosuchdevice0"));
}

TEST(LoadTrialFailures, ACpuThatDoesNotExistListsTheAllowedOnes) {
  StreamConfig config = End(5, Side::kSend, Protocol::kUdp, 1000);
  config.cpu = 4000;
  EXPECT_THAT(PrepareError(config), AllOf(HasSubstr("stream 5"), HasSubstr("pin a thread to CPU 4000"),
                                          HasSubstr("may use are 0")));
  config.best_effort = true;
  const auto trial = LoadTrial::Prepare({config}, kShort, SystemClock::Get());
  ASSERT_TRUE(trial.ok()) << trial.status();
  const LoadReport report = (*trial)->Report();
  EXPECT_FALSE(report.streams[0].cpu);
  EXPECT_FALSE(report.streams[0].options[0].applied);
}

TEST(LoadTrialFailures, TooFewOpenFilesAreNoticedBeforehand) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  // Only the soft limit: the hard one cannot be raised again without privileges.
  rlimit low = before;
  low.rlim_cur = FileCount() + 4;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  EXPECT_EQ(PrepareError(End(1, Side::kReceive, Protocol::kUdp, 1000)), "");
  rlimit raised{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &raised), 0);
  EXPECT_EQ(raised.rlim_cur, before.rlim_max);
  setrlimit(RLIMIT_NOFILE, &before);
}

TEST(LoadTrialFailures, ADatagramThatWillBeFragmentedIsWarnedOf) {
  StreamConfig sender = End(1, Side::kSend, Protocol::kUdp, 65500, "::1");  // 65500 + 48 > 65536
  TwoEnds ends;
  ASSERT_NO_FATAL_FAILURE(ends.Prepare({sender}, {End(1, Side::kReceive, Protocol::kUdp, 65500, "::1")}));
  ASSERT_NO_FATAL_FAILURE(ends.Connect());
  const LoadReport report = ends.sender->Report();
  ASSERT_THAT(report.streams[0].warnings, SizeIs(1));
  EXPECT_THAT(report.streams[0].warnings[0], AllOf(HasSubstr("in fragments"), HasSubstr("65488B over IPv6")));
  EXPECT_EQ(report.streams[0].path_mtu_bytes, 65536u);
}

TEST(LoadTrialFailures, AReceiverThatEndsBreaksItsTcpStreamAndNoOther) {
  StreamConfig other = End(2, Side::kSend, Protocol::kTcp, 1000);
  auto doomed =
      LoadTrial::Prepare({End(1, Side::kReceive, Protocol::kTcp, 1000)}, kShort, SystemClock::Get());
  ASSERT_TRUE(doomed.ok());
  TwoEnds ends;
  ASSERT_NO_FATAL_FAILURE(ends.Prepare({End(1, Side::kSend, Protocol::kTcp, 1000), other},
                                       {End(2, Side::kReceive, Protocol::kTcp, 1000)}));
  const HostTime deadline = InNs(1000 * kMs);
  ASSERT_TRUE(
      ends.sender->Connect({(*doomed)->bound_ports()[0], ends.receiver->bound_ports()[0]}, deadline).ok());
  ASSERT_TRUE((*doomed)->Connect({}, deadline).ok());
  ASSERT_TRUE(ends.receiver->Connect({}, deadline).ok());
  ASSERT_NO_FATAL_FAILURE(ends.Arm());
  doomed->reset();
  ends.Finish();
  EXPECT_TRUE(ends.sent.streams[0].error_errno == ECONNRESET || ends.sent.streams[0].error_errno == EPIPE);
  EXPECT_THAT(ends.sent.streams[0].error, HasSubstr("tcp send to 127.0.0.1:"));
  EXPECT_EQ(ends.sent.streams[1].error, "");
  EXPECT_GT(ends.sent.streams[1].total_bytes, 0u);
  EXPECT_EQ(ends.received.streams[0].total_bytes, ends.sent.streams[1].total_bytes);
}

TEST(LoadTrialFailures, APersistentlyRefusedUdpStreamFailsWithItsErrno) {
  const TrialTiming timing{
      .warmup_ns = 0, .measure_ns = 1200 * kMs, .cooldown_ns = 0, .interval_ns = 400 * kMs};
  uint16_t free_port;
  {
    const FileDescriptor taken = BoundSocket(SOCK_DGRAM);
    free_port = PortOf(taken);
  }
  StreamConfig config = End(1, Side::kSend, Protocol::kUdp, 1000);
  config.rate_bps = 8'000'000;
  auto trial = LoadTrial::Prepare({config}, timing, SystemClock::Get());
  ASSERT_TRUE(trial.ok());
  ASSERT_TRUE((*trial)->Connect({{1, free_port}}, InNs(1000 * kMs)).ok());
  ASSERT_TRUE((*trial)->Arm(ClockMapping(), ClockMapping().Convert(InNs(10 * kMs)), nullptr).ok());
  const auto finals = (*trial)->WaitSenders();
  const LoadReport report = (*trial)->Report();
  EXPECT_EQ(report.streams[0].error_errno, ECONNREFUSED);
  EXPECT_THAT(report.streams[0].error, HasSubstr("nobody receives there any more"));
  EXPECT_GT(report.streams[0].failed_sends, 0u);
  uint64_t sent = 0;
  for (const SentCohort& cohort : report.streams[0].sent_cohorts) sent += cohort.messages;
  EXPECT_EQ(sent, finals[0].messages);  // a failed send consumes no sequence
}

// --- Abort in each phase -----------------------------------------------------------------------------

enum class Phase { kPrepared, kConnecting, kConnected, kArmed, kRunning, kDraining };

class AbortInPhase : public ::testing::TestWithParam<Phase> {};

std::vector<StreamConfig> Mixed(Side side) {
  std::vector<StreamConfig> configs;
  for (uint32_t id = 1; id <= 4; ++id) {
    configs.push_back(End(id, side, id % 2 == 0 ? Protocol::kTcp : Protocol::kUdp, 1000));
  }
  configs[0].rate_bps = 800;  // sleeps 10 s between messages
  return configs;
}

TEST_P(AbortInPhase, ReturnsAtOnceAndLeavesNothing) {
  const size_t threads_before = ThreadCount();
  const size_t files_before = FileCount();
  const TrialTiming minute{
      .warmup_ns = 10 * kMs, .measure_ns = 60'000 * kMs, .cooldown_ns = 0, .interval_ns = 1000 * kMs};
  const Phase phase = GetParam();
  HostTime begin;
  {
    TwoEnds ends;
    ASSERT_NO_FATAL_FAILURE(ends.Prepare(Mixed(Side::kSend), Mixed(Side::kReceive), minute));
    std::thread blocked;
    if (phase == Phase::kConnecting) {
      blocked = std::thread([&] {
        EXPECT_EQ(ends.receiver->Connect({}, InNs(60'000 * kMs)).code(), absl::StatusCode::kCancelled);
      });
    } else if (phase != Phase::kPrepared) {
      ASSERT_NO_FATAL_FAILURE(ends.Connect());
    }
    if (phase > Phase::kConnected) {
      ASSERT_NO_FATAL_FAILURE(ends.Arm(phase == Phase::kArmed ? 60'000 * kMs : 20 * kMs));
      blocked = std::thread([&] {
        if (phase == Phase::kDraining) {
          ends.receiver->Drain({}, InNs(60'000 * kMs));
        } else {
          ends.sender->WaitSenders();
        }
      });
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    begin = SystemClock::Get().Now();
    ends.sender->Abort();
    ends.receiver->Abort();
    ends.receiver->Abort();
    if (blocked.joinable()) blocked.join();
    EXPECT_LT(SystemClock::Get().Now() - begin, 500 * kMs);
    if (phase == Phase::kRunning) ends.sender->Report();
  }
  EXPECT_LT(SystemClock::Get().Now() - begin, 500 * kMs);
  EXPECT_EQ(ThreadCount(), threads_before);
  EXPECT_EQ(FileCount(), files_before);
}

INSTANTIATE_TEST_SUITE_P(EachPhase, AbortInPhase,
                         ::testing::Values(Phase::kPrepared, Phase::kConnecting, Phase::kConnected,
                                           Phase::kArmed, Phase::kRunning, Phase::kDraining));

TEST(LoadTrialFailures, AWholeTrialLeavesNoThreadAndNoSocket) {
  const size_t threads_before = ThreadCount();
  const size_t files_before = FileCount();
  {
    TwoEnds ends;
    ASSERT_NO_FATAL_FAILURE(ends.RunAll({End(1, Side::kSend, Protocol::kTcp, 1000)},
                                        {End(1, Side::kReceive, Protocol::kTcp, 1000)}));
  }
  EXPECT_EQ(ThreadCount(), threads_before);
  EXPECT_EQ(FileCount(), files_before);
}

}  // namespace
}  // namespace tutti::load
