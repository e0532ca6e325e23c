#include "coordinator/plan/matrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/coordinator/plan/plan_texts.h"

namespace tutti::plan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> CaseNames(const tutti::v1::Plan& plan) {
  std::vector<std::string> names;
  for (const auto& plan_case : plan.cases()) {
    std::string name;
    for (const auto& value : plan_case.values()) name += value.axis() + "=" + value.value() + " ";
    names.push_back(name);
  }
  return names;
}

TEST(Matrix, SpansEveryCombinationWithTheFirstAxisSlowest) {
  const LoadedPlan loaded =
      LoadPlan(MinimalPlan("    streams: ${n}\n    socket_buffer: {send: \"${b}\", receive: \"${b}\"}\n",
                           "matrix:\n  b: [default, 1MiB]\n  n: [1, 2, 4]\n"),
               "p.yaml", {});
  ASSERT_THAT(loaded.errors, IsEmpty());
  EXPECT_THAT(CaseNames(loaded.plan), ElementsAre("b=default n=1 ", "b=default n=2 ", "b=default n=4 ",
                                                  "b=1MiB n=1 ", "b=1MiB n=2 ", "b=1MiB n=4 "));
  EXPECT_FALSE(loaded.plan.cases(0).traffic(0).has_send_buffer_bytes());
  EXPECT_EQ(loaded.plan.cases(5).traffic(0).send_buffer_bytes(), 1048576u);
  EXPECT_EQ(loaded.plan.cases(5).traffic(0).streams(), 4u);
  EXPECT_EQ(loaded.plan.cases(5).index(), 5u);
  ASSERT_EQ(loaded.plan.axes_size(), 2);
  EXPECT_THAT(loaded.plan.axes(0).values(), ElementsAre("default", "1MiB"));
}

TEST(Matrix, ValuesMayStandInsideTexts) {
  const LoadedPlan loaded = LoadPlan(
      MinimalPlan("    message_size: ${n}${unit}\n", "matrix: {n: [1, 2], unit: [B, KiB]}\n"), "p.yaml", {});
  ASSERT_THAT(loaded.errors, IsEmpty());
  EXPECT_EQ(loaded.plan.cases(3).traffic(0).message_size_bytes(), 2048u);
}

TEST(Matrix, ValuesMayBeListsAndMaps) {
  const LoadedPlan loaded = LoadPlan(R"(version: 1
name: n
roles:
  a: {hosts: "${hosts}"}
  b: ${b}
matrix:
  hosts: [[x, y], [z]]
  b: [{count: 2}, {count: 1}]
  cpus: [any, [0, 2-3]]
traffic:
  - {from: a, to: b, pattern: all_to_all, protocol: tcp, cpus: {sender: "${cpus}"}}
timing: {measure: 1s}
repeat: 2
)",
                                     "p.yaml", {});
  ASSERT_THAT(loaded.errors, IsEmpty()) << Format("", loaded.errors[0]);
  ASSERT_EQ(loaded.plan.cases_size(), 8);
  EXPECT_EQ(loaded.plan.cases(7).values(0).value(), "[z]");
  EXPECT_EQ(loaded.plan.cases(0).values(1).value(), "{count: 2}");
  EXPECT_THAT(loaded.plan.cases(0).roles(0).hosts(), ElementsAre("x", "y"));
  EXPECT_THAT(loaded.plan.cases(7).roles(0).hosts(), ElementsAre("z"));
  EXPECT_THAT(loaded.plan.cases(7).traffic(0).sender_cpus().cpus(), ElementsAre(0, 2, 3));
}

