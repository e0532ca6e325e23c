#include "coordinator/api/event_queue.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

namespace tutti::api {
namespace {

run::SharedEvent Interval() {
  auto event = std::make_shared<tutti::v1::RunEvent>();
  event->mutable_interval();
  return event;
}
run::SharedEvent CaseStarted() {
  auto event = std::make_shared<tutti::v1::RunEvent>();
  event->mutable_case_started();
  return event;
}

TEST(EventQueueTest, AFullQueueDropsLiveIntervalsAndNothingElse) {
  EventQueue queue;
  for (size_t i = 0; i < EventQueue::kMaxBeforeDropping; ++i) queue.Push(Interval());
  queue.Push(Interval());
  EXPECT_EQ(queue.size(), EventQueue::kMaxBeforeDropping);
  queue.Push(CaseStarted());
  EXPECT_EQ(queue.size(), EventQueue::kMaxBeforeDropping + 1);
  queue.Pop();
  queue.Pop();
  queue.Push(Interval());
  EXPECT_EQ(queue.size(), EventQueue::kMaxBeforeDropping);
}

TEST(FleetEventQueueTest, AFullQueueRefusesTheNextEventAndKeepsTheOthers) {
  FleetEventQueue queue;
  for (size_t i = 0; i < FleetEventQueue::kMaxWaiting; ++i) {
    auto event = std::make_shared<tutti::v1::FleetEvent>();
    event->set_sequence(i + 1);
    ASSERT_TRUE(queue.Push(std::move(event)));
  }
  EXPECT_FALSE(queue.Push(std::make_shared<tutti::v1::FleetEvent>()));
  EXPECT_EQ(queue.Pop()->sequence(), 1u);
  EXPECT_TRUE(queue.Push(std::make_shared<tutti::v1::FleetEvent>()));
}

TEST(EventQueueTest, EventsComeOutInOrder) {
  EventQueue queue;
  const run::SharedEvent first = CaseStarted();
  const run::SharedEvent second = Interval();
  queue.Push(first);
  queue.Push(second);
  EXPECT_EQ(queue.Pop(), first);
  EXPECT_EQ(queue.Pop(), second);
  EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace tutti::api
