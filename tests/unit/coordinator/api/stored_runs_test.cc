// Runs on disk: behind the decisions' thread, and through a whole coordinator.
#include "coordinator/api/stored_runs.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "coordinator/run/event_log.h"
#include "coordinator/store/sqlite/database.h"
#include "coordinator/store/sqlite/sqlite_run_store.h"
#include "tests/unit/coordinator/api/coordinator_fixture.h"
#include "tests/unit/coordinator/api/silent_worker.h"
#include "tests/unit/temporary_folder.h"

namespace tutti::api {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

tutti::v1::Result Head(const std::string& run_id) {
  tutti::v1::Result head;
  head.set_run_id(run_id);
  head.mutable_plan()->add_cases()->set_repeat(1);
  return head;
}

class StoredRunsTest : public testing::Test {
 protected:
  std::unique_ptr<store::RunStore> OpenStore() {
    return *store::SqliteRunStore::Open(folder_.path().string());
  }
  std::unique_ptr<StoredRuns> Start(const store::RetentionLimits& limits = {}) {
    auto stored = StoredRuns::Start(decisions_, OpenStore(), limits);
    EXPECT_TRUE(stored.ok()) << stored.status();
    return *std::move(stored);
  }
  absl::Status Begin(StoredRuns& stored, const std::string& run_id) {
    std::promise<absl::Status> kept;
    stored.Begin(Head(run_id), {}, "", [&kept](const absl::Status& status) { kept.set_value(status); });
    return kept.get_future().get();
  }
  absl::Status Finish(StoredRuns& stored, const std::string& run_id) {
    auto result = std::make_shared<tutti::v1::Result>(Head(run_id));
    result->set_status(tutti::v1::RUN_STATUS_PASSED);
    result->set_finished_unix_ns(1);
    std::promise<absl::Status> kept;
    stored.Finish(std::move(result), [&kept](const absl::Status& status) { kept.set_value(status); });
    return kept.get_future().get();
  }
  absl::StatusOr<tutti::v1::Result> Get(StoredRuns& stored, const std::string& run_id) {
    std::promise<absl::StatusOr<tutti::v1::Result>> got;
    stored.Get(run_id,
               [&got](absl::StatusOr<tutti::v1::Result> result) { got.set_value(std::move(result)); });
    return got.get_future().get();
  }

