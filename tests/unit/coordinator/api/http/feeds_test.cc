#include <string>

#include "coordinator/api/http/fleet_feed.h"
#include "coordinator/api/http/run_feed.h"
#include "tests/unit/coordinator/api/http/server_fixture.h"

namespace tutti::http {
namespace {

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(RunFeedTest, AReaderThatIsBehindLosesLiveIntervalsAndNothingElse) {
  FakeOperations operations;
  tutti::v1::WatchRequest request;
  request.set_run_id(kRun);
  int woken = 0;
  const auto feed = RunFeed::Open(operations, request, [&] { ++woken; });
  for (uint64_t i = 1; i <= 300; ++i) operations.Emit(MakeInterval(i));
  for (uint64_t i = 301; i <= 310; ++i) operations.Emit(MakeCaseStarted(i));
  operations.Emit(MakeEnded(311));
  operations.End();
  EXPECT_EQ(woken, 1);  // once until somebody takes
  std::string text;
  const EventFeed::State state = feed->Take(1 << 20, text);
  EXPECT_TRUE(state.ended);
  EXPECT_EQ(Count(text, "event: interval\n"), api::EventQueue::kMaxBeforeDropping);
  EXPECT_EQ(Count(text, "event: case_started\n"), 10u);
  EXPECT_EQ(Count(text, "event: ended\n"), 1u);
}

TEST(RunFeedTest, NoMoreIsTakenAtOnceThanIsEnough) {
  FakeOperations operations;
  tutti::v1::WatchRequest request;
  request.set_run_id(kRun);
  const auto feed = RunFeed::Open(operations, request, [] {});
  for (uint64_t i = 1; i <= 10; ++i) operations.Emit(MakeQueued(i, 1000));
  operations.End();
  std::string text;
  EXPECT_FALSE(feed->Take(2500, text).ended);
  EXPECT_EQ(Count(text, "id: "), 3u);
  text.clear();
  EXPECT_TRUE(feed->Take(1 << 20, text).ended);
  EXPECT_EQ(Count(text, "id: "), 7u);
}

TEST(RunFeedTest, WhatIsRefusedIsSaid) {
  FakeOperations operations;
  tutti::v1::WatchRequest request;
  request.set_run_id("nobody");
  const auto feed = RunFeed::Open(operations, request, [] {});
  std::string text;
  EXPECT_EQ(feed->Take(1, text).refusal.code(), absl::StatusCode::kNotFound);
}

TEST(FleetFeedTest, AReaderThatIsFarBehindIsSentAwayWithWhatItHas) {
  FakeOperations operations;
  const auto feed = FleetFeed::Open(operations, {}, [] {});
  tutti::v1::FleetEvent event;
  for (size_t i = 0; i < FleetFeed::kMostWaiting + 5; ++i) {
    event.set_sequence(i + 1);
    operations.EmitFleet(event);
  }
  std::string text;
  EXPECT_TRUE(feed->Take(100 << 20, text).ended);
  EXPECT_EQ(Count(text, "event: worker\n"), FleetFeed::kMostWaiting);
}

}  // namespace
}  // namespace tutti::http
