#include "coordinator/cli/lab_preflight.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr lab::BufferLimits kStock = {
    .rmem_max_bytes = 212992, .wmem_max_bytes = 212992, .may_force = false, .why_not_force = "no capability"};

// Cases 1 and 3 leave the buffers to the kernel, cases 2 and 4 ask for 1 MiB at both ends.
tutti::v1::Plan StreamTest() {
  tutti::v1::Plan plan;
  for (uint32_t index = 0; index < 4; ++index) {
    tutti::v1::Case* plan_case = plan.add_cases();
    plan_case->set_index(index);
    tutti::v1::TrafficEntry* entry = plan_case->add_traffic();
    if (index % 2 == 0) continue;
    entry->set_send_buffer_bytes(1 << 20);
    entry->set_receive_buffer_bytes(1 << 20);
  }
  return plan;
}

TEST(ForbiddenBuffersTest, NamesEachSideOnceWithItsCasesAndTheSysctlLine) {
  EXPECT_THAT(
      ForbiddenBuffers(StreamTest(), kStock),
      ElementsAre(AllOf(HasSubstr("send buffers"), HasSubstr("sysctl -w net.core.wmem_max=1048576"),
                        HasSubstr("cases 2, 4 of 4 will not run")),
                  AllOf(HasSubstr("receive buffers"), HasSubstr("sysctl -w net.core.rmem_max=1048576"),
                        HasSubstr("cases 2, 4 of 4 will not run"))));
}

TEST(ForbiddenBuffersTest, SaysNothingWhereBuffersMayBeForcedOrTheLimitsSuffice) {
  lab::BufferLimits limits = kStock;
  limits.may_force = true;
  EXPECT_THAT(ForbiddenBuffers(StreamTest(), limits), IsEmpty());
  limits = kStock;
  limits.rmem_max_bytes = limits.wmem_max_bytes = 1 << 20;
  EXPECT_THAT(ForbiddenBuffers(StreamTest(), limits), IsEmpty());
}

TEST(ForbiddenBuffersTest, SaysThatBestEffortEntriesRunWithLess) {
  tutti::v1::Plan plan = StreamTest();
  for (tutti::v1::Case& plan_case : *plan.mutable_cases())
    plan_case.mutable_traffic(0)->set_best_effort(true);
  EXPECT_THAT(ForbiddenBuffers(plan, kStock),
              ElementsAre(HasSubstr("will run with less"), HasSubstr("marked")));
}

}  // namespace
}  // namespace tutti::cli
