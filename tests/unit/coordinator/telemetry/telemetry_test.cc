#include "coordinator/telemetry/telemetry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "common/version/version.h"
#include "exposition.h"
#include "tests/nanoseconds.h"

namespace tutti::telemetry {
namespace {

using testing::Contains;
using testing::Key;
using testing::Not;
using testing::Pair;
using testing::StartsWith;
using tutti::v1::RunEvent;
using tutti::v1::WorkerInfo;

// The clock goes on while a timer that is due does not run yet: a thread that is busy with something else.
class LateExecutor final : public Executor {
 public:
  void Post(std::function<void()> task) override { timers.Post(std::move(task)); }
  TimerId PostAfter(int64_t delay_ns, std::function<void()> task) override {
    return timers.PostAfter(delay_ns, std::move(task));
  }
  void Cancel(TimerId id) override { timers.Cancel(id); }
  int64_t NowNs() const override { return timers.NowNs() + late_ns; }

  ManualExecutor timers;
  int64_t late_ns = 0;
};

class TelemetryTest : public testing::Test {
 protected:
  TelemetryTest()
      : telemetry_(std::make_shared<Telemetry>(
            executor_, TelemetryOptions{.workers = [this] { return workers_; }, .state_dir = ""})) {}

  Exposition Scrape() {
    std::string text;
    telemetry_->Page([&text](std::string page) { text = std::move(page); });
    executor_.timers.RunReady();
    return ReadExposition(text);
  }
  void Tell(const std::string& run_id, RunEvent event) {
    event.set_run_id(run_id);
    telemetry_->OnEvent(std::make_shared<const RunEvent>(std::move(event)));
  }
  void TellQueued(const std::string& run_id) {
    RunEvent event;
    event.mutable_queued();
    Tell(run_id, event);
  }
  void TellStarted(const std::string& run_id) {
    RunEvent event;
    event.mutable_started();
    Tell(run_id, event);
  }
  void TellTrialEnded(const std::string& run_id, tutti::v1::TrialStatus status) {
    RunEvent event;
    event.mutable_trial_ended()->set_status(status);
    Tell(run_id, event);
  }
  void TellEnded(const std::string& run_id, tutti::v1::RunStatus status) {
    RunEvent event;
    event.mutable_ended()->set_status(status);
    Tell(run_id, event);
  }
  static tutti::v1::LiveEntry& AddEntry(RunEvent& event, const std::string& name) {
    tutti::v1::LiveEntry& entry = *event.mutable_interval()->add_entries();
    entry.set_entry(name);
    return entry;
  }
  void AddWorker(const std::string& name, WorkerInfo::State state) {
    WorkerInfo& worker = workers_.emplace_back();
    worker.set_name(name);
    worker.set_state(state);
  }

