#include "worker/load/turn_schedule.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tutti::load {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Takes all that can move out of the queue.
std::vector<uint32_t> TakeAll(TurnSchedule& schedule) {
  std::vector<uint32_t> flows;
  while (const auto flow = schedule.Next()) flows.push_back(*flow);
  return flows;
}

TEST(TurnSchedule, FlowsMoveInTheOrderInWhichTheyBecameReady) {
  TurnSchedule schedule(4);
  EXPECT_THAT(TakeAll(schedule), IsEmpty());
  schedule.SocketReady(2);
  schedule.SocketReady(0);
  schedule.SocketReady(2);  // is in the queue already
  EXPECT_EQ(schedule.queued(), 2u);
  EXPECT_THAT(TakeAll(schedule), ElementsAre(2, 0));
}

TEST(TurnSchedule, AFlowThatHasMoreToMoveGoesBehindAllOthers) {
  TurnSchedule schedule(3);
  for (uint32_t flow = 0; flow < 3; ++flow) schedule.SocketReady(flow);
  std::vector<uint32_t> turns;
  for (int turn = 0; turn < 7; ++turn) {
    turns.push_back(*schedule.Next());
    schedule.Again(turns.back());
  }
  EXPECT_THAT(turns, ElementsAre(0, 1, 2, 0, 1, 2, 0));
}

TEST(TurnSchedule, TimersPassInTheOrderOfTheirInstants) {
  TurnSchedule schedule(4);
  schedule.WaitUntil(0, 300);
  schedule.WaitUntil(1, 100);
  schedule.WaitUntil(2, 200);
  schedule.WaitUntil(3, 200);
  EXPECT_EQ(schedule.NextDueNs(), 100);
  schedule.Advance(99);
  EXPECT_THAT(TakeAll(schedule), IsEmpty());
  schedule.Advance(200);
  EXPECT_THAT(TakeAll(schedule), ElementsAre(1, 2, 3));
  EXPECT_EQ(schedule.NextDueNs(), 300);
  schedule.Advance(300);
  EXPECT_THAT(TakeAll(schedule), ElementsAre(0));
  EXPECT_EQ(schedule.NextDueNs(), INT64_MAX);
}

// A socket with room is no reason to send before the next message is due.
TEST(TurnSchedule, ASocketDoesNotWakeAFlowThatWaitsForAnInstantOrIsOver) {
  TurnSchedule schedule(2);
  schedule.WaitUntil(0, 100);
  schedule.Over(1);
  schedule.SocketReady(0);
  schedule.SocketReady(1);
  EXPECT_THAT(TakeAll(schedule), IsEmpty());
  EXPECT_EQ(schedule.left(), 1u);
}

TEST(TurnSchedule, WakesAllThatWaitForAnythingAndNoneTwice) {
  TurnSchedule schedule(4);
  schedule.WaitUntil(0, 100);
  schedule.SocketReady(2);
  schedule.Over(3);
  schedule.WakeAll();
  EXPECT_EQ(schedule.queued(), 3u);
  EXPECT_THAT(TakeAll(schedule), ElementsAre(2, 0, 1));
  EXPECT_EQ(schedule.NextDueNs(), INT64_MAX);
}

TEST(TurnSchedule, TheQueueHoldsEveryFlowHoweverOftenItGoesRound) {
  constexpr uint32_t kFlows = 5;
  TurnSchedule schedule(kFlows);
  for (uint32_t flow = 0; flow < kFlows; ++flow) schedule.SocketReady(flow);
  std::vector<int> turns(kFlows);
  for (int turn = 0; turn < 1000; ++turn) {
    const uint32_t flow = *schedule.Next();
    ++turns[flow];
    if (turn % 3 == 0) {
      schedule.WaitForSocket(flow);
      schedule.SocketReady(flow);
    } else {
      schedule.Again(flow);
    }
  }
  EXPECT_THAT(turns, ElementsAre(200, 200, 200, 200, 200));
}

}  // namespace
}  // namespace tutti::load
