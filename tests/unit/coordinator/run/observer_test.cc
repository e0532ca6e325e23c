// Who watches all runs is told of each from its first event to its last.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runs_fixture.h"

namespace tutti::run {
namespace {

using testing::ElementsAre;
using tutti::v1::RunEvent;

class Observer final : public EventWatcher {
 public:
  void OnEvent(const SharedEvent& event) override { kinds_of[event->run_id()].push_back(event->body_case()); }
  void OnEnd() override { ++ends; }
  std::map<std::string, std::vector<RunEvent::BodyCase>> kinds_of;
  int ends = 0;
};

class ObserverTest : public ScriptedFleetTest {};

TEST_F(ObserverTest, EveryRunIsToldFromItsFirstEventToItsLast) {
  const auto observer = std::make_shared<Observer>();
  RunsOptions options = CountingOptions();
  options.observer = observer;
  Runs runs(executor_, fleet_, options);
  DialIn({"a", "b"});
  ASSERT_TRUE(SubmitTo(runs, {.plan = MakePlan("a", "b"), .user = "alice"}).ok());
  ASSERT_TRUE(SubmitTo(runs, {.plan = MakePlan("a", "b"), .user = "bob"}).ok());  // waits for the same hosts
  EXPECT_EQ(observer->kinds_of["run-1"].front(), RunEvent::kStarted);
  EXPECT_THAT(observer->kinds_of["run-2"], ElementsAre(RunEvent::kQueued));
  ASSERT_TRUE(runs.Cancel("run-2").ok());
  executor_.AdvanceBy(20 * kSecond);
  EXPECT_EQ(observer->kinds_of["run-1"].back(), RunEvent::kEnded);
  EXPECT_THAT(observer->kinds_of["run-2"], ElementsAre(RunEvent::kQueued, RunEvent::kEnded));
  EXPECT_EQ(observer->ends, 2);
}

}  // namespace
}  // namespace tutti::run
