// A worker whose connection breaks: what the fleet keeps for it, how long, and who may have its name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/version/version.h"
#include "coordinator/fleet/attachment.h"
#include "fleet_fixture.h"

namespace tutti::fleet {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using tutti::v1::CoordinatorMessage;
using tutti::v1::Hello;
using tutti::v1::WorkerInfo;
using tutti::v1::WorkerMessage;

class TrialListener final : public WorkerListener {
 public:
  void OnWorkerMessage(const std::string&, WorkerMessage message) override {
    trials.push_back(message.idle().trial_id());
  }
  void OnWorkerLost(const std::string&, const std::string& reason) override { lost.push_back(reason); }
  void OnWorkerRegistered(const std::string&) override { ++registered; }
  std::vector<uint64_t> trials;  // of the messages, in the order of arrival
  std::vector<std::string> lost;
  int registered = 0;
};

class ReAttachmentTest : public FleetFixture {
 protected:
  static Hello MakeResumable(uint64_t incarnation = 1, const std::string& boot_id = "boot-1") {
    Hello hello = MakeHello("a", incarnation, boot_id);
    hello.set_resumable(true);
    return hello;
  }
  // The first connection, which a run holds.
  std::shared_ptr<FakeLink> Join() {
    auto link = Dial(MakeResumable());
    session_id_ = link->sent.at(0).registered().session_id();
    fleet_.Assign({"a"}, "run-1", &listener_);
    return link;
  }
  Hello MakeResume(uint64_t received) {
    Hello hello;
    hello.set_protocol_version(kProtocolVersion);
    hello.set_name("a");
    hello.set_incarnation(1);
    hello.set_session_id(session_id_);
    hello.set_received_sequence(received);
    hello.set_attempt(++attempt_);
    return hello;
  }
  // The worker's event of that number, about the trial of that number.
  void Say(const FakeLink& link, uint64_t sequence, uint64_t received = 0) {
    WorkerMessage message;
    message.mutable_idle()->set_trial_id(sequence);
    message.set_sequence(sequence);
    message.set_received_sequence(received);
    fleet_.HandleMessage(&link, message, {executor_.NowNs()});
  }
  void Command(uint64_t trial) {
    CoordinatorMessage message;
    message.mutable_finish()->set_trial_id(trial);
    EXPECT_TRUE(fleet_.Send("a", std::move(message)));
  }
  // The trials of the commands on this connection.
  static std::vector<uint64_t> Commands(const FakeLink& link) {
    std::vector<uint64_t> trials;
    for (const CoordinatorMessage& message : link.sent) {
      if (message.has_finish()) trials.push_back(message.finish().trial_id());
    }
    return trials;
  }
  WorkerInfo Info() const {
    const auto all = fleet_.Snapshot();
    return all.empty() ? WorkerInfo() : all.front();
  }

