// Plans are placed beside the decisions: each thread is an executor that the test turns by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/sync/executor.h"
#include "coordinator/api/coordinator_operations.h"
#include "tests/unit/coordinator/run/runs_fixture.h"
#include "tutti/v1/service.pb.h"

namespace tutti::api {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr char kAnyTwoHosts[] =
    "version: 1\nname: n\nroles: {x: {count: 1}, y: {count: 1}}\n"
    "traffic:\n  - {name: e, from: x, to: y, protocol: udp}\n";

// Workers a, b, c and d.
class PlacingTest : public run::ScriptedFleetTest {
 protected:
  PlacingTest() : runs_(executor_, fleet_, CountingOptions()) {
    auto plans = std::make_unique<ManualExecutor>();
    plans_ = plans.get();
    operations_ =
        std::make_unique<CoordinatorOperations>(executor_, fleet_, runs_, nullptr, std::move(plans));
    DialIn({"a", "b", "c", "d"});
    plans_->RunReady();
  }
  void Submit(const std::string& key = "") {
    tutti::v1::SubmitRequest request;
    request.set_plan(kAnyTwoHosts);
    request.set_source_name("p.yaml");
    request.set_idempotency_key(key);
    operations_->Submit(request, [this](absl::StatusOr<tutti::v1::SubmitResponse> answer) {
      submitted_.push_back(std::move(answer));
    });
  }
  // Until what was submitted is placed, and nobody has decided about that yet.
  void Place() {
    plans_->RunReady();
    executor_.RunReady();
    plans_->RunReady();
  }
  void Drain(const std::string& worker) {
    tutti::v1::DrainWorkerRequest drain;
    drain.set_name(worker);
    fleet_.Drain(drain, [](const absl::Status&) {});
  }
  std::vector<std::string> HostsOf(const std::string& run_id) const {
    const absl::StatusOr<tutti::v1::RunInfo> info = runs_.Describe(run_id);
    if (!info.ok()) return {};
    return {info->hosts().begin(), info->hosts().end()};
  }

  run::Runs runs_;
  ManualExecutor* plans_ = nullptr;  // of the operations
  std::unique_ptr<CoordinatorOperations> operations_;
  std::vector<absl::StatusOr<tutti::v1::SubmitResponse>> submitted_;
};

TEST_F(PlacingTest, ADryRunIsPlacedBesideTheDecisions) {
  std::vector<absl::StatusOr<tutti::v1::DryRunResponse>> answers;
  tutti::v1::DryRunRequest request;
  request.set_plan(kAnyTwoHosts);
  operations_->DryRun(request, [&answers](absl::StatusOr<tutti::v1::DryRunResponse> answer) {
    answers.push_back(std::move(answer));
  });
  plans_->RunReady();
  executor_.RunReady();
  EXPECT_THAT(answers, IsEmpty());
  EXPECT_EQ(plans_->pending(), 1u);
  plans_->RunReady();
  ASSERT_THAT(answers, SizeIs(1));
  ASSERT_TRUE(answers[0].ok()) << answers[0].status();
  EXPECT_THAT(answers[0]->streams_of_case(), ElementsAre(1u));
  EXPECT_EQ(answers[0]->head().hosts_size(), 2);
}

TEST_F(PlacingTest, ASubmissionIsPlacedBesideTheDecisionsAndMadeARunByThem) {
  Submit();
  Place();
  EXPECT_THAT(submitted_, IsEmpty());
  EXPECT_THAT(HostsOf("run-1"), IsEmpty());
  executor_.RunReady();
  ASSERT_THAT(submitted_, SizeIs(1));
  ASSERT_TRUE(submitted_[0].ok()) << submitted_[0].status();
  EXPECT_EQ(submitted_[0]->run_id(), "run-1");
  EXPECT_THAT(HostsOf("run-1"), ElementsAre("a", "b"));
}

TEST_F(PlacingTest, RunsAreMadeInTheOrderOfTheirSubmission) {
  Submit("first");
  Submit("second");
  Place();
  executor_.RunReady();
  ASSERT_THAT(submitted_, SizeIs(2));
  ASSERT_TRUE(submitted_[0].ok() && submitted_[1].ok());
  EXPECT_EQ(submitted_[0]->run_id(), "run-1");
  EXPECT_EQ(submitted_[1]->run_id(), "run-2");
}

TEST_F(PlacingTest, AWorkerThatIsDrainedOrLostMeanwhileIsReplaced) {
  Submit();
  Place();
  Drain("b");
  executor_.RunReady();
  EXPECT_THAT(submitted_, IsEmpty());
  plans_->RunReady();
  workers_["a"]->Die();
  executor_.RunReady();
  EXPECT_THAT(submitted_, IsEmpty());
  plans_->RunReady();
  executor_.RunReady();
  ASSERT_THAT(submitted_, SizeIs(1));
  ASSERT_TRUE(submitted_[0].ok()) << submitted_[0].status();
  EXPECT_THAT(HostsOf("run-1"), ElementsAre("c", "d"));
}

TEST_F(PlacingTest, ThePlanIsPlacedAnewOnAWorkerThatWasRestartedMeanwhile) {
  Submit();
  Place();
  workers_["b"]->Die();
  workers_["b"] = std::make_shared<run::ScriptedWorker>(executor_, fleet_, "b", 7 * kSecond);
  workers_["b"]->Dial(2);
  executor_.RunReady();
  EXPECT_THAT(submitted_, IsEmpty());
  EXPECT_EQ(plans_->pending(), 1u);
  plans_->RunReady();
  executor_.RunReady();
  ASSERT_THAT(submitted_, SizeIs(1));
  EXPECT_TRUE(submitted_[0].ok()) << submitted_[0].status();
}

TEST_F(PlacingTest, WorkersThatChangeEachTimeAreToldInTheEnd) {
  Submit();
  Place();
  for (const char* worker : {"b", "c", "d"}) {
    EXPECT_THAT(submitted_, IsEmpty());
    Drain(worker);
    executor_.RunReady();
    plans_->RunReady();
  }
  ASSERT_THAT(submitted_, SizeIs(1));
  EXPECT_EQ(submitted_[0].status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(submitted_[0].status().message()), HasSubstr("worker d was drained while"));
  EXPECT_THAT(HostsOf("run-1"), IsEmpty());
  EXPECT_EQ(plans_->pending(), 0u);
}

TEST_F(PlacingTest, TwoSubmissionsWithOneKeyThatArePlacedAtTheSameTimeAreOneRun) {
  Submit("build-7");
  Submit("build-7");
  Place();
  executor_.RunReady();
  ASSERT_THAT(submitted_, SizeIs(2));
  ASSERT_TRUE(submitted_[0].ok() && submitted_[1].ok());
  EXPECT_EQ(submitted_[0]->run_id(), "run-1");
  EXPECT_FALSE(submitted_[0]->repeated_key());
  EXPECT_EQ(submitted_[1]->run_id(), "run-1");
  EXPECT_TRUE(submitted_[1]->repeated_key());
  EXPECT_THAT(HostsOf("run-2"), IsEmpty());
}

TEST_F(PlacingTest, ACoordinatorThatShutsDownMeanwhileMakesNoRun) {
  Submit();
  Place();
  runs_.Drain([] {});
  executor_.RunReady();
  ASSERT_THAT(submitted_, SizeIs(1));
  EXPECT_EQ(submitted_[0].status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace tutti::api
