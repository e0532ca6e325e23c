// What is told of runs of which a disk has damaged pieces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "coordinator/store/sqlite/database.h"
#include "tests/unit/coordinator/store/sqlite/state_folder.h"

namespace tutti::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using tutti::v1::Result;

// What a disk did to single pieces of a run, in a file whose tables are whole.
class DamagedRunTest : public StateFolderTest {
 protected:
  // With no store open.
  void Damage(const std::string& sql) {
    const auto database = Database::OpenWriter(DatabasePath());
    ASSERT_TRUE(database.ok()) << database.status();
    const absl::Status done = (*database)->Execute(sql);
    ASSERT_TRUE(done.ok()) << done;
  }
};

TEST_F(DamagedRunTest, TrialsThatCannotBeReadAreLeftOutWithTheReasonAndTheOthersStay) {
  {
    const auto store = Open();
    ASSERT_TRUE(store->Begin(Head("run-1"), {}, "").ok());
    ASSERT_TRUE(store->PutTrial("run-1", 0, 0, Trial(1)).ok());
    ASSERT_TRUE(store->PutTrial("run-1", 0, 1, Trial(2)).ok());
    ASSERT_TRUE(store->PutTrial("run-1", 1, 0, Trial(1)).ok());
  }
  Damage(
      "UPDATE trials SET trial = x'6a756e6b' WHERE case_position = 0 AND position = 0;"
      "UPDATE trials SET trial = substr(trial, 1, length(trial) - 5) WHERE case_position = 1");
  const auto store = Open();
  const absl::StatusOr<Result> read = store->Get("run-1");
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->cases_size(), 2);
  ASSERT_EQ(read->cases(0).trials_size(), 1);
  EXPECT_EQ(read->cases(0).trials(0).repetition(), 2u);
  EXPECT_EQ(read->cases(1).trials_size(), 0);
  EXPECT_EQ(read->plan().cases_size(), 2);
  EXPECT_THAT(read->reasons(), ElementsAre(HasSubstr("trial 1 of case 1 is damaged in the store"),
                                           HasSubstr("trial 1 of case 2 is damaged in the store")));
  // It can be ended, says each thing once from then on, and goes like any other.
  ASSERT_TRUE(store->Finish(Ended(*read, tutti::v1::RUN_STATUS_PARTIAL)).ok());
  const absl::StatusOr<Result> ended = store->Get("run-1");
  ASSERT_TRUE(ended.ok()) << ended.status();
  EXPECT_EQ(ended->status(), tutti::v1::RUN_STATUS_PARTIAL);
  EXPECT_EQ(ended->cases(0).trials_size(), 1);
  EXPECT_EQ(ended->reasons_size(), 2);
  EXPECT_TRUE(store->Delete("run-1").ok());
}

TEST_F(DamagedRunTest, OfAHeadThatCannotBeReadWhatAListHasIsToldAndTheTrialsStay) {
  {
    const auto store = Open();
    for (const char* id : {"junk", "gone"}) {
      ASSERT_TRUE(store->Begin(Head(id), {{"commit", "3fa1"}}, "").ok());
      ASSERT_TRUE(store->PutTrial(id, 1, 0, Trial(1)).ok());
    }
  }
  Damage(
      "UPDATE heads SET head = x'6a756e6b' WHERE number = (SELECT number FROM runs WHERE run_id = 'junk');"
      "DELETE FROM heads WHERE number = (SELECT number FROM runs WHERE run_id = 'gone')");
  const auto store = Open();
  for (const char* id : {"junk", "gone"}) {
    const absl::StatusOr<Result> read = store->Get(id);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(read->run_id(), id);
    EXPECT_EQ(read->status(), tutti::v1::RUN_STATUS_RUNNING);
    EXPECT_EQ(read->plan().name(), "p");
    EXPECT_EQ(read->user(), "alice@lab7");
    EXPECT_EQ(read->submitted_unix_ns(), 1000);
    ASSERT_EQ(read->cases_size(), 2);
    EXPECT_EQ(read->cases(1).trials_size(), 1);
    EXPECT_THAT(read->reasons(), ElementsAre(HasSubstr("its plan above all, is damaged")));
    const absl::StatusOr<KeptRun> described = store->Describe(id);
    ASSERT_TRUE(described.ok()) << described.status();
    EXPECT_EQ(described->summary.labels().at("commit"), "3fa1");
    EXPECT_EQ(described->head.reasons_size(), 1);
    // The head of its end is a new one.
    ASSERT_TRUE(store->Finish(Ended(*read, tutti::v1::RUN_STATUS_PARTIAL)).ok());
    const absl::StatusOr<Result> ended = store->Get(id);
    ASSERT_TRUE(ended.ok()) << ended.status();
    EXPECT_EQ(ended->status(), tutti::v1::RUN_STATUS_PARTIAL);
    EXPECT_EQ(ended->reasons_size(), 1);
    EXPECT_TRUE(store->Delete(id).ok());
  }
}

