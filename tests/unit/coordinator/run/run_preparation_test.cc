#include "coordinator/run/run_preparation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <time.h>

#include <string>
#include <vector>

#include "coordinator/plan/plan_loader.h"
#include "tests/nanoseconds.h"

namespace tutti::run {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StrEq;

class RunPreparationTest : public testing::Test {
 protected:
  RunPreparationTest() {
    setenv("TZ", "UTC", 1);
    tzset();
    for (int i = 0; i < 3; ++i) {
      fleet::Member& member = members_.emplace_back();
      member.hello.set_name(std::string(1, static_cast<char>('a' + i)));
      member.hello.set_control_address("10.0.0." + std::to_string(i + 1));
      member.hello.mutable_facts()->set_boot_id("boot-" + member.hello.name());
      tutti::v1::HostAddress& own = *member.hello.mutable_facts()->add_addresses();
      own.set_address(member.hello.control_address());
      own.set_prefix_length(24);
      own.set_device("eth0");
    }
  }
  void Drain(size_t member) {
    tutti::v1::DrainMark mark;
    mark.set_user("alice");
    mark.set_reason("new NIC");
    mark.set_since_unix_ns(13 * 3600 * kSecond + 50 * 60 * kSecond);
    members_[member].drain = mark;
  }
  absl::StatusOr<RunSpec> Prepare(const std::string& roles, const std::string& more = "") const {
    const auto plan =
        plan::LoadValidPlan("version: 1\nname: n\nroles: " + roles +
                                "\ntraffic:\n  - {name: e, from: x, to: y, protocol: udp}\n" + more,
                            "p.yaml", {});
    EXPECT_TRUE(plan.ok()) << plan.status();
    return PrepareRun(*plan, {.members = members_, .marks = {.lab = true}, .now_ns = 1'000 * kSecond});
  }

  std::vector<fleet::Member> members_;
};

TEST_F(RunPreparationTest, ADrainedWorkerGetsNoRun) {
  Drain(0);
  const auto spec = Prepare("{x: {count: 1}, y: {count: 1}}");
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_THAT(spec->placement.hosts, ElementsAre("b", "c"));
  EXPECT_TRUE(spec->head.lab());
  EXPECT_FALSE(spec->head.insecure());
  EXPECT_EQ(spec->head.hosts_size(), 2);
  EXPECT_EQ(spec->head.run_id(), "");
  EXPECT_EQ(spec->head.submitted_unix_ns(), 0);
}

TEST_F(RunPreparationTest, AThresholdOfAHostThatNoRoleHasIsRefusedBeforeHoursAreSpentOnIt) {
  const auto judging = [this](const std::string& host) {
    return Prepare("{x: {count: 1}, y: {count: 1}}",
                   "thresholds:\n  - {expect: throughput.sent > 1Mbps, scope: \"host:" + host + "\"}\n")
        .status();
  };
  EXPECT_TRUE(judging("a").ok());
  const absl::Status status = judging("c");  // there, and not in the run
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(
      std::string(status.message()),
      StrEq("p.yaml:7:46: thresholds[0].scope: \"c\" is a host of no role in this run; did you mean \"a\"?"));
}

TEST_F(RunPreparationTest, AThresholdOfAnEndThatTheHostDoesNotHaveIsRefused) {
  const auto judging = [this](const std::string& expect, const std::string& host) {
    return Prepare("{x: {count: 1}, y: {count: 1}}",
                   "thresholds:\n  - {expect: " + expect + ", scope: \"host:" + host + "\"}\n")
        .status();
  };
  EXPECT_TRUE(judging("throughput.received > 1Mbps", "b").ok());
  const absl::Status status = judging("throughput.received > 1Mbps", "a");  // it only sends
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              StrEq("p.yaml:7:50: thresholds[0].scope: \"a\" receives nothing in this run that "
                    "throughput.received judges; write one of the hosts that do: b"));
  EXPECT_THAT(std::string(judging("throughput.sent > 1Mbps", "b").message()),
              testing::HasSubstr("\"b\" sends nothing in this run that throughput.sent judges"));
}

TEST_F(RunPreparationTest, WhoeverIsMissedIsToldWhoIsDrainedSinceWhenByWhomAndWhy) {
  Drain(1);
  const auto spec = Prepare("{x: {hosts: [a]}, y: {hosts: [b]}}");
  EXPECT_EQ(spec.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(spec.status().message()),
              StrEq("role y: worker \"b\" takes no run at present\n"
                    "worker b is drained since 1970-01-01 13:50 by alice: new NIC"));
}

TEST_F(RunPreparationTest, WhereEveryWorkerIsDrainedNoneIsSaidToBeMissing) {
  for (size_t i = 0; i < members_.size(); ++i) Drain(i);
  const auto spec = Prepare("{x: {count: 1}, y: {count: 1}}");
  EXPECT_THAT(std::string(spec.status().message()),
              AllOf(HasSubstr("role x wants 1 worker, and none is to be had: no worker takes a run"),
                    HasSubstr("worker a is drained"), Not(HasSubstr("start tutti-worker"))));
}

TEST_F(RunPreparationTest, OneThatIsLostAndDrainedIsToldAsBoth) {
  Drain(1);
  members_[1].lost = true;
  members_[1].lost_reason = "its network is gone";
  members_[1].state_since_ns = 990 * kSecond;
  const auto spec = Prepare("{x: {count: 2}, y: {count: 2}}");
  EXPECT_THAT(std::string(spec.status().message()),
              AllOf(HasSubstr("worker b is lost since 10s: its network is gone"),
                    HasSubstr("worker b is drained since"), Not(HasSubstr("worker a is"))));
}

}  // namespace
}  // namespace tutti::run
