#include "common/sync/executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace tutti {
namespace {

using testing::ElementsAre;

TEST(ManualExecutorTest, RunsInOrderOfPostingAndOnlyWhenTold) {
  ManualExecutor executor;
  std::vector<int> ran;
  executor.Post([&] { ran.push_back(1); });
  executor.Post([&] {
    ran.push_back(2);
    executor.Post([&] { ran.push_back(3); });
  });
  EXPECT_TRUE(ran.empty());
  executor.RunReady();
  EXPECT_THAT(ran, ElementsAre(1, 2, 3));
}

TEST(ManualExecutorTest, TimersRunAtTheirTimeAndSeeIt) {
  ManualExecutor executor(100);
  std::vector<int64_t> times;
  executor.PostAfter(50, [&] { times.push_back(executor.NowNs()); });
  executor.PostAfter(20, [&] { times.push_back(executor.NowNs()); });
  executor.AdvanceBy(19);
  EXPECT_TRUE(times.empty());
  executor.AdvanceBy(100);
  EXPECT_THAT(times, ElementsAre(120, 150));
  EXPECT_EQ(executor.NowNs(), 219);
}

TEST(ManualExecutorTest, ACancelledTaskDoesNotRun) {
  ManualExecutor executor;
  bool ran = false;
  const TimerId id = executor.PostAfter(10, [&] { ran = true; });
  EXPECT_NE(id, 0u);
  executor.Cancel(id);
  executor.Cancel(id);
  executor.Cancel(777);
  executor.AdvanceBy(20);
  EXPECT_FALSE(ran);
}

TEST(ThreadExecutorTest, RunsInOrderOfPostingOnOneThread) {
  ThreadExecutor executor("test");
  std::vector<int> ran;  // the executor's thread only
  std::promise<void> done;
  for (int i = 0; i < 1000; ++i) executor.Post([&, i] { ran.push_back(i); });
  executor.Post([&] { done.set_value(); });
  done.get_future().wait();
  ASSERT_EQ(ran.size(), 1000u);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(ran[static_cast<size_t>(i)], i);
}

TEST(ThreadExecutorTest, TakesTasksFromManyThreads) {
  int count = 0;  // the executor's thread only
  std::promise<void> done;
  ThreadExecutor executor("test");
  {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 250; ++i) executor.Post([&] { ++count; });
      });
    }
    for (std::thread& each : threads) each.join();
  }
  executor.Post([&] { done.set_value(); });
  done.get_future().wait();
  EXPECT_EQ(count, 1000);
}

TEST(ThreadExecutorTest, ATimerRunsAfterItsDelayAndNotWhenCancelled) {
  ThreadExecutor executor("test");
  std::promise<int64_t> at;
  bool cancelled_ran = false;  // the executor's thread only
  const int64_t begin_ns = executor.NowNs();
  executor.Post([&] {
    const TimerId id = executor.PostAfter(1'000'000, [&] { cancelled_ran = true; });
    executor.PostAfter(5'000'000, [&] { at.set_value(executor.NowNs()); });
    executor.Cancel(id);
  });
  EXPECT_GE(at.get_future().get() - begin_ns, 5'000'000);
  EXPECT_FALSE(cancelled_ran);
}

TEST(ThreadExecutorTest, DropsWhatHasNotRunWhenItGoes) {
  const auto witness = std::make_shared<int>(0);
  {
    ThreadExecutor executor("test");
    executor.PostAfter(3'600'000'000'000, [witness] { ++*witness; });
  }
  EXPECT_EQ(*witness, 0);
  EXPECT_EQ(witness.use_count(), 1);
}

}  // namespace
}  // namespace tutti