  LateExecutor executor_;
  std::vector<WorkerInfo> workers_;
  std::shared_ptr<Telemetry> telemetry_;
};

TEST_F(TelemetryTest, TheVersionIsALabel) {
  EXPECT_THAT(Scrape().samples, Contains(Pair("tutti_build_info{version=" + std::string(kVersion) + "}", 1)));
}

TEST_F(TelemetryTest, WorkersAreCountedByStateAndBoundsAreInSeconds) {
  AddWorker("a", WorkerInfo::STATE_IDLE);
  workers_.back().set_clock_bound_ns(2'500);
  AddWorker("b", WorkerInfo::STATE_IDLE);
  AddWorker("c", WorkerInfo::STATE_LOST);
  const Exposition page = Scrape();
  EXPECT_THAT(page.samples, Contains(Pair("tutti_workers{state=idle}", 2)));
  EXPECT_THAT(page.samples, Contains(Pair("tutti_workers{state=busy}", 0)));
  EXPECT_THAT(page.samples, Contains(Pair("tutti_workers{state=lost}", 1)));
  EXPECT_THAT(page.samples, Contains(Pair("tutti_workers{state=draining}", 0)));
  EXPECT_THAT(page.samples, Not(Contains(Key(StartsWith("tutti_workers{state=unspec")))));
  EXPECT_DOUBLE_EQ(page.samples.at("tutti_worker_clock_bound_seconds{worker=a}"), 2.5e-6);
  EXPECT_THAT(page.samples, Not(Contains(Key("tutti_worker_clock_bound_seconds{worker=b}"))));
}

TEST_F(TelemetryTest, HowRunsAndTrialsEndedIsCountedFrom0On) {
  const Exposition before = Scrape();
  for (const char* const status : {"passed", "limit_failed", "partial", "cancelled", "failed"}) {
    EXPECT_THAT(before.samples,
                Contains(Pair("tutti_runs_ended_total{status=" + std::string(status) + "}", 0)));
  }
  EXPECT_THAT(before.samples, Not(Contains(Key("tutti_runs_ended_total{status=running}"))));
  TellStarted("run-1");
  TellTrialEnded("run-1", tutti::v1::TRIAL_STATUS_GOOD);
  TellTrialEnded("run-1", tutti::v1::TRIAL_STATUS_GOOD);
  TellTrialEnded("run-1", tutti::v1::TRIAL_STATUS_SUSPECT);
  TellEnded("run-1", tutti::v1::RUN_STATUS_PARTIAL);
  TellStarted("run-2");
  TellTrialEnded("run-2", tutti::v1::TRIAL_STATUS_GOOD);
  TellEnded("run-2", tutti::v1::RUN_STATUS_PASSED);
  const Exposition page = Scrape();
  EXPECT_THAT(page.samples, Contains(Pair("tutti_trials_total{status=good}", 3)));
  EXPECT_THAT(page.samples, Contains(Pair("tutti_trials_total{status=suspect}", 1)));
  EXPECT_THAT(page.samples, Contains(Pair("tutti_trials_total{status=over_limit}", 0)));
  EXPECT_THAT(page.samples, Contains(Pair("tutti_runs_ended_total{status=passed}", 1)));
  EXPECT_THAT(page.samples, Contains(Pair("tutti_runs_ended_total{status=partial}", 1)));
  EXPECT_THAT(page.samples, Contains(Pair("tutti_runs_ended_total{status=cancelled}", 0)));
}

TEST_F(TelemetryTest, WaitingAndRunningRunsAreToldApartAndHowLongTheOldestWaits) {
  EXPECT_THAT(Scrape().samples, Not(Contains(Key("tutti_queue_oldest_wait_seconds"))));
  TellStarted("run-1");
  TellQueued("run-2");
  executor_.timers.AdvanceBy(30 * kSecond);
  TellQueued("run-3");
  TellQueued("run-2");  // what it waits for has changed
  executor_.timers.AdvanceBy(12 * kSecond);
  Exposition page = Scrape();
  EXPECT_THAT(page.samples, Contains(Pair("tutti_runs{state=running}", 1)));
  EXPECT_THAT(page.samples, Contains(Pair("tutti_runs{state=waiting}", 2)));
  EXPECT_DOUBLE_EQ(page.samples.at("tutti_queue_oldest_wait_seconds"), 42);
  TellEnded("run-1", tutti::v1::RUN_STATUS_PASSED);
  TellStarted("run-2");
  page = Scrape();
  EXPECT_THAT(page.samples, Contains(Pair("tutti_runs{state=running}", 1)));
  EXPECT_DOUBLE_EQ(page.samples.at("tutti_queue_oldest_wait_seconds"), 12);
  TellEnded("run-3", tutti::v1::RUN_STATUS_CANCELLED);  // it never ran
  page = Scrape();
  EXPECT_THAT(page.samples, Contains(Pair("tutti_runs{state=waiting}", 0)));
  EXPECT_THAT(page.samples, Not(Contains(Key("tutti_queue_oldest_wait_seconds"))));
}

TEST_F(TelemetryTest, RatesAreThoseOfTheLatestIntervalAndVanishWithTheTrialAndTheRun) {
  TellStarted("run-1");
  RunEvent first;
  AddEntry(first, "bulk").set_sent_bps(1e9);
  Tell("run-1", first);
  RunEvent second;
  tutti::v1::LiveEntry& forth = AddEntry(second, "bulk");
  forth.set_sent_bps(2e9);
  forth.set_received_bps(1.5e9);
  tutti::v1::LiveEntry& back = AddEntry(second, "bulk");
  back.set_reverse(true);
  back.set_received_bps(7e8);  // what was sent is not known
  AddEntry(second, "ask").set_transactions_per_s(12'345);
  Tell("run-1", second);
  Exposition page = Scrape();
  const std::string bulk = "{run=run-1,entry=bulk,direction=";
  EXPECT_THAT(page.samples, Contains(Pair("tutti_run_sent_bits_per_second" + bulk + "forward}", 2e9)));
  EXPECT_THAT(page.samples, Contains(Pair("tutti_run_received_bits_per_second" + bulk + "forward}", 1.5e9)));
  EXPECT_THAT(page.samples, Contains(Pair("tutti_run_received_bits_per_second" + bulk + "reverse}", 7e8)));
  EXPECT_THAT(page.samples, Not(Contains(Key("tutti_run_sent_bits_per_second" + bulk + "reverse}"))));
  EXPECT_THAT(
      page.samples,
      Contains(Pair("tutti_run_transactions_per_second{run=run-1,entry=ask,direction=forward}", 12'345)));
  TellTrialEnded("run-1", tutti::v1::TRIAL_STATUS_GOOD);
  EXPECT_THAT(Scrape().samples, Not(Contains(Key(StartsWith("tutti_run_")))));
  Tell("run-1", second);
  EXPECT_THAT(Scrape().samples, Contains(Key(StartsWith("tutti_run_sent"))));
  TellEnded("run-1", tutti::v1::RUN_STATUS_CANCELLED);
  page = Scrape();
  EXPECT_THAT(page.samples, Not(Contains(Key(StartsWith("tutti_run_")))));
  EXPECT_THAT(page.help, Contains(Key("tutti_run_sent_bits_per_second"))) << "its help stays";
}

TEST_F(TelemetryTest, HostileTextIsOneLabelOfOneSample) {
  AddWorker("a\"} 1\ntutti_workers{state=\"idle\"} 99\n\\", WorkerInfo::STATE_IDLE);
  workers_.back().set_clock_bound_ns(1'000);
  AddWorker("\x1b[31m\xff", WorkerInfo::STATE_IDLE);
  workers_.back().set_clock_bound_ns(2'000);
  const Exposition page = Scrape();  // a line that is none fails
  EXPECT_THAT(page.samples, Contains(Pair("tutti_workers{state=idle}", 2)));
  EXPECT_THAT(page.samples,
              Contains(Key("tutti_worker_clock_bound_seconds{worker=a\"} 1\\ntutti_workers{state=\"idle\"} "
                           "99\\n\\}")));
  EXPECT_THAT(page.samples, Contains(Key("tutti_worker_clock_bound_seconds{worker=\\x1B[31m\\xFF}")));
}

TEST_F(TelemetryTest, TheDelayOfDecisionsIsObservedOnceASecond) {
  executor_.timers.AdvanceBy(3 * kSecond);
  executor_.late_ns = 30'000'000;
  executor_.timers.AdvanceBy(kSecond);
  executor_.late_ns = 0;
  const Exposition page = Scrape();
  EXPECT_THAT(page.samples, Contains(Pair("tutti_decision_delay_seconds_count", 4)));
  EXPECT_DOUBLE_EQ(page.samples.at("tutti_decision_delay_seconds_sum"), 0.03);
  EXPECT_THAT(page.samples, Contains(Pair("tutti_decision_delay_seconds_bucket{le=0.0001}", 3)));
  EXPECT_THAT(page.samples, Contains(Pair("tutti_decision_delay_seconds_bucket{le=0.025}", 3)));
  EXPECT_THAT(page.samples, Contains(Pair("tutti_decision_delay_seconds_bucket{le=0.05}", 4)));
  EXPECT_THAT(page.samples, Contains(Pair("tutti_decision_delay_seconds_bucket{le=+Inf}", 4)));
}

TEST_F(TelemetryTest, EveryFamilyHasHelpATypeAndANameOfTheHouse) {
  const Exposition page = Scrape();
  const std::regex ours("(tutti|process)_[a-z_]+");
  std::ostringstream guide;
  guide << std::ifstream(TUTTI_SOURCE_DIR "/docs/ci.md").rdbuf();
  ASSERT_GT(page.type.size(), 10u);
  EXPECT_EQ(page.type.size(), page.help.size());
  for (const auto& [name, type] : page.type) {
    EXPECT_TRUE(std::regex_match(name, ours)) << name;
    EXPECT_EQ(name.size() > 6 && name.substr(name.size() - 6) == "_total", type == "counter") << name;
    EXPECT_GT(page.help.at(name).size(), 10u) << name;
    EXPECT_NE(guide.str().find("`" + name), std::string::npos) << name << " is not in docs/ci.md";
  }
}

TEST_F(TelemetryTest, APageThatIsAskedForTooLateIsNotMade) {
  bool called = false;
  telemetry_->Page([&called](const std::string&) { called = true; });
  telemetry_ = nullptr;
  executor_.timers.AdvanceBy(2 * kSecond);
  EXPECT_FALSE(called);
  EXPECT_EQ(executor_.timers.pending(), 0u) << "its timer goes with it";
}

}  // namespace
}  // namespace tutti::telemetry
