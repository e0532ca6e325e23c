#include "coordinator/cli/dry_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coordinator/cli/fake_fleet.h"
#include "coordinator/plan/plan_loader.h"

namespace tutti::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kShownPlan[] = R"(version: 1
name: both
roles:
  left: {count: 2}
  right: {count: 2}
matrix:
  streams: [1, 3]
traffic:
  - name: bulk
    from: left
    to: right
    pattern: pairs
    streams: ${streams}
    protocol: tcp
    message_size: 64KiB
    both_ways: true
    ports: 5000-5100
    rate: 10Mbps
    burst: 2
timing: {warmup: 1s, measure: 10s, cooldown: 500ms, interval: 100ms}
repeat: 2
)";

TEST(DescribePlanTest, ShowsEveryCasePairStreamPortsAndTheDuration) {
  const absl::StatusOr<tutti::v1::Plan> plan = plan::LoadValidPlan(kShownPlan, "both.yaml", {});
  ASSERT_TRUE(plan.ok()) << plan.status();
  const absl::StatusOr<std::string> text = DescribePlan(*plan, FakeFleet(*plan, HostsNeeded(*plan)));
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(*text, AllOf(HasSubstr("plan both: 2 cases on 4 hosts (host1, host2, host3, host4)"),
                           HasSubstr("left: host1, host2"), HasSubstr("right: host3, host4"),
                           HasSubstr("case 1/2  streams=1  4 streams, 2 trials of 11.5s")));
  // 2 pairs, 2 directions, 3 streams each.
  EXPECT_THAT(*text, AllOf(HasSubstr("case 2/2  streams=3  12 streams, 2 trials of 11.5s"),
                           HasSubstr("tcp, messages of 64KiB, socket buffers default / default, "
                                     "10.0 Mbps (19.1 messages/s) per stream, in bursts of 2, ports"),
                           HasSubstr("ports 5000-5100"),
                           HasSubstr("host1 10.77.0.11 -> host3 10.77.0.13  3 streams\n"),
                           HasSubstr("host4 10.77.0.14 -> host2 10.77.0.12  3 streams  (reverse)")));
  // 2 cases x 2 trials x 11.5 s and a second of background for each case.
  EXPECT_THAT(*text, HasSubstr("total: 2 cases, 4 trials, at most 12 streams at once, about 48s"));
}

TEST(DescribePlanTest, ListsTheThresholdsOfEachCase) {
  const std::string text = std::string(kShownPlan) +
                           "thresholds:\n"
                           "  - throughput.received >= 1.5Gbps\n"
                           "  - {expect: jain > 0.9, severity: warn}\n";
  const absl::StatusOr<tutti::v1::Plan> plan = plan::LoadValidPlan(text, "both.yaml", {});
  ASSERT_TRUE(plan.ok()) << plan.status();
  const absl::StatusOr<std::string> described = DescribePlan(*plan, FakeFleet(*plan, HostsNeeded(*plan)));
  ASSERT_TRUE(described.ok()) << described.status();
  const std::string lines =
      "  threshold: throughput.received >= 1.5Gbps\n  threshold: jain > 0.9 (warning only)\n";
  const size_t first = described->find(lines);
  ASSERT_NE(first, std::string::npos) << *described;
  EXPECT_NE(described->find(lines, first + 1), std::string::npos);  // the second case's
}

TEST(DescribePlanTest, TellsWhichRoleCannotBeFilled) {
  const absl::StatusOr<tutti::v1::Plan> plan = plan::LoadValidPlan(kShownPlan, "both.yaml", {});
  ASSERT_TRUE(plan.ok()) << plan.status();
  const absl::Status status = DescribePlan(*plan, FakeFleet(*plan, 3)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("right"));
}

}  // namespace
}  // namespace tutti::cli
