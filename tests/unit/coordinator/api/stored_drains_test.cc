// Drains on disk: behind the decisions' thread, and through a whole coordinator.
#include "coordinator/api/stored_drains.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/unit/coordinator/api/coordinator_fixture.h"
#include "tests/unit/coordinator/api/silent_worker.h"

namespace tutti::api {
namespace {

using testing::HasSubstr;
using tutti::v1::DrainMark;
using tutti::v1::WorkerInfo;

class FakeStore final : public store::DrainStore {
 public:
  absl::Status PutDrain(const std::string& worker, const DrainMark& mark) override {
    drains_[worker] = mark;
    return absl::OkStatus();
  }
  absl::Status RemoveDrain(const std::string& worker) override {
    return drains_.erase(worker) > 0 ? absl::OkStatus() : absl::ResourceExhaustedError("disk full");
  }
  absl::StatusOr<std::map<std::string, DrainMark>> Drains() const override { return drains_; }

 private:
  std::map<std::string, DrainMark> drains_;
};

TEST(StoredDrainsTest, TheWriterWritesAndTheDecisionsAreTold) {
  ManualExecutor decisions;
  ManualExecutor writer;
  FakeStore store;
  StoredDrains drains(decisions, writer, store);
  std::string told;
  const auto tell = [&told](const absl::Status& status) { told += status.ok() ? "kept " : "not kept "; };
  drains.Put("a", {}, tell);
  EXPECT_TRUE(store.Drains()->empty());
  writer.RunReady();
  EXPECT_EQ(store.Drains()->size(), 1u);
  EXPECT_EQ(told, "");
  decisions.RunReady();
  EXPECT_EQ(told, "kept ");
  drains.Remove("a", tell);
  drains.Remove("b", tell);
  writer.RunReady();
  decisions.RunReady();
  EXPECT_EQ(told, "kept kept not kept ");
}

class DrainedCoordinatorTest : public CoordinatorFixture {
 protected:
  grpc::Status Drain(const std::string& name) {
    grpc::ClientContext context;
    tutti::v1::DrainWorkerRequest request;
    request.set_name(name);
    request.set_reason("new kernel");
    tutti::v1::DrainWorkerResponse response;
    return fleet_->DrainWorker(&context, request, &response);
  }
  grpc::Status Undrain(const std::string& name) {
    grpc::ClientContext context;
    tutti::v1::UndrainWorkerRequest request;
    request.set_name(name);
    tutti::v1::UndrainWorkerResponse response;
    return fleet_->UndrainWorker(&context, request, &response);
  }
  // Unspecified: it is not listed.
  WorkerInfo::State State(const std::string& name) {
    grpc::ClientContext context;
    tutti::v1::ListWorkersResponse response;
    EXPECT_TRUE(fleet_->ListWorkers(&context, {}, &response).ok());
    for (const WorkerInfo& worker : response.workers()) {
      if (worker.name() == name) return worker.state();
    }
    return WorkerInfo::STATE_UNSPECIFIED;
  }
};

TEST_F(DrainedCoordinatorTest, AWorkerIsStillDrainedAfterTheCoordinatorStartsAgain) {
  StartServer(StateDir());
  {
    const SilentWorker a(channel_, "a");
    const grpc::Status drained = Drain("a");
    ASSERT_TRUE(drained.ok()) << drained.error_message();
    EXPECT_EQ(State("a"), WorkerInfo::STATE_DRAINING);
    EXPECT_THAT(Drain("b").error_message(), HasSubstr("no worker \"b\""));
  }
  StartServer(StateDir());
  EXPECT_EQ(State("a"), WorkerInfo::STATE_LOST);
  {
    const SilentWorker a(channel_, "a");
    EXPECT_EQ(State("a"), WorkerInfo::STATE_DRAINING);
    ASSERT_TRUE(Undrain("a").ok());
    EXPECT_EQ(State("a"), WorkerInfo::STATE_IDLE);
  }
  StartServer(StateDir());
  EXPECT_EQ(State("a"), WorkerInfo::STATE_UNSPECIFIED);
}

TEST_F(DrainedCoordinatorTest, ADrainOfACoordinatorThatKeepsNothingEndsWithIt) {
  StartServer();
  {
    const SilentWorker a(channel_, "a");
    ASSERT_TRUE(Drain("a").ok());
    EXPECT_EQ(State("a"), WorkerInfo::STATE_DRAINING);
  }
  StartServer();
  EXPECT_EQ(State("a"), WorkerInfo::STATE_UNSPECIFIED);
}

}  // namespace
}  // namespace tutti::api
