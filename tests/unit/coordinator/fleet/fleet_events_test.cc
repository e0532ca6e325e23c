#include "coordinator/fleet/fleet_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace tutti::fleet {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using tutti::v1::FleetEvent;

class Recorder : public FleetWatcher {
 public:
  void OnFleetEvent(const FleetEvent& event) override {
    (event.resync() ? resyncs : sequences).push_back(event.sequence());
    resync_first = resync_first || (event.resync() && sequences.empty());
  }
  std::vector<uint64_t> sequences;
  std::vector<uint64_t> resyncs;
  bool resync_first = false;
};

void AppendMany(FleetEvents& events, int count) {
  for (int i = 0; i < count; ++i) events.Append({});
}

TEST(FleetEventsTest, EventsAreNumberedOnFromTheGivenNumber) {
  FleetEvents events(0);
  const auto watcher = std::make_shared<Recorder>();
  events.Watch(0, watcher);
  AppendMany(events, 2);
  EXPECT_THAT(watcher->sequences, ElementsAre(1, 2));
}

TEST(FleetEventsTest, WhoWatchesFromNowOnIsToldNothingThatWas) {
  FleetEvents events(0);
  AppendMany(events, 3);
  const auto watcher = std::make_shared<Recorder>();
  events.Watch(0, watcher);
  EXPECT_THAT(watcher->sequences, IsEmpty());
  AppendMany(events, 1);
  EXPECT_THAT(watcher->sequences, ElementsAre(4));
}

TEST(FleetEventsTest, WhoComesBackGetsWhatCameAfterwardsOnce) {
  FleetEvents events(0);
  AppendMany(events, 5);
  const auto watcher = std::make_shared<Recorder>();
  events.Watch(3, watcher);
  AppendMany(events, 1);
  EXPECT_THAT(watcher->sequences, ElementsAre(4, 5, 6));
  EXPECT_THAT(watcher->resyncs, IsEmpty());
}

TEST(FleetEventsTest, WhoHasSeenTheLastOneHasNoGap) {
  FleetEvents events(40);
  AppendMany(events, 5);
  for (const uint64_t after : {40, 45}) {
    const auto watcher = std::make_shared<Recorder>();
    events.Watch(after, watcher);
    EXPECT_THAT(watcher->resyncs, IsEmpty()) << after;
    EXPECT_EQ(watcher->sequences.size(), 45 - after);
  }
}

TEST(FleetEventsTest, TheLastThousandAreKeptAndAGapIsTold) {
  FleetEvents events(0);
  AppendMany(events, 1005);
  const auto watcher = std::make_shared<Recorder>();
  events.Watch(3, watcher);
  ASSERT_EQ(watcher->sequences.size(), 1000u);
  EXPECT_EQ(watcher->sequences.front(), 6u);  // 4 and 5 are gone
  EXPECT_EQ(watcher->sequences.back(), 1005u);
  // Whoever comes back behind that one gets the same, without a gap.
  EXPECT_THAT(watcher->resyncs, ElementsAre(5));
  EXPECT_TRUE(watcher->resync_first);
  const auto again = std::make_shared<Recorder>();
  events.Watch(5, again);
  EXPECT_EQ(again->sequences, watcher->sequences);
  EXPECT_THAT(again->resyncs, IsEmpty());
}

TEST(FleetEventsTest, ANumberOfAnEarlierProcessIsAGapAndNothingIsMissedOrToldTwiceBehindIt) {
  FleetEvents earlier(NumberBeforeFirst(1'000'000'000'000));
  const auto client = std::make_shared<Recorder>();
  earlier.Watch(0, client);
  AppendMany(earlier, 3);
  // The next one has begun 1 ms later, and has come as far as the other one.
  FleetEvents events(NumberBeforeFirst(1'000'001'000'000));
  AppendMany(events, 3);
  const auto watcher = std::make_shared<Recorder>();
  events.Watch(client->sequences.back(), watcher);
  EXPECT_TRUE(watcher->resync_first);
  EXPECT_THAT(watcher->resyncs, ElementsAre(NumberBeforeFirst(1'000'001'000'000)));
  EXPECT_EQ(watcher->sequences.size(), 3u);
  EXPECT_GT(watcher->sequences.front(), client->sequences.back());
}

TEST(FleetEventsTest, ANumberFromTheFutureIsAGapToo) {
  FleetEvents events(0);
  AppendMany(events, 2);
  const auto watcher = std::make_shared<Recorder>();
  events.Watch(77, watcher);
  EXPECT_TRUE(watcher->resync_first);
  EXPECT_THAT(watcher->resyncs, ElementsAre(0));
  EXPECT_THAT(watcher->sequences, ElementsAre(1, 2));
}

TEST(FleetEventsTest, AProcessInWhichNothingHasHappenedTellsTheGapAtOnce) {
  FleetEvents events(NumberBeforeFirst(1'000'001'000'000));
  const auto watcher = std::make_shared<Recorder>();
  events.Watch(NumberBeforeFirst(1'000'000'000'000) + 3, watcher);
  EXPECT_THAT(watcher->resyncs, ElementsAre(NumberBeforeFirst(1'000'001'000'000)));
  EXPECT_THAT(watcher->sequences, IsEmpty());
}

TEST(FleetEventsTest, NumbersAreExactWhereNumbersAreDoubles) {
  EXPECT_LT(NumberBeforeFirst(4'398'046'511'103'000'000), uint64_t{1} << 53);  // in the year 2109
  EXPECT_EQ(NumberBeforeFirst(0), 0u);
}

class LeavingAtOnce final : public Recorder {
 public:
  explicit LeavingAtOnce(FleetEvents& events) : events_(events) {}
  void OnFleetEvent(const FleetEvent& event) override {
    Recorder::OnFleetEvent(event);
    events_.Unwatch(this);
  }

 private:
  FleetEvents& events_;
};

TEST(FleetEventsTest, AWatcherMayLeaveWhileItIsToldAndTheOthersStay) {
  FleetEvents events(0);
  const auto leaving = std::make_shared<LeavingAtOnce>(events);
  const auto staying = std::make_shared<Recorder>();
  events.Watch(0, leaving);
  events.Watch(0, staying);
  AppendMany(events, 2);
  EXPECT_THAT(leaving->sequences, ElementsAre(1));
  EXPECT_THAT(staying->sequences, ElementsAre(1, 2));
}

}  // namespace
}  // namespace tutti::fleet