TEST_F(DamagedRunTest, OfARunThatHasEndedTheRestIsToldAndTheVerdictStays) {
  Result result = Ended(Head("run-1"));
  for (uint32_t i = 0; i < 2; ++i) {
    result.add_cases()->set_index(i);
    result.mutable_cases(static_cast<int>(i))->set_status(tutti::v1::CASE_STATUS_GOOD);
    *result.mutable_cases(static_cast<int>(i))->add_trials() = Trial(1);
  }
  {
    const auto store = Open();
    ASSERT_TRUE(store->Begin(Head("run-1"), {}, "").ok());
    ASSERT_TRUE(store->Finish(result).ok());
  }
  Damage("UPDATE cases SET summary = substr(summary, 1, length(summary) / 2) WHERE position = 1");
  const auto store = Open();
  const absl::StatusOr<Result> read = store->Get("run-1");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->status(), tutti::v1::RUN_STATUS_PASSED);
  ASSERT_EQ(read->cases_size(), 2);
  EXPECT_EQ(read->cases(0).status(), tutti::v1::CASE_STATUS_GOOD);
  EXPECT_EQ(read->cases(1).index(), 1u);
  EXPECT_EQ(read->cases(1).status(), tutti::v1::CASE_STATUS_UNSPECIFIED);
  EXPECT_EQ(read->cases(1).trials_size(), 1);
  EXPECT_THAT(read->reasons(), ElementsAre(HasSubstr("the summary of case 2 is damaged in the store")));
}

TEST_F(DamagedRunTest, CasesWhoseRowsAreGoneAreCountedOnceTheRunHasEnded) {
  {
    const auto store = Open();
    for (const char* id : {"one", "all", "running"}) {
      ASSERT_TRUE(store->Begin(Head(id), {}, "").ok());
      ASSERT_TRUE(store->PutTrial(id, 0, 0, Trial(1)).ok());
    }
    for (const char* id : {"one", "all"}) {
      Result result = Ended(Head(id));
      for (uint32_t i = 0; i < 2; ++i) result.add_cases()->set_index(i);
      *result.mutable_cases(0)->add_trials() = Trial(1);
      ASSERT_TRUE(store->Finish(result).ok());
      EXPECT_EQ(store->Get(id)->reasons_size(), 0);
    }
  }
  Damage("DELETE FROM cases WHERE position = 1 OR number = (SELECT number FROM runs WHERE run_id = 'all')");
  const auto store = Open();
  const absl::StatusOr<Result> one = store->Get("one");
  ASSERT_TRUE(one.ok()) << one.status();
  EXPECT_EQ(one->status(), tutti::v1::RUN_STATUS_PASSED);
  EXPECT_EQ(one->cases(0).trials_size(), 1);
  EXPECT_THAT(one->reasons(), ElementsAre(HasSubstr("what 1 of its 2 cases had beside their trials")));
  const absl::StatusOr<Result> all = store->Get("all");
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_EQ(all->cases(0).trials_size(), 1);
  EXPECT_THAT(all->reasons(), ElementsAre(HasSubstr("what 2 of its 2 cases had beside their trials")));
  const absl::StatusOr<Result> running = store->Get("running");
  ASSERT_TRUE(running.ok()) << running.status();
  EXPECT_EQ(running->reasons_size(), 0);
}

TEST_F(DamagedRunTest, OfManyDamagedTrialsTheFirstAreNamedAndTheOthersCounted) {
  {
    const auto store = Open();
    ASSERT_TRUE(store->Begin(Head("run-1"), {}, "").ok());
    for (uint32_t i = 0; i < 25; ++i) ASSERT_TRUE(store->PutTrial("run-1", 0, i, Trial(i + 1)).ok());
  }
  Damage("UPDATE trials SET trial = x''");
  const auto store = Open();
  const absl::StatusOr<Result> read = store->Get("run-1");
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->reasons_size(), 21);
  EXPECT_THAT(read->reasons(19), HasSubstr("trial 20 of case 1"));
  EXPECT_EQ(read->reasons(20), "5 further pieces of it are damaged too");
}

