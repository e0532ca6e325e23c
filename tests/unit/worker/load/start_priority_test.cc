#include <pthread.h>
#include <sched.h>

#include "gtest/gtest.h"
#include "worker/load/load_thread.h"

namespace tutti::load {
namespace {

int Policy() {
  int policy = -1;
  sched_param param{};
  pthread_getschedparam(pthread_self(), &policy, &param);
  return policy;
}

bool MayRaise() {
  const sched_param lowest{.sched_priority = 1};
  const sched_param ordinary{.sched_priority = 0};
  const bool may = pthread_setschedparam(pthread_self(), SCHED_FIFO, &lowest) == 0;
  pthread_setschedparam(pthread_self(), SCHED_OTHER, &ordinary);
  return may;
}

TEST(StartPriority, HoldsUntilTheFirstCallHasReturned) {
  const int raised = MayRaise() ? SCHED_FIFO : SCHED_OTHER;
  StartPriority priority(1472);
  EXPECT_EQ(Policy(), raised);
  priority.End();
  EXPECT_EQ(Policy(), SCHED_OTHER);
  priority.End();
  EXPECT_EQ(Policy(), SCHED_OTHER);
}

TEST(StartPriority, EndsWithAThreadThatNeverSends) {
  { const StartPriority priority(1472); }
  EXPECT_EQ(Policy(), SCHED_OTHER);
}

TEST(StartPriority, IsNotForMessagesThatHoldTheCpuForLong) {
  const StartPriority priority(StartPriority::kMostBytes + 1);
  EXPECT_EQ(Policy(), SCHED_OTHER);
}

TEST(StartPriority, LeavesAPolicyAloneThatSomebodyElseGave) {
  const sched_param none{.sched_priority = 0};
  ASSERT_EQ(pthread_setschedparam(pthread_self(), SCHED_BATCH, &none), 0);
  {
    StartPriority priority(1472);
    EXPECT_EQ(Policy(), SCHED_BATCH);
    priority.End();
    EXPECT_EQ(Policy(), SCHED_BATCH);
  }
  EXPECT_EQ(Policy(), SCHED_BATCH);
  pthread_setschedparam(pthread_self(), SCHED_OTHER, &none);
}

}  // namespace
}  // namespace tutti::load
