// Workers that are taken out of service, and who hears of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fake_drain_journal.h"
#include "fleet_fixture.h"

namespace tutti::fleet {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using tutti::v1::FleetEvent;
using tutti::v1::WorkerInfo;
using tutti::v1::WorkerMessage;

class Silent final : public WorkerListener {
 public:
  void OnWorkerMessage(const std::string&, WorkerMessage) override {}
  void OnWorkerLost(const std::string&, const std::string&) override {}
  void OnWorkerRegistered(const std::string&) override {}
};

class StateRecorder final : public FleetWatcher {
 public:
  void OnFleetEvent(const FleetEvent& event) override { events.push_back(event); }
  // "a IDLE>BUSY run-1".
  std::vector<std::string> Texts() const {
    std::vector<std::string> texts;
    for (const FleetEvent& event : events) {
      std::string text = event.worker() + " " + Name(event.before()) + ">" + Name(event.after());
      if (!event.run_id().empty()) text += " " + event.run_id();
      texts.push_back(std::move(text));
    }
    return texts;
  }
  std::vector<FleetEvent> events;

 private:
  static std::string Name(WorkerInfo::State state) {
    return WorkerInfo::State_Name(state).substr(std::string("STATE_").size());
  }
};

class FleetDrainTest : public testing::Test {
 protected:
  FleetDrainTest() : executor_(1'000 * kSecond) { Start({}); }

  void Start(Drains drains) {
    FleetOptions options;
    options.lease_ns = kLeaseNs;
    options.journal = &journal_;
    options.drains = std::move(drains);
    fleet_ = std::make_unique<Fleet>(executor_, options);
    watcher_ = std::make_shared<StateRecorder>();
    fleet_->Watch(0, watcher_);
  }
  std::shared_ptr<FakeLink> Dial(const std::string& name) { return DialIn(*fleet_, MakeHello(name)); }
  // What is told once everything is written; an error that nobody was told.
  absl::Status Drain(const std::string& name, const std::string& reason) {
    tutti::v1::DrainWorkerRequest request;
    request.set_name(name);
    request.set_reason(reason);
    request.set_user("alice");
    absl::Status told = absl::UnknownError("nobody was told");
    fleet_->Drain(request, [&told](const absl::Status& status) { told = status; });
    journal_.Write();
    return told;
  }
  absl::Status Undrain(const std::string& name) {
    absl::Status told = absl::UnknownError("nobody was told");
    fleet_->Undrain(name, [&told](const absl::Status& status) { told = status; });
    journal_.Write();
    return told;
  }
  WorkerInfo Info(const std::string& name) const {
    return fleet_->Describe(name, true).value_or(WorkerInfo());
  }

  ManualExecutor executor_;
  FakeDrainJournal journal_;
  std::unique_ptr<Fleet> fleet_;
  std::shared_ptr<StateRecorder> watcher_;
  Silent run_;
};

TEST_F(FleetDrainTest, EachChangeIsToldOnceAndInOrder) {
  const auto link = Dial("a");
  fleet_->Assign({"a"}, "run-1", &run_);
  ASSERT_TRUE(Drain("a", "new kernel").ok());
  fleet_->Release({"a"});
  ASSERT_TRUE(Undrain("a").ok());
  fleet_->HandleClosed(link.get(), "its session broke");
  ASSERT_TRUE(fleet_->Forget("a").ok());
  EXPECT_THAT(watcher_->Texts(),
              ElementsAre("a UNSPECIFIED>IDLE", "a IDLE>BUSY run-1", "a BUSY>DRAINING run-1",
                          "a DRAINING>DRAINING", "a DRAINING>IDLE", "a IDLE>LOST", "a LOST>UNSPECIFIED"));
  EXPECT_EQ(watcher_->events[2].reason(), "drained by alice: new kernel");
  EXPECT_EQ(watcher_->events[5].reason(), "its session broke");
  EXPECT_THAT(fleet_->Snapshot(), IsEmpty());
}

TEST_F(FleetDrainTest, ARunThatHasADrainedWorkerKeepsIt) {
  const auto link = Dial("a");
  fleet_->Assign({"a"}, "run-1", &run_);
  ASSERT_TRUE(Drain("a", "new kernel").ok());
  EXPECT_EQ(Info("a").state(), WorkerInfo::STATE_DRAINING);
  EXPECT_EQ(Info("a").run_id(), "run-1");
  EXPECT_EQ(Info("a").drain().user(), "alice");
  EXPECT_TRUE(fleet_->Send("a", {}));
  const std::optional<Member> member = fleet_->Find("a");
  ASSERT_TRUE(member.has_value());
  EXPECT_FALSE(member->lost);
  ASSERT_TRUE(member->drain.has_value());
  EXPECT_EQ(member->drain->reason(), "new kernel");
}

TEST_F(FleetDrainTest, ItDrainsSinceItWasDrainedWhateverBecomesOfItsRun) {
  const auto link = Dial("a");
  fleet_->Assign({"a"}, "run-1", &run_);
  executor_.AdvanceBy(kSecond);
  ASSERT_TRUE(Drain("a", "new kernel").ok());
  const int64_t drained_ns = executor_.NowNs();
  executor_.AdvanceBy(500 * kMs);
  fleet_->Release({"a"});
  EXPECT_EQ(fleet_->Find("a")->state_since_ns, drained_ns);
}

TEST_F(FleetDrainTest, ASecondDrainWithAnotherReasonReplacesTheFirst) {
  const auto link = Dial("a");
  ASSERT_TRUE(Drain("a", "new kernel").ok());
  ASSERT_TRUE(Drain("a", "new kernel").ok());
  ASSERT_TRUE(Drain("a", "new disk").ok());
  EXPECT_EQ(Info("a").state_reason(), "drained by alice: new disk");
  EXPECT_THAT(watcher_->Texts(), ElementsAre("a UNSPECIFIED>IDLE", "a IDLE>DRAINING", "a DRAINING>DRAINING"));
}

TEST_F(FleetDrainTest, ADrainIsOfTheNameAndOutlivesTheProcess) {
  const auto link = Dial("a");
  ASSERT_TRUE(Drain("a", "new kernel").ok());
  fleet_->HandleClosed(link.get(), "its session broke");
  EXPECT_EQ(Info("a").state(), WorkerInfo::STATE_LOST);
  EXPECT_TRUE(Info("a").has_drain());
  Dial("a");
  EXPECT_EQ(Info("a").state(), WorkerInfo::STATE_DRAINING);
  ASSERT_TRUE(Undrain("a").ok());
  EXPECT_EQ(Info("a").state(), WorkerInfo::STATE_IDLE);
  EXPECT_TRUE(Undrain("a").ok());  // once more is no error
}

TEST_F(FleetDrainTest, ADrainOutlivesTheCoordinatorAlsoWhereTheWorkerDoesNotComeBack) {
  tutti::v1::DrainMark mark;
  mark.set_reason("new kernel");
  Start({{"a", mark}});
  EXPECT_EQ(Info("a").state(), WorkerInfo::STATE_LOST);
  EXPECT_EQ(Info("a").state_reason(),
            "it has not registered since this coordinator started; drained: new kernel");
  EXPECT_FALSE(Info("a").has_last_heard_unix_ns());
  const auto link = Dial("a");
  EXPECT_TRUE(link->registered());
  EXPECT_EQ(Info("a").state(), WorkerInfo::STATE_DRAINING);
  EXPECT_THAT(watcher_->Texts(), ElementsAre("a LOST>DRAINING"));
  ASSERT_TRUE(Undrain("a").ok());
  EXPECT_THAT(journal_.calls, ElementsAre("remove a"));
}

TEST_F(FleetDrainTest, WhatCouldNotBeWrittenHoldsAndIsTold) {
  const auto link = Dial("a");
  tutti::v1::DrainWorkerRequest request;
  request.set_name("a");
  absl::Status told;
  fleet_->Drain(request, [&told](const absl::Status& status) { told = status; });
  EXPECT_EQ(Info("a").state(), WorkerInfo::STATE_DRAINING);
  journal_.Write(absl::ResourceExhaustedError("disk full"));
  EXPECT_EQ(told.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(told.message()), HasSubstr("only until this coordinator ends"));
  EXPECT_EQ(Info("a").state(), WorkerInfo::STATE_DRAINING);
}

TEST_F(FleetDrainTest, AnUnknownNameIsNotFoundWithTheNearest) {
  const auto link = Dial("host1");
  EXPECT_EQ(Drain("hots1", "").code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(Undrain("hots1").message()),
              AllOf(HasSubstr("no worker \"hots1\""), HasSubstr("did you mean \"host1\"")));
  EXPECT_EQ(fleet_->Forget("hots1").code(), absl::StatusCode::kNotFound);
  EXPECT_FALSE(fleet_->Describe("hots1", true).has_value());
  EXPECT_THAT(journal_.calls, IsEmpty());
}

TEST_F(FleetDrainTest, OnlyALostWorkerThatNoRunHoldsIsForgottenAndItsDrainWithIt) {
  const auto link = Dial("a");
  ASSERT_TRUE(Drain("a", "broken").ok());
  EXPECT_EQ(fleet_->Forget("a").code(), absl::StatusCode::kFailedPrecondition);
  fleet_->Assign({"a"}, "run-1", &run_);
  fleet_->HandleClosed(link.get(), "its session broke");
  const absl::Status held = fleet_->Forget("a");
  EXPECT_EQ(held.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(held.message()), HasSubstr("run-1 still holds it"));
  fleet_->Release({"a"});
  EXPECT_TRUE(fleet_->Forget("a").ok());
  EXPECT_THAT(journal_.calls, ElementsAre("put a: broken", "remove a"));
  Dial("a");
  EXPECT_EQ(Info("a").state(), WorkerInfo::STATE_IDLE);
}

TEST_F(FleetDrainTest, AWorkerThatWasForgottenWhileARunWaitedForItIsLostToTheRun) {
  const auto link = Dial("a");
  fleet_->HandleClosed(link.get(), "its session broke");
  ASSERT_TRUE(fleet_->Forget("a").ok());
  fleet_->Assign({"a"}, "run-1", &run_);
  const std::optional<Member> member = fleet_->Find("a");
  ASSERT_TRUE(member.has_value());
  EXPECT_TRUE(member->lost);
  EXPECT_EQ(member->hello.name(), "a");
  EXPECT_THAT(member->lost_reason, HasSubstr("forgotten"));
}

TEST_F(FleetDrainTest, ALateAnswerIsSlowAndTheNextOneInTimeMakesItGood) {
  const auto link = Dial("a");
  const auto answer = [&](int64_t took_ns) {
    WorkerMessage message;
    message.mutable_clock_reply()->set_sequence(link->probes.back());
    message.mutable_clock_reply()->set_probe_sent_timeline_ns(executor_.NowNs() - took_ns);
    fleet_->HandleMessage(link.get(), message, {executor_.NowNs()});
  };
  answer(1'300 * kMs);
  EXPECT_EQ(Info("a").state(), WorkerInfo::STATE_IDLE);
  EXPECT_EQ(Info("a").state_reason(), "slow: its last answer took 1.3s");
  answer(kMs);
  EXPECT_EQ(Info("a").state_reason(), "");
  executor_.AdvanceBy(1'100 * kMs);
  EXPECT_EQ(Info("a").state(), WorkerInfo::STATE_IDLE);
  EXPECT_EQ(Info("a").state_reason(), "slow: nothing was heard of it for 1.1s (lost after 2s)");
}

}  // namespace
}  // namespace tutti::fleet
