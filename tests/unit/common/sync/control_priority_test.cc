#include "common/sync/control_priority.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <future>
#include <thread>

#include "common/sync/executor.h"

namespace tutti {
namespace {

int NiceOf(Executor& executor) {
  std::promise<int> nice;
  executor.Post([&nice] { nice.set_value(getpriority(PRIO_PROCESS, 0)); });
  return nice.get_future().get();
}

// On a thread of its own, since the rest of the tests is to stay where it is.
TEST(ControlPriorityTest, ThreadsThatAreMadeLaterGoFirstAndEarlierOnesStayAsTheyAre) {
  std::thread([] {
    const int ordinary = getpriority(PRIO_PROCESS, 0);
    ThreadExecutor earlier("earlier");
    const bool permitted = RaiseControlPriority();
    ThreadExecutor later("later");
    EXPECT_EQ(NiceOf(earlier), ordinary);
    EXPECT_EQ(NiceOf(later), permitted ? -20 : ordinary);
    EXPECT_EQ(getpriority(PRIO_PROCESS, 0), permitted ? -20 : ordinary);
  }).join();
}

TEST(ControlPriorityTest, AThreadThatLeavesIsAnOrdinaryOne) {
  std::thread([] {
    const int ordinary = getpriority(PRIO_PROCESS, 0);
    const bool permitted = RaiseControlPriority();
    ThreadExecutor worker("worker");
    worker.Post(&LeaveControlPriority);
    EXPECT_EQ(NiceOf(worker), permitted ? 0 : std::max(ordinary, 0));
    EXPECT_EQ(getpriority(PRIO_PROCESS, 0), permitted ? -20 : ordinary);
  }).join();
}

}  // namespace
}  // namespace tutti
