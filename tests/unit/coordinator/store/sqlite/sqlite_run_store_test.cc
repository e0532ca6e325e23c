#include "coordinator/store/sqlite/sqlite_run_store.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "coordinator/store/result_parts.h"
#include "tests/unit/coordinator/store/random_message.h"
#include "tests/unit/coordinator/store/sqlite/state_folder.h"

namespace tutti::store {
namespace {

namespace fs = std::filesystem;
using google::protobuf::util::MessageDifferencer;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using tutti::v1::Result;

class SqliteRunStoreTest : public StateFolderTest {};

TEST_F(SqliteRunStoreTest, RandomResultsComeBackAsTheyWereFinished) {
  const auto store = Open();
  ASSERT_NE(store, nullptr);
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    Result result;
    RandomMessages(seed).Fill(result, 2);
    result.set_run_id("run-" + std::to_string(seed));
    // Every result that is finished has a case for each one of its plan.
    tutti::v1::Plan& plan = *result.mutable_plan();
    while (plan.cases_size() > result.cases_size()) plan.mutable_cases()->RemoveLast();
    while (plan.cases_size() < result.cases_size()) plan.add_cases();
    ASSERT_TRUE(store->Begin(result, {}, "").ok());
    // Some trials come before the end, the others with it.
    for (int i = 0; i < result.cases_size(); i += 2) {
      for (int j = 0; j < result.cases(i).trials_size(); ++j) {
        ASSERT_TRUE(store
                        ->PutTrial(result.run_id(), static_cast<uint32_t>(i), static_cast<uint32_t>(j),
                                   result.cases(i).trials(j))
                        .ok());
      }
    }
    ASSERT_TRUE(store->Finish(result).ok());
    const absl::StatusOr<Result> read = store->Get(result.run_id());
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_TRUE(MessageDifferencer::Equals(*read, result)) << seed;
    const absl::StatusOr<Result> without = store->GetWithoutIntervals(result.run_id());
    ASSERT_TRUE(without.ok()) << without.status();
    EXPECT_TRUE(MessageDifferencer::Equals(*without, WithoutIntervals(result))) << seed;
  }
}

TEST_F(SqliteRunStoreTest, WhatWasAcknowledgedIsThereAfterANewStart) {
  {
    const auto store = Open();
    ASSERT_TRUE(store->Begin(Head("run-1"), {}, "").ok());
    ASSERT_TRUE(store->PutTrial("run-1", 0, 0, Trial(1)).ok());
    ASSERT_TRUE(store->PutTrial("run-1", 0, 1, Trial(2)).ok());
    ASSERT_TRUE(store->PutTrial("run-1", 1, 0, Trial(1)).ok());
  }
  const auto store = Open();
  EXPECT_THAT(*store->Unfinished(), ElementsAre("run-1"));
  EXPECT_THAT(*store->Ended(), IsEmpty());
  const absl::StatusOr<Result> read = store->Get("run-1");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->status(), tutti::v1::RUN_STATUS_RUNNING);
  ASSERT_EQ(read->cases_size(), 2);
  EXPECT_EQ(read->cases(1).index(), 1u);
  ASSERT_EQ(read->cases(0).trials_size(), 2);
  EXPECT_EQ(read->cases(0).trials(1).streams(0).sent_bytes_intervals(0), 2944u);
}

// What a process writes to the file is there for the next one even if nobody closed the database.
TEST_F(SqliteRunStoreTest, WhatWasAcknowledgedIsInTheFilesBeforeTheStoreIsClosed) {
  const auto store = Open();
  ASSERT_TRUE(store->Begin(Head("run-1"), {}, "").ok());
  ASSERT_TRUE(store->PutTrial("run-1", 0, 0, Trial(1)).ok());
  const fs::path copy = folder_ / "copy";
  fs::create_directory(copy);
  for (const char* name : {"tutti.db", "tutti.db-wal"}) fs::copy_file(folder_ / name, copy / name);
  const auto copied = SqliteRunStore::Open(copy.string());
  ASSERT_TRUE(copied.ok()) << copied.status();
  EXPECT_EQ((*copied)->Get("run-1")->cases(0).trials_size(), 1);
}

