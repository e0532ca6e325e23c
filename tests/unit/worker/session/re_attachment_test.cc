// A session whose connection breaks: what the worker keeps, says and stops.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/unit/worker/session/worker_fixture.h"

namespace tutti::session {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr uint64_t kSession = 5150;

class ReAttachmentTest : public WorkerTest {
 protected:
  void Break() {
    session().handlers.on_closed(absl::UnavailableError("connection reset"));
    Run();
  }
  // The coordinator has received so much.
  void Resume(uint64_t received) {
    v1::CoordinatorMessage message;
    message.mutable_registered()->set_lease_ns(kLeaseNs);
    message.mutable_registered()->set_session_id(kSession);
    message.mutable_registered()->set_resumed(true);
    message.mutable_registered()->set_received_sequence(received);
    Give(message);
  }
  static v1::CoordinatorMessage Background(uint64_t sequence) {
    v1::CoordinatorMessage message;
    message.mutable_measure_background()->set_request_id(sequence);
    message.mutable_measure_background()->set_duration_ns(1'000 * kMs);
    message.set_sequence(sequence);
    return message;
  }
  // What was said on the last connection, beside hellos and replies.
  std::vector<uint64_t> Numbered() {
    std::vector<uint64_t> numbers;
    for (const v1::WorkerMessage& message : session().sent) {
      if (message.sequence() != 0) numbers.push_back(message.sequence());
    }
    return numbers;
  }
  const v1::Hello& HelloOfLast() { return session().sent.at(0).hello(); }
};

TEST_F(ReAttachmentTest, EventsAreNumberedInOneRow) {
  StartAndRegister(kSession);
  EXPECT_TRUE(HelloOfLast().resumable());
  EXPECT_EQ(HelloOfLast().session_id(), 0u);
  StartTrial();
  Probe();
  // Prepared, connected, armed, senders stopped; a reply to a probe has no number.
  EXPECT_THAT(Numbered(), ElementsAre(1, 2, 3, 4));
}

TEST_F(ReAttachmentTest, ABrokenConnectionLeavesTheTrialAloneAndWhatDidNotArriveIsSentAgainInOrder) {
  StartAndRegister(kSession);
  StartTrial();
  // The streams are drained while the connection is away.
  session().handlers.on_message(MakeDrain(), clock.Now());
  Break();
  ASSERT_EQ(dialer.sessions.size(), 2u);  // at once
  EXPECT_FALSE(kernel.script.Released());
  EXPECT_EQ(HelloOfLast().name(), "alpha");
  EXPECT_EQ(HelloOfLast().incarnation(), 99u);
  EXPECT_EQ(HelloOfLast().session_id(), kSession);
  EXPECT_GT(HelloOfLast().attempt(), 0u);
  EXPECT_EQ(session().sent.size(), 1u);  // nothing before the answer
  Resume(3);
  EXPECT_THAT(Numbered(), ElementsAre(4, 5));
  EXPECT_TRUE(session().sent.at(1).has_senders_stopped());
  EXPECT_TRUE(session().sent.at(2).has_drained());
  EXPECT_EQ(registrations, 1);
  Give(MakeFinish());
  EXPECT_THAT(Numbered(), ElementsAre(4, 5, 6, 7));
  EXPECT_TRUE(session().sent.at(3).has_report());
  EXPECT_TRUE(session().sent.at(4).has_idle());
}

TEST_F(ReAttachmentTest, WhatTheCoordinatorHasReceivedIsNotSentAgain) {
  StartAndRegister(kSession);
  StartTrial();
  v1::CoordinatorMessage received;
  received.set_received_sequence(4);
  Give(received);
  Break();
  Resume(4);
  EXPECT_THAT(Numbered(), IsEmpty());
}

TEST_F(ReAttachmentTest, ACommandThatArrivesTwiceIsTakenOnce) {
  StartAndRegister(kSession);
  Give(Background(1));
  Break();
  EXPECT_EQ(HelloOfLast().received_sequence(), 1u);
  Resume(0);
  Give(Background(1));
  Give(Background(2));
  Probe();
  EXPECT_EQ(session().sent.back().received_sequence(), 2u);
  Advance(500 * kMs);
  Probe();
  Advance(500 * kMs);
  std::vector<uint64_t> readings;
  for (const v1::WorkerMessage& message : session().sent) {
    if (message.has_background()) readings.push_back(message.background().request_id());
  }
  EXPECT_THAT(readings, ElementsAre(1, 2));
}

TEST_F(ReAttachmentTest, ACommandThatIsLeftOutEndsTheSession) {
  StartAndRegister(kSession);
  StartTrial();
  Give(Background(2));
  EXPECT_TRUE(kernel.script.Released());
  EXPECT_TRUE(dialer.sessions[0]->cancelled);
  Advance(100 * kMs);
  ASSERT_EQ(dialer.sessions.size(), 2u);
  EXPECT_EQ(HelloOfLast().session_id(), 0u);
}

TEST_F(ReAttachmentTest, TheLeaseRunsOnWhileTheConnectionIsAway) {
  StartAndRegister(kSession);
  StartTrial();
  Break();
  Advance(kLeaseNs - 10 * kMs);
  EXPECT_FALSE(kernel.script.Released());
  EXPECT_EQ(HelloOfLast().session_id(), kSession);  // still tries
  Advance(10 * kMs);
  EXPECT_TRUE(kernel.script.Released());
  Advance(100 * kMs);
  EXPECT_EQ(HelloOfLast().session_id(), 0u);  // a new one
  EXPECT_EQ(HelloOfLast().facts().online_cpus_size(), 4);
  Register(kSession + 1);
  EXPECT_EQ(registrations, 2);
  EXPECT_THAT(Numbered(), IsEmpty());  // nothing of the old session
}

TEST_F(ReAttachmentTest, TheLeaseCountsAnewFromTheAnswer) {
  StartAndRegister(kSession);
  StartTrial();
  Advance(900 * kMs);
  Break();
  Advance(50 * kMs);
  Resume(4);
  Advance(kLeaseNs - 10 * kMs);
  EXPECT_FALSE(kernel.script.Released());
  Advance(10 * kMs);
  EXPECT_TRUE(kernel.script.Released());
}

TEST_F(ReAttachmentTest, AfterSilenceForHalfTheLeaseItDialsAnewWithoutEndingTheTrial) {
  StartAndRegister(kSession);
  StartTrial();
  Advance(kLeaseNs / 2 - 10 * kMs);
  EXPECT_EQ(dialer.sessions.size(), 1u);
  Advance(10 * kMs);
  EXPECT_EQ(dialer.sessions.size(), 2u);
  EXPECT_FALSE(kernel.script.Released());
  // What the old connection still delivers counts for nothing.
  dialer.sessions[0]->handlers.on_message(MakeAbort(), clock.Now());
  Run();
  EXPECT_FALSE(kernel.script.Released());
  Resume(4);
  Give(MakeFinish());
  EXPECT_THAT(Numbered(), ElementsAre(5, 6));
}

TEST_F(ReAttachmentTest, ADialThatIsNotAnsweredIsFollowedByAnother) {
  StartAndRegister(kSession);
  Break();
  ASSERT_EQ(dialer.sessions.size(), 2u);
  const uint64_t attempt = HelloOfLast().attempt();
  Advance(300 * kMs);
  ASSERT_EQ(dialer.sessions.size(), 3u);
  EXPECT_GT(HelloOfLast().attempt(), attempt);
  Resume(0);
  Advance(100 * kMs);
  EXPECT_EQ(dialer.sessions.size(), 3u);
}

TEST_F(ReAttachmentTest, ARefusedConnectionIsTriedAgainAfterShortPauses) {
  StartAndRegister(kSession);
  Break();
  for (int64_t passed = 0; passed < 1'000; passed += 10) {
    if (session().sent.size() == 1u) session().handlers.on_closed(absl::UnavailableError("refused"));
    Advance(10 * kMs);
  }
  // Pauses of at most 20, 40, 80, 160 and then 200 ms.
  EXPECT_GE(dialer.sessions.size(), 7u);
  EXPECT_LE(dialer.sessions.size(), 20u);
}

TEST_F(ReAttachmentTest, ASessionThatTheCoordinatorDoesNotKnowEndsTheTrialBeforeANewOneBegins) {
  StartAndRegister(kSession);
  StartTrial();
  Break();
  EXPECT_FALSE(kernel.script.Released());
  Refuse(/*retry=*/true);
  EXPECT_TRUE(kernel.script.Released());
  Advance(100 * kMs);
  ASSERT_EQ(dialer.sessions.size(), 3u);
  EXPECT_EQ(HelloOfLast().session_id(), 0u);
  EXPECT_TRUE(HelloOfLast().resumable());
}

TEST_F(ReAttachmentTest, AnAnswerOfAnotherSessionEndsTheTrial) {
  StartAndRegister(kSession);
  StartTrial();
  Break();
  Register(kSession + 1);  // not resumed
  EXPECT_TRUE(kernel.script.Released());
  Advance(100 * kMs);
  EXPECT_EQ(HelloOfLast().session_id(), 0u);
}

TEST_F(ReAttachmentTest, ASessionThatTheCoordinatorEndsInOrderIsOver) {
  StartAndRegister(kSession);
  StartTrial();
  session().handlers.on_closed(absl::OkStatus());
  Run();
  EXPECT_TRUE(kernel.script.Released());
  EXPECT_EQ(dialer.sessions.size(), 1u);
}

TEST_F(ReAttachmentTest, AWorkerThatStopsSaysGoodbye) {
  StartAndRegister(kSession);
  bool stopped = false;
  worker.Stop([&] { stopped = true; });
  Run();
  EXPECT_TRUE(stopped);
  EXPECT_TRUE(session().sent.back().has_goodbye());
}

TEST_F(ReAttachmentTest, AWorkerStopsAtOnceWhileItsConnectionIsAway) {
  StartAndRegister(kSession);
  StartTrial();
  Break();
  bool stopped = false;
  worker.Stop([&] { stopped = true; });
  Run();
  EXPECT_TRUE(stopped);
  EXPECT_TRUE(kernel.script.Released());
  Advance(5'000 * kMs);
  EXPECT_EQ(dialer.sessions.size(), 2u);
}

}  // namespace
}  // namespace tutti::session