TEST_F(DamagedRunTest, EventsThatCannotBeReadAreLeftOutAndTheEndOfTheRunSaysSo) {
  {
    const auto store = Open();
    for (const char* id : {"middle", "last", "open"}) {
      ASSERT_TRUE(store->Begin(Head(id), {}, "").ok());
      std::vector<tutti::v1::RunEvent> events(3);
      for (size_t i = 0; i < events.size(); ++i) {
        events[i].set_run_id(id);
        events[i].set_sequence(i + 4);
        events[i].mutable_trial_ended()->set_repetition(static_cast<uint32_t>(i + 1));
      }
      Result result = Ended(Head(id), tutti::v1::RUN_STATUS_PARTIAL);
      result.add_reasons("a host was lost");
      events[2].mutable_ended()->set_status(result.status());
      events[2].mutable_ended()->add_reasons("a host was lost");
      if (id == std::string("open")) {
        events.pop_back();
      } else {
        ASSERT_TRUE(store->Finish(result).ok());
      }
      ASSERT_TRUE(store->PutEvents(events).ok());
    }
  }
  Damage(
      "UPDATE events SET event = x'ffff' WHERE position = 2 AND number <> (SELECT number FROM runs WHERE "
      "run_id = 'last');"
      "UPDATE events SET event = x'ffff' WHERE position = 3 AND number = (SELECT number FROM runs WHERE "
      "run_id = 'last')");
  const auto store = Open();
  const auto middle = store->Events("middle");
  ASSERT_TRUE(middle.ok()) << middle.status();
  ASSERT_EQ(middle->size(), 2u);
  EXPECT_EQ((*middle)[0].trial_ended().repetition(), 1u);
  EXPECT_THAT((*middle)[1].ended().reasons(),
              ElementsAre("a host was lost", HasSubstr("event 2 of the run is damaged in the store")));
  // The event of the end is made again of what else is kept.
  const auto last = store->Events("last");
  ASSERT_TRUE(last.ok()) << last.status();
  ASSERT_EQ(last->size(), 3u);
  EXPECT_EQ((*last)[1].trial_ended().repetition(), 2u);
  EXPECT_EQ((*last)[2].run_id(), "last");
  EXPECT_EQ((*last)[2].sequence(), 6u);
  EXPECT_EQ((*last)[2].at_unix_ns(), 1002);
  EXPECT_EQ((*last)[2].ended().status(), tutti::v1::RUN_STATUS_PARTIAL);
  EXPECT_EQ((*last)[2].ended().exit_code(), 7);
  EXPECT_THAT((*last)[2].ended().reasons(),
              ElementsAre("a host was lost", HasSubstr("event 3 of the run is damaged in the store")));
  const auto open = store->Events("open");
  ASSERT_TRUE(open.ok()) << open.status();
  ASSERT_EQ(open->size(), 1u);
  EXPECT_EQ((*open)[0].trial_ended().repetition(), 1u);
}

TEST_F(DamagedRunTest, TextsThatAreNoTextAndAnUnknownStatusLeaveTheListReadable) {
  {
    const auto store = Open();
    ASSERT_TRUE(store->Begin(Head("bad"), {{"commit", "3fa1"}}, "").ok());
    ASSERT_TRUE(store->Begin(Head("good"), {}, "").ok());
  }
  Damage(
      "UPDATE runs SET plan_name = x'fe00', user = x'ff41', status = 99 WHERE run_id = 'bad';"
      "UPDATE labels SET value = x'c3'");
  const auto store = Open();
  const absl::StatusOr<tutti::v1::ListRunsResponse> list = store->List({});
  ASSERT_TRUE(list.ok()) << list.status();
  // What a client does with it: a message with a string that is not UTF-8 is refused.
  tutti::v1::ListRunsResponse received;
  ASSERT_TRUE(received.ParseFromString(list->SerializeAsString()));
  ASSERT_EQ(received.runs_size(), 2);
  EXPECT_EQ(received.runs(0).run_id(), "good");
  EXPECT_EQ(received.runs(0).plan_name(), "p");
  const tutti::v1::RunSummary& bad = received.runs(1);
  EXPECT_EQ(bad.run_id(), "bad");
  EXPECT_EQ(bad.plan_name(), std::string("\xEF\xBF\xBD\0", 4));
  EXPECT_EQ(bad.user(),
            "\xEF\xBF\xBD"
            "A");
  EXPECT_EQ(bad.labels().at("commit"), "\xEF\xBF\xBD");
  EXPECT_EQ(bad.status(), tutti::v1::RUN_STATUS_UNSPECIFIED);
}

TEST_F(DamagedRunTest, RowsOfCasesThatNoPlanHasAreLeftOutWithTheReason) {
  {
    const auto store = Open();
    ASSERT_TRUE(store->Begin(Head("run-1"), {}, "").ok());
    ASSERT_TRUE(store->PutTrial("run-1", 0, 0, Trial(1)).ok());
    ASSERT_TRUE(store->PutTrial("run-1", 1, 0, Trial(1)).ok());
    ASSERT_TRUE(store->PutTrial("run-1", 1, 1, Trial(2)).ok());
  }
  Damage(
      "UPDATE trials SET case_position = -7 WHERE case_position = 1 AND position = 0;"
      "UPDATE trials SET case_position = 4000000000000 WHERE case_position = 1 AND position = 1");
  const absl::StatusOr<Result> read = Open()->Get("run-1");
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->cases_size(), 1);
  EXPECT_EQ(read->cases(0).trials_size(), 1);
  EXPECT_THAT(read->reasons(),
              ElementsAre(HasSubstr("trial 1 of case -6"), HasSubstr("trial 2 of case 4000000000001")));
}

}  // namespace
}  // namespace tutti::store
