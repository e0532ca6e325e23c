#include <memory>
#include <string>

#include "coordinator/api/http/fleet_feed.h"
#include "coordinator/api/http/run_feed.h"
#include "coordinator/api/http/shared_text.h"
#include "coordinator/api/http/unsent_bytes.h"
#include "tests/unit/coordinator/api/http/server_fixture.h"

namespace tutti::http {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr size_t kPlenty = 100 << 20;

std::shared_ptr<SharedTexts> TextsOf(size_t limit_bytes) {
  return std::make_shared<SharedTexts>(std::make_shared<UnsentBytes>(limit_bytes, kPlenty, [] {}));
}

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
  const auto feed = RunFeed::Open(operations, TextsOf(kPlenty), request, [&] { ++woken; });
  for (uint64_t i = 1; i <= 300; ++i) operations.Emit(MakeInterval(i));
  for (uint64_t i = 301; i <= 310; ++i) operations.Emit(MakeCaseStarted(i));
  operations.Emit(MakeEnded(311));
  operations.End();
  EXPECT_EQ(woken, 1);  // once until somebody takes
  Outgoing out;
  const EventFeed::State state = feed->Take(1 << 20, out);
  EXPECT_TRUE(state.ended);
  EXPECT_EQ(Count(out.own, "event: interval\n"), api::EventQueue::kMaxBeforeDropping);
  EXPECT_EQ(Count(out.own, "event: case_started\n"), 10u);
  EXPECT_EQ(Count(out.own, "event: ended\n"), 1u);
}

TEST(RunFeedTest, NoMoreIsTakenAtOnceThanIsEnough) {
  FakeOperations operations;
  tutti::v1::WatchRequest request;
  request.set_run_id(kRun);
  const auto feed = RunFeed::Open(operations, TextsOf(kPlenty), request, [] {});
  for (uint64_t i = 1; i <= 10; ++i) operations.Emit(MakeQueued(i, 1000));
  operations.End();
  Outgoing out;
  EXPECT_FALSE(feed->Take(2500, out).ended);
  EXPECT_EQ(Count(out.own, "id: "), 3u);
  out = Outgoing();
  EXPECT_TRUE(feed->Take(1 << 20, out).ended);
  EXPECT_EQ(Count(out.own, "id: "), 7u);
}

TEST(RunFeedTest, WhatIsRefusedIsSaid) {
  FakeOperations operations;
  tutti::v1::WatchRequest request;
  request.set_run_id("nobody");
  const auto feed = RunFeed::Open(operations, TextsOf(kPlenty), request, [] {});
  Outgoing out;
  EXPECT_EQ(feed->Take(1, out).refusal.code(), absl::StatusCode::kNotFound);
}

TEST(RunFeedTest, ALargeEventIsOneTextForAllReadersBehindTheSmallOnesBeforeIt) {
  FakeOperations operations;
  tutti::v1::WatchRequest request;
  request.set_run_id(kRun);
  const auto unsent = std::make_shared<UnsentBytes>(kPlenty, kPlenty, [] {});
  const auto texts = std::make_shared<SharedTexts>(unsent);
  const auto one = RunFeed::Open(operations, texts, request, [] {});
  const auto other = RunFeed::Open(operations, texts, request, [] {});
  operations.Emit(MakeCaseStarted(1));
  operations.Emit(MakeQueued(2, 100'000));
  operations.Emit(MakeCaseStarted(3));
  Outgoing first;
  Outgoing second;
  one->Take(1 << 20, first);
  other->Take(1 << 20, second);
  EXPECT_THAT(first.own, StartsWith("id: 1\n"));
  EXPECT_EQ(Count(first.own, "id: "), 1u);
  ASSERT_NE(first.shared, nullptr);
  EXPECT_THAT(first.shared->text, StartsWith("id: 2\nevent: queued\n"));
  EXPECT_EQ(first.shared, second.shared);
  first = Outgoing();
  one->Take(1 << 20, first);
  EXPECT_THAT(first.own, StartsWith("id: 3\n"));
  EXPECT_EQ(first.shared, nullptr);
}

TEST(RunFeedTest, ALargeEventThatThereIsNoRoomForEndsItsReaderUnlessItsTextIsThere) {
  FakeOperations operations;
  tutti::v1::WatchRequest request;
  request.set_run_id(kRun);
  const auto texts = TextsOf(50'000);
  const auto silent = RunFeed::Open(operations, texts, request, [] {});
  const auto late = RunFeed::Open(operations, texts, request, [] {});
  operations.Emit(MakeQueued(1, 100'000));
  operations.Emit(MakeCaseStarted(2));
  operations.Emit(MakeQueued(3, 100'000));
  Outgoing held;
  EXPECT_TRUE(silent->Take(1 << 20, held).refusal.ok());
  Outgoing out;
  EXPECT_TRUE(late->Take(1 << 20, out).refusal.ok());
  EXPECT_EQ(out.shared, held.shared);
  out = Outgoing();
  const EventFeed::State state = late->Take(1 << 20, out);
  EXPECT_EQ(state.refusal.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(state.refusal.ToString(), HasSubstr("Last-Event-ID"));
  EXPECT_THAT(out.own, StartsWith("id: 2\n"));
  EXPECT_EQ(out.shared, nullptr);
  // Who comes back is served once the others have gone.
  held = Outgoing();
  EXPECT_TRUE(silent->Take(1 << 20, held).refusal.ok());
  ASSERT_NE(held.shared, nullptr);
  EXPECT_THAT(held.shared->text, StartsWith("id: 3\n"));
}

TEST(FleetFeedTest, AReaderThatIsFarBehindIsSentAwayBehindWhatWaitsForIt) {
  FakeOperations operations;
  const auto feed = FleetFeed::Open(operations, {}, [] {});
  tutti::v1::FleetEvent event;
  for (size_t i = 0; i < FleetFeed::kMostWaiting + 5; ++i) {
    event.set_sequence(i + 1);
    operations.EmitFleet(event);
  }
  Outgoing out;
  const EventFeed::State state = feed->Take(100 << 20, out);
  EXPECT_EQ(state.refusal.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(state.refusal.ToString(), HasSubstr("Last-Event-ID"));
  EXPECT_EQ(Count(out.own, "event: worker\n"), FleetFeed::kMostWaiting);
}

}  // namespace
}  // namespace tutti::http
