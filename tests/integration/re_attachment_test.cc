// Trials over a way to the coordinator that breaks: within the lease nothing is lost, beyond it all of it
// says so.
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "tests/integration/cluster.h"
#include "tests/integration/slow_path.h"

namespace tutti::integration {
namespace {

using std::chrono::milliseconds;
using testing::Contains;
using testing::HasSubstr;

constexpr uint16_t kCutPort = 7412;  // the tests have a network of their own

std::string CutPlan(int measure_ms) {
  return "version: 1\nname: t\nroles:\n  sender: {hosts: [a]}\n  receiver: {hosts: [b]}\n"
         "traffic:\n  - {name: bulk, from: sender, to: receiver, pattern: pairs, streams: 2, protocol: tcp, "
         "message_size: 1KiB, rate: 5Mbps}\n"
         "timing: {warmup: 600ms, measure: " +
         std::to_string(measure_ms) + "ms, cooldown: 600ms, interval: 100ms}\n";
}

// Host a sends and is reached over a way that can be broken; host b is beside the coordinator.
class ReAttachment : public Cluster {
 protected:
  std::string Listen() const override { return "127.0.0.1:" + std::to_string(kCutPort); }
  void SetUp() override {
    Cluster::SetUp();
    const SlowPath::Delay none = [](std::mt19937_64&) { return std::chrono::microseconds(0); };
    path_ = std::make_unique<SlowPath>("127.0.0.2", kCutPort, none, none);
    MachineSpec a{.boot_id = "aaaa", .address = "10.99.0.11", .cpus = {0, 1}};
    a.before_prepare = [this] {
      if (before_prepare_) before_prepare_();
    };
    Join("a", a, net::ParseEndpoint("127.0.0.2:" + std::to_string(kCutPort)).value());
    Join("b", {.boot_id = "bbbb", .address = "10.99.0.12", .cpus = {0}});
  }
  void TearDown() override {
    if (beside_.joinable()) beside_.join();
    Cluster::TearDown();
    path_.reset();
  }

  void BreakFor(milliseconds time) {
    path_->Break();
    std::this_thread::sleep_for(time);
    path_->Mend();
  }

  // Calls `act` once, when the phase begins; empty: never. The result.
  template <typename Act>
  tutti::v1::Result RunAndAt(const std::string& phase, const std::string& plan, Act act) {
    intervals_.clear();
    const auto run_id = Submit(plan);
    EXPECT_TRUE(run_id.ok()) << run_id.status();
    if (!run_id.ok()) return {};
    bool acted = false;
    const tutti::v1::Result result = Watch(*run_id, [&](const tutti::v1::RunEvent& event) {
      if (event.has_interval()) intervals_.push_back(event.interval().interval());
      if (acted || event.phase().phase() != phase) return;
      acted = true;
      act();
    });
    EXPECT_TRUE(acted || phase.empty()) << phase;
    return result;
  }

  // Both hosts have told everything, once.
  void ExpectWhole(const tutti::v1::Result& result, uint32_t intervals) {
    ASSERT_EQ(result.cases_size(), 1);
    ASSERT_EQ(result.cases(0).trials_size(), 1);
    const auto& trial = result.cases(0).trials(0);
    // A machine whose CPUs are taken for a while makes a trial suspect, and rightly.
    EXPECT_TRUE(trial.status() == tutti::v1::TRIAL_STATUS_GOOD ||
                trial.status() == tutti::v1::TRIAL_STATUS_SUSPECT)
        << trial.ShortDebugString().substr(0, 2000);
    for (const auto& host : trial.hosts()) EXPECT_EQ(host.missing(), "") << host.host();
    ASSERT_EQ(trial.streams_size(), 2);
    for (const auto& stream : trial.streams()) {
      EXPECT_GT(stream.sender().total_bytes(), 0u);
      EXPECT_EQ(stream.sender().total_bytes(), stream.receiver().total_bytes());
    }
    // Each interval was told once and in order, whatever arrived late.
    ASSERT_EQ(intervals_.size(), intervals);
    for (uint32_t i = 0; i < intervals; ++i) EXPECT_EQ(intervals_[i], i);
  }

