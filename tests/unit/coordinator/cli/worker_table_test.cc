#include "coordinator/cli/worker_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/coordinator/cli/in_utc.h"

namespace tutti::cli {
namespace {

using ::testing::HasSubstr;
using DrainedWorkersTest = InUtc;

TEST(RenderWorkersTest, AnEmptyFleetSaysHowToFillIt) {
  EXPECT_THAT(RenderWorkers({}), HasSubstr("tutti-worker --coordinator"));
}

TEST(RenderWorkersTest, ShowsStateRunAddressesAndWhatIsNotKnownAsADash) {
  tutti::v1::ListWorkersResponse workers;
  tutti::v1::WorkerInfo* busy = workers.add_workers();
  busy->set_name("a");
  busy->set_state(tutti::v1::WorkerInfo::STATE_BUSY);
  busy->set_run_id("run-7");
  busy->set_state_reason("runs run-7");
  busy->set_clock_bound_ns(15000);
  (*busy->mutable_labels())["rack"] = "b";
  busy->mutable_facts()->set_kernel_release("6.18.44");
  busy->mutable_facts()->add_online_cpus(0);
  busy->mutable_facts()->add_online_cpus(1);
  tutti::v1::HostAddress* loopback = busy->mutable_facts()->add_addresses();
  loopback->set_address("127.0.0.1");
  loopback->set_loopback(true);
  busy->mutable_facts()->add_addresses()->set_address("10.0.0.1");
  workers.add_workers()->set_name("long-name");
  EXPECT_EQ(RenderWorkers(workers),
            "NAME       STATE         ADDRESSES  CPUS  KERNEL   CLOCK BOUND  LABELS\n"
            "a          busy (run-7)  10.0.0.1   2     6.18.44  15us         rack=b\n"
            "long-name  -             -          -     -        -            -\n");
}

TEST(RenderWorkersTest, TheAddressThatAWorkerWasToldToUseStandsFirstAndOnce) {
  tutti::v1::ListWorkersResponse workers;
  tutti::v1::WorkerInfo* worker = workers.add_workers();
  worker->set_name("a");
  worker->set_control_address("10.1.0.1");
  for (const char* address : {"10.0.0.1", "10.1.0.1", "10.2.0.1"}) {
    worker->mutable_facts()->add_addresses()->set_address(address);
  }
  tutti::v1::WorkerInfo* local = workers.add_workers();
  local->set_name("b");
  local->set_control_address("127.0.0.11");
  EXPECT_THAT(RenderWorkers(workers), HasSubstr("\na     -      10.1.0.1,10.0.0.1,10.2.0.1  "));
  EXPECT_THAT(RenderWorkers(workers), HasSubstr("\nb     -      127.0.0.11                  "));
}

TEST_F(DrainedWorkersTest, WhyAndSinceWhenAWorkerGetsNoRunIsShownInEveryState) {
  tutti::v1::ListWorkersResponse workers;
  tutti::v1::WorkerInfo* draining = workers.add_workers();
  draining->set_name("a");
  draining->set_state(tutti::v1::WorkerInfo::STATE_DRAINING);
  draining->set_state_reason("a new kernel");
  draining->set_run_id("run-7");
  draining->mutable_drain()->set_since_unix_ns(kInstant);
  draining->mutable_drain()->set_reason("a new kernel");
  tutti::v1::WorkerInfo* lost = workers.add_workers();
  *lost = *draining;
  lost->set_name("b");
  lost->set_state(tutti::v1::WorkerInfo::STATE_LOST);
  lost->set_state_reason("nothing was heard");
  lost->clear_run_id();
  lost->mutable_drain()->clear_reason();
  const std::string table = RenderWorkers(workers);
  EXPECT_THAT(table, HasSubstr("\na     draining (run-7) since 2026-11-30 14:05:00: a new kernel  "));
  EXPECT_THAT(table, HasSubstr("\nb     lost: nothing was heard; draining since 2026-11-30 14:05:00  "));
}

TEST_F(DrainedWorkersTest, ADrainThatTheReasonOfALossNamesIsToldOnce) {
  tutti::v1::ListWorkersResponse workers;
  tutti::v1::WorkerInfo* lost = workers.add_workers();
  lost->set_name("a");
  lost->set_state(tutti::v1::WorkerInfo::STATE_LOST);
  lost->set_state_reason("it said goodbye; last heard 35s ago; drained by alice: new NIC");
  lost->mutable_drain()->set_since_unix_ns(kInstant);
  lost->mutable_drain()->set_user("alice");
  lost->mutable_drain()->set_reason("new NIC");
  EXPECT_THAT(RenderWorkers(workers),
              HasSubstr("\na     lost: it said goodbye; last heard 35s ago; drained by alice: new NIC  "));
}

TEST(RenderWorkersTest, ControlCharactersOfWorkersAreWrittenOut) {
  tutti::v1::ListWorkersResponse workers;
  workers.add_workers()->set_name("a\x1b[2J\n");
  EXPECT_EQ(RenderWorkers(workers),
            "NAME        STATE  ADDRESSES  CPUS  KERNEL  CLOCK BOUND  LABELS\n"
            "a\\x1B[2J\\n  -      -          -     -       -            -\n");
}

}  // namespace
}  // namespace tutti::cli
