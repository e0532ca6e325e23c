// A coordinator that stood still (SIGSTOP, a paused machine) says so where it tells of workers that it lost.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "common/sync/executor.h"
#include "fleet_fixture.h"

namespace tutti::fleet {
namespace {

// Its time goes on while nothing runs.
class HaltedExecutor final : public Executor {
 public:
  void Post(std::function<void()> task) override { inner_.Post(std::move(task)); }
  TimerId PostAfter(int64_t delay_ns, std::function<void()> task) override {
    return inner_.PostAfter(delay_ns, std::move(task));
  }
  void Cancel(TimerId id) override { inner_.Cancel(id); }
  int64_t NowNs() const override { return inner_.NowNs() + halted_ns_; }

  void HaltFor(int64_t ns) { halted_ns_ += ns; }
  void AdvanceBy(int64_t ns) { inner_.AdvanceBy(ns); }

 private:
  ManualExecutor inner_{1'000'000 * kMs};
  int64_t halted_ns_ = 0;
};

class LossListener final : public WorkerListener {
 public:
  void OnWorkerMessage(const std::string& /*worker*/, tutti::v1::WorkerMessage /*message*/) override {}
  void OnWorkerLost(const std::string& /*worker*/, const std::string& reason) override {
    last_reason = reason;
  }
  void OnWorkerRegistered(const std::string& /*worker*/) override {}
  std::string last_reason;
};

TEST(StandstillTest, AWorkerThatDialsAgainIsToldWithHowLongTheCoordinatorItselfStoodStill) {
  HaltedExecutor executor;
  Fleet fleet(executor, {.lease_ns = kLeaseNs, .probes = {}});
  const auto dial = [&] { DialIn(fleet, MakeHello("a")); };
  dial();
  LossListener listener;
  fleet.Assign({"a"}, "run-1", &listener);
  dial();
  EXPECT_EQ(listener.last_reason, "the worker dialled again: its old session broke");
  // The check of the leases is due 200 ms after the start. The worker's dial is looked at before it.
  executor.HaltFor(5'000 * kMs);
  dial();
  EXPECT_EQ(listener.last_reason,
            "the worker dialled again: its old session broke; the coordinator itself stood still for 4.8s");
  // Now behind it, which is 5 s late.
  executor.AdvanceBy(200 * kMs);
  dial();
  EXPECT_EQ(listener.last_reason,
            "the worker dialled again: its old session broke; the coordinator itself stood still for 5s");
}

}  // namespace
}  // namespace tutti::fleet
