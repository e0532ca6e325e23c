#include "coordinator/run/buffer_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::run {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr uint64_t kStock = 212992;  // net.core.rmem_max as Linux ships it
constexpr uint64_t kMiB = 1 << 20;

class ForbiddenBuffersTest : public ::testing::Test {
 protected:
  ForbiddenBuffersTest() {
    tutti::v1::TrafficEntry* entry = case_.add_traffic();
    entry->set_name("bulk");
    entry->set_send_buffer_bytes(kStock);
    entry->set_receive_buffer_bytes(kMiB);
    for (int i = 0; i < 3; ++i) {
      tutti::v1::Flow flow;
      flow.set_entry("bulk");
      flow.set_from_host("a");
      flow.set_to_host("b");
      flows_.push_back(flow);
    }
    for (const char* host : {"a", "b"}) {
      facts_[host].set_rmem_max_bytes(kStock);
      facts_[host].set_wmem_max_bytes(kStock);
    }
  }

  tutti::v1::Case case_;
  std::vector<tutti::v1::Flow> flows_;
  std::map<std::string, tutti::v1::HostFacts> facts_;
};

TEST_F(ForbiddenBuffersTest, NamesTheHostTheLimitAndTheSysctlLineOncePerSide) {
  EXPECT_THAT(
      ForbiddenBuffers(case_, flows_, facts_),
      ElementsAre(AllOf(HasSubstr("host b: 1MiB receive buffers"), HasSubstr("net.core.rmem_max is 212992"),
                        HasSubstr("sysctl -w net.core.rmem_max=1048576"))));
}

TEST_F(ForbiddenBuffersTest, AllowsExactlyTheLimit) {
  case_.mutable_traffic(0)->set_receive_buffer_bytes(kStock);
  EXPECT_THAT(ForbiddenBuffers(case_, flows_, facts_), IsEmpty());
  case_.mutable_traffic(0)->set_receive_buffer_bytes(kStock + 1);
  EXPECT_THAT(ForbiddenBuffers(case_, flows_, facts_), ElementsAre(HasSubstr("net.core.rmem_max=212993")));
}

TEST_F(ForbiddenBuffersTest, JudgesEachSideByItsOwnHostAndSysctl) {
  facts_["b"].set_rmem_max_bytes(kMiB);
  case_.mutable_traffic(0)->set_send_buffer_bytes(kMiB);
  EXPECT_THAT(ForbiddenBuffers(case_, flows_, facts_),
              ElementsAre(AllOf(HasSubstr("host a: 1MiB send buffers"), HasSubstr("wmem_max=1048576"))));
}

TEST_F(ForbiddenBuffersTest, LetsAWorkerThatMayForceRun) {
  facts_["b"].set_may_force_buffers(true);
  EXPECT_THAT(ForbiddenBuffers(case_, flows_, facts_), IsEmpty());
}

TEST_F(ForbiddenBuffersTest, LetsBestEffortEntriesRun) {
  case_.mutable_traffic(0)->set_best_effort(true);
  EXPECT_THAT(ForbiddenBuffers(case_, flows_, facts_), IsEmpty());
}

TEST_F(ForbiddenBuffersTest, LeavesDefaultsToTheKernel) {
  case_.mutable_traffic(0)->clear_receive_buffer_bytes();
  EXPECT_THAT(ForbiddenBuffers(case_, flows_, facts_), IsEmpty());
}

TEST_F(ForbiddenBuffersTest, DoesNotJudgeHostsOfUnknownLimits) {
  facts_["b"].clear_rmem_max_bytes();
  EXPECT_THAT(ForbiddenBuffers(case_, flows_, facts_), IsEmpty());
  facts_.erase("b");
  EXPECT_THAT(ForbiddenBuffers(case_, flows_, facts_), IsEmpty());
}

}  // namespace
}  // namespace tutti::run
