// A worker that a plan does not use: whatever becomes of it, the plan's run does not notice.
#include <gmock/gmock.h>

#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "tests/integration/cluster.h"

namespace tutti::integration {
namespace {

using testing::AnyOf;
using testing::Eq;
using testing::HasSubstr;
using testing::Not;
using tutti::v1::RunEvent;
using tutti::v1::WorkerInfo;

std::string PlanOfTwo(const std::string& sender, const std::string& receiver) {
  return "version: 1\nname: t\nroles: {sender: {hosts: [" + sender + "]}, receiver: {hosts: [" + receiver +
         "]}}\ntraffic:\n  - name: bulk\n    from: sender\n    to: receiver\n    pattern: pairs\n"
         "    streams: 1\n    protocol: tcp\n    message_size: 1KiB\n    rate: 20Mbps\n"
         "timing: {warmup: 100ms, measure: 600ms, cooldown: 50ms, interval: 100ms}\n";
}

class ThreeMachines : public Cluster {
 protected:
  void SetUp() override {
    Cluster::SetUp();
    Join("a", {.boot_id = "aaaa", .address = "10.99.0.11", .cpus = {0, 1}});
    Join("b", {.boot_id = "bbbb", .address = "10.99.0.12", .cpus = {0, 1}});
    unused_ = &Join("c", {.boot_id = "cccc", .address = "10.99.0.13", .cpus = {0, 1}});
  }
  grpc::Status Drain(const std::string& name) {
    grpc::ClientContext context;
    Deadline(context, 10);
    tutti::v1::DrainWorkerRequest request;
    request.set_name(name);
    request.set_reason("new kernel");
    tutti::v1::DrainWorkerResponse response;
    return fleet_->DrainWorker(&context, request, &response);
  }
  // `act` happens while a's streams to b are measured.
  template <typename Act>
  tutti::v1::Result RunAndMeanwhile(Act act) {
    const auto run_id = Submit(PlanOfTwo("a", "b"));
    EXPECT_TRUE(run_id.ok()) << run_id.status();
    if (!run_id.ok()) return {};
    bool acted = false;
    const tutti::v1::Result result = Watch(*run_id, [&](const RunEvent& event) {
      if (!event.has_interval() || std::exchange(acted, true)) return;
      act();
    });
    EXPECT_TRUE(acted);
    return result;
  }
  // A machine that is busy may make a trial suspect; a worker that is missing makes it partial.
  static void ExpectWhole(const tutti::v1::Result& result) {
    ASSERT_EQ(result.cases_size(), 1);
    ASSERT_EQ(result.cases(0).trials_size(), 1);
    const auto& trial = result.cases(0).trials(0);
    EXPECT_THAT(trial.status(), AnyOf(Eq(tutti::v1::TRIAL_STATUS_GOOD), Eq(tutti::v1::TRIAL_STATUS_SUSPECT)))
        << trial.ShortDebugString();
    for (const std::string& reason : trial.reasons()) EXPECT_THAT(reason, Not(HasSubstr("host c")));
    EXPECT_EQ(result.hosts_size(), 2);
  }
  bool Becomes(const std::string& name, WorkerInfo::State state) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (Worker(name).state() != state) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
  }

  TestWorker* unused_ = nullptr;
};

TEST_F(ThreeMachines, OneThatIsDrainedMeanwhileChangesNothingForTheOthers) {
  ExpectWhole(RunAndMeanwhile([this] {
    const grpc::Status drained = Drain("c");
    EXPECT_TRUE(drained.ok()) << drained.error_message();
  }));
  EXPECT_EQ(Worker("c").state(), WorkerInfo::STATE_DRAINING);
  // Nor afterwards; only who asks for it is told.
  EXPECT_FALSE(Submit(PlanOfTwo("a", "c")).ok());
  ExpectWhole(Run(PlanOfTwo("a", "b")));
}

TEST_F(ThreeMachines, OneThatIsLostMeanwhileChangesNothingForTheOthers) {
  ExpectWhole(RunAndMeanwhile([this] { unused_->Stop(); }));
  EXPECT_TRUE(Becomes("c", WorkerInfo::STATE_LOST));
  ExpectWhole(Run(PlanOfTwo("a", "b")));
}

TEST_F(ThreeMachines, RunsThatHaveOrAwaitAWorkerThatIsDrainedGoOn) {
  const auto first = Submit(PlanOfTwo("a", "b"));
  const auto second = Submit(PlanOfTwo("a", "b"));
  ASSERT_TRUE(first.ok() && second.ok());
  const grpc::Status drained = Drain("b");
  EXPECT_TRUE(drained.ok()) << drained.error_message();
  EXPECT_EQ(Worker("b").state(), WorkerInfo::STATE_DRAINING);
  const auto ignore = [](const RunEvent&) {};
  ExpectWhole(Watch(*first, ignore));
  ExpectWhole(Watch(*second, ignore));
  EXPECT_FALSE(Submit(PlanOfTwo("a", "b")).ok());
}

}  // namespace
}  // namespace tutti::integration
