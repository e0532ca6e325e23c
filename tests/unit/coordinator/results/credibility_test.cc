#include "coordinator/results/credibility.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/coordinator/results/raw_trial.h"

namespace tutti::results {
namespace {

namespace v1 = tutti::v1;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

RawTrial TcpPair() {
  RawTrial trial = RawTrial::Pair();
  trial.traffic().set_protocol(v1::PROTOCOL_TCP);
  return trial;
}

std::vector<std::string> Findings(const TrialInput& input) { return CredibilityFindings(TrialView(input)); }

v1::TrialReport& Report(TrialInput& input, const std::string& host) { return *FindInput(input, host).report; }

TEST(CredibilityTest, AnHonestTrialHasNoFinding) {
  EXPECT_THAT(Findings(RawTrial::Pair().Build()), IsEmpty());
  EXPECT_THAT(Findings(TcpPair().Build()), IsEmpty());
}

TEST(CredibilityTest, ReceivedMayBeAheadByOneSendCallAndNoMore) {
  // With no edge of the sender after the receiver's last one, the total decides: shift it to just what is
  // allowed.
  TrialInput input = TcpPair().Build();
  v1::TrialReport& sender = Report(input, "a");
  const uint64_t received = Report(input, "b").edges(4).bytes(0);
  Report(input, "b").mutable_streams(0)->set_total_bytes(received);
  Report(input, "b").mutable_streams(0)->mutable_tcp()->set_bytes_received(received);
  for (v1::EdgeSample& edge : *sender.mutable_edges())
    edge.set_begin_trial_ns(0);  // read before: they say nothing
  sender.mutable_streams(0)->set_total_bytes(received - 1000);
  const TrialView allowed(input);
  EXPECT_THAT(ReceivedBeforeSent(allowed), IsEmpty());
  sender.mutable_streams(0)->set_total_bytes(received - 1001);
  const TrialView beyond(input);
  EXPECT_THAT(ReceivedBeforeSent(beyond), ElementsAre(HasSubstr("1000 B were in a send call")));
}

TEST(CredibilityTest, AReceiverThatCountsEveryByteTwiceIsFound) {
  TrialInput input = RawTrial::Pair().Build();
  for (v1::EdgeSample& edge : *Report(input, "b").mutable_edges()) edge.set_bytes(0, 2 * edge.bytes(0));
  EXPECT_THAT(Findings(input), ElementsAre(HasSubstr("the receiver had read")));
  EXPECT_EQ(MergeTrial(input).status(), v1::TRIAL_STATUS_SUSPECT);
}

TEST(CredibilityTest, WithinTheClockBoundTheReceiverMayAppearToBeAhead) {
  // b's clock is wrong by 100 ms: its counts look 100 ms too early.
  RawTrial trial = RawTrial::Pair();
  trial.hosts[1].late_ns = 100 * kMs;
  TrialInput input = trial.Build();
  for (v1::EdgeSample& edge : *Report(input, "b").mutable_edges()) {
    edge.set_begin_trial_ns(edge.due_trial_ns());
    edge.set_end_trial_ns(edge.due_trial_ns());
  }
  EXPECT_THAT(Findings(input), ElementsAre(HasSubstr("at edge 0")));
  FindInput(input, "b").mapping = ClockMapping(HostTime{0}, TimelineTime{0}, 0, 120 * kMs, 0);
  EXPECT_THAT(Findings(input), IsEmpty());
}

TEST(CredibilityTest, DuplicatesOfTheNetworkAreNotReceivedBeforeSent) {
  RawTrial trial = RawTrial::Pair();
  for (RawMessage& message : trial.streams[0].messages) message.duplicates = 1;
  EXPECT_THAT(Findings(trial.Build()), IsEmpty());
}

TEST(CredibilityTest, TcpIsEqualAfterDrainToTheByte) {
  TrialInput input = TcpPair().Build();
  v1::StreamReport& receiver = *Report(input, "b").mutable_streams(0);
  receiver.set_total_bytes(receiver.total_bytes() - 1);
  receiver.set_drained(false);
  EXPECT_THAT(Findings(input), ElementsAre(testing::AllOf(HasSubstr("2499999 B were received of 2500000 B"),
                                                          HasSubstr("DRAIN ended"))));
}

TEST(CredibilityTest, UdpCohortsAddUpToWhatWasSent) {
  TrialInput input = RawTrial::Pair().Build();
  Report(input, "a").mutable_streams(0)->set_total_messages(2501);
  EXPECT_THAT(Findings(input), ElementsAre(HasSubstr("2500 datagrams of 2501")));
  Report(input, "a").mutable_streams(0)->set_total_messages(2500);
  Report(input, "a").mutable_streams(0)->mutable_sent_cohorts(0)->set_bytes(1);
  EXPECT_THAT(Findings(input), ElementsAre(HasSubstr("B of 2500000 B sent")));
}

TEST(CredibilityTest, TheKernelsCountIsAWitnessAndMayHaveTheFinInIt) {
  TrialInput input = TcpPair().Build();
  v1::TcpInfo& tcp = *Report(input, "b").mutable_streams(0)->mutable_tcp();
  tcp.set_bytes_received(2'500'001);
  EXPECT_THAT(Findings(input), IsEmpty());
  tcp.set_bytes_received(2'500'002);
  EXPECT_THAT(Findings(input), ElementsAre(HasSubstr("tcpi_bytes_received")));
  tcp.set_bytes_received(2'499'999);
  EXPECT_THAT(Findings(input), ElementsAre(HasSubstr("tcpi_bytes_received")));
  tcp.set_bytes_received(0);  // an old kernel does not count
  EXPECT_THAT(Findings(input), IsEmpty());
}

// Devices of both hosts that carried `bytes` in the trial.
void SetDevices(TrialInput& input, uint64_t bytes) {
  for (v1::Flow& flow : input.flows) {
    flow.set_from_device("eth0");
    flow.set_to_device("eth1");
  }
  v1::DeviceCounters& begin_a = *Report(input, "a").add_devices_begin();
  begin_a.set_device("eth0");
  begin_a.set_tx_bytes(500);
  v1::DeviceCounters& end_a = *Report(input, "a").add_devices_end();
  end_a.set_device("eth0");
  end_a.set_tx_bytes(500 + bytes);
  v1::DeviceCounters& begin_b = *Report(input, "b").add_devices_begin();
  begin_b.set_device("eth1");
  v1::DeviceCounters& end_b = *Report(input, "b").add_devices_end();
  end_b.set_device("eth1");
  end_b.set_rx_bytes(bytes);
}

TEST(CredibilityTest, ADeviceThatCarriedLessThanThePayloadIsFound) {
  TrialInput enough = RawTrial::Pair().Build();
  SetDevices(enough, 2'500'000);
  EXPECT_THAT(Findings(enough), IsEmpty());
  TrialInput less = RawTrial::Pair().Build();
  SetDevices(less, 2'499'999);
  EXPECT_THAT(Findings(less), ElementsAre(HasSubstr("host a: device eth0 sent 2499999 B"),
                                          HasSubstr("host b: device eth1 received 2499999 B")));
}

TEST(CredibilityTest, WhatWasLostNeedNotHaveLeftTheDevice) {
  RawTrial trial = RawTrial::Pair();
  for (size_t i = 0; i < 1000; ++i) trial.streams[0].messages[i].fate = Fate::kLost;
  TrialInput input = trial.Build();
  SetDevices(input, 1'500'000);
  EXPECT_THAT(Findings(input), IsEmpty());
}

TEST(CredibilityTest, TrafficWithinAMachineIsNotHeldAgainstItsDevices) {
  RawTrial trial = RawTrial::Pair();
  trial.hosts[1].machine = "m1";
  TrialInput input = trial.Build();
  SetDevices(input, 10);  // the kernel took the loopback device, and nobody said which
  EXPECT_THAT(Findings(input), IsEmpty());
  Report(input, "a").mutable_streams(0)->set_egress_device("lo");
  EXPECT_THAT(Findings(input), IsEmpty());
  Report(input, "a").mutable_streams(0)->set_egress_device("eth0");
  EXPECT_EQ(Findings(input).size(), 2u);
}

v1::Host HostWith(const std::string& name, const std::string& device, bool hardware) {
  v1::Host host;
  host.set_name(name);
  v1::HostDevice& added = *host.mutable_facts()->add_devices();
  added.set_name(device);
  added.set_has_hardware(hardware);
  added.set_speed_bps(100'000'000);
  return host;
}

TEST(CredibilityTest, OnlyHardwareAtBothEndsMakesALinksSpeedALimit) {
  RawTrial trial = RawTrial::Pair();
  trial.traffic().set_message_size_bytes(60'000);  // 480 Mbps over a link of 100 Mbps
  for (const bool hardware : {true, false}) {
    trial.all_hosts = {HostWith("a", "eth0", true), HostWith("b", "eth1", hardware)};
    TrialInput input = trial.Build();
    SetDevices(input, 1'000'000'000);
    if (hardware) {
      EXPECT_THAT(Findings(input), ElementsAre(HasSubstr("100 Mbps")));
    } else {
      EXPECT_THAT(Findings(input), IsEmpty());
    }
  }
}

TEST(CredibilityTest, AClockThatLeavesItsBoundIsFound) {
  TrialInput input = RawTrial::Pair().Build();
  HostInput& host = FindInput(input, "b");
  host.mapping = ClockMapping(HostTime{0}, TimelineTime{0}, 0, 10'000, 0);
  host.mapping_after = ClockMapping(HostTime{0}, TimelineTime{25'000}, 0, 15'000, 0);
  EXPECT_THAT(Findings(input), IsEmpty());
  EXPECT_EQ(MergeTrial(input).hosts(1).clock().moved_ns(), 25'000);
  EXPECT_EQ(MergeTrial(input).hosts(1).clock().bound_after_ns(), 15'000);
  host.mapping_after = ClockMapping(HostTime{0}, TimelineTime{25'001}, 0, 15'000, 0);
  EXPECT_THAT(Findings(input), ElementsAre(HasSubstr("its clock left its bound")));
}

TEST(CredibilityTest, AClockThatFollowedItsFitsIsHeldAgainstTheLastOfThem) {
  TrialInput input = RawTrial::Pair().Build();
  HostInput& host = FindInput(input, "b");
  host.mapping = ClockMapping(HostTime{0}, TimelineTime{0}, 0, 10, 0);
  host.mapping_at_end = ClockMapping(HostTime{0}, TimelineTime{90'000}, 0, 20, 0);
  host.refits = 1;
  host.mapping_after = ClockMapping(HostTime{0}, TimelineTime{90'050}, 0, 30, 0);
  EXPECT_THAT(Findings(input), IsEmpty());
  EXPECT_EQ(MergeTrial(input).hosts(1).clock().moved_ns(), 50);
  host.mapping_after = ClockMapping(HostTime{0}, TimelineTime{90'051}, 0, 30, 0);
  EXPECT_THAT(Findings(input), ElementsAre(HasSubstr("its clock left its bound")));
}

TEST(CredibilityTest, MissingReportsAreNoFinding) {
  TrialInput input = RawTrial::Pair().Build();
  FindInput(input, "b").report.reset();
  EXPECT_THAT(Findings(input), IsEmpty());
  FindInput(input, "a").report.reset();
  EXPECT_THAT(Findings(input), IsEmpty());
}

}  // namespace
}  // namespace tutti::results
