#include "worker/session/held_session.h"

#include <gtest/gtest.h>

#include <string>

namespace tutti::session {
namespace {

v1::WorkerMessage Idle() {
  v1::WorkerMessage message;
  message.mutable_idle()->set_trial_id(1);
  return message;
}

v1::WorkerMessage Progress(size_t bytes = 0) {
  v1::WorkerMessage message;
  message.mutable_progress()->set_trial_id(1);
  for (size_t i = 0; i < bytes; ++i) message.mutable_progress()->mutable_edge()->add_bytes(1);
  return message;
}

TEST(HeldSessionTest, WithoutAnIdNothingIsNumberedOrKept) {
  HeldSession session;
  v1::WorkerMessage message = Idle();
  EXPECT_EQ(session.Keep(message), HeldSession::Fate::kSend);
  EXPECT_EQ(message.sequence(), 0u);
  EXPECT_TRUE(session.kept().empty());
}

TEST(HeldSessionTest, WhatIsOfItsConnectionIsNotNumbered) {
  HeldSession session;
  session.Begin(7);
  v1::WorkerMessage reply;
  reply.mutable_clock_reply();
  v1::WorkerMessage goodbye;
  goodbye.mutable_goodbye();
  v1::WorkerMessage heartbeat;
  heartbeat.mutable_heartbeat();
  for (v1::WorkerMessage message : {reply, goodbye, heartbeat, v1::WorkerMessage()}) {
    EXPECT_EQ(session.Keep(message), HeldSession::Fate::kSend);
    EXPECT_EQ(message.sequence(), 0u);
  }
  EXPECT_TRUE(session.kept().empty());
}

TEST(HeldSessionTest, ProgressIsDroppedBeforeAnythingThatMatters) {
  HeldSession session;
  session.Begin(7);
  v1::WorkerMessage message;
  for (size_t i = 0; i < HeldSession::kMaxProgress; ++i) {
    message = Progress();
    ASSERT_EQ(session.Keep(message), HeldSession::Fate::kSend);
  }
  message = Progress();
  EXPECT_EQ(session.Keep(message), HeldSession::Fate::kDrop);
  // What is dropped leaves no gap.
  for (size_t i = HeldSession::kMaxProgress; i < HeldSession::kMaxMessages; ++i) {
    message = Idle();
    ASSERT_EQ(session.Keep(message), HeldSession::Fate::kSend);
    EXPECT_EQ(message.sequence(), i + 1);
  }
  message = Idle();
  EXPECT_EQ(session.Keep(message), HeldSession::Fate::kFull);
}

TEST(HeldSessionTest, LargeProgressIsDroppedByItsBytes) {
  HeldSession session;
  session.Begin(7);
  size_t kept = 0;
  v1::WorkerMessage message = Progress(size_t{1} << 20);
  while (session.Keep(message) == HeldSession::Fate::kSend) ++kept;
  EXPECT_EQ(kept, 16u);
  message = Idle();
  EXPECT_EQ(session.Keep(message), HeldSession::Fate::kSend);
}

TEST(HeldSessionTest, IsTakenUpAgainOnlyWhereBothEndsKnowIt) {
  HeldSession session;
  session.Begin(7);
  v1::WorkerMessage message = Idle();
  session.Keep(message);
  v1::Registered registered;
  registered.set_session_id(7);
  registered.set_received_sequence(1);
  EXPECT_FALSE(session.Resume(registered));  // a new one of the same id
  registered.set_resumed(true);
  registered.set_received_sequence(2);  // was never sent
  EXPECT_FALSE(session.Resume(registered));
  registered.set_received_sequence(1);
  registered.set_session_id(8);
  EXPECT_FALSE(session.Resume(registered));
  registered.set_session_id(7);
  EXPECT_TRUE(session.Resume(registered));
  EXPECT_TRUE(session.kept().empty());
  registered.set_received_sequence(0);  // what is kept no more
  EXPECT_FALSE(session.Resume(registered));
}

}  // namespace
}  // namespace tutti::session
