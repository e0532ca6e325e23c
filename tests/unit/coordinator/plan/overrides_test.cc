#include "coordinator/plan/overrides.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/coordinator/plan/plan_texts.h"

namespace tutti::plan {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const char kText[] = R"(version: 1
name: n
roles:
  a: {count: 1}
  b: {count: 1, labels: {rack: x}}
matrix: {streams: [1, 2]}
traffic:
  - {name: bulk, from: a, to: b, protocol: udp, streams: "${streams}", socket_buffer: {send: 1MiB}}
  - {from: b, to: a, protocol: udp, cpus: {sender: [0, 1]}}
)";

tutti::v1::Plan WithOverrides(const std::vector<std::string>& overrides) {
  LoadedPlan loaded = LoadPlan(kText, "p.yaml", overrides);
  for (const PlanError& error : loaded.errors) ADD_FAILURE() << Format("p.yaml", error);
  if (loaded.plan.cases_size() == 0) loaded.plan.add_cases()->add_traffic();
  return loaded.plan;
}
std::string Refused(const std::string& override) { return Errors(kText, {override}); }

TEST(Override, ReplacesAndAddsValues) {
  EXPECT_EQ(WithOverrides({"timing.measure=2s"}).cases(0).timing().measure_ns(), 2'000'000'000);
  EXPECT_EQ(WithOverrides({"repeat=4"}).cases(0).repeat(), 4u);
  EXPECT_EQ(WithOverrides({"name=other"}).name(), "other");
  EXPECT_EQ(WithOverrides({"traffic[0].protocol=tcp"}).cases(0).traffic(0).protocol(),
            tutti::v1::PROTOCOL_TCP);
  EXPECT_EQ(WithOverrides({"traffic.bulk.protocol=tcp"}).cases(0).traffic(0).protocol(),
            tutti::v1::PROTOCOL_TCP);
  EXPECT_EQ(WithOverrides({"traffic.entry-2.streams=7"}).cases(0).traffic(1).streams(), 7u);
  EXPECT_EQ(
      WithOverrides({"traffic.bulk.socket_buffer.receive=2MiB"}).cases(0).traffic(0).receive_buffer_bytes(),
      2097152u);
  EXPECT_EQ(
      WithOverrides({"traffic.bulk.socket_buffer.receive=2MiB"}).cases(0).traffic(0).send_buffer_bytes(),
      1048576u);
  EXPECT_EQ(WithOverrides({"roles.b.labels.rack=y"}).cases(0).roles(1).labels().at("rack"), "y");
  EXPECT_EQ(WithOverrides({"roles.b.labels.gen=7"}).cases(0).roles(1).labels().at("gen"), "7");
  EXPECT_EQ(WithOverrides({"roles.a={hosts: [h1]}"}).cases(0).roles(0).hosts(0), "h1");
  EXPECT_EQ(WithOverrides({"traffic[1].cpus.sender[1]=5"}).cases(0).traffic(1).sender_cpus().cpus(1), 5u);
}

TEST(Override, ReplacesAnAxis) {
  const tutti::v1::Plan plan = WithOverrides({"matrix.streams=[4]"});
  ASSERT_EQ(plan.cases_size(), 1);
  EXPECT_EQ(plan.cases(0).traffic(0).streams(), 4u);
}

TEST(Override, LaterOnesWinAndAllAreKept) {
  const tutti::v1::Plan plan = WithOverrides({"repeat=4", "repeat=5"});
  EXPECT_EQ(plan.cases(0).repeat(), 5u);
  EXPECT_THAT(plan.overrides(), ::testing::ElementsAre("repeat=4", "repeat=5"));
}

TEST(Override, ErrorsOfItsValueNameIt) {
  EXPECT_EQ(Refused("timing.measure=10"),
            "p.yaml: timing.measure: \"10\" has no unit: write 10s or 10ms (from --set timing.measure=10)\n");
  EXPECT_THAT(
      Refused("matrix.streams=[0]"),
      HasSubstr("traffic[0].streams: 0 is out of range: write a whole number from 1 to 100000 (from --set"));
  EXPECT_THAT(Refused("matrix.streams=[]"), HasSubstr("the axis is empty"));
  EXPECT_THAT(Refused("repeat=[1"), HasSubstr("is a bracket or quote not closed? (from --set repeat=[1)"));
  EXPECT_THAT(Refused("repeat="), HasSubstr("a value is missing"));
  EXPECT_EQ(Refused("traffic={a: 1, a: 2}"),
            "p.yaml: a: the key occurs twice: remove one (from --set traffic={a: 1, a: 2})\n");
  EXPECT_EQ(Refused("matrix.streams=[1, 01]"),
            "p.yaml: matrix.streams[1]: \"01\" means the same as \"1\": each value once; for more trials use "
            "repeat "
            "(from --set matrix.streams=[1, 01])\n");
}

TEST(Override, RefusesPathsThatLeadNowhere) {
  EXPECT_THAT(Refused("timing.mesure=1s"), HasSubstr("did you mean \"measure\"?"));
  EXPECT_THAT(Refused("timming.measure=1s"), HasSubstr("did you mean \"timing\"?"));
  EXPECT_THAT(Refused("roles.aa.count=1"), HasSubstr("did you mean \"a\"?"));
  EXPECT_THAT(Refused("matrix.steams=[1]"), HasSubstr("did you mean \"streams\"?"));
  EXPECT_THAT(Refused("matrix.streams[0]=3"), HasSubstr("set as a whole"));
  EXPECT_THAT(Refused("traffic[2].streams=1"), HasSubstr("the list has 2 items"));
  EXPECT_THAT(Refused("traffic.blk.streams=1"), HasSubstr("did you mean \"bulk\"?"));
  EXPECT_THAT(Refused("traffic.bulk.streams.x=1"), HasSubstr("set it as a whole"));
  EXPECT_THAT(Refused("repeat.x=1"), HasSubstr("is a single value"));
  for (const char* path : {"", "=1", "repeat", "..=1", "traffic[=1", "traffic[x].streams=1", "[0]=1", "a.=1",
                           "traffic[0]streams=1", "traffic[99999999999999999999]=1"}) {
    EXPECT_THAT(Refused(path), HasSubstr("(from --set ")) << path;
  }
}

TEST(Override, CanMendAPlan) {
  std::string broken = kText;
  broken.replace(broken.find("protocol: udp"), 13, "protocol: xyz");
  EXPECT_THAT(Errors(broken), HasSubstr("xyz"));
  EXPECT_THAT(Errors(broken, {"traffic.bulk.protocol=tcp"}), IsEmpty());
}

}  // namespace
}  // namespace tutti::plan
