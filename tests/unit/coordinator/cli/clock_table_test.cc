#include "coordinator/cli/clock_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using tutti::v1::ListWorkersResponse;
using tutti::v1::WorkerInfo;

WorkerInfo* Add(ListWorkersResponse& workers, const char* name, int64_t bound_ns) {
  WorkerInfo* worker = workers.add_workers();
  worker->set_name(name);
  worker->set_state(WorkerInfo::STATE_IDLE);
  worker->set_clock_offset_ns(0);
  worker->set_clock_bound_ns(bound_ns);
  worker->set_clock_drift_ppm(0);
  worker->set_clock_drift_bound_ppm(0);
  worker->set_clock_round_trip_ns(800);
  worker->set_clock_source(tutti::v1::CLOCK_SOURCE_KERNEL);
  return worker;
}

TEST(RenderClocksTest, ShowsEveryFigureToItsLastDigit) {
  ListWorkersResponse workers;
  WorkerInfo* ahead = Add(workers, "a", 1200);
  ahead->set_clock_offset_ns(259'200'000'000'123);
  ahead->set_clock_drift_ppm(-12.3456);
  ahead->set_clock_drift_bound_ppm(0.25);
  WorkerInfo* behind = Add(workers, "bb", 15'000);
  behind->set_clock_offset_ns(-1);
  behind->set_clock_source(tutti::v1::CLOCK_SOURCE_PROGRAM);
  EXPECT_EQ(
      RenderClocks(workers, std::nullopt),
      "WORKER               OFFSET                DRIFT  BOUND  ROUND TRIP  MEASURED BY          STEPS\n"
      "a       +259200.000000123 s  -12.346 +-0.250 ppm  1.2us       0.8us  udp, kernel stamps       0\n"
      "bb           -0.000000001 s   +0.000 +-0.000 ppm   15us       0.8us  udp, program stamps      0\n");
}

TEST(RenderClocksTest, SaysWhatToDoAboutEachKindOfTrouble) {
  ListWorkersResponse workers;
  Add(workers, "fine", 1000);
  Add(workers, "filtered", 1000)->set_clock_source(tutti::v1::CLOCK_SOURCE_SESSION);
  Add(workers, "slept", 1000)->set_clock_restarts(2);
  Add(workers, "far", 120'000);
  const std::string text = RenderClocks(workers, 100'000);
  EXPECT_THAT(text, HasSubstr("\nfiltered: no datagram comes through"));
  EXPECT_THAT(text, HasSubstr("\nslept: the clock contradicted its own history"));
  EXPECT_THAT(text, HasSubstr("\nfar: over 100us"));
  EXPECT_THAT(text, HasSubstr("*120us"));
  EXPECT_THAT(text, Not(HasSubstr("\nfine:")));
}

TEST(RenderClocksTest, ALostWorkerAndOneThatIsNotMeasuredYetHaveNoFigures) {
  ListWorkersResponse workers;
  WorkerInfo* lost = Add(workers, "lost", 1000);
  lost->set_state(WorkerInfo::STATE_LOST);
  lost->set_state_reason("its session ended");
  workers.add_workers()->set_name("new");
  const std::string text = RenderClocks(workers, std::nullopt);
  EXPECT_THAT(text, HasSubstr("lost: its session ended"));
  EXPECT_THAT(text, Not(HasSubstr("1us")));
  EXPECT_TRUE(ClocksAreKnown(workers, std::nullopt));
  EXPECT_FALSE(ClocksAreKnown(workers, 1'000'000)) << "the new one is not measured yet";
}

TEST(ClocksAreKnownTest, WhereEveryBoundIsWithinTheLimit) {
  ListWorkersResponse workers;
  EXPECT_FALSE(ClocksAreKnown(workers, std::nullopt));
  Add(workers, "a", 1000);
  EXPECT_TRUE(ClocksAreKnown(workers, std::nullopt));
  EXPECT_TRUE(ClocksAreKnown(workers, 1000));
  EXPECT_FALSE(ClocksAreKnown(workers, 999));
  Add(workers, "gone", 5'000'000)->set_state(WorkerInfo::STATE_LOST);
  EXPECT_TRUE(ClocksAreKnown(workers, 1000)) << "what is lost is not judged";
}

}  // namespace
}  // namespace tutti::cli