TEST_F(SqliteRunStoreTest, ATrialThatIsThereAlreadyIsLeftAsItIs) {
  const auto store = Open();
  ASSERT_TRUE(store->Begin(Head("run-1"), {}, "").ok());
  ASSERT_TRUE(store->PutTrial("run-1", 0, 0, Trial(1)).ok());
  ASSERT_TRUE(store->PutTrial("run-1", 0, 0, Trial(5)).ok());
  EXPECT_EQ(store->Get("run-1")->cases(0).trials_size(), 1);
  EXPECT_EQ(store->Get("run-1")->cases(0).trials(0).repetition(), 1u);
}

TEST_F(SqliteRunStoreTest, EventsComeBackInTheirOrderAndGoWithTheirRun) {
  const auto store = Open();
  ASSERT_TRUE(store->Begin(Head("run-1"), {}, "").ok());
  ASSERT_TRUE(store->Begin(Head("run-2"), {}, "").ok());
  std::vector<tutti::v1::RunEvent> events(3);
  for (size_t i = 0; i < events.size(); ++i) {
    events[i].set_run_id("run-1");
    events[i].set_at_unix_ns(static_cast<int64_t>(i) + 1);
    events[i].mutable_trial_ended()->set_repetition(static_cast<uint32_t>(i));
    events[i].mutable_trial_ended()->add_reasons("host b: \n'");
  }
  tutti::v1::RunEvent other = events[0];
  other.set_run_id("run-2");
  ASSERT_TRUE(store->PutEvents({events[0], other, events[1]}).ok());
  ASSERT_TRUE(store->Finish(Ended(Head("run-1"))).ok());
  ASSERT_TRUE(store->PutEvents({events[2]}).ok());
  const auto read = store->Events("run-1");
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->size(), 3u);
  for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(MessageDifferencer::Equals((*read)[i], events[i])) << i;
  EXPECT_EQ(store->Events("run-2")->size(), 1u);
  ASSERT_TRUE(store->Delete("run-1").ok());
  EXPECT_EQ(store->Events("run-1").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(store->PutEvents({events[0], other}).code(), absl::StatusCode::kNotFound);
  const auto database = Database::OpenReader(DatabasePath());
  ASSERT_TRUE(database.ok());
  EXPECT_EQ(*(*database)->QueryInt("SELECT count(*) FROM events"), 2);
}

TEST_F(SqliteRunStoreTest, HostsGoWithTheirRun) {
  const auto store = Open();
  Result head = Head("run-1");
  for (const char* name : {"a", "b", "a"}) head.add_hosts()->set_name(name);
  ASSERT_TRUE(store->Begin(head, {}, "").ok());
  const auto database = Database::OpenReader(DatabasePath());
  ASSERT_TRUE(database.ok());
  EXPECT_EQ(*(*database)->QueryInt("SELECT count(*) FROM hosts"), 2);
  ASSERT_TRUE(store->Finish(Ended(head)).ok());
  ASSERT_TRUE(store->Delete("run-1").ok());
  EXPECT_EQ(*(*database)->QueryInt("SELECT count(*) FROM hosts"), 0);
}

