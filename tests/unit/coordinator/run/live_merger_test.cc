#include "coordinator/run/live_merger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "trial_fixture.h"

namespace tutti::run {
namespace {

using testing::IsEmpty;
using testing::SizeIs;
using tutti::v1::EdgeSample;
using tutti::v1::Flow;
using tutti::v1::LiveInterval;

// Hosts a and c send one TCP stream each to b: entry "bulk". Window of 350 ms in intervals of 100 ms after
// 100 ms.
class LiveMergerTest : public testing::Test {
 protected:
  LiveMergerTest() {
    case_.set_index(3);
    case_.mutable_timing()->set_warmup_ns(100 * kMs);
    case_.mutable_timing()->set_measure_ns(350 * kMs);
    case_.mutable_timing()->set_interval_ns(100 * kMs);
    case_.add_traffic()->set_name("bulk");
    case_.mutable_traffic(0)->set_protocol(tutti::v1::PROTOCOL_TCP);
    for (uint32_t id = 0; id < 2; ++id) {
      Flow& flow = flows_.emplace_back();
      flow.set_stream_id(id);
      flow.set_entry("bulk");
    }
    ends_["a"] = {MakeEnd(0, tutti::v1::SIDE_SEND, tutti::v1::PROTOCOL_TCP)};
    ends_["c"] = {MakeEnd(1, tutti::v1::SIDE_SEND, tutti::v1::PROTOCOL_TCP)};
    ends_["b"] = {MakeEnd(0, tutti::v1::SIDE_RECEIVE, tutti::v1::PROTOCOL_TCP),
                  MakeEnd(1, tutti::v1::SIDE_RECEIVE, tutti::v1::PROTOCOL_TCP)};
  }
  static EdgeSample Edge(uint32_t index, int64_t at_ns, std::vector<uint64_t> bytes,
                         std::vector<uint64_t> retransmits = {}) {
    EdgeSample edge;
    edge.set_index(index);
    edge.set_begin_trial_ns(at_ns);
    edge.set_end_trial_ns(at_ns);
    for (const uint64_t each : bytes) {
      edge.add_bytes(each);
      edge.add_messages(each / 1000);
    }
    retransmits.resize(bytes.size());
    for (const uint64_t each : retransmits) edge.add_retransmits(each);
    return edge;
  }
  LiveMerger Make() { return LiveMerger(case_, 2, flows_, ends_); }

