// What runs write down, when, and who is told before it is on the disk: nobody.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "coordinator/run/event_keeper.h"
#include "runs_fixture.h"

namespace tutti::run {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using tutti::v1::Result;
using tutti::v1::RunEvent;

// A disk whose writes end when the test says so, or at once.
class FakeJournal final : public RunJournal {
 public:
  explicit FakeJournal(Executor& executor) : executor_(executor) {}

  void Begin(const Result& head, const RunLabels& labels, const std::string& key, Kept kept) override {
    heads.push_back(head);
    this->labels = labels;
    keys.push_back(key);
    Take("begin", std::move(kept));
  }
  void PutTrial(const std::string&, uint32_t case_position, uint32_t trial_position,
                const tutti::v1::TrialResult&, Kept kept) override {
    Take("trial " + std::to_string(case_position) + "." + std::to_string(trial_position), std::move(kept));
  }
  void PutEvents(const std::string& run_id, std::vector<RunEvent> given) override {
    for (const RunEvent& each : given) EXPECT_EQ(each.run_id(), run_id);
    writes_of_events.push_back(given.size());
    events.insert(events.end(), given.begin(), given.end());
  }
  void Finish(std::shared_ptr<const Result> result, Kept kept) override {
    finished.push_back(*result);
    Take("finish", std::move(kept));
  }
  void Write() {
    for (Kept& kept : std::exchange(waiting, {})) {
      executor_.Post([kept = std::move(kept), status = status] { kept(status); });
    }
  }

  bool at_once = true;
  absl::Status status;
  std::vector<std::string> calls;
  std::vector<Result> heads;
  RunLabels labels;
  std::vector<std::string> keys;
  std::vector<Result> finished;
  std::vector<RunEvent> events;
  std::vector<size_t> writes_of_events;
  std::vector<Kept> waiting;

 private:
  void Take(const std::string& call, Kept kept) {
    calls.push_back(call);
    waiting.push_back(std::move(kept));
    if (at_once) Write();
  }
  Executor& executor_;
};

class JournalTest : public ScriptedFleetTest {
 protected:
  JournalTest() : journal_(executor_), runs_(executor_, fleet_, Options()) { DialIn({"a", "b"}); }

