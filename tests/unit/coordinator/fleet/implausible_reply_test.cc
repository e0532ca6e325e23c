// What a worker says of its clock is its own word.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "coordinator/fleet/worker_clock.h"
#include "fake_link.h"
#include "tests/nanoseconds.h"

namespace tutti::fleet {
namespace {

TEST(WorkerClockTest, InstantsThatNoClockShowsAreNotMeasured) {
  ManualExecutor executor(1'000'000 * kMs);
  WorkerClock clock(executor, std::make_shared<FakeLink>(), ProbeOptions(), nullptr);
  clock.Start();
  const std::vector<int64_t> extremes = {INT64_MIN, INT64_MIN + 1, -1, INT64_MAX};
  for (const int64_t received_ns : extremes) {
    for (const int64_t sent_ns : extremes) {
      if (received_ns == -1 && sent_ns == -1) continue;
      tutti::v1::ClockReply reply;
      reply.set_sequence(1);
      reply.set_probe_sent_timeline_ns(executor.NowNs() - kMs);
      reply.set_received_host_ns(received_ns);
      reply.set_sent_host_ns(sent_ns);
      clock.OnReply(reply, TimelineTime{executor.NowNs()});
    }
  }
  EXPECT_FALSE(clock.MappingNow().has_value());
  EXPECT_EQ(clock.WorstRoundTripNs(), kMs);
  EXPECT_EQ(clock.RoundTripNs(), kMs);
}

}  // namespace
}  // namespace tutti::fleet