  const TemporaryFolder folder_;
  ThreadExecutor decisions_{"test-decisions"};
};

TEST_F(StoredRunsTest, WhatWasKeptIsThereAndAnErrorOfTheStoreComesBack) {
  const auto stored = Start();
  EXPECT_TRUE(Begin(*stored, "run-1").ok());
  EXPECT_TRUE(Get(*stored, "run-1").ok());
  EXPECT_EQ(Begin(*stored, "run-1").code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(Get(*stored, "run-2").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(StoredRunsTest, EventsOfManyRunsStandBehindTheirRunsBeginningInTheOrderInWhichTheyCame) {
  auto stored = Start();
  std::promise<void> released;
  stored->writer().Post([until = released.get_future().share()] { until.wait(); });
  const auto put = [&stored](const std::string& id, std::vector<int64_t> instants) {
    std::vector<tutti::v1::RunEvent> events;
    for (const int64_t at : instants) {
      events.emplace_back().set_at_unix_ns(at);
      events.back().mutable_started();
    }
    stored->PutEvents(id, std::move(events));
  };
  const auto begin = [&stored](const std::string& id) {
    stored->Begin(Head(id), {}, "", [](const absl::Status&) {});
  };
  begin("run-1");
  put("run-1", {1, 2});
  put("run-9", {7});  // of a run that was never begun
  begin("run-2");
  put("run-2", {3});
  put("run-1", {4});
  released.set_value();
  stored = nullptr;
  const std::unique_ptr<store::RunStore> store = OpenStore();
  const auto instants = [&store](const std::string& id) {
    std::vector<int64_t> read;
    for (const tutti::v1::RunEvent& event : *store->Events(id)) read.push_back(event.at_unix_ns());
    return read;
  };
  EXPECT_THAT(instants("run-1"), ElementsAre(1, 2, 4));
  EXPECT_THAT(instants("run-2"), ElementsAre(3));
}

TEST_F(StoredRunsTest, WhatWasAskedForBeforeTheEndIsCarriedOut) {
  auto stored = Start();
  for (const char* id : {"run-1", "run-2", "run-3"}) {
    stored->Begin(Head(id), {}, "", [](const absl::Status&) {});
  }
  stored = nullptr;
  EXPECT_EQ(OpenStore()->Unfinished()->size(), 3u);
}

TEST_F(StoredRunsTest, ARunThatWasInterruptedIsClosedAtTheNextStart) {
  {
    const std::unique_ptr<store::RunStore> store = OpenStore();
    ASSERT_TRUE(store->Begin(Head("run-1"), {}, "").ok());
    tutti::v1::TrialResult trial;
    trial.set_status(tutti::v1::TRIAL_STATUS_GOOD);
    ASSERT_TRUE(store->PutTrial("run-1", 0, 0, trial).ok());
    tutti::v1::RunEvent started;
    started.set_run_id("run-1");
    started.set_at_unix_ns(20);
    started.mutable_started();
    ASSERT_TRUE(store->PutEvents({started}).ok());
  }
  const auto stored = Start();
  const auto result = Get(*stored, "run-1");
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_NE(result->status(), tutti::v1::RUN_STATUS_RUNNING);
  EXPECT_EQ(result->cases(0).trials_size(), 1);
  EXPECT_EQ(result->started_unix_ns(), 20);
  EXPECT_EQ(result->finished_unix_ns(), 20);  // the last that is known of it
  EXPECT_THAT(result->reasons(), Contains(HasSubstr("the coordinator ended before this run did")));
}

// A run that was interrupted and of which a piece is junk or cut off.
class DamagedStoredRunTest : public StoredRunsTest {
 protected:
  // One good trial of two, of the one case of "run-1".
  void SetUp() override {
    const std::unique_ptr<store::RunStore> store = OpenStore();
    tutti::v1::Result head = Head("run-1");
    head.mutable_plan()->mutable_cases(0)->set_repeat(2);
    ASSERT_TRUE(store->Begin(head, {}, "").ok());
    for (uint32_t i = 0; i < 2; ++i) {
      tutti::v1::TrialResult trial;
      trial.set_repetition(i + 1);
      trial.set_status(tutti::v1::TRIAL_STATUS_GOOD);
      ASSERT_TRUE(store->PutTrial("run-1", 0, i, trial).ok());
    }
  }
  void Damage(const std::string& sql) {
    const auto database = store::Database::OpenWriter((folder_ / "tutti.db").string());
    ASSERT_TRUE(database.ok()) << database.status();
    ASSERT_TRUE((*database)->Execute(sql).ok());
  }
  // Starts, and expects that the run is closed, listed and told, and can be deleted.
  tutti::v1::Result ClosedAndDeleted() {
    const auto stored = Start();
    std::promise<absl::StatusOr<tutti::v1::ListRunsResponse>> listed;
    stored->List({}, [&listed](absl::StatusOr<tutti::v1::ListRunsResponse> runs) {
      listed.set_value(std::move(runs));
    });
    const absl::StatusOr<tutti::v1::ListRunsResponse> runs = listed.get_future().get();
    EXPECT_TRUE(runs.ok()) << runs.status();
    EXPECT_TRUE(runs.ok() && runs->runs_size() == 1);
    if (runs.ok() && runs->runs_size() == 1) {
      EXPECT_EQ(runs->runs(0).status(), tutti::v1::RUN_STATUS_PARTIAL);
      EXPECT_EQ(runs->runs(0).exit_code(), 7);
      EXPECT_GT(runs->runs(0).finished_unix_ns(), 0);
    }
    const absl::StatusOr<tutti::v1::Result> result = Get(*stored, "run-1");
    EXPECT_TRUE(result.ok()) << result.status();
    std::promise<absl::Status> deleted;
    stored->Delete("run-1", [&deleted](const absl::Status& status) { deleted.set_value(status); });
    const absl::Status gone = deleted.get_future().get();
    EXPECT_TRUE(gone.ok()) << gone;
    return result.ok() ? *result : tutti::v1::Result();
  }
};

TEST_F(DamagedStoredRunTest, IsClosedWithoutATrialThatIsJunk) {
  Damage("UPDATE trials SET trial = x'6a756e6b' WHERE position = 0");
  const tutti::v1::Result result = ClosedAndDeleted();
  ASSERT_EQ(result.cases_size(), 1);
  ASSERT_EQ(result.cases(0).trials_size(), 1);
  EXPECT_EQ(result.cases(0).trials(0).repetition(), 2u);
  EXPECT_THAT(result.reasons(), Contains(AllOf(HasSubstr("trial 1 of case 1 is damaged in the store"),
                                               HasSubstr("whether a machine was already busy"))));
  EXPECT_THAT(result.reasons(), Contains(HasSubstr("the coordinator ended before this run did")));
}

TEST_F(DamagedStoredRunTest, IsClosedWithTheTrialsOfAPlanThatIsCutOff) {
  Damage("UPDATE heads SET head = substr(head, 1, length(head) / 2)");
  const tutti::v1::Result result = ClosedAndDeleted();
  EXPECT_EQ(result.run_id(), "run-1");
  ASSERT_EQ(result.cases_size(), 1);
  EXPECT_EQ(result.cases(0).trials_size(), 2);
  EXPECT_THAT(result.reasons(), Contains(HasSubstr("its plan above all, is damaged in the store")));
}

TEST_F(DamagedStoredRunTest, IsClosedIfNothingOfItCanBeRead) {
  Damage(
      "UPDATE heads SET head = x'00'; UPDATE trials SET trial = x'';"
      "INSERT INTO events (number, position, event) SELECT number, 1, x'ffffff' FROM runs");
  const tutti::v1::Result result = ClosedAndDeleted();
  EXPECT_EQ(result.run_id(), "run-1");
  EXPECT_EQ(result.status(), tutti::v1::RUN_STATUS_PARTIAL);
  EXPECT_THAT(result.reasons(), Contains(HasSubstr("trial 2 of case 1 is damaged in the store")));
}

TEST_F(StoredRunsTest, OldRunsGoWhenOneEndsAndRunningOnesStay) {
  const auto stored = Start({.max_bytes = 0});
  for (const char* id : {"running", "old", "new"}) ASSERT_TRUE(Begin(*stored, id).ok());
  ASSERT_TRUE(Finish(*stored, "old").ok());
  ASSERT_TRUE(Finish(*stored, "new").ok());
  // Behind the removal, which follows the end of "new" on the thread that writes.
  ASSERT_TRUE(Begin(*stored, "last").ok());
  EXPECT_TRUE(Get(*stored, "running").ok());
  EXPECT_TRUE(Get(*stored, "new").ok());
  EXPECT_EQ(Get(*stored, "old").status().code(), absl::StatusCode::kNotFound);
}

// A coordinator that keeps its runs under the folder; it can be started again.
class KeepingCoordinatorTest : public CoordinatorFixture {
 protected:
  std::string Submit() { return Submit("").run_id(); }
  tutti::v1::SubmitResponse Submit(const std::string& key, const std::string& plan = kPlan) {
    grpc::ClientContext context;
    tutti::v1::SubmitRequest request;
    request.set_plan(plan);
    request.set_source_name("pair.yaml");
    request.set_idempotency_key(key);
    (*request.mutable_labels())["commit"] = "3fa1";
    tutti::v1::SubmitResponse response;
    const grpc::Status status = runs_->Submit(&context, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }
  tutti::v1::RunInfo Info(const std::string& run_id) {
    grpc::ClientContext context;
    tutti::v1::GetRunRequest request;
    request.set_run_id(run_id);
    tutti::v1::RunInfo info;
    const grpc::Status status = runs_->GetRun(&context, request, &info);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return info;
  }
  // Of a run that has ended.
  std::vector<tutti::v1::RunEvent> Watch(const std::string& run_id, uint64_t after_sequence) {
    grpc::ClientContext context;
    tutti::v1::WatchRequest request;
    request.set_run_id(run_id);
    request.set_after_sequence(after_sequence);
    const auto reader = runs_->Watch(&context, request);
    std::vector<tutti::v1::RunEvent> events;
    tutti::v1::RunEvent event;
    while (reader->Read(&event)) events.push_back(event);
    const grpc::Status status = reader->Finish();
    EXPECT_TRUE(status.ok()) << status.error_message();
    return events;
  }
  grpc::Status Get(const std::string& run_id, tutti::v1::Result& result) {
    grpc::ClientContext context;
    tutti::v1::GetResultRequest request;
    request.set_run_id(run_id);
    return runs_->GetResult(&context, request, &result);
  }
  // Whether the answer to who wants no intervals says that they were left out.
  bool LeavesOutIntervals(const std::string& run_id) {
    grpc::ClientContext context;
    tutti::v1::GetResultRequest request;
    request.set_run_id(run_id);
    request.set_without_intervals(true);
    tutti::v1::Result result;
    const grpc::Status status = runs_->GetResult(&context, request, &result);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return result.intervals_left_out() && result.run_id() == run_id;
  }
  grpc::Status List(tutti::v1::ListRunsResponse& response) {
    grpc::ClientContext context;
    tutti::v1::ListRunsRequest request;
    (*request.mutable_labels())["commit"] = "3fa1";
    return results_->ListRuns(&context, request, &response);
  }
  grpc::Status ListEvents(const std::string& run_id, tutti::v1::ListEventsResponse& events) {
    grpc::ClientContext context;
    tutti::v1::ListEventsRequest request;
    request.set_run_id(run_id);
    return runs_->ListEvents(&context, request, &events);
  }
  grpc::Status Delete(const std::string& run_id) {
    grpc::ClientContext context;
    tutti::v1::DeleteRunRequest request;
    request.set_run_id(run_id);
    tutti::v1::DeleteRunResponse response;
    return results_->DeleteRun(&context, request, &response);
  }
};

TEST_F(KeepingCoordinatorTest, AnAcceptedRunIsListedAndItsResultOutlivesTheCoordinator) {
  StartServer(StateDir());
  std::string id;
  {
    const SilentWorker a(channel_, "a");
    const SilentWorker b(channel_, "b");
    id = Submit();
    tutti::v1::ListRunsResponse running;
    ASSERT_TRUE(List(running).ok());
    ASSERT_EQ(running.runs_size(), 1);
    EXPECT_EQ(running.runs(0).run_id(), id);
    EXPECT_EQ(running.runs(0).status(), tutti::v1::RUN_STATUS_RUNNING);
    EXPECT_EQ(Delete(id).error_code(), grpc::StatusCode::FAILED_PRECONDITION);
    EXPECT_TRUE(LeavesOutIntervals(id));
    ASSERT_TRUE(server_->Drain(3'000'000'000));
  }
  StartServer(StateDir());
  tutti::v1::Result result;
  const grpc::Status got = Get(id, result);
  ASSERT_TRUE(got.ok()) << got.error_message();
  EXPECT_FALSE(result.intervals_left_out());
  EXPECT_TRUE(LeavesOutIntervals(id));
  EXPECT_EQ(result.status(), tutti::v1::RUN_STATUS_CANCELLED);
  EXPECT_EQ(result.plan().source(), kPlan);
  tutti::v1::ListEventsResponse events;
  ASSERT_TRUE(ListEvents(id, events).ok());
  ASSERT_GE(events.events_size(), 2);
  EXPECT_TRUE(events.events(0).has_started());
  EXPECT_EQ(events.events(0).run_id(), id);
  EXPECT_EQ(events.events(events.events_size() - 1).ended().status(), tutti::v1::RUN_STATUS_CANCELLED);
  EXPECT_TRUE(Delete(id).ok());
  EXPECT_EQ(ListEvents(id, events).error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(Get(id, result).error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(KeepingCoordinatorTest, ADeletedRunIsGoneAlsoFromTheMemoryOfTheCoordinatorThatRanIt) {
  StartServer(StateDir());
  const SilentWorker a(channel_, "a");
  const SilentWorker b(channel_, "b");
  const std::string id = Submit();
  tutti::v1::Result result;
  ASSERT_TRUE(Get(id, result).ok());
  {
    grpc::ClientContext context;
    tutti::v1::CancelRequest request;
    request.set_run_id(id);
    tutti::v1::CancelResponse response;
    ASSERT_TRUE(runs_->Cancel(&context, request, &response).ok());
  }
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (Delete(id).error_code() == grpc::StatusCode::FAILED_PRECONDITION &&
         std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(Get(id, result).error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(Delete(id).error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(KeepingCoordinatorTest, TheSameKeyIsTheSameRunAlsoForANewCoordinatorUntilTheRunIsDeleted) {
  StartServer(StateDir());
  std::string id;
  {
    const SilentWorker a(channel_, "a");
    const SilentWorker b(channel_, "b");
    const tutti::v1::SubmitResponse first = Submit("build-7");
    id = first.run_id();
    EXPECT_FALSE(first.repeated_key());
    // Whatever its plan.
    const tutti::v1::SubmitResponse second = Submit("build-7", "no plan at all");
    EXPECT_EQ(second.run_id(), id);
    EXPECT_TRUE(second.repeated_key());
    EXPECT_NE(Submit("build-8").run_id(), id);
    ASSERT_TRUE(server_->Drain(3'000'000'000));
  }
  StartServer(StateDir());
  const tutti::v1::SubmitResponse later = Submit("build-7");
  EXPECT_EQ(later.run_id(), id);
  EXPECT_TRUE(later.repeated_key());
  ASSERT_TRUE(Delete(id).ok());
  const SilentWorker a(channel_, "a");
  const SilentWorker b(channel_, "b");
  const tutti::v1::SubmitResponse anew = Submit("build-7");
  EXPECT_NE(anew.run_id(), id);
  EXPECT_FALSE(anew.repeated_key());
}

TEST_F(KeepingCoordinatorTest, OfARunOfAnEarlierCoordinatorTheEndIsToldTheSameEachTime) {
  StartServer(StateDir());
  std::string id;
  uint64_t last_sequence = 0;
  {
    const SilentWorker a(channel_, "a");
    const SilentWorker b(channel_, "b");
    id = Submit();
    ASSERT_TRUE(server_->Drain(3'000'000'000));
    const std::vector<tutti::v1::RunEvent> events = Watch(id, 0);
    ASSERT_FALSE(events.empty());
    EXPECT_EQ(events.front().sequence(), 1u);
    last_sequence = events.back().sequence();
    const tutti::v1::RunInfo info = Info(id);
    EXPECT_EQ(info.state(), tutti::v1::RunInfo::STATE_ENDED);
    EXPECT_GT(info.summary().stored_bytes(), 0u);
  }
  StartServer(StateDir());
  const tutti::v1::RunInfo info = Info(id);
  EXPECT_EQ(info.state(), tutti::v1::RunInfo::STATE_ENDED);
  EXPECT_EQ(info.summary().exit_code(), 8);
  EXPECT_EQ(info.summary().labels().at("commit"), "3fa1");
  EXPECT_EQ(info.hosts_size(), 2);
  for (const uint64_t after : {uint64_t{0}, last_sequence}) {
    const std::vector<tutti::v1::RunEvent> events = Watch(id, after);
    ASSERT_FALSE(events.empty());
    EXPECT_EQ(events.back().sequence(), run::kKeptEndSequence);
    EXPECT_EQ(events.back().run_id(), id);
    EXPECT_EQ(events.back().ended().status(), tutti::v1::RUN_STATUS_CANCELLED);
  }
  EXPECT_TRUE(Watch(id, run::kKeptEndSequence).empty());
}

TEST_F(KeepingCoordinatorTest, ACoordinatorThatKeepsNothingSaysSo) {
  StartServer();
  tutti::v1::ListRunsResponse response;
  const grpc::Status status = List(response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(status.error_message(), HasSubstr("--state-dir"));
  tutti::v1::ListEventsResponse events;
  EXPECT_EQ(ListEvents("any", events).error_code(), grpc::StatusCode::FAILED_PRECONDITION);
}

TEST_F(KeepingCoordinatorTest, AFolderOfAnotherCoordinatorIsRefused) {
  StartServer(StateDir());
  CoordinatorOptions options;
  options.listen = {Address("t")};
  options.state_dir = StateDir();
  EXPECT_EQ(CoordinatorServer::Start(options).status().code(), absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace tutti::api
