// Scripted workers, plans for them, and the runs on them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "coordinator/run/run_preparation.h"
#include "coordinator/run/runs.h"
#include "scripted_worker.h"
#include "tests/nanoseconds.h"

namespace tutti::run {

class Recorder final : public EventWatcher {
 public:
  void OnEvent(const SharedEvent& event) override { events.push_back(event); }
  void OnEnd() override { ended = true; }
  std::vector<const tutti::v1::RunEvent*> Of(tutti::v1::RunEvent::BodyCase kind) const {
    std::vector<const tutti::v1::RunEvent*> found;
    for (const SharedEvent& each : events) {
      if (each->body_case() == kind) found.push_back(each.get());
    }
    return found;
  }
  std::vector<std::string> Phases() const {
    std::vector<std::string> names;
    for (const tutti::v1::RunEvent* each : Of(tutti::v1::RunEvent::kPhase)) {
      names.push_back(each->phase().phase());
    }
    return names;
  }
  std::vector<SharedEvent> events;
  bool ended = false;
};

// `from` sends one UDP stream to `to`; 100 ms warm-up, 400 ms window.
inline tutti::v1::Plan MakePlan(const std::string& from, const std::string& to, uint32_t cases = 1,
                                uint32_t repeat = 1) {
  tutti::v1::Plan plan;
  for (uint32_t index = 0; index < cases; ++index) {
    tutti::v1::Case& each = *plan.add_cases();
    each.set_index(index);
    each.set_repeat(repeat);
    for (const auto& [role, host] : {std::pair{"sender", from}, std::pair{"receiver", to}}) {
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
  }
  return plan;
}

// Placed and queued on one turn.
inline absl::StatusOr<std::string> SubmitTo(Runs& runs, Submission submission,
                                            const Runs::OnKept& on_kept = {}) {
  absl::StatusOr<RunSpec> spec = PrepareRun(std::move(submission.plan), runs.Input());
  if (!spec.ok()) return spec.status();
  return runs.Submit(std::move(submission), *std::move(spec), on_kept);
}

// A fleet of scripted workers. Runs on it come with the test, as their options are its own.
class ScriptedFleetTest : public testing::Test {
 protected:
  ScriptedFleetTest() : executor_(1'000 * kSecond), fleet_(executor_, {}) {}

  // Once the runs are there: workers by these names register and their clocks are measured.
  void DialIn(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      workers_[name] = std::make_shared<ScriptedWorker>(executor_, fleet_, name, name[0] * kSecond);
      workers_[name]->Dial();
    }
    executor_.AdvanceBy(kSecond);
  }
  // The ids are "run-1", "run-2" and so on.
  RunsOptions CountingOptions() {
    RunsOptions options;
    options.random = [this] { return ++random_; };
    options.make_id = [this] { return "run-" + std::to_string(++ids_); };
    return options;
  }

  ManualExecutor executor_;
  uint64_t random_ = 100;
  int ids_ = 0;
  fleet::Fleet fleet_;
  std::map<std::string, std::shared_ptr<ScriptedWorker>> workers_;
};

// Four workers a, b, c and d.
class RunsTest : public ScriptedFleetTest {
 protected:
  RunsTest() : runs_(executor_, fleet_, Options()) { DialIn({"a", "b", "c", "d"}); }

  RunsOptions Options() {
    RunsOptions options = CountingOptions();
    options.ended_kept = 3;
    return options;
  }
  std::string Submit(const tutti::v1::Plan& plan, const std::string& user = "") {
    return Submit(Submission{.plan = plan, .user = user});
  }
  std::string Submit(Submission submission) {
    const auto id = SubmitTo(runs_, std::move(submission));
    EXPECT_TRUE(id.ok()) << id.status();
    return id.ok() ? *id : "";
  }
  std::shared_ptr<Recorder> Watch(const std::string& id) {
    auto recorder = std::make_shared<Recorder>();
    EXPECT_TRUE(runs_.Watch(id, recorder).ok());
    return recorder;
  }
  tutti::v1::Result ResultOf(const std::string& id) {
    const auto result = runs_.GetResult(id);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? **result : tutti::v1::Result();
  }
  // Until the trial of the watched run is in this phase; false if it does not come.
  bool PassTo(const Recorder& recorder, const std::string& phase) {
    for (int step = 0; step < 100'000; ++step) {
      const std::vector<std::string> phases = recorder.Phases();
      if (!phases.empty() && phases.back() == phase) return true;
      executor_.AdvanceBy(kMs / 10);
    }
    return false;
  }

  Runs runs_;
};

}  // namespace tutti::run
