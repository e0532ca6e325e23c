#include "coordinator/cli/fleet_event_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/coordinator/cli/in_utc.h"

namespace tutti::cli {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using tutti::v1::WorkerInfo;
using FleetEventLineTest = InUtc;

tutti::v1::FleetEvent Event(WorkerInfo::State before, WorkerInfo::State after) {
  tutti::v1::FleetEvent event;
  event.set_sequence(41);
  event.set_at_unix_ns(kInstant);
  event.set_worker("host2");
  event.set_before(before);
  event.set_after(after);
  return event;
}

TEST_F(FleetEventLineTest, ALineSaysWhenWhoAndWhy) {
  tutti::v1::FleetEvent event = Event(WorkerInfo::STATE_IDLE, WorkerInfo::STATE_DRAINING);
  event.set_reason("a new\x1b kernel");
  EXPECT_EQ(RenderFleetEvent(event, Output::kTable),
            "2026-11-30 14:05:00  host2  idle -> draining: a new\\x1B kernel\n");
  event = Event(WorkerInfo::STATE_IDLE, WorkerInfo::STATE_BUSY);
  event.set_run_id("run-7");
  EXPECT_EQ(RenderFleetEvent(event, Output::kTable), "2026-11-30 14:05:00  host2  idle -> busy (run-7)\n");
}

TEST_F(FleetEventLineTest, AWorkerComesAsNewAndGoesAsForgotten) {
  EXPECT_EQ(RenderFleetEvent(Event(WorkerInfo::STATE_UNSPECIFIED, WorkerInfo::STATE_IDLE), Output::kTable),
            "2026-11-30 14:05:00  host2  new -> idle\n");
  EXPECT_EQ(RenderFleetEvent(Event(WorkerInfo::STATE_LOST, WorkerInfo::STATE_UNSPECIFIED), Output::kTable),
            "2026-11-30 14:05:00  host2  lost -> forgotten\n");
}

TEST_F(FleetEventLineTest, AGapIsSaid) {
  tutti::v1::FleetEvent event;
  event.set_at_unix_ns(kInstant);
  event.set_resync(true);
  EXPECT_EQ(RenderFleetEvent(event, Output::kTable),
            "2026-11-30 14:05:00  what changed before is not told; `tutti workers` shows how things stand\n");
  EXPECT_THAT(RenderFleetEvent(event, Output::kJson), HasSubstr("\"resync\":true"));
}

TEST_F(FleetEventLineTest, ProgramsGetALineOfJsonOrADocumentOfAStream) {
  const tutti::v1::FleetEvent event = Event(WorkerInfo::STATE_IDLE, WorkerInfo::STATE_LOST);
  const std::string json = RenderFleetEvent(event, Output::kJson);
  EXPECT_EQ(json.find('\n'), json.size() - 1);
  EXPECT_THAT(json, HasSubstr("\"sequence\":41"));
  EXPECT_THAT(json, HasSubstr("\"after\":\"lost\""));
  const std::string yaml = RenderFleetEvent(event, Output::kYaml);
  EXPECT_THAT(yaml, StartsWith("---\nsequence: 41\n"));
  EXPECT_THAT(yaml, HasSubstr("\nworker: host2\n"));
  EXPECT_THAT(yaml, EndsWith("\n"));
}

}  // namespace
}  // namespace tutti::cli
