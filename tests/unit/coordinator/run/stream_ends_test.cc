#include "coordinator/run/stream_ends.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tutti::run {
namespace {

using tutti::v1::Case;
using tutti::v1::Flow;
using tutti::v1::StreamEnd;
using tutti::v1::TrafficEntry;

class StreamEndsTest : public testing::Test {
 protected:
  TrafficEntry& AddEntry(const std::string& name) {
    TrafficEntry& entry = *case_.add_traffic();
    entry.set_name(name);
    entry.set_protocol(tutti::v1::PROTOCOL_UDP);
    entry.set_message_size_bytes(1472);
    return entry;
  }
  Flow& AddFlow(const std::string& entry, const std::string& from, const std::string& to) {
    Flow& flow = flows_.emplace_back();
    flow.set_stream_id(static_cast<uint32_t>(flows_.size() - 1));
    flow.set_entry(entry);
    flow.set_from_host(from);
    flow.set_to_host(to);
    flow.set_from_address("10.0.0.1");
    flow.set_to_address("10.0.0.2");
    flow.set_from_device("eth1");
    flow.set_to_device("eth2");
    return flow;
  }
  std::map<std::string, std::vector<StreamEnd>> Make() {
    uint64_t next = 1000;
    return MakeStreamEnds(case_, flows_, [&] { return next++; });
  }
  Case case_;
  std::vector<Flow> flows_;
};

TEST_F(StreamEndsTest, TheTwoEndsOfAStreamMirrorEachOther) {
  AddEntry("bulk");
  AddFlow("bulk", "a", "b");
  const auto ends = Make();
  ASSERT_EQ(ends.at("a").size(), 1u);
  ASSERT_EQ(ends.at("b").size(), 1u);
  const StreamEnd& sender = ends.at("a")[0];
  const StreamEnd& receiver = ends.at("b")[0];
  EXPECT_EQ(sender.side(), tutti::v1::SIDE_SEND);
  EXPECT_EQ(receiver.side(), tutti::v1::SIDE_RECEIVE);
  EXPECT_EQ(sender.local_address(), "10.0.0.1");
  EXPECT_EQ(sender.peer_address(), "10.0.0.2");
  EXPECT_EQ(receiver.local_address(), "10.0.0.2");
  EXPECT_EQ(receiver.peer_address(), "10.0.0.1");
  EXPECT_EQ(sender.stream_id(), receiver.stream_id());
  EXPECT_EQ(sender.nonce(), 1000u);
  EXPECT_EQ(receiver.nonce(), 1000u);
  EXPECT_EQ(sender.message_size_bytes(), 1472u);
}

TEST_F(StreamEndsTest, EachStreamHasANonceOfItsOwn) {
  AddEntry("bulk");
  AddFlow("bulk", "a", "b");
  AddFlow("bulk", "a", "b");
  const auto ends = Make();
  EXPECT_NE(ends.at("a")[0].nonce(), ends.at("a")[1].nonce());
}

TEST_F(StreamEndsTest, OptionsOfOneSideStayThere) {
  TrafficEntry& entry = AddEntry("bulk");
  entry.set_send_buffer_bytes(1 << 20);
  entry.set_receive_buffer_bytes(2 << 20);
  entry.set_rate_bps(1'000'000);
  entry.mutable_ports()->set_first(5201);
  entry.mutable_ports()->set_last(5210);
  entry.set_dscp(0);
  entry.set_best_effort(true);
  AddFlow("bulk", "a", "b");
  const auto ends = Make();
  const StreamEnd& sender = ends.at("a")[0];
  const StreamEnd& receiver = ends.at("b")[0];
  EXPECT_EQ(sender.socket_buffer_bytes(), 1u << 20);
  EXPECT_EQ(receiver.socket_buffer_bytes(), 2u << 20);
  EXPECT_EQ(sender.rate_bps(), 1'000'000u);
  EXPECT_FALSE(receiver.has_rate_bps());
  EXPECT_FALSE(sender.has_ports());
  EXPECT_EQ(receiver.ports().first(), 5201u);
  EXPECT_TRUE(sender.has_dscp());  // 0 was asked for
  EXPECT_TRUE(sender.best_effort());
  EXPECT_TRUE(receiver.best_effort());
}

TEST_F(StreamEndsTest, WhatThePlanLeavesToTheKernelStaysUnset) {
  AddEntry("bulk");
  AddFlow("bulk", "a", "b");
  const StreamEnd sender = Make().at("a")[0];
  EXPECT_FALSE(sender.has_socket_buffer_bytes());
  EXPECT_FALSE(sender.has_nodelay());
  EXPECT_FALSE(sender.has_mss_bytes());
  EXPECT_FALSE(sender.has_dscp());
  EXPECT_FALSE(sender.has_rate_bps());
  EXPECT_FALSE(sender.has_read_size_bytes());
}

TEST_F(StreamEndsTest, TheDeviceIsBoundOnlyIfThePlanNamesOne) {
  const std::vector<std::pair<std::string, std::string>> networks = {
      {"", ""}, {"10.0.0.0/24", ""}, {"10.0.0.1", ""}, {"fd00::/64", ""}, {"eth1", "eth1"}};
  for (const auto& [network, device] : networks) {
    case_.clear_traffic();
    flows_.clear();
    AddEntry("bulk").set_network(network);
    AddFlow("bulk", "a", "b");
    EXPECT_EQ(Make().at("a")[0].device(), device) << network;
  }
}

TEST_F(StreamEndsTest, LinkLocalAddressesCarryTheHostsOwnDevice) {
  AddEntry("bulk");
  Flow& flow = AddFlow("bulk", "a", "b");
  flow.set_from_address("fe80::1");
  flow.set_to_address("fe80::2");
  const auto ends = Make();
  EXPECT_EQ(ends.at("a")[0].local_address(), "fe80::1%eth1");
  EXPECT_EQ(ends.at("a")[0].peer_address(), "fe80::2%eth1");
  EXPECT_EQ(ends.at("b")[0].local_address(), "fe80::2%eth2");
  EXPECT_EQ(ends.at("b")[0].peer_address(), "fe80::1%eth2");
}

TEST_F(StreamEndsTest, StreamsOfOneHostAndChoiceTakeTurns) {
  TrafficEntry& pinned = AddEntry("pinned");
  for (TrafficEntry* entry : {&pinned}) {
    entry->mutable_sender_cpus()->set_kind(tutti::v1::CpuChoice::KIND_LIST);
    entry->mutable_sender_cpus()->add_cpus(0);
    entry->mutable_sender_cpus()->add_cpus(2);
  }
  AddEntry("free");
  AddFlow("pinned", "a", "b");
  AddFlow("pinned", "a", "b");
  AddFlow("free", "a", "b");
  AddFlow("pinned", "c", "b");
  AddFlow("pinned", "a", "c");
  const auto ends = Make();
  EXPECT_EQ(ends.at("a")[0].cpu_ordinal(), 0u);
  EXPECT_EQ(ends.at("a")[1].cpu_ordinal(), 1u);
  EXPECT_EQ(ends.at("a")[2].cpu_ordinal(), 0u);  // another choice
  EXPECT_EQ(ends.at("c")[0].cpu_ordinal(), 0u);  // another host
  EXPECT_EQ(ends.at("a")[3].cpu_ordinal(), 2u);
}

TEST_F(StreamEndsTest, AHostThatSendsToItselfGetsBothEndsTheSendersFirst) {
  AddEntry("loop");
  AddFlow("loop", "a", "a");
  const auto ends = Make();
  ASSERT_EQ(ends.at("a").size(), 2u);
  EXPECT_EQ(ends.at("a")[0].side(), tutti::v1::SIDE_SEND);
  EXPECT_EQ(ends.at("a")[1].side(), tutti::v1::SIDE_RECEIVE);
}

}  // namespace
}  // namespace tutti::run
