#include "coordinator/fleet/probe_ledger.h"

#include "gtest/gtest.h"

namespace tutti::fleet {
namespace {

// The reply to probe `sequence`: it arrived at `received_ns`; reply `about` had left at `sent_ns`.
net::ClockDatagram Reply(uint64_t sequence, int64_t received_ns, uint64_t about = 0, int64_t sent_ns = 0) {
  net::ClockDatagram reply{.kind = net::ClockDatagramKind::kReply, .sequence = sequence};
  reply.has_received = true;
  reply.received = {received_ns};
  reply.received_bound_ns = 20;
  reply.has_sent = about != 0;
  reply.sent_by_kernel = true;
  reply.sent_sequence = about;
  reply.sent = {sent_ns};
  reply.sent_bound_ns = 30;
  return reply;
}

TEST(ProbeLedger, AnExchangeIsCompleteWhenTheNextReplyTellsHowItsOwnLeft) {
  ProbeLedger ledger;
  ASSERT_EQ(ledger.Begin({1000}), 1u);
  ledger.OnSendStamp(1, {1010}, 5);
  EXPECT_FALSE(ledger.OnReply(Reply(1, 5000), {1100}, 7));
  ASSERT_EQ(ledger.Begin({2000}), 2u);
  ledger.OnSendStamp(2, {2010}, 5);
  const auto done = ledger.OnReply(Reply(2, 6000, 1, 5040), {2100}, 7);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->exchange.probe_sent, TimelineTime{1010});
  EXPECT_EQ(done->exchange.probe_received, HostTime{5000});
  EXPECT_EQ(done->exchange.reply_sent, HostTime{5040});
  EXPECT_EQ(done->exchange.reply_received, TimelineTime{1100});
  EXPECT_EQ(done->exchange.uncertainty_ns, 37);  // there 5 + 20, back 30 + 7: the larger
  EXPECT_EQ(done->stamps, ProbeStamps::kKernel);
}

TEST(ProbeLedger, AFollowUpCompletesItsExchangeOnce) {
  ProbeLedger ledger;
  ledger.Begin({1000});
  ledger.OnSendStamp(1, {1010}, 5);
  auto follow_up = Reply(1, 0, 1, 5040);
  follow_up.kind = net::ClockDatagramKind::kFollowUp;
  EXPECT_FALSE(ledger.OnFollowUp(follow_up));  // it overtook its reply
  EXPECT_FALSE(ledger.OnReply(Reply(1, 5000), {1100}, 7));
  const auto done = ledger.OnFollowUp(follow_up);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->exchange.probe_sent, TimelineTime{1010});
  EXPECT_EQ(done->exchange.probe_received, HostTime{5000});
  EXPECT_EQ(done->exchange.reply_sent, HostTime{5040});
  EXPECT_EQ(done->exchange.reply_received, TimelineTime{1100});
  EXPECT_EQ(done->stamps, ProbeStamps::kKernel);
  EXPECT_FALSE(ledger.OnFollowUp(follow_up));
  ledger.Begin({2000});
  EXPECT_FALSE(ledger.OnReply(Reply(2, 6000, 1, 5040), {2100}, 7));  // told again
  follow_up.has_sent = false;
  follow_up.sent_sequence = 2;
  EXPECT_FALSE(ledger.OnFollowUp(follow_up));
}

TEST(ProbeLedger, WithoutAKernelsStampTheProgramsStandsAndSaysSo) {
  ProbeLedger ledger;
  ledger.Begin({1000});
  ledger.OnReply(Reply(1, 5000), {1100}, 0);
  ledger.Begin({2000});
  ledger.OnSendStamp(2, {2010}, 0);
  const auto ours = ledger.OnReply(Reply(2, 6000, 1, 5040), {2100}, 0);
  ASSERT_TRUE(ours);
  EXPECT_EQ(ours->exchange.probe_sent, TimelineTime{1000});
  EXPECT_EQ(ours->stamps, ProbeStamps::kProgram);
  ledger.Begin({3000});
  auto third = Reply(3, 7000, 2, 6040);
  third.sent_by_kernel = false;
  const auto theirs = ledger.OnReply(third, {3100}, 0);
  ASSERT_TRUE(theirs);
  EXPECT_EQ(theirs->exchange.probe_sent, TimelineTime{2010});
  EXPECT_EQ(theirs->stamps, ProbeStamps::kProgram);
}

TEST(ProbeLedger, ALostReplyCostsItsOwnExchangeAndTheOneItWouldHaveCompleted) {
  ProbeLedger ledger;
  for (int64_t n = 1; n <= 4; ++n) ledger.Begin({n * 1000});
  EXPECT_FALSE(ledger.OnReply(Reply(1, 5000), {1100}, 0));
  // Reply 2 is lost on its way: the worker goes on from it.
  EXPECT_FALSE(ledger.OnReply(Reply(3, 7000, 2, 6040), {3100}, 0));
  const auto done = ledger.OnReply(Reply(4, 8000, 3, 7040), {4100}, 0);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->exchange.probe_received, HostTime{7000});
}

TEST(ProbeLedger, RepliesThatWereNotAskedForOrComeTwiceCountForNothing) {
  ProbeLedger ledger;
  ledger.Begin({1000});
  EXPECT_FALSE(ledger.OnReply(Reply(0, 1), {1050}, 0));
  EXPECT_FALSE(ledger.OnReply(Reply(2, 1), {1050}, 0));
  ledger.OnReply(Reply(1, 5000), {1100}, 0);
  ledger.OnReply(Reply(1, 9000), {1900}, 0);  // the network doubled it
  ledger.Begin({2000});
  const auto done = ledger.OnReply(Reply(2, 6000, 1, 5040), {2100}, 0);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->exchange.probe_received, HostTime{5000});
  EXPECT_EQ(done->exchange.reply_received, TimelineTime{1100});
  ledger.Begin({3000});
  EXPECT_FALSE(ledger.OnReply(Reply(3, 7000, 1, 5040), {3100}, 0)) << "each exchange counts once";
}

TEST(ProbeLedger, AReplyWhoseArrivalCouldNotBePlacedGivesNoExchange) {
  ProbeLedger ledger;
  ledger.Begin({1000});
  auto stepped = Reply(1, 5000);
  stepped.has_received = false;
  ledger.OnReply(stepped, {1100}, 0);
  ledger.Begin({2000});
  EXPECT_FALSE(ledger.OnReply(Reply(2, 6000, 1, 5040), {2100}, 0));
}

TEST(ProbeLedger, AStampFromBeforeTheProbeIsAnotherDatagrams) {
  ProbeLedger ledger;
  ledger.Begin({1000});
  ledger.OnSendStamp(1, {900}, 5);
  ledger.OnReply(Reply(1, 5000), {1100}, 0);
  ledger.Begin({2000});
  EXPECT_EQ(ledger.OnReply(Reply(2, 6000, 1, 5040), {2100}, 0)->exchange.probe_sent, TimelineTime{1000});
}

TEST(ProbeLedger, WhatLiesTooFarBackIsForgotten) {
  ProbeLedger ledger;
  for (int64_t n = 1; n <= 40; ++n) ledger.Begin({n * 1000});
  EXPECT_FALSE(ledger.OnReply(Reply(1, 5000), {41'000}, 0));
  EXPECT_FALSE(ledger.OnReply(Reply(40, 6000, 1, 5040), {41'100}, 0));
}

}  // namespace
}  // namespace tutti::fleet