  tutti::v1::Case case_;
  std::vector<Flow> flows_;
  std::map<std::string, std::vector<tutti::v1::StreamEnd>> ends_;
};

TEST_F(LiveMergerTest, TransactionsAreTheClientsMessages) {
  case_.mutable_traffic(0)->mutable_request_response()->set_exchange(
      tutti::v1::EXCHANGE_CONNECT_REQUEST_RESPONSE);
  LiveMerger merger = Make();
  std::vector<LiveInterval> told;
  for (const uint32_t index : {0u, 1u}) {
    const int64_t at_ns = (100 + 100 * static_cast<int64_t>(index)) * kMs;
    merger.Add("a", Edge(index, at_ns, {index * 7'000}));
    merger.Add("c", Edge(index, at_ns, {index * 5'000}));
    told = merger.Add("b", Edge(index, at_ns, {0, 0}));
  }
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_DOUBLE_EQ(told[0].entries(0).transactions_per_s(), 120);  // 7 and 5 in 100 ms
  EXPECT_FALSE(told[0].entries(0).has_retransmits());              // of no one connection
}

TEST_F(LiveMergerTest, MessagesThatStepBackAreNoNegativeRate) {
  case_.mutable_traffic(0)->mutable_request_response()->set_exchange(
      tutti::v1::EXCHANGE_CONNECT_REQUEST_RESPONSE);
  LiveMerger merger = Make();
  std::vector<LiveInterval> told;
  for (const uint32_t index : {0u, 1u}) {
    const int64_t at_ns = (100 + 100 * static_cast<int64_t>(index)) * kMs;
    EdgeSample edge = Edge(index, at_ns, {index * 7'000});
    edge.set_messages(0, 7 - index);
    merger.Add("a", edge);
    merger.Add("c", Edge(index, at_ns, {index * 5'000}));
    told = merger.Add("b", Edge(index, at_ns, {0, 0}));
  }
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_FALSE(told[0].entries(0).has_transactions_per_s());
  EXPECT_FALSE(told[0].entries(0).has_sent_bps());
}

TEST_F(LiveMergerTest, RetransmitsWhoseSumDoesNotFitAreNotTold) {
  LiveMerger merger = Make();
  std::vector<LiveInterval> told;
  for (const uint32_t index : {0u, 1u}) {
    const int64_t at_ns = (100 + 100 * static_cast<int64_t>(index)) * kMs;
    // 2^63 on each of two hosts: 0 in 64 bits.
    merger.Add("a", Edge(index, at_ns, {index * 1000}, {uint64_t{index} << 63}));
    merger.Add("c", Edge(index, at_ns, {index * 1000}, {uint64_t{index} << 63}));
    told = merger.Add("b", Edge(index, at_ns, {0, 0}));
  }
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_FALSE(told[0].entries(0).has_retransmits());
  EXPECT_DOUBLE_EQ(told[0].entries(0).sent_bps(), 160'000);  // 1000 B each in 100 ms
}

TEST_F(LiveMergerTest, AnIntervalIsToldWhenEveryHostHasBothEdges) {
  LiveMerger merger = Make();
  EXPECT_THAT(merger.Add("a", Edge(0, 100 * kMs, {1000}, {5})), IsEmpty());
  EXPECT_THAT(merger.Add("c", Edge(0, 100 * kMs, {0})), IsEmpty());
  EXPECT_THAT(merger.Add("b", Edge(0, 100 * kMs, {0, 0})), IsEmpty());
  // a: 1,000,000 bytes in its own 125 ms; c: 250,000 bytes in 100 ms.
  EXPECT_THAT(merger.Add("a", Edge(1, 225 * kMs, {1'001'000}, {8})), IsEmpty());
  EXPECT_THAT(merger.Add("c", Edge(1, 200 * kMs, {250'000}, {1})), IsEmpty());
  const std::vector<LiveInterval> told = merger.Add("b", Edge(1, 200 * kMs, {100'000, 400'000}));
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_EQ(told[0].case_index(), 3u);
  EXPECT_EQ(told[0].repetition(), 2u);
  EXPECT_EQ(told[0].interval(), 0u);
  EXPECT_EQ(told[0].begin_trial_ns(), 100 * kMs);
  EXPECT_EQ(told[0].end_trial_ns(), 200 * kMs);
  ASSERT_EQ(told[0].entries_size(), 1);
  EXPECT_DOUBLE_EQ(told[0].entries(0).sent_bps(), 64e6 + 20e6);
  EXPECT_DOUBLE_EQ(told[0].entries(0).received_bps(), 40e6);
  EXPECT_EQ(told[0].entries(0).retransmits(), 4u);
}

TEST_F(LiveMergerTest, AMissingHostMakesItsSideUnsetAfterTwoIntervals) {
  LiveMerger merger = Make();
  for (uint32_t index = 0; index < 3; ++index) {
    const int64_t at_ns = (100 + 100 * index) * kMs;
    EXPECT_THAT(merger.Add("a", Edge(index, at_ns, {index * 1000u})), IsEmpty());
    EXPECT_THAT(merger.Add("b", Edge(index, at_ns, {index * 1000u, 0})), IsEmpty());
  }
  const std::vector<LiveInterval> told = merger.Add("a", Edge(3, 400 * kMs, {3000}));
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_EQ(told[0].interval(), 0u);
  EXPECT_FALSE(told[0].entries(0).has_sent_bps());  // c has told nothing
  EXPECT_FALSE(told[0].entries(0).has_retransmits());
  EXPECT_DOUBLE_EQ(told[0].entries(0).received_bps(), 80e3);
}

// A host with thousands of streams does not read TCP_INFO at every edge.
TEST_F(LiveMergerTest, RetransmitsThatWereNotReadAreUnsetAndTheRatesAreThere) {
  LiveMerger merger = Make();
  std::vector<LiveInterval> told;
  for (uint32_t index = 0; index < 2; ++index) {
    const int64_t at_ns = (100 + 100 * index) * kMs;
    EdgeSample from_a = Edge(index, at_ns, {index * 1000u});
    from_a.clear_retransmits();
    merger.Add("a", from_a);
    merger.Add("c", Edge(index, at_ns, {0}));
    told = merger.Add("b", Edge(index, at_ns, {0, 0}));
  }
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_DOUBLE_EQ(told[0].entries(0).sent_bps(), 80e3);
  EXPECT_FALSE(told[0].entries(0).has_retransmits());
}

TEST_F(LiveMergerTest, TheLastIntervalIsShorter) {
  LiveMerger merger = Make();
  std::vector<LiveInterval> told;
  for (uint32_t index = 0; index <= 4; ++index) {
    const int64_t at_ns = index < 4 ? (100 + 100 * index) * kMs : 450 * kMs;
    merger.Add("a", Edge(index, at_ns, {0}));
    merger.Add("c", Edge(index, at_ns, {0}));
    for (LiveInterval& each : merger.Add("b", Edge(index, at_ns, {index * 1000u, 0}))) told.push_back(each);
  }
  ASSERT_THAT(told, SizeIs(4));
  EXPECT_EQ(told[3].begin_trial_ns(), 400 * kMs);
  EXPECT_EQ(told[3].end_trial_ns(), 450 * kMs);
  EXPECT_DOUBLE_EQ(told[3].entries(0).received_bps(), 160e3);
}

TEST_F(LiveMergerTest, RetransmitsAreUnsetForUdp) {
  case_.mutable_traffic(0)->set_protocol(tutti::v1::PROTOCOL_UDP);
  LiveMerger merger = Make();
  std::vector<LiveInterval> told;
  for (uint32_t index = 0; index < 2; ++index) {
    merger.Add("a", Edge(index, index * 100 * kMs, {0}));
    merger.Add("c", Edge(index, index * 100 * kMs, {0}));
    told = merger.Add("b", Edge(index, index * 100 * kMs, {0, 0}));
  }
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_FALSE(told[0].entries(0).has_retransmits());
  EXPECT_TRUE(told[0].entries(0).has_sent_bps());
  EXPECT_DOUBLE_EQ(told[0].entries(0).sent_bps(), 0);
}

TEST_F(LiveMergerTest, WhatDoesNotBelongIsIgnored) {
  LiveMerger merger = Make();
  EXPECT_THAT(merger.Add("stranger", Edge(0, 0, {0})), IsEmpty());
  EXPECT_THAT(merger.Add("a", Edge(0, 0, {0, 0})), IsEmpty());
  EXPECT_THAT(merger.Add("a", Edge(4'000'000'000u, 0, {0})), IsEmpty());
  EXPECT_THAT(merger.Add("a", Edge(0, INT64_MIN, {0})), IsEmpty());
}

TEST_F(LiveMergerTest, ACounterThatStepsBackIsNotARate) {
  LiveMerger merger = Make();
  std::vector<LiveInterval> told;
  for (uint32_t index = 0; index < 2; ++index) {
    merger.Add("a", Edge(index, index * 100 * kMs, {1000 - index * 1000u}));
    merger.Add("c", Edge(index, index * 100 * kMs, {0}));
    told = merger.Add("b", Edge(index, index * 100 * kMs, {0, 0}));
  }
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_FALSE(told[0].entries(0).has_sent_bps());
}

}  // namespace
}  // namespace tutti::run