  RunsOptions Options() {
    RunsOptions options = CountingOptions();
    options.journal = &journal_;
    return options;
  }
  // One case, two trials.
  static tutti::v1::Plan TwoTrials() { return MakePlan("a", "b", 1, 2); }
  void Submit() {
    const auto id = SubmitTo(
        runs_, {.plan = TwoTrials(), .user = "alice", .labels = {{"commit", "3fa1"}}, .key = "build-7"},
        [this](const std::string&, const absl::Status& kept) { kept_.push_back(kept); });
    ASSERT_TRUE(id.ok()) << id.status();
    watcher_ = std::make_shared<Recorder>();
    ASSERT_TRUE(runs_.Watch("run-1", watcher_).ok());
  }
  // Until the journal has been given `calls` pieces.
  void AdvanceToCall(size_t calls) {
    for (int i = 0; i < 20'000 && journal_.calls.size() < calls; ++i) executor_.AdvanceBy(kMs);
    ASSERT_EQ(journal_.calls.size(), calls);
  }

  FakeJournal journal_;
  Runs runs_;
  std::vector<absl::Status> kept_;
  std::shared_ptr<Recorder> watcher_;
};

TEST_F(JournalTest, ARunIsWrittenDownPieceByPiece) {
  Submit();
  executor_.AdvanceBy(20 * kSecond);
  EXPECT_THAT(journal_.calls, ElementsAre("begin", "trial 0.0", "trial 0.1", "finish"));
  EXPECT_EQ(journal_.heads[0].run_id(), "run-1");
  EXPECT_EQ(journal_.heads[0].plan().cases_size(), 1);
  EXPECT_THAT(journal_.labels, ElementsAre(std::pair<const std::string, std::string>("commit", "3fa1")));
  ASSERT_EQ(journal_.finished.size(), 1u);
  EXPECT_EQ(journal_.finished[0].cases(0).trials_size(), 2);
  EXPECT_GT(journal_.finished[0].finished_unix_ns(), 0);
  EXPECT_TRUE(watcher_->ended);
}

TEST_F(JournalTest, ItsEventsAreWrittenTurnByTurnWithoutWhatTheResultHas) {
  Submit();
  executor_.AdvanceBy(20 * kSecond);
  std::vector<RunEvent::BodyCase> kinds;
  for (const RunEvent& each : journal_.events) kinds.push_back(each.body_case());
  EXPECT_THAT(kinds, ElementsAre(RunEvent::kStarted, RunEvent::kCaseStarted, RunEvent::kTrialStarted,
                                 RunEvent::kTrialEnded, RunEvent::kTrialStarted, RunEvent::kTrialEnded,
                                 RunEvent::kCaseEnded, RunEvent::kEnded));
  // After the start, before the first trial, between the two, after the last one, at the end.
  EXPECT_THAT(journal_.writes_of_events, ElementsAre(2u, 1u, 2u, 2u, 1u));
  for (const RunEvent& each : journal_.events) {
    EXPECT_EQ(each.run_id(), "run-1");
    EXPECT_GT(each.at_unix_ns(), 0);
    EXPECT_LT(each.ByteSizeLong(), 2000u);
  }
  EXPECT_FALSE(journal_.events[0].started().has_head());
  EXPECT_EQ(journal_.events[6].case_ended().rows_size(), 0);
  EXPECT_EQ(journal_.events[7].ended().exit_code(), journal_.finished[0].exit_code());
  EXPECT_FALSE(journal_.events[7].ended().has_plan());
}

TEST_F(JournalTest, ACancelIsSeenInTheLastEvent) {
  Submit();
  EXPECT_TRUE(runs_.Cancel("run-1").ok());
  executor_.AdvanceBy(kSecond);
  ASSERT_FALSE(journal_.events.empty());
  EXPECT_EQ(journal_.events.back().ended().status(), tutti::v1::RUN_STATUS_CANCELLED);
}

TEST(KeptPartTest, LiveIntervalsAndPhasesAreNotKeptAndAQueuedEventIsWhole) {
  RunEvent event;
  event.mutable_interval();
  EXPECT_FALSE(KeptPart(event).has_value());
  event.mutable_phase();
  EXPECT_FALSE(KeptPart(event).has_value());
  event.set_sequence(7);
  event.mutable_queued()->add_waits_for("host a: runs run-0 of bob since 13:50:02");
  ASSERT_TRUE(KeptPart(event).has_value());
  EXPECT_EQ(KeptPart(event)->sequence(), 7u);
  EXPECT_EQ(KeptPart(event)->queued().waits_for_size(), 1);
}

TEST_F(JournalTest, ARunIsAcknowledgedOnceItIsOnTheDisk) {
  journal_.at_once = false;
  Submit();
  executor_.AdvanceBy(kSecond / 2);
  EXPECT_THAT(kept_, IsEmpty());
  journal_.Write();
  executor_.RunReady();
  EXPECT_THAT(kept_, ElementsAre(absl::OkStatus()));
}

TEST_F(JournalTest, ARunThatCannotBeKeptIsCancelledAndItsUserIsTold) {
  journal_.status = absl::ResourceExhaustedError("the disk is full");
  Submit();
  executor_.AdvanceBy(20 * kSecond);
  ASSERT_EQ(kept_.size(), 1u);
  EXPECT_EQ(kept_[0].code(), absl::StatusCode::kResourceExhausted);
  const auto result = runs_.GetResult("run-1");
  ASSERT_TRUE(result.ok());
  EXPECT_EQ((*result)->status(), tutti::v1::RUN_STATUS_CANCELLED);
}

TEST_F(JournalTest, TheKeyIsWrittenDownAndItsSecondUserIsToldTheRunOnceThatIsOnTheDiskToo) {
  journal_.at_once = false;
  Submit();
  EXPECT_THAT(journal_.keys, ElementsAre("build-7"));
  std::vector<std::string> told;
  EXPECT_TRUE(runs_.Repeat("build-7", [&](const std::string& id, const absl::Status& kept) {
    told.push_back(id + " " + std::string(absl::StatusCodeToString(kept.code())));
  }));
  executor_.AdvanceBy(kSecond / 2);
  EXPECT_THAT(told, IsEmpty());
  journal_.Write();
  executor_.RunReady();
  EXPECT_THAT(told, ElementsAre("run-1 OK"));
  EXPECT_EQ(kept_.size(), 1u);
}

TEST_F(JournalTest, ARunThatCannotBeKeptLeavesItsKeyToTheNextAttempt) {
  journal_.at_once = false;
  journal_.status = absl::ResourceExhaustedError("the disk is full");
  Submit();
  std::vector<absl::Status> told;
  EXPECT_TRUE(
      runs_.Repeat("build-7", [&](const std::string&, const absl::Status& kept) { told.push_back(kept); }));
  journal_.Write();
  executor_.RunReady();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].code(), absl::StatusCode::kResourceExhausted);
  EXPECT_FALSE(runs_.Repeat("build-7", {}));
  // The new run has the key; the end of the first one does not take it away.
  journal_.status = absl::OkStatus();
  journal_.at_once = true;
  EXPECT_TRUE(SubmitTo(runs_, {.plan = TwoTrials(), .key = "build-7"}).ok());
  journal_.Write();
  executor_.AdvanceBy(20 * kSecond);
  runs_.Forget("run-1");
  EXPECT_EQ(runs_.GetResult("run-1").status().code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(runs_.Repeat("build-7", {}));
}

TEST_F(JournalTest, TheNextTrialBeginsAndATrialIsToldOnceItIsOnTheDisk) {
  Submit();
  journal_.at_once = false;
  AdvanceToCall(2);
  executor_.AdvanceBy(kSecond);
  EXPECT_THAT(watcher_->Of(RunEvent::kTrialEnded), IsEmpty());
  const size_t heard = workers_["a"]->prepared.size();
  journal_.Write();
  executor_.AdvanceBy(100 * kMs);
  EXPECT_THAT(watcher_->Of(RunEvent::kTrialEnded), SizeIs(1));
  EXPECT_EQ(workers_["a"]->prepared.size(), heard + 1);
}

TEST_F(JournalTest, TheResultIsToldOnceItIsOnTheDisk) {
  Submit();
  AdvanceToCall(2);
  journal_.at_once = false;
  AdvanceToCall(3);
  journal_.Write();
  AdvanceToCall(4);
  executor_.AdvanceBy(kSecond);
  EXPECT_FALSE(watcher_->ended);
  journal_.Write();
  executor_.RunReady();
  EXPECT_TRUE(watcher_->ended);
}

TEST_F(JournalTest, ACancelWhileATrialIsWrittenEndsTheRunAfterIt) {
  Submit();
  journal_.at_once = false;
  AdvanceToCall(2);
  EXPECT_TRUE(runs_.Cancel("run-1").ok());
  EXPECT_TRUE(runs_.Cancel("run-1").ok());
  executor_.AdvanceBy(kSecond);
  EXPECT_EQ(journal_.calls.size(), 2u);
  journal_.at_once = true;
  journal_.Write();
  executor_.AdvanceBy(kSecond);
  EXPECT_THAT(journal_.calls, ElementsAre("begin", "trial 0.0", "finish"));
  EXPECT_EQ(journal_.finished[0].status(), tutti::v1::RUN_STATUS_CANCELLED);
  EXPECT_EQ(journal_.finished[0].cases(0).trials_size(), 1);
}

TEST_F(JournalTest, AResultThatCouldNotBeKeptSaysSoAndIsStillDelivered) {
  Submit();
  AdvanceToCall(2);
  journal_.status = absl::ResourceExhaustedError("the disk is full");
  executor_.AdvanceBy(20 * kSecond);
  ASSERT_TRUE(watcher_->ended);
  ASSERT_TRUE(watcher_->events.back()->has_ended());
  EXPECT_THAT(watcher_->events.back()->ended().reasons(),
              Contains(HasSubstr("could not keep it: the disk is full")));
}

TEST_F(JournalTest, AWriteThatEndsAfterTheRunsAreGoneIsNothingToThem) {
  auto runs = std::make_unique<Runs>(executor_, fleet_, Options());
  journal_.at_once = false;
  ASSERT_TRUE(SubmitTo(*runs, {.plan = TwoTrials()}).ok());
  runs = nullptr;
  journal_.status = absl::InternalError("late");
  journal_.Write();
  executor_.RunReady();
}

}  // namespace
}  // namespace tutti::run
