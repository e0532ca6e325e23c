#include "coordinator/cli/worker_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::cli {
namespace {

using ::testing::HasSubstr;

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

TEST(RenderWorkersTest, ControlCharactersOfWorkersAreWrittenOut) {
  tutti::v1::ListWorkersResponse workers;
  workers.add_workers()->set_name("a\x1b[2J\n");
  EXPECT_EQ(RenderWorkers(workers),
            "NAME        STATE  ADDRESSES  CPUS  KERNEL  CLOCK BOUND  LABELS\n"
            "a\\x1B[2J\\n  -      -          -     -       -            -\n");
}

}  // namespace
}  // namespace tutti::cli