TEST_F(SqliteRunStoreTest, UnknownRunsAreNotFoundAndIdsAreGivenOnce) {
  const auto store = Open();
  EXPECT_EQ(store->Get("nobody").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(store->PutTrial("nobody", 0, 0, Trial(1)).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(store->Finish(Head("nobody")).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(store->Delete("nobody").code(), absl::StatusCode::kNotFound);
  ASSERT_TRUE(store->Begin(Head("run-1"), {}, "").ok());
  EXPECT_EQ(store->Begin(Head("run-1"), {}, "").code(), absl::StatusCode::kAlreadyExists);
}

TEST_F(SqliteRunStoreTest, AHostileIdIsOnlyAText) {
  const auto store = Open();
  const std::string id = "'; DROP TABLE runs; --\n%_\\";
  ASSERT_TRUE(store->Begin(Head(id), {{id, id}}, id).ok());
  EXPECT_EQ(store->Get(id)->run_id(), id);
  EXPECT_EQ(store->Get("run%").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(SqliteRunStoreTest, OnlyARunThatHasEndedCanBeDeletedAndNothingOfItStays) {
  const auto store = Open();
  ASSERT_TRUE(store->Begin(Head("run-1"), {{"commit", "3fa1"}}, "build-7").ok());
  ASSERT_TRUE(store->PutTrial("run-1", 0, 0, Trial(1)).ok());
  const absl::Status early = store->Delete("run-1");
  EXPECT_EQ(early.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(early.message()), HasSubstr("cancel it first"));
  ASSERT_TRUE(store->Finish(Ended(Head("run-1"))).ok());
  ASSERT_TRUE(store->Delete("run-1").ok());
  EXPECT_EQ(store->Get("run-1").status().code(), absl::StatusCode::kNotFound);
  const auto database = Database::OpenReader(DatabasePath());
  ASSERT_TRUE(database.ok());
  for (const char* table : {"runs", "labels", "heads", "cases", "trials", "idempotency_keys"}) {
    EXPECT_EQ(*(*database)->QueryInt("SELECT count(*) FROM " + std::string(table)), 0) << table;
  }
}

TEST_F(SqliteRunStoreTest, ARunIsFoundByItsKeyUntilItIsDeletedAndAKeyIsGivenOnce) {
  {
    const auto store = Open();
    ASSERT_TRUE(store->Begin(Head("run-1"), {}, "build-7").ok());
    const absl::Status second = store->Begin(Head("run-2"), {}, "build-7");
    EXPECT_EQ(second.code(), absl::StatusCode::kAlreadyExists);
    EXPECT_THAT(std::string(second.message()), HasSubstr("build-7"));
    EXPECT_EQ(store->Get("run-2").status().code(), absl::StatusCode::kNotFound);
    for (const char* id : {"run-3", "run-4"}) ASSERT_TRUE(store->Begin(Head(id), {}, "").ok());
  }
  const auto store = Open();
  EXPECT_EQ(*store->RunOfKey("build-7"), "run-1");
  EXPECT_EQ(store->RunOfKey("build-8").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(store->RunOfKey("").status().code(), absl::StatusCode::kNotFound);
  ASSERT_TRUE(store->Finish(Ended(Head("run-1"))).ok());
  ASSERT_TRUE(store->Delete("run-1").ok());
  EXPECT_EQ(store->RunOfKey("build-7").status().code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(store->Begin(Head("run-5"), {}, "build-7").ok());
}

TEST_F(SqliteRunStoreTest, ARunIsDescribedWithoutItsCases) {
  const auto store = Open();
  ASSERT_TRUE(store->Begin(Head("run-1"), {{"commit", "3fa1"}}, "").ok());
  ASSERT_TRUE(store->PutTrial("run-1", 0, 0, Trial(1)).ok());
  const absl::StatusOr<KeptRun> running = store->Describe("run-1");
  ASSERT_TRUE(running.ok()) << running.status();
  EXPECT_EQ(running->summary.run_id(), "run-1");
  EXPECT_EQ(running->summary.status(), tutti::v1::RUN_STATUS_RUNNING);
  EXPECT_FALSE(running->summary.has_exit_code());
  EXPECT_EQ(running->summary.labels().at("commit"), "3fa1");
  EXPECT_EQ(running->head.status(), tutti::v1::RUN_STATUS_RUNNING);
  EXPECT_EQ(running->head.plan().cases_size(), 2);
  EXPECT_EQ(running->head.cases_size(), 0);
  Result ended = Ended(Head("run-1"), tutti::v1::RUN_STATUS_PARTIAL);
  ended.add_reasons("a host was lost");
  ASSERT_TRUE(store->Finish(ended).ok());
  const absl::StatusOr<KeptRun> partial = store->Describe("run-1");
  ASSERT_TRUE(partial.ok()) << partial.status();
  EXPECT_EQ(partial->summary.exit_code(), 7);
  EXPECT_EQ(partial->summary.finished_unix_ns(), 1002);
  EXPECT_THAT(partial->head.reasons(), ElementsAre("a host was lost"));
  EXPECT_EQ(store->Describe("nobody").status().code(), absl::StatusCode::kNotFound);
}

// Of version 1, which had these tables and no others.
TEST_F(SqliteRunStoreTest, AFileOfTheFirstVersionGetsItsMissingTablesAndKeepsItsRuns) {
  {
    const auto store = Open();
    ASSERT_TRUE(store->Begin(Head("run-1"), {}, "").ok());
  }
  {
    const auto database = Database::OpenWriter(DatabasePath());
    ASSERT_TRUE(database.ok());
    std::string drop;
    {
      auto later = (*database)->Prepare(
          "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT IN "
          "('runs', 'labels', 'heads', 'cases', 'trials')");
      ASSERT_TRUE(later.ok()) << later.status();
      while (*later->Step()) drop += "DROP TABLE " + later->Text(0) + ";";
    }
    ASSERT_NE(drop, "");
    ASSERT_TRUE((*database)->Execute(drop + "PRAGMA user_version=1").ok());
  }
  const auto store = Open();
  ASSERT_NE(store, nullptr);
  EXPECT_TRUE(store->Get("run-1").ok());
  EXPECT_TRUE(store->Begin(Head("run-2"), {}, "build-7").ok());
  EXPECT_EQ(*store->RunOfKey("build-7"), "run-2");
}

TEST_F(SqliteRunStoreTest, DeletingGivesTheSpaceBack) {
  const auto store = Open();
  std::mt19937_64 random(1);
  tutti::v1::TrialResult large;
  tutti::v1::StreamResult& stream = *large.add_streams();
  for (int i = 0; i < 500'000; ++i) stream.add_sent_bytes_intervals(random());
  ASSERT_TRUE(store->Begin(Head("run-1"), {}, "").ok());
  ASSERT_TRUE(store->PutTrial("run-1", 0, 0, large).ok());
  ASSERT_TRUE(store->Finish(Ended(Head("run-1"))).ok());
  ASSERT_TRUE(store->Delete("run-1").ok());
  const auto database = Database::OpenReader(DatabasePath());
  ASSERT_TRUE(database.ok());
  EXPECT_EQ(*(*database)->QueryInt("PRAGMA freelist_count"), 0);
}

TEST_F(SqliteRunStoreTest, EndedRunsComeOldestFirstWithWhatTheyTake) {
  const auto store = Open();
  for (const char* id : {"b", "a", "c"}) ASSERT_TRUE(store->Begin(Head(id), {}, "").ok());
  ASSERT_TRUE(store->PutTrial("a", 0, 0, Trial(1)).ok());
  for (const char* id : {"a", "b"}) ASSERT_TRUE(store->Finish(Ended(Head(id))).ok());
  const std::vector<EndedRun> ended = *store->Ended();
  ASSERT_EQ(ended.size(), 2u);
  EXPECT_EQ(ended[0].run_id, "b");
  EXPECT_EQ(ended[1].run_id, "a");
  EXPECT_EQ(ended[0].finished_unix_ns, 1002);
  // The two differ by a trial only.
  EXPECT_GT(ended[0].stored_bytes, 0u);
  EXPECT_GT(ended[1].stored_bytes, ended[0].stored_bytes);
}

TEST_F(SqliteRunStoreTest, AFolderHasOneCoordinator) {
  auto first = Open();
  const absl::Status second = SqliteRunStore::Open(folder_.path().string()).status();
  EXPECT_EQ(second.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(second.message()),
              AllOf(HasSubstr("another coordinator"), HasSubstr("--state-dir")));
  first = nullptr;
  EXPECT_TRUE(SqliteRunStore::Open(folder_.path().string()).ok());
}

TEST_F(SqliteRunStoreTest, AFileThatIsNoDatabaseIsNamedAndLeftAlone) {
  const std::string junk(8192, 'j');
  std::ofstream(DatabasePath()) << junk;
  const absl::Status status = SqliteRunStore::Open(folder_.path().string()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), AllOf(HasSubstr("tutti.db"), HasSubstr("move it away")));
  EXPECT_EQ(fs::file_size(DatabasePath()), junk.size());
}

TEST_F(SqliteRunStoreTest, AFileThatWasCutOffIsDataLoss) {
  {
    const auto store = Open();
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(store->Begin(Head("run-" + std::to_string(i)), {}, "").ok());
  }
  fs::resize_file(DatabasePath(), fs::file_size(DatabasePath()) / 2 / 4096 * 4096);
  EXPECT_EQ(SqliteRunStore::Open(folder_.path().string()).status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(SqliteRunStoreTest, AFileOfANewerTuttiIsRefusedAndLeftAlone) {
  { const auto store = Open(); }
  {
    const auto database = Database::OpenWriter(DatabasePath());
    ASSERT_TRUE((*database)->Execute("PRAGMA user_version=1000").ok());
  }
  const absl::Status status = SqliteRunStore::Open(folder_.path().string()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), AllOf(HasSubstr("a newer tutti"), HasSubstr("1000")));
  const auto database = Database::OpenReader(DatabasePath());
  EXPECT_EQ(*(*database)->QueryInt("PRAGMA user_version"), 1000);
}

TEST_F(SqliteRunStoreTest, AnotherProgramsDatabaseIsRefused) {
  {
    const auto database = Database::OpenWriter(DatabasePath());
    ASSERT_TRUE((*database)->Execute("CREATE TABLE songs (title TEXT)").ok());
  }
  const absl::Status status = SqliteRunStore::Open(folder_.path().string()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("another program"));
}

TEST_F(SqliteRunStoreTest, CommitsReachTheDiskBeforeTheyAreAcknowledged) {
  const auto database = Database::OpenWriter(DatabasePath());
  ASSERT_TRUE(database.ok());
  EXPECT_EQ(*(*database)->QueryInt("PRAGMA synchronous"), 2);  // FULL
  EXPECT_EQ(*(*database)->QueryInt("PRAGMA foreign_keys"), 1);
}

TEST_F(SqliteRunStoreTest, ReadersSeeWholeRunsWhileOthersAreWritten) {
  const auto store = Open();
  constexpr int kRuns = 20;
  std::atomic<bool> done = false;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] {
      while (!done) {
        const auto runs = store->List({});
        if (!runs.ok()) ++wrong;
        for (int j = 0; runs.ok() && j < runs->runs_size(); ++j) {
          const auto result = store->Get(runs->runs(j).run_id());
          // A run that had ended when the list was made has both of its trials.
          if (!result.ok()) ++wrong;
          if (result.ok() && runs->runs(j).has_exit_code() && result->cases(0).trials_size() != 2) ++wrong;
        }
      }
    });
  }
  for (int i = 0; i < kRuns; ++i) {
    Result result = Ended(Head("run-" + std::to_string(i)));
    EXPECT_TRUE(store->Begin(result, {}, "").ok());
    *result.add_cases()->add_trials() = Trial(1);
    *result.mutable_cases(0)->add_trials() = Trial(2);
    EXPECT_TRUE(store->Finish(result).ok());
  }
  done = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong.load(), 0);
}

}  // namespace
}  // namespace tutti::store
