#include "coordinator/run/run_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <time.h>

#include <string>
#include <vector>

#include "tests/nanoseconds.h"

namespace tutti::run {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class RunQueueTest : public testing::Test {
 protected:
  RunQueueTest() {
    setenv("TZ", "UTC", 1);
    tzset();
  }
  void Add(const std::string& id, const std::vector<std::string>& hosts, const std::string& user = "") {
    queue_.Add({id, user, hosts, 0});
  }
  std::vector<std::string> Start(int64_t now_unix_ns = 0) { return queue_.TakeStartable(now_unix_ns); }
  RunQueue queue_;
};

TEST_F(RunQueueTest, DisjointRunsGoSideBySide) {
  Add("1", {"a", "b"});
  Add("2", {"c"});
  EXPECT_THAT(Start(), ElementsAre("1", "2"));
  EXPECT_THAT(Start(), IsEmpty());
}

TEST_F(RunQueueTest, ARunWaitsForTheHostsOfAnEarlierOne) {
  Add("1", {"a", "b"});
  Add("2", {"b", "c"});
  EXPECT_THAT(Start(), ElementsAre("1"));
  EXPECT_THAT(queue_.waiting(), ElementsAre("2"));
  queue_.Remove("1");
  EXPECT_THAT(Start(), ElementsAre("2"));
}

TEST_F(RunQueueTest, NobodyIsOvertakenOnAHost) {
  Add("1", {"a"});
  Add("2", {"a", "b"});
  Add("3", {"b"});  // b is free, but 2 came first
  Add("4", {"c"});
  EXPECT_THAT(Start(), ElementsAre("1", "4"));
  queue_.Remove("1");
  EXPECT_THAT(Start(), ElementsAre("2"));
  queue_.Remove("2");
  EXPECT_THAT(Start(), ElementsAre("3"));
}

TEST_F(RunQueueTest, ARunThatIsWithdrawnLetsTheNextOneGo) {
  Add("1", {"a"});
  Start();
  Add("2", {"a", "b"});
  Add("3", {"b"});
  EXPECT_THAT(Start(), IsEmpty());
  queue_.Remove("2");
  EXPECT_THAT(Start(), ElementsAre("3"));
}

TEST_F(RunQueueTest, SaysWhatARunWaitsForHostByHost) {
  Add("run-7", {"a", "b"}, "alice");
  Start((13 * 3600 + 50 * 60 + 2) * kSecond);
  Add("run-8", {"b", "c"}, "bob");
  Add("run-9", {"a", "c", "d"});
  const auto bobs = queue_.Describe("run-8");
  EXPECT_EQ(bobs.position(), 1u);
  EXPECT_THAT(bobs.waits_for(), ElementsAre("host b: runs run-7 of alice since 13:50:02"));
  const auto last = queue_.Describe("run-9");
  EXPECT_EQ(last.position(), 2u);
  EXPECT_THAT(last.waits_for(),
              ElementsAre("host a: runs run-7 of alice since 13:50:02", "host c: run-8 of bob is next"));
}

TEST_F(RunQueueTest, TheSameIsToldAsData) {
  queue_.Add({"run-7", "alice", {"a", "b"}, 1 * kSecond});
  Start(5 * kSecond);
  queue_.Add({"run-8", "bob", {"b", "c"}, 2 * kSecond});
  queue_.Add({"run-9", "", {"a", "c", "d"}, 3 * kSecond});
  const auto obstacles = queue_.Obstacles("run-9");
  ASSERT_EQ(obstacles.size(), 2u);
  EXPECT_EQ(obstacles[0].host(), "a");
  EXPECT_EQ(obstacles[0].kind(), tutti::v1::Obstacle::KIND_BUSY);
  EXPECT_EQ(obstacles[0].run_id(), "run-7");
  EXPECT_EQ(obstacles[0].user(), "alice");
  EXPECT_EQ(obstacles[0].since_unix_ns(), 5 * kSecond);
  EXPECT_FALSE(obstacles[0].has_expected_left_ns());
  EXPECT_EQ(obstacles[1].host(), "c");
  EXPECT_EQ(obstacles[1].kind(), tutti::v1::Obstacle::KIND_NEXT);
  EXPECT_EQ(obstacles[1].run_id(), "run-8");
  EXPECT_EQ(obstacles[1].since_unix_ns(), 2 * kSecond);
  EXPECT_THAT(queue_.Obstacles("run-7"), IsEmpty());
  EXPECT_THAT(queue_.Obstacles("nobody"), IsEmpty());
}

TEST_F(RunQueueTest, RunsThatShareNoHostDoNotCountForThePosition) {
  Add("1", {"a"});
  Start();
  Add("2", {"a", "x"});
  Add("3", {"y"});
  Add("4", {"a"});
  EXPECT_EQ(queue_.Describe("4").position(), 2u);
}

TEST_F(RunQueueTest, NothingIsSaidOfRunningAndUnknownRuns) {
  Add("1", {"a"});
  Start();
  EXPECT_EQ(queue_.Describe("1").position(), 0u);
  EXPECT_EQ(queue_.Describe("nobody").waits_for_size(), 0);
  queue_.Remove("nobody");
}

}  // namespace
}  // namespace tutti::run
