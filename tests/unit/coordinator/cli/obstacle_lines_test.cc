#include "coordinator/cli/obstacle_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/coordinator/cli/in_utc.h"

namespace tutti::cli {
namespace {

using tutti::v1::Obstacle;
using ObstacleLinesTest = InUtc;

TEST_F(ObstacleLinesTest, EachObstacleSaysWhoseItIsSinceWhenAndHowMuchLonger) {
  tutti::v1::WhyNotResponse why;
  why.set_position(3);
  Obstacle& busy = *why.add_obstacles();
  busy.set_host("host7");
  busy.set_kind(Obstacle::KIND_BUSY);
  busy.set_run_id("run-41");
  busy.set_user("alice@lab7");
  busy.set_since_unix_ns(kInstant);
  busy.set_expected_left_ns(243 * kSecond);
  Obstacle& next = *why.add_obstacles();
  next.set_host("host8");
  next.set_kind(Obstacle::KIND_NEXT);
  next.set_run_id("run-40");
  next.set_since_unix_ns(kInstant + kSecond);
  Obstacle& lost = *why.add_obstacles();
  lost.set_host("host9");
  lost.set_kind(Obstacle::KIND_LOST);
  lost.set_since_unix_ns(kInstant + 2 * kSecond);
  lost.set_reason("nothing was heard\x1b[2J");
  EXPECT_EQ(
      RenderWhyNot("run-42", why),
      "run-42 waits in the queue at place 3 for\n"
      "  host7: runs run-41 of alice@lab7 since 2026-11-30 14:05:00, about 4m left\n"
      "  host8: run-40 was submitted earlier and waits for it since 2026-11-30 14:05:01\n"
      "  host9: is lost since 2026-11-30 14:05:02: nothing was heard\\x1B[2J; the run will start without "
      "it and say so\n");
}

TEST_F(ObstacleLinesTest, WhereNothingIsInTheWayThatIsSaid) {
  tutti::v1::WhyNotResponse why;
  EXPECT_EQ(RenderWhyNot("run-42", why), "nothing keeps run-42 from starting: it does not wait\n");
  why.set_position(1);
  EXPECT_EQ(RenderWhyNot("run-42", why), "nothing keeps run-42 from starting: it is about to\n");
}

TEST_F(ObstacleLinesTest, AnObstacleOfANewerCoordinatorIsToldByItsReason) {
  tutti::v1::WhyNotResponse why;
  why.set_position(1);
  why.add_obstacles()->set_host("host1");
  why.mutable_obstacles(0)->set_reason("is being upgraded");
  EXPECT_EQ(RenderWhyNot("run-42", why),
            "run-42 waits in the queue at place 1 for\n  host1: is being upgraded\n");
}

}  // namespace
}  // namespace tutti::cli