  std::unique_ptr<SlowPath> path_;
  std::function<void()> before_prepare_;  // set while no trial runs
  std::thread beside_;
  std::vector<uint32_t> intervals_;  // as the last run told them
};

TEST_F(ReAttachment, ATrialWhoseHostIsCutOffForHalfASecondInAPhaseIsWhole) {
  for (const char* phase : {"WARMUP", "MEASURE", "COOLDOWN"}) {
    SCOPED_TRACE(phase);
    ExpectWhole(RunAndAt(phase, CutPlan(800), [this] { BreakFor(milliseconds(500)); }), 8);
    EXPECT_EQ(workers_[0]->registrations(), 1);  // the session is the first one
  }
}

// These last for milliseconds: the cut may come a little after them. A host must tell within 0.8 s that it is
// idle, or its session is ended for that.
TEST_F(ReAttachment, ATrialWhoseHostIsCutOffAtItsEndIsWhole) {
  for (const char* phase : {"DRAIN", "REPORT"}) {
    SCOPED_TRACE(phase);
    ExpectWhole(RunAndAt(phase, CutPlan(800), [this] { BreakFor(milliseconds(300)); }), 8);
  }
}

TEST_F(ReAttachment, WhatIsPreparedWhileTheHostIsCutOffIsToldAfterwards) {
  before_prepare_ = [this] {
    path_->Break();
    beside_ = std::thread([this] {
      std::this_thread::sleep_for(milliseconds(500));
      path_->Mend();
    });
    std::this_thread::sleep_for(milliseconds(50));
  };
  ExpectWhole(RunAndAt("", CutPlan(800), [] {}), 8);
  EXPECT_EQ(workers_[0]->registrations(), 1);
}

TEST_F(ReAttachment, SilenceOfMoreThanHalfTheLeaseIsSurvived) {
  ExpectWhole(RunAndAt("WARMUP", CutPlan(3000),
                       [this] {
                         path_->Silence();
                         std::this_thread::sleep_for(milliseconds(1150));
                         path_->Mend();
                       }),
              30);
  EXPECT_EQ(workers_[0]->registrations(), 1);
}

TEST_F(ReAttachment, ATrialWhoseHostIsCutOffTwentyTimesIsWhole) {
  constexpr uint64_t kSeed = 20;
  std::mt19937_64 random(kSeed);
  const auto sleep = [&random](int64_t least_ms, int64_t most_ms) {
    std::this_thread::sleep_for(
        milliseconds(std::uniform_int_distribution<int64_t>(least_ms, most_ms)(random)));
  };
  const auto cut = [&] {
    for (int i = 0; i < 20; ++i) {
      if (random() % 3 == 0) {
        path_->Silence();
      } else {
        path_->Break();
      }
      sleep(5, 250);
      path_->Mend();
      // Sometimes before the worker is back from the last one.
      sleep(5, 200);
    }
  };
  ExpectWhole(RunAndAt("WARMUP", CutPlan(10'000), cut), 100);
  EXPECT_EQ(workers_[0]->registrations(), 1);
}

TEST_F(ReAttachment, AHostThatIsCutOffForLongerThanTheLeaseMakesTheTrialPartialAndComesBack) {
  const tutti::v1::Result result =
      RunAndAt("MEASURE", CutPlan(4000), [this] { BreakFor(milliseconds(2600)); });
  EXPECT_EQ(result.exit_code(), 7) << result.ShortDebugString().substr(0, 2000);
  const auto& trial = result.cases(0).trials(0);
  EXPECT_EQ(trial.status(), tutti::v1::TRIAL_STATUS_PARTIAL);
  EXPECT_THAT(trial.reasons(), Contains(HasSubstr("did not come back within the lease")));
  ASSERT_EQ(trial.hosts_size(), 2);
  EXPECT_NE(trial.hosts(0).missing(), "");
  EXPECT_EQ(trial.hosts(1).missing(), "");
  for (int i = 0; i < 1000 && workers_[0]->registrations() < 2; ++i) {
    std::this_thread::sleep_for(milliseconds(10));
  }
  EXPECT_EQ(workers_[0]->registrations(), 2);
  EXPECT_EQ(RunUntilPassed(CutPlan(800)).exit_code(), 0);
}

}  // namespace
}  // namespace tutti::integration
