// Who watches all runs is told of each from its first event to its last.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "coordinator/run/runs.h"
#include "scripted_worker.h"

namespace tutti::run {
namespace {

using testing::ElementsAre;
using tutti::v1::RunEvent;

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kSecond = 1'000 * kMs;

class Observer final : public EventWatcher {
 public:
  void OnEvent(const SharedEvent& event) override { kinds_of[event->run_id()].push_back(event->body_case()); }
  void OnEnd() override { ++ends; }
  std::map<std::string, std::vector<RunEvent::BodyCase>> kinds_of;
  int ends = 0;
};

// a sends one UDP stream to b; one case, one trial.
tutti::v1::Plan MakePlan() {
  tutti::v1::Plan plan;
  tutti::v1::Case& each = *plan.add_cases();
  each.set_repeat(1);
  for (const auto& [role, host] : {std::pair{"sender", "a"}, std::pair{"receiver", "b"}}) {
    tutti::v1::Role& added = *each.add_roles();
    added.set_name(role);
    added.add_hosts(host);
  }
  tutti::v1::TrafficEntry& entry = *each.add_traffic();
  entry.set_name("bulk");
  entry.set_from("sender");
  entry.set_to("receiver");
  entry.set_pattern(tutti::v1::PATTERN_PAIRS);
  entry.set_streams(1);
  entry.set_protocol(tutti::v1::PROTOCOL_UDP);
  entry.set_message_size_bytes(1472);
  each.mutable_timing()->set_warmup_ns(100 * kMs);
  each.mutable_timing()->set_measure_ns(400 * kMs);
  each.mutable_timing()->set_cooldown_ns(50 * kMs);
  each.mutable_timing()->set_interval_ns(100 * kMs);
  return plan;
}

TEST(ObserverTest, EveryRunIsToldFromItsFirstEventToItsLast) {
  ManualExecutor executor(1'000 * kSecond);
  fleet::Fleet fleet(executor, {});
  const auto observer = std::make_shared<Observer>();
  RunsOptions options;
  uint64_t random = 0;
  int ids = 0;
  options.random = [&random] { return ++random; };
  options.make_id = [&ids] { return "run-" + std::to_string(++ids); };
  options.observer = observer;
  Runs runs(executor, fleet, options);
  std::vector<std::shared_ptr<ScriptedWorker>> workers;
  for (const char* name : {"a", "b"}) {
    workers.push_back(std::make_shared<ScriptedWorker>(executor, fleet, name, name[0] * kSecond));
    workers.back()->Dial();
  }
  executor.AdvanceBy(kSecond);
  ASSERT_TRUE(runs.Submit({.plan = MakePlan(), .user = "alice"}).ok());
  ASSERT_TRUE(runs.Submit({.plan = MakePlan(), .user = "bob"}).ok());  // waits for the same hosts
  EXPECT_EQ(observer->kinds_of["run-1"].front(), RunEvent::kStarted);
  EXPECT_THAT(observer->kinds_of["run-2"], ElementsAre(RunEvent::kQueued));
  ASSERT_TRUE(runs.Cancel("run-2").ok());
  executor.AdvanceBy(20 * kSecond);
  EXPECT_EQ(observer->kinds_of["run-1"].back(), RunEvent::kEnded);
  EXPECT_THAT(observer->kinds_of["run-2"], ElementsAre(RunEvent::kQueued, RunEvent::kEnded));
  EXPECT_EQ(observer->ends, 2);
}

}  // namespace
}  // namespace tutti::run