  TrialListener listener_;
  uint64_t session_id_ = 0;
  uint64_t attempt_ = 0;
};

TEST_F(ReAttachmentTest, OnlyAWorkerThatNumbersItsMessagesGetsASessionThatLasts) {
  const auto link = Join();
  EXPECT_NE(session_id_, 0u);
  EXPECT_FALSE(link->sent.at(0).registered().resumed());
  EXPECT_EQ(link->sent.at(0).sequence(), 0u);
  Hello hello = MakeResumable();
  hello.set_name("b");
  hello.set_resumable(false);
  const auto other = Dial(hello);
  EXPECT_EQ(other->sent.at(0).registered().session_id(), 0u);
  fleet_.HandleClosed(other.get(), "gone");
  EXPECT_TRUE(fleet_.Find("b")->lost);
}

TEST_F(ReAttachmentTest, ABrokenConnectionLosesNobodyWithinTheLease) {
  const auto link = Join();
  executor_.AdvanceBy(500 * kMs);
  fleet_.HandleClosed(link.get(), "its connection was reset");
  EXPECT_THAT(listener_.lost, IsEmpty());
  EXPECT_EQ(Info().state(), WorkerInfo::STATE_BUSY);
  executor_.AdvanceBy(300 * kMs);
  EXPECT_THAT(Info().state_reason(),
              AllOf(HasSubstr("runs run-1"), HasSubstr("broke 300ms ago"), HasSubstr("within 1.2s")));
  EXPECT_EQ(fleet_.Find("a")->away_until_ns.value_or(0), executor_.NowNs() + (1'200 + 200) * kMs);
  // Heard last 0.8 s ago; the lease is looked at each 0.2 s.
  executor_.AdvanceBy(1'190 * kMs);
  EXPECT_THAT(listener_.lost, IsEmpty());
  executor_.AdvanceBy(210 * kMs);
  EXPECT_THAT(listener_.lost,
              ElementsAre(AllOf(HasSubstr("its connection was reset"), HasSubstr("lease of 2s"))));
  EXPECT_EQ(Info().state(), WorkerInfo::STATE_LOST);
  EXPECT_FALSE(fleet_.Send("a", {}));
}

TEST_F(ReAttachmentTest, WhatDidNotArriveIsSentAgainInOrderAndNothingTwice) {
  const auto first = Join();
  for (const uint64_t trial : {11u, 12u, 13u}) Command(trial);
  Say(*first, 1);
  Say(*first, 2, 1);  // it has the first command
  fleet_.HandleClosed(first.get(), "reset");
  Command(14);
  executor_.AdvanceBy(500 * kMs);
  const auto second = Dial(MakeResume(2));
  ASSERT_TRUE(second->registered());
  const auto& registered = second->sent.at(0).registered();
  EXPECT_TRUE(registered.resumed());
  EXPECT_EQ(registered.session_id(), session_id_);
  EXPECT_EQ(registered.received_sequence(), 2u);
  EXPECT_EQ(registered.lease_ns(), kLeaseNs);
  EXPECT_THAT(Commands(*second), ElementsAre(13, 14));
  Command(15);
  EXPECT_THAT(Commands(*second), ElementsAre(13, 14, 15));
  EXPECT_EQ(second->sent.back().sequence(), 5u);
  for (const uint64_t sequence : {1u, 2u, 3u, 4u}) Say(*second, sequence);
  EXPECT_THAT(listener_.trials, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(listener_.lost, IsEmpty());
  EXPECT_EQ(listener_.registered, 1);
  EXPECT_EQ(Info().state(), WorkerInfo::STATE_BUSY);
  EXPECT_EQ(Info().state_reason(), "runs run-1");
}

TEST_F(ReAttachmentTest, AWorkerThatIsBackTakesTheNameFromItsOwnOldConnection) {
  const auto first = Join();
  Say(*first, 1);
  const auto second = Dial(MakeResume(0), "ipv4:10.0.0.1:4001");
  EXPECT_TRUE(second->registered());
  EXPECT_TRUE(first->broken);
  EXPECT_EQ(Info().peer(), "ipv4:10.0.0.1:4001");
  // What the old one still delivers comes again on the new one.
  Say(*first, 2);
  fleet_.HandleClosed(first.get(), "late");
  EXPECT_FALSE(fleet_.Find("a")->away_until_ns.has_value());
  Say(*second, 2);
  EXPECT_THAT(listener_.trials, ElementsAre(1, 2));
}

TEST_F(ReAttachmentTest, AnAttemptThatArrivesAfterItsSuccessorChangesNothing) {
  const auto first = Join();
  fleet_.HandleClosed(first.get(), "reset");
  const Hello overtaken = MakeResume(0);
  const auto second = Dial(MakeResume(0));
  const auto late = Dial(overtaken);
  EXPECT_TRUE(second->registered());
  EXPECT_FALSE(second->broken);
  EXPECT_FALSE(late->refusal().empty());
}

TEST_F(ReAttachmentTest, TheClockIsKeptAndMeasuredAtOnceWhenTheWorkerIsBack) {
  const auto first = Join();
  const int64_t sent_ns = executor_.NowNs();
  executor_.AdvanceBy(2 * kMs);
  WorkerMessage reply;
  reply.mutable_clock_reply()->set_sequence(first->probes.back());
  reply.mutable_clock_reply()->set_probe_sent_timeline_ns(sent_ns);
  reply.mutable_clock_reply()->set_received_host_ns(500);
  reply.mutable_clock_reply()->set_sent_host_ns(500);
  fleet_.HandleMessage(first.get(), reply, {executor_.NowNs()});
  const int64_t bound_ns = Info().clock_bound_ns();
  fleet_.HandleClosed(first.get(), "reset");
  executor_.AdvanceBy(1'000 * kMs);
  EXPECT_TRUE(fleet_.Mapping("a").has_value());
  EXPECT_GT(Info().clock_bound_ns(), bound_ns);  // its drift is not known better
  const size_t probes = first->probes.size();
  const auto second = Dial(MakeResume(0));
  executor_.AdvanceBy(45 * kMs);
  EXPECT_EQ(second->probes.size(), 16u);
  EXPECT_EQ(first->probes.size(), probes);
  EXPECT_EQ(fleet_.Quality("a")->restarts, 0u);
}

TEST_F(ReAttachmentTest, ASessionThatIsNotHeldIsRefusedForNow) {
  const auto first = Join();
  Hello other = MakeResume(0);
  other.set_session_id(session_id_ + 1);
  Hello ahead = MakeResume(1);  // has received what was never sent
  Hello nobody = MakeResume(0);
  nobody.set_name("b");
  Hello stranger = MakeResume(0);
  stranger.set_incarnation(2);
  for (const Hello& hello : {other, ahead, nobody, stranger}) {
    const auto link = Dial(hello);
    EXPECT_FALSE(link->refusal().empty()) << hello.ShortDebugString();
    EXPECT_TRUE(link->sent.back().refused().retry());
    EXPECT_TRUE(link->closed);
  }
  EXPECT_FALSE(first->broken);
  fleet_.Drop("a", "too slow");
  EXPECT_FALSE(Dial(MakeResume(0))->refusal().empty());
  // The worker ends what it had and comes anew.
  const auto anew = Dial(MakeResumable());
  EXPECT_TRUE(anew->registered());
  EXPECT_NE(anew->sent.at(0).registered().session_id(), session_id_);
}

TEST_F(ReAttachmentTest, AMessageThatIsLeftOutEndsTheSession) {
  const auto link = Join();
  Say(*link, 1);
  Say(*link, 3);
  EXPECT_THAT(listener_.trials, ElementsAre(1));
  EXPECT_THAT(listener_.lost, ElementsAre(HasSubstr("left out a message")));
  EXPECT_TRUE(link->broken);
}

TEST_F(ReAttachmentTest, WhatIsReceivedIsToldWithEachProbeAndEach32Messages) {
  const auto link = Join();
  executor_.AdvanceBy(1'000 * kMs);
  const size_t before = link->sent.size();
  for (uint64_t sequence = 1; sequence <= 31; ++sequence) Say(*link, sequence);
  EXPECT_EQ(link->sent.size(), before);
  Say(*link, 32);
  ASSERT_EQ(link->sent.size(), before + 1);
  EXPECT_EQ(link->sent.back().received_sequence(), 32u);
  EXPECT_EQ(link->sent.back().sequence(), 0u);
  Say(*link, 33);
  executor_.AdvanceBy(200 * kMs);
  ASSERT_EQ(link->sent.size(), before + 2);
  EXPECT_EQ(link->sent.back().received_sequence(), 33u);
}

TEST_F(ReAttachmentTest, AWorkerThatSaysGoodbyeIsNotWaitedFor) {
  const auto link = Join();
  WorkerMessage goodbye;
  goodbye.mutable_goodbye();
  fleet_.HandleMessage(link.get(), goodbye, {executor_.NowNs()});
  EXPECT_THAT(listener_.lost, IsEmpty());
  fleet_.HandleClosed(link.get(), "its session ended");
  EXPECT_THAT(listener_.lost, ElementsAre("the worker was stopped"));
}

TEST_F(ReAttachmentTest, AWorkerThatTakesNothingLosesItsSessionForGood) {
  const auto link = Join();
  for (size_t i = 0; i < Attachment::kMaxMessages; ++i) Command(1);
  EXPECT_FALSE(link->broken);
  Command(1);
  EXPECT_TRUE(link->broken);
  fleet_.HandleClosed(link.get(), "broken");
  EXPECT_THAT(listener_.lost, ElementsAre(HasSubstr("does not read")));
}

TEST_F(ReAttachmentTest, AWorkerThatIsStartedAnewReplacesOneWhoseConnectionIsAwayAtOnce) {
  const auto first = Join();
  fleet_.HandleClosed(first.get(), "reset");
  const auto second = Dial(MakeResumable(2));
  EXPECT_TRUE(second->registered());
  EXPECT_THAT(listener_.lost, ElementsAre(AllOf(HasSubstr("reset"), HasSubstr("started anew"))));
  EXPECT_EQ(listener_.registered, 1);
}

TEST_F(ReAttachmentTest, AlsoIfItCameBeforeTheOldConnectionWasSeenToBreak) {
  const auto first = Join();
  const auto second = Dial(MakeResumable(2));
  EXPECT_FALSE(second->registered());
  fleet_.HandleClosed(first.get(), "reset");
  EXPECT_TRUE(second->registered());
  EXPECT_THAT(listener_.lost, ElementsAre(HasSubstr("started anew")));
}

TEST_F(ReAttachmentTest, TheNameOfOneThatIsAwayIsNotGivenToAnotherMachineIfItComesBack) {
  const auto first = Join();
  fleet_.HandleClosed(first.get(), "reset");
  const auto other = Dial(MakeResumable(2, "boot-2"));
  EXPECT_TRUE(other->sent.empty());
  executor_.AdvanceBy(100 * kMs);
  const auto second = Dial(MakeResume(0));
  EXPECT_TRUE(second->registered());
  executor_.AdvanceBy(3 * kMs);
  WorkerMessage reply;
  reply.mutable_clock_reply()->set_sequence(second->probes.back());
  reply.mutable_clock_reply()->set_probe_sent_timeline_ns(executor_.NowNs());
  fleet_.HandleMessage(second.get(), reply, {executor_.NowNs()});
  EXPECT_THAT(other->refusal(), HasSubstr("name in use"));
  EXPECT_THAT(listener_.lost, IsEmpty());
}

}  // namespace
}  // namespace tutti::fleet
