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
  void OnFleetEvent(const FleetEvent& event) override { sequences.push_back(event.sequence()); }
  std::vector<uint64_t> sequences;
};

void AppendMany(FleetEvents& events, int count) {
  for (int i = 0; i < count; ++i) events.Append({});
}

TEST(FleetEventsTest, EventsHaveNumbersFromOne) {
  FleetEvents events;
  const auto watcher = std::make_shared<Recorder>();
  events.Watch(0, watcher);
  AppendMany(events, 2);
  EXPECT_THAT(watcher->sequences, ElementsAre(1, 2));
}

TEST(FleetEventsTest, WhoWatchesFromNowOnIsToldNothingThatWas) {
  FleetEvents events;
  AppendMany(events, 3);
  const auto watcher = std::make_shared<Recorder>();
  events.Watch(0, watcher);
  EXPECT_THAT(watcher->sequences, IsEmpty());
  AppendMany(events, 1);
  EXPECT_THAT(watcher->sequences, ElementsAre(4));
}

TEST(FleetEventsTest, WhoComesBackGetsWhatCameAfterwardsOnce) {
  FleetEvents events;
  AppendMany(events, 5);
  const auto watcher = std::make_shared<Recorder>();
  events.Watch(3, watcher);
  AppendMany(events, 1);
  EXPECT_THAT(watcher->sequences, ElementsAre(4, 5, 6));
}

TEST(FleetEventsTest, TheLastThousandAreKeptAndAGapShowsInTheNumbers) {
  FleetEvents events;
  AppendMany(events, 1005);
  const auto watcher = std::make_shared<Recorder>();
  events.Watch(3, watcher);
  ASSERT_EQ(watcher->sequences.size(), 1000u);
  EXPECT_EQ(watcher->sequences.front(), 6u);  // 4 and 5 are gone
  EXPECT_EQ(watcher->sequences.back(), 1005u);
}

TEST(FleetEventsTest, ANumberOfAnEarlierProcessGivesAllThatIsKept) {
  FleetEvents events;
  AppendMany(events, 2);
  const auto watcher = std::make_shared<Recorder>();
  events.Watch(77, watcher);
  EXPECT_THAT(watcher->sequences, ElementsAre(1, 2));
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
  FleetEvents events;
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
