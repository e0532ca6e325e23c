#include "coordinator/cli/lab_preflight.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coordinator/plan/plan_loader.h"

namespace tutti::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr lab::BufferLimits kStock = {
    .rmem_max_bytes = 212992, .wmem_max_bytes = 212992, .may_force = false, .why_not_force = "no capability"};

// Cases 1 and 3 leave the buffers to the kernel, cases 2 and 4 ask for 1 MiB at both ends.
tutti::v1::Plan StreamTest() {
  tutti::v1::Plan plan;
  for (uint32_t index = 0; index < 4; ++index) {
    tutti::v1::Case* plan_case = plan.add_cases();
    plan_case->set_index(index);
    tutti::v1::TrafficEntry* entry = plan_case->add_traffic();
    if (index % 2 == 0) continue;
    entry->set_send_buffer_bytes(1 << 20);
    entry->set_receive_buffer_bytes(1 << 20);
  }
  return plan;
}

TEST(ForbiddenBuffersTest, NamesEachSideOnceWithItsCasesAndTheSysctlLine) {
  EXPECT_THAT(
      ForbiddenBuffers(StreamTest(), kStock),
      ElementsAre(AllOf(HasSubstr("send buffers"), HasSubstr("sysctl -w net.core.wmem_max=1048576"),
                        HasSubstr("cases 2, 4 of 4 will not run")),
                  AllOf(HasSubstr("receive buffers"), HasSubstr("sysctl -w net.core.rmem_max=1048576"),
                        HasSubstr("cases 2, 4 of 4 will not run"))));
}

TEST(ForbiddenBuffersTest, SaysNothingWhereBuffersMayBeForcedOrTheLimitsSuffice) {
  lab::BufferLimits limits = kStock;
  limits.may_force = true;
  EXPECT_THAT(ForbiddenBuffers(StreamTest(), limits), IsEmpty());
  limits = kStock;
  limits.rmem_max_bytes = limits.wmem_max_bytes = 1 << 20;
  EXPECT_THAT(ForbiddenBuffers(StreamTest(), limits), IsEmpty());
}

TEST(ForbiddenBuffersTest, SaysThatBestEffortEntriesRunWithLess) {
  tutti::v1::Plan plan = StreamTest();
  for (tutti::v1::Case& plan_case : *plan.mutable_cases())
    plan_case.mutable_traffic(0)->set_best_effort(true);
  EXPECT_THAT(ForbiddenBuffers(plan, kStock),
              ElementsAre(HasSubstr("will run with less"), HasSubstr("marked")));
}

tutti::v1::Plan LoadPair(const std::string& sender, const std::string& receiver, const std::string& entry) {
  const absl::StatusOr<tutti::v1::Plan> plan = plan::LoadValidPlan(
      "version: 1\nname: n\nroles: {sender: " + sender + ", receiver: " + receiver +
          "}\ntraffic:\n  - {name: e, from: sender, to: receiver, protocol: tcp, " + entry + "}\n",
      "p.yaml", {});
  EXPECT_TRUE(plan.ok()) << plan.status();
  return plan.ok() ? *plan : tutti::v1::Plan();
}

std::string WhyNot(const tutti::v1::Plan& plan, int hosts, const lab::HostLabels& labels = {}) {
  const absl::Status status = CheckFitsLab(plan, hosts, labels);
  EXPECT_TRUE(status.ok() || absl::IsFailedPrecondition(status)) << status;
  return std::string(status.message());
}

TEST(CheckFitsLabTest, TooFewHostsNameTheOptionThatWouldDo) {
  const tutti::v1::Plan plan = LoadPair("{count: 1}", "{count: 1}", "streams: 1");
  EXPECT_EQ(WhyNot(plan, 1), "this plan needs 2 hosts; the lab has 1: use --hosts 2");
  EXPECT_EQ(WhyNot(plan, 2), "");
  EXPECT_EQ(WhyNot(plan, 3), "");
}

TEST(CheckFitsLabTest, MoreHostsThanALabHasAreForACoordinator) {
  EXPECT_THAT(WhyNot(LoadPair("{count: 600}", "{count: 600}", "streams: 1"), 1000),
              AllOf(HasSubstr("this plan needs 1200 hosts; a lab has 1000 at most"), HasSubstr("tutti run")));
}

TEST(CheckFitsLabTest, NamesAndLabelsThatNoLabHostHasAreTold) {
  EXPECT_THAT(WhyNot(LoadPair("{hosts: [alpha]}", "{count: 1}", "streams: 1"), 2),
              AllOf(HasSubstr("a lab of 2 hosts cannot run this plan: "),
                    HasSubstr("there is no worker \"alpha\""), HasSubstr("workers are host1, host2")));
  const tutti::v1::Plan labelled = LoadPair("{count: 1}", "{count: 1, labels: {rack: a}}", "streams: 1");
  EXPECT_THAT(WhyNot(labelled, 2), HasSubstr("role receiver wants 1 worker with rack=a"));
  EXPECT_EQ(WhyNot(labelled, 2, {{"host1", {{"rack", "a"}}}}), "");
  EXPECT_EQ(WhyNot(LoadPair("{count: 1, labels: {host: host2}}", "{count: 1}", "streams: 1"), 2), "");
}

TEST(CheckFitsLabTest, NetworksThatALabHasNotAreTold) {
  EXPECT_THAT(WhyNot(LoadPair("{count: 1}", "{count: 1}", "network: eth7"), 2),
              HasSubstr("has no interface eth7"));
  EXPECT_EQ(WhyNot(LoadPair("{count: 1}", "{count: 1}", "network: 10.77.0.0/16"), 2), "");
  EXPECT_EQ(WhyNot(LoadPair("{count: 1}", "{same_as: sender}", "network: lo"), 1), "");
}

}  // namespace
}  // namespace tutti::cli
