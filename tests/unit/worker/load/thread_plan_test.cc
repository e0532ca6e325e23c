#include "worker/load/thread_plan.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tutti::load {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

StreamConfig Config(uint32_t id, ThreadChoice threads, Side side = Side::kSend,
                    std::optional<uint32_t> cpu = std::nullopt) {
  StreamConfig config;
  config.stream_id = id;
  config.threads = threads;
  config.side = side;
  config.cpu = cpu;
  return config;
}

TEST(ThreadPlan, IsAThreadForEachStreamUnlessTheyAskToShare) {
  const std::vector<StreamConfig> configs = {Config(7, ThreadChoice::kPerStream),
                                             Config(8, ThreadChoice::kPerStream)};
  const std::vector<ThreadPlan> threads = PlanThreads(configs, {0, 1});
  ASSERT_THAT(threads, SizeIs(2));
  EXPECT_THAT(threads[1].streams, ElementsAre(1));
  EXPECT_FALSE(threads[1].in_turn);
  EXPECT_EQ(threads[1].Name(configs), "tutti-s8");
}

// As in a plan with both_ways, where senders and receivers of a host alternate.
TEST(ThreadPlan, DealsSendersAndReceiversOutEvenly) {
  std::vector<StreamConfig> configs;
  for (uint32_t i = 0; i < 8; ++i) {
    configs.push_back(Config(i, ThreadChoice::kPerCpu, i % 2 == 0 ? Side::kSend : Side::kReceive));
  }
  const std::vector<ThreadPlan> threads = PlanThreads(configs, {2, 5});
  ASSERT_THAT(threads, SizeIs(2));
  EXPECT_THAT(threads[0].streams, ElementsAre(0, 1, 4, 5));
  EXPECT_THAT(threads[1].streams, ElementsAre(2, 3, 6, 7));
  EXPECT_EQ(threads[0].cpu, 2u);
  EXPECT_EQ(threads[1].cpu, 5u);
  EXPECT_EQ(threads[1].Name(configs), "tutti-cpu5");
  EXPECT_TRUE(threads[0].in_turn);
}

TEST(ThreadPlan, TakesTheCpusThatThePlanChoseAndLeavesOtherStreamsTheirThreads) {
  const std::vector<ThreadPlan> threads = PlanThreads(
      {Config(0, ThreadChoice::kPerCpu, Side::kSend, 3), Config(1, ThreadChoice::kPerStream),
       Config(2, ThreadChoice::kPerCpu, Side::kSend, 3), Config(3, ThreadChoice::kPerCpu, Side::kReceive, 4)},
      {0, 1});
  ASSERT_THAT(threads, SizeIs(3));
  EXPECT_THAT(threads[0].streams, ElementsAre(0, 2));
  EXPECT_EQ(threads[0].cpu, 3u);
  EXPECT_FALSE(threads[1].in_turn);
  EXPECT_EQ(threads[2].cpu, 4u);
}

}  // namespace
}  // namespace tutti::load
