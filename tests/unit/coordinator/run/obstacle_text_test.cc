#include "coordinator/run/obstacle_text.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <time.h>

#include <string>
#include <vector>

#include "tests/nanoseconds.h"

namespace tutti::run {
namespace {

using tutti::v1::Obstacle;

constexpr int64_t kNow = kDay + 14 * kHour;  // 1970-01-02 14:00

class ObstacleTextTest : public testing::Test {
 protected:
  ObstacleTextTest() {
    setenv("TZ", "UTC", 1);
    tzset();
  }
  static Obstacle Make(const std::string& host, Obstacle::Kind kind, int64_t since_unix_ns,
                       const std::string& run_id = "", const std::string& user = "") {
    Obstacle obstacle;
    obstacle.set_host(host);
    obstacle.set_kind(kind);
    obstacle.set_since_unix_ns(since_unix_ns);
    obstacle.set_run_id(run_id);
    obstacle.set_user(user);
    return obstacle;
  }
};

TEST_F(ObstacleTextTest, OneSentenceHasEveryHost) {
  Obstacle busy = Make("host7", Obstacle::KIND_BUSY, kNow - 10 * kMinute, "RUN-41");
  busy.set_expected_left_ns(4 * kMinute);
  const Obstacle next = Make("host8", Obstacle::KIND_NEXT, kNow - kMinute, "RUN-42", "bob");
  const Obstacle lost = Make("host9", Obstacle::KIND_LOST, kNow - 12 * kMinute);
  EXPECT_EQ(ObstacleSentence({busy, next, lost}, kNow),
            "host7 runs RUN-41 since 13:50, about 4m left; host8 goes to RUN-42 of bob first; "
            "host9 is lost since 13:48");
  EXPECT_EQ(ObstacleSentence({}, kNow), "");
}

TEST_F(ObstacleTextTest, HostsWithTheSameReasonAreToldTogether) {
  std::vector<Obstacle> obstacles;
  for (const char* host : {"a", "b", "c"}) {
    obstacles.push_back(Make(host, Obstacle::KIND_BUSY, kNow - kMinute, "RUN-1", "alice"));
  }
  obstacles.push_back(Make("d", Obstacle::KIND_LOST, kNow - 5 * kSecond));
  obstacles.push_back(Make("e", Obstacle::KIND_LOST, kNow - 4 * kSecond));
  EXPECT_EQ(ObstacleSentence(obstacles, kNow),
            "a, b and c run RUN-1 of alice since 13:59; d and e are lost since 13:59");
}

TEST_F(ObstacleTextTest, OfManyHostsThreeAreNamed) {
  std::vector<Obstacle> obstacles;
  for (const char* host : {"a", "b", "c", "d"}) {
    obstacles.push_back(Make(host, Obstacle::KIND_NEXT, kNow, "RUN-1"));
  }
  EXPECT_EQ(ObstacleSentence(obstacles, kNow), "a, b, c and d go to RUN-1 first");
  obstacles.push_back(Make("e", Obstacle::KIND_NEXT, kNow, "RUN-1"));
  EXPECT_EQ(ObstacleSentence(obstacles, kNow), "a, b, c and 2 more go to RUN-1 first");
}

TEST_F(ObstacleTextTest, AnotherDayIsToldWithItsDateAndAnUnknownTimeNotAtAll) {
  EXPECT_EQ(ObstacleSentence({Make("a", Obstacle::KIND_LOST, kNow - kDay)}, kNow),
            "a is lost since 1970-01-01 14:00");
  EXPECT_EQ(ObstacleSentence({Make("a", Obstacle::KIND_LOST, 0)}, kNow), "a is lost");
}

TEST_F(ObstacleTextTest, ALineNamesTheSecond) {
  EXPECT_EQ(ObstacleLine(Make("a", Obstacle::KIND_BUSY, kNow + 2 * kSecond, "run-7", "alice")),
            "host a: runs run-7 of alice since 14:00:02");
  EXPECT_EQ(ObstacleLine(Make("a", Obstacle::KIND_NEXT, kNow, "run-8")), "host a: run-8 is next");
}

}  // namespace
}  // namespace tutti::run