TEST(Matrix, VariesTimingRepeatAndLimits) {
  const LoadedPlan loaded = LoadPlan(MinimalPlan("", R"(matrix: {t: [1s, 2s], r: [1, 3], s: [1ms, 2ms]}
timing: {measure: "${t}"}
repeat: ${r}
limits: {start_skew: "${s}"}
)"),
                                     "p.yaml", {});
  ASSERT_THAT(loaded.errors, IsEmpty());
  EXPECT_EQ(loaded.plan.cases(7).timing().measure_ns(), 2'000'000'000);
  EXPECT_EQ(loaded.plan.cases(7).repeat(), 3u);
  EXPECT_EQ(loaded.plan.cases(6).limits().start_skew_ns(), 1'000'000);
}

TEST(Matrix, ErrorsOfAValuePointAtItsPlaceInTheAxisAndComeOnce) {
  EXPECT_EQ(Errors(MinimalPlan("    streams: ${n}\n    message_size: ${m}\n",
                               "matrix:\n  n: [1, 0]\n  m: [1B, 2k]\n")),
            "p.yaml:14:10: traffic[0].streams: 0 is out of range: write a whole number from 1 to 100000\n"
            "p.yaml:15:11: traffic[0].message_size: \"2k\" can be read two ways (netperf's K counts in 1024, "
            "its k in "
            "1000): write 2KiB or 2000B\n");
}

TEST(Matrix, RefusesWrongAxesAndReferences) {
  EXPECT_THAT(Errors(MinimalPlan("    streams: ${n}\n", "matrix: {n: []}\n")),
              HasSubstr("the axis is empty"));
  EXPECT_THAT(Errors(MinimalPlan("    streams: ${n}\n", "matrix: {}\n")), HasSubstr("has no axes"));
  EXPECT_THAT(Errors(MinimalPlan("    streams: ${n}\n", "matrix: {n: 4}\n")), HasSubstr("write [4]"));
  EXPECT_THAT(Errors(MinimalPlan("    streams: ${n}\n", "matrix: {n: [4, 4]}\n")),
              HasSubstr("already in the axis"));
  EXPECT_THAT(Errors(MinimalPlan("    streams: ${n}\n", "matrix: {n: [~]}\n")),
              HasSubstr("is empty: write a value"));
  EXPECT_THAT(Errors(MinimalPlan("    streams: ${n}\n", "matrix: {n: [\"${m}\"], m: [1]}\n")),
              HasSubstr("refers to an axis"));
  EXPECT_THAT(Errors(MinimalPlan("    streams: ${n}\n")),
              HasSubstr("${n} is not an axis of the matrix: the plan has no"));
  EXPECT_THAT(Errors(MinimalPlan("    streams: ${steams}\n", "matrix: {streams: [1]}\n")),
              HasSubstr("did you mean \"streams\"?"));
  EXPECT_THAT(Errors(MinimalPlan("    streams: ${n\n", "matrix: {n: [1]}\n")), HasSubstr("has no } behind"));
  EXPECT_THAT(Errors(MinimalPlan("    message_size: ${n}B\n", "matrix: {n: [[1]]}\n")),
              HasSubstr("must be the whole"));
  EXPECT_THAT(Errors("version: ${v}\n" + MinimalPlan().substr(11) + "matrix: {v: [1]}\n"),
              HasSubstr("p.yaml:1:10: version: holds for the whole plan"));
}

TEST(Matrix, RefusesTwoSpellingsOfOneValue) {
  EXPECT_EQ(Errors(MinimalPlan("    socket_buffer: {send: \"${b}\"}\n",
                               "matrix:\n  b:\n    - 1MiB\n    - 1024KiB\n")),
            "p.yaml:15:7: matrix.b[1]: \"1024KiB\" means the same as \"1MiB\" (line 14, column 7): each "
            "value once; for "
            "more trials use repeat\n");
  EXPECT_EQ(Errors(MinimalPlan("    streams: ${n}\n    message_size: ${m}\n",
                               "matrix:\n  n: [1, 01]\n  m: [1KiB, 2KiB, 1024B]\n")),
            "p.yaml:14:10: matrix.n[1]: \"01\" means the same as \"1\" (line 14, column 7): each value once; "
            "for more "
            "trials use repeat\n"
            "p.yaml:15:19: matrix.m[2]: \"1024B\" means the same as \"1KiB\" (line 15, column 7): each value "
            "once; for "
            "more trials use repeat\n");
}

struct Spellings {
  const char* entry;
  const char* axis;
};
void PrintTo(const Spellings& spellings, std::ostream* out) {
  *out << spellings.entry << " " << spellings.axis;
}

class EqualValues : public ::testing::TestWithParam<Spellings> {};
TEST_P(EqualValues, AreRefusedWithBoth) {
  const std::string errors = Errors(MinimalPlan(std::string("    ") + GetParam().entry + "\n",
                                                std::string("matrix:\n  x: [") + GetParam().axis + "]\n"));
  EXPECT_THAT(errors, HasSubstr("matrix.x[1]: "));
  EXPECT_THAT(errors, HasSubstr(" means the same as "));
  EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 1) << errors;
}
INSTANTIATE_TEST_SUITE_P(
    Matrix, EqualValues,
    ::testing::Values(Spellings{"rate: ${x}", "1Mbps, 1000Kbps"}, Spellings{"rate: ${x}Kbps", "1, 1.0"},
                      Spellings{"ports: ${x}", "5201, 5201-5201"}, Spellings{"dscp: ${x}", "7, 007"},
                      Spellings{"cpus: {sender: \"${x}\"}", "[0-1], [0, 1]"},
                      Spellings{"socket_buffer: ${x}", "{send: 1MiB}, {send: 1MiB, receive: default}"},
                      Spellings{"network: ${x}", "\"fd00::/64\", \"fd00:0::/64\""},
                      Spellings{"message_size: ${x}", "1.5KiB, 1536B"}));

TEST(Matrix, KeepsValuesThatDifferInOrderOnly) {
  EXPECT_THAT(Errors(MinimalPlan("    cpus: {sender: \"${x}\"}\n", "matrix: {x: [[0, 1], [1, 0]]}\n")),
              IsEmpty());
}

TEST(Matrix, RefusesCasesThatAreTheSameTogether) {
  EXPECT_EQ(Errors(MinimalPlan("    message_size: ${x}${y}B\n", "matrix:\n  x: [1, 12]\n  y: [23, 3]\n")),
            "p.yaml:13:10: matrix.x[1]: the case x=12 y=3 is the same as the case x=1 y=23: change one of "
            "these values, "
            "or join the axes\n");
}

TEST(Matrix, RefusesAnAxisThatNothingUses) {
  EXPECT_EQ(Errors(MinimalPlan("", "matrix:\n  n: [1, 2]\n")),
            "p.yaml:12:3: matrix.n: no value uses this axis: write ${n} where it belongs, or remove it (to "
            "fix its value "
            "keep the reference and use --set matrix.n=[VALUE])\n");
}

TEST(Matrix, RefusesTooManyCases) {
  std::string axis = "[1";
  for (int i = 2; i <= 101; ++i) axis += "," + std::to_string(i);
  axis += "]";
  const std::string text =
      MinimalPlan("    streams: ${n}\n    dscp: ${d}\n", "matrix:\n  n: " + axis + "\n  d: " + axis + "\n");
  EXPECT_THAT(Errors(text), HasSubstr("spans 10201 cases, more than 10000"));
}

TEST(Matrix, CountSaturates) {
  std::vector<MatrixAxis> axes(10);
  for (MatrixAxis& axis : axes) axis.values.resize(1000);
  EXPECT_EQ(CountCases(axes), std::numeric_limits<size_t>::max());
  EXPECT_EQ(CountCases({}), 1u);
}

}  // namespace
}  // namespace tutti::plan
