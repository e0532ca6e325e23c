#include "coordinator/run/event_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tutti::run {
namespace {

using testing::ElementsAre;
using tutti::v1::RunEvent;

class SequenceRecorder final : public EventWatcher {
 public:
  void OnEvent(const SharedEvent& event) override {
    kinds.push_back(event->body_case());
    numbers.push_back(event->sequence());
  }
  void OnEnd() override { ++ends; }
  std::vector<int> kinds;
  std::vector<uint64_t> numbers;
  int ends = 0;
};

RunEvent Started() {
  RunEvent event;
  event.mutable_started();
  return event;
}
RunEvent Interval() {
  RunEvent event;
  event.mutable_interval();
  return event;
}
RunEvent PhaseEvent() {
  RunEvent event;
  event.mutable_phase();
  return event;
}
RunEvent TrialEnded() {
  RunEvent event;
  event.mutable_trial_ended();
  return event;
}
RunEvent Ended() {
  RunEvent event;
  event.mutable_ended();
  return event;
}

TEST(EventLogTest, EventsCarryTheRunAndTheTime) {
  EventLog log("run-1");
  log.Append(Started());
  EXPECT_EQ(log.last()->run_id(), "run-1");
  EXPECT_GT(log.last()->at_unix_ns(), 0);
}

TEST(EventLogTest, ALateWatcherIsToldFromTheBeginning) {
  EventLog log("run-1");
  log.Append(Started());
  log.Append(PhaseEvent());
  log.Append(Interval());
  const auto late = std::make_shared<SequenceRecorder>();
  log.Watch(late);
  log.Append(Interval());
  EXPECT_THAT(late->kinds,
              ElementsAre(RunEvent::kStarted, RunEvent::kPhase, RunEvent::kInterval, RunEvent::kInterval));
  EXPECT_EQ(late->ends, 0);
}

TEST(EventLogTest, LiveIntervalsOfEndedTrialsAreForgotten) {
  EventLog log("run-1");
  log.Append(Started());
  log.Append(PhaseEvent());
  log.Append(Interval());
  log.Append(TrialEnded());
  log.Append(Interval());
  const auto late = std::make_shared<SequenceRecorder>();
  log.Watch(late);
  EXPECT_THAT(late->kinds, ElementsAre(RunEvent::kStarted, RunEvent::kTrialEnded, RunEvent::kInterval));
}

TEST(EventLogTest, EventsAreNumberedFromOneAndNumbersOfForgottenOnesAreNotGivenAgain) {
  EventLog log("run-1");
  for (const RunEvent& each : {Started(), Interval(), PhaseEvent(), TrialEnded(), Interval()}) {
    log.Append(each);
  }
  const auto late = std::make_shared<SequenceRecorder>();
  log.Watch(late);
  log.Append(Interval());
  EXPECT_THAT(late->numbers, ElementsAre(1u, 4u, 5u, 6u));
  EXPECT_EQ(log.last_sequence(), 6u);
}

TEST(EventLogTest, AWatcherThatResumesIsToldWhatIsKeptBehindItsLastEventAndWhatComes) {
  EventLog log("run-1");
  for (const RunEvent& each : {Started(), Interval(), Interval(), TrialEnded(), Interval()}) {
    log.Append(each);
  }
  const auto forgotten = std::make_shared<SequenceRecorder>();
  log.Watch(forgotten, 2);  // which is no longer there itself
  const auto all = std::make_shared<SequenceRecorder>();
  log.Watch(all, 5);
  log.Append(Ended());
  EXPECT_THAT(forgotten->numbers, ElementsAre(4u, 5u, 6u));
  EXPECT_THAT(all->numbers, ElementsAre(6u));
  const auto after_the_end = std::make_shared<SequenceRecorder>();
  log.Watch(after_the_end, 6);
  EXPECT_TRUE(after_the_end->numbers.empty());
  EXPECT_EQ(after_the_end->ends, 1);
}

TEST(EventLogTest, EveryWatcherIsToldTheEndOnce) {
  EventLog log("run-1");
  const auto early = std::make_shared<SequenceRecorder>();
  const auto late = std::make_shared<SequenceRecorder>();
  log.Watch(early);
  log.Append(Ended());
  log.Append(Started());  // nothing follows the end
  log.Watch(late);
  EXPECT_TRUE(log.ended());
  EXPECT_THAT(early->kinds, ElementsAre(RunEvent::kEnded));
  EXPECT_THAT(late->kinds, ElementsAre(RunEvent::kEnded));
  EXPECT_EQ(early->ends, 1);
  EXPECT_EQ(late->ends, 1);
}

TEST(EventLogTest, AWatcherThatLeftIsToldNothingMore) {
  EventLog log("run-1");
  const auto watcher = std::make_shared<SequenceRecorder>();
  log.Watch(watcher);
  log.Unwatch(watcher.get());
  log.Append(Started());
  EXPECT_TRUE(watcher->kinds.empty());
}

}  // namespace
}  // namespace tutti::run
