#include "coordinator/lab/lab_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::lab {
namespace {

using testing::HasSubstr;

constexpr BufferLimits Stock() { return {.rmem_max_bytes = 212992, .wmem_max_bytes = 300000}; }

std::string Message(const absl::Status& status) { return std::string(status.message()); }

TEST(MayUseBuffer, AllowsWhatTheSysctlAllows) {
  EXPECT_TRUE(MayUseBuffer(Stock(), BufferSide::kReceive, 212992).ok());
  EXPECT_TRUE(MayUseBuffer(Stock(), BufferSide::kSend, 300000).ok());
}

TEST(MayUseBuffer, SaysWhichLimitAndHowToRaiseIt) {
  BufferLimits limits = Stock();
  limits.why_not_force = "SO_RCVBUFFORCE is refused";
  const absl::Status receive = MayUseBuffer(limits, BufferSide::kReceive, 1048576);
  EXPECT_TRUE(absl::IsFailedPrecondition(receive));
  EXPECT_EQ(Message(receive),
            "1 MiB receive buffers are not possible here: net.core.rmem_max is 212992, and SO_RCVBUFFORCE is "
            "refused; "
            "sysctl -w net.core.rmem_max=1048576");
  const absl::Status send = MayUseBuffer(limits, BufferSide::kSend, 300001);
  EXPECT_THAT(Message(send), HasSubstr("300001 B send buffers"));
  EXPECT_THAT(Message(send), HasSubstr("sysctl -w net.core.wmem_max=300001"));
}

TEST(MayUseBuffer, ForcesPastTheSysctlButNotPastTheKernel) {
  BufferLimits limits = Stock();
  limits.may_force = true;
  EXPECT_TRUE(MayUseBuffer(limits, BufferSide::kReceive, int64_t{1} << 29).ok());
  EXPECT_THAT(Message(MayUseBuffer(limits, BufferSide::kReceive, int64_t{1} << 30)), HasSubstr("at most"));
}

TEST(ReadBufferLimits, FindsThisMachines) {
  const auto limits = ReadBufferLimits();
  ASSERT_TRUE(limits.ok()) << limits.status();
  EXPECT_GT(limits->rmem_max_bytes, 0);
  EXPECT_GT(limits->wmem_max_bytes, 0);
  EXPECT_NE(limits->may_force, !limits->why_not_force.empty());
}

}  // namespace
}  // namespace tutti::lab
