#include "coordinator/fleet/worker_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/nanoseconds.h"

namespace tutti::fleet {
namespace {

using tutti::v1::DrainMark;
using tutti::v1::Hello;
using tutti::v1::WorkerInfo;

class WorkerInfoTest : public testing::Test {
 protected:
  WorkerInfoTest() {
    hello_.set_incarnation(7);
    hello_.mutable_facts()->set_kernel_release("6.1.0");
    mark_.set_reason("new kernel");
    mark_.set_user("alice");
  }
  // Alive, heard just now, lease 2 s.
  WorkerView View() const {
    return {.name = name_,
            .hello = hello_,
            .lost_reason = lost_reason_,
            .run_id = run_id_,
            .silent_ns = 100 * kMs,
            .lease_ns = 2 * kSecond,
            .now_unix_ns = 1'000 * kSecond};
  }

  std::string name_ = "a";
  Hello hello_;
  std::string lost_reason_;
  std::string run_id_;
  DrainMark mark_;
};

TEST_F(WorkerInfoTest, LostWinsOverDrainingWhichWinsOverBusy) {
  EXPECT_EQ(StateOf(View()), WorkerInfo::STATE_IDLE);
  run_id_ = "run-1";
  WorkerView view = View();
  EXPECT_EQ(StateOf(view), WorkerInfo::STATE_BUSY);
  view.drain = &mark_;
  EXPECT_EQ(StateOf(view), WorkerInfo::STATE_DRAINING);
  view.lost = true;
  EXPECT_EQ(StateOf(view), WorkerInfo::STATE_LOST);
}

TEST_F(WorkerInfoTest, TheReasonSaysWhatTheStateComesFrom) {
  EXPECT_EQ(StateReason(View()), "");
  run_id_ = "run-1";
  WorkerView view = View();
  EXPECT_EQ(StateReason(view), "runs run-1");
  view.drain = &mark_;
  EXPECT_EQ(StateReason(view), "drained by alice: new kernel; runs run-1");
  lost_reason_ = "its session broke";
  view.lost = true;
  view.silent_ns = 35 * kSecond + 400 * kMs;
  EXPECT_EQ(StateReason(view), "its session broke; last heard 35s ago; drained by alice: new kernel");
  view.silent_ns.reset();
  EXPECT_EQ(StateReason(view), "its session broke; drained by alice: new kernel");
}

TEST_F(WorkerInfoTest, AWorkerWhoseAnswersAreLateIsSlowAndNotLost) {
  WorkerView view = View();
  view.last_answer_ns = 500 * kMs;
  EXPECT_EQ(StateReason(view), "");
  view.last_answer_ns = 1'340 * kMs;
  EXPECT_EQ(StateOf(view), WorkerInfo::STATE_IDLE);
  EXPECT_EQ(StateReason(view), "slow: its last answer took 1.3s");
  view.last_answer_ns = 612 * kMs;
  EXPECT_EQ(StateReason(view), "slow: its last answer took 612ms");
}

TEST_F(WorkerInfoTest, SilenceWithinTheLeaseIsToldWithWhenItEnds) {
  run_id_ = "run-1";
  WorkerView view = View();
  view.silent_ns = 1'000 * kMs;
  EXPECT_EQ(StateReason(view), "runs run-1");
  view.silent_ns = 1'250 * kMs;
  view.last_answer_ns = 1'340 * kMs;
  EXPECT_EQ(StateReason(view), "runs run-1; slow: nothing was heard of it for 1.2s (lost after 2s)");
}

TEST_F(WorkerInfoTest, WhatIsNotKnownIsUnset) {
  WorkerView view = View();
  WorkerInfo info = DescribeWorker(view, true);
  EXPECT_EQ(info.incarnation(), 7u);
  EXPECT_EQ(info.last_heard_unix_ns(), 1'000 * kSecond - 100 * kMs);
  EXPECT_EQ(info.facts().kernel_release(), "6.1.0");
  EXPECT_FALSE(info.has_drain());
  EXPECT_FALSE(info.has_clock_bound_ns());
  view.silent_ns.reset();
  view.drain = &mark_;
  info = DescribeWorker(view, false);
  EXPECT_FALSE(info.has_last_heard_unix_ns());
  EXPECT_FALSE(info.has_facts());
  EXPECT_EQ(info.drain().reason(), "new kernel");
}

}  // namespace
}  // namespace tutti::fleet
