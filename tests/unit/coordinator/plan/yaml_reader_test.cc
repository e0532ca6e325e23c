#include "coordinator/plan/yaml_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coordinator/plan/text_check.h"
#include "tests/unit/coordinator/plan/plan_texts.h"

namespace tutti::plan {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

std::string Repeated(const std::string& part, size_t bytes) {
  std::string text;
  text.reserve(bytes + part.size());
  while (text.size() + part.size() <= bytes) text += part;
  return text;
}

NodePtr ReadGood(const std::string& text) {
  ErrorList errors;
  NodePtr node = ReadYaml(text, errors);
  for (const PlanError& error : errors.TakeErrors()) ADD_FAILURE() << Format("p.yaml", error);
  return node;
}

TEST(ReadYaml, KeepsPlaces) {
  const NodePtr root = ReadGood("a: 1\nb:\n  - x\n  - {c: \"${d}\"}\n");
  ASSERT_NE(root, nullptr);
  const Node* list = Find(root.get(), "b");
  ASSERT_EQ(list->items.size(), 2u);
  EXPECT_EQ(list->items[0]->position.line, 3);
  EXPECT_EQ(list->items[0]->position.column, 5);
  const Node* c = Find(list->items[1].get(), "c");
  EXPECT_EQ(c->position.line, 4);
  EXPECT_EQ(c->position.column, 9);
  EXPECT_FALSE(c->plain);
  EXPECT_TRUE(root->has_reference);
  EXPECT_FALSE(Find(root.get(), "a")->has_reference);
  EXPECT_EQ(root->nodes, 6u);  // the map, 1, the list, x, the map, ${d}
}

TEST(ReadYaml, TakesAliasesForTheValuesTheyStandFor) {
  const NodePtr root = ReadGood("a: &x {k: [1, 2]}\nb: *x\n");
  ASSERT_NE(root, nullptr);
  EXPECT_EQ(ToFlowText(*root), "{a: {k: [1, 2]}, b: {k: [1, 2]}}");
}

TEST(ReadYaml, RefusesAliasesThatExplode) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string inner = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" +
            Repeated(inner + " ,", inner.size() * 10 + 20) + inner + " ]\n";
  }
  EXPECT_THAT(Errors(text), HasSubstr("more than 50000 values, aliases included"));
  EXPECT_THAT(Errors("a: &a [*a ]\n"), HasSubstr("an alias inside the value that it stands for"));
  EXPECT_THAT(Errors("a: *b \n"), HasSubstr("not valid YAML"));
}

TEST(ReadYaml, RefusesWhatIsNoPlan) {
  EXPECT_THAT(Errors(""), HasSubstr("the plan is empty"));
  EXPECT_THAT(Errors("# only a remark\n"), HasSubstr("the plan is empty"));
  EXPECT_THAT(Errors("---\n---\n"), HasSubstr("a second YAML document"));
  EXPECT_THAT(Errors(MinimalPlan() + "---\n" + MinimalPlan()),
              StartsWith("p.yaml:11:1: a second YAML document"));
  EXPECT_THAT(Errors("just words\n"), HasSubstr("is no map"));
  EXPECT_THAT(Errors("[1, 2]\n"), HasSubstr("is no map"));
  EXPECT_THAT(Errors("a: b: c\n"), StartsWith("p.yaml:1:5: not valid YAML"));
  EXPECT_THAT(Errors("a: !!binary x\n"), HasSubstr("tag"));
  EXPECT_THAT(Errors("[a]: 1\n"), HasSubstr("where a key is due"));
  EXPECT_THAT(Errors("~: 1\n"), HasSubstr("an empty key"));
  EXPECT_THAT(Errors(","), HasSubstr("second YAML document"));
}

TEST(ReadYaml, NamesBothPlacesOfAKeyThatOccursTwice) {
  EXPECT_THAT(Errors("version: 1\nname: a\nversion: 1\n"),
              StartsWith("p.yaml:3:1: version: the key occurs twice, first in line 1"));
}

TEST(ReadYaml, ExplainsReferencesWithoutQuotesInFlowStyle) {
  EXPECT_THAT(Errors("a: {b: ${c}}\n"), HasSubstr("write ${...} in quotes"));
}

TEST(ReadYaml, RefusesBytesThatNoPlanHas) {
  EXPECT_EQ(Errors("version: 1\nname: a\xFF\n"),
            "p.yaml:2:8: byte 0xFF is not UTF-8: save the plan as UTF-8\n");
  EXPECT_THAT(Errors(std::string("name: a\0b\n", 10)), HasSubstr("control character 0x00"));
  EXPECT_THAT(Errors("name: a\x1b[2J\n"), HasSubstr("control character 0x1B"));
  EXPECT_EQ(Errors("name: a\x7f\n"),
            "p.yaml:1:8: the control character 0x7F cannot be in a plan: remove it\n");
  EXPECT_EQ(Errors("name: a\xC2\x9B"
                   "31m\n"),
            "p.yaml:1:8: the control character 0x9B cannot be in a plan: remove it\n");
  EXPECT_EQ(Errors("name: \"a\\e[2J\"\n"),
            "p.yaml:1:7: \"a\\x1B[2J\" holds 0x1B, a control character, which keys and values do not have\n");
  // What yaml-cpp makes of NEL.
  EXPECT_THAT(Errors("name: \"a\\N\"\n"), HasSubstr("which keys and values do not have"));
  EXPECT_THAT(Errors("roles:\n\ta: 1\n"), StartsWith("p.yaml:2:1: a tab in the indentation"));
  EXPECT_THAT(Errors(std::string((1 << 20) + 1, '#')), HasSubstr("more than 1 MiB"));
}

TEST(ReadYaml, KnowsWellFormedUtf8) {
  EXPECT_EQ(ValidUtf8Prefix("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"), 10u);
  EXPECT_EQ(ValidUtf8Prefix("\xC0\x80"), 0u);          // overlong
  EXPECT_EQ(ValidUtf8Prefix("\xE0\x9F\xBF"), 0u);      // overlong
  EXPECT_EQ(ValidUtf8Prefix("\xED\xA0\x80"), 0u);      // surrogate
  EXPECT_EQ(ValidUtf8Prefix("\xF4\x90\x80\x80"), 0u);  // over U+10FFFF
  EXPECT_EQ(ValidUtf8Prefix("x\xE2\x82"), 1u);         // cut short
  EXPECT_EQ(ValidUtf8Prefix("\x80"), 0u);
}

TEST(ReadYaml, SixtyFourLevelsAreTheDeepest) {
  const auto nested = [](int levels) {
    return "a: " + std::string(levels, '[') + "1" + std::string(levels, ']') + "\n";
  };
  ErrorList errors;
  EXPECT_NE(ReadYaml(nested(63), errors), nullptr);  // and the map around it
  EXPECT_THAT(Errors(nested(64)), HasSubstr("nested deeper than 64 levels"));
}

// A recursive reader would not survive these, a quadratic one would not come back.
TEST(ReadYaml, HostileTextsAreRefusedWithoutHarm) {
  for (const char* part :
       {"[", "{",   "- ",   "? ", "a: ", ": ", "[ a, ", "{a: ", "&a ", "*a ",     "!a ", "%",  "---\n", "\"",
        "'", "a\n", "# \n", "|",  "]",   ",",  "[]",    "? [",  "[? ", "a: |\n ", "-\n", "${", "[[]: "}) {
    const std::string text = Repeated(part, 100'000);
    EXPECT_THAT(Errors(text), Not(IsEmpty())) << part;
    EXPECT_THAT(Errors("a: " + text), Not(IsEmpty())) << part;
  }
  EXPECT_THAT(Errors(Repeated("[ a, ", (1 << 20) - 64)), Not(IsEmpty()));
}

}  // namespace
}  // namespace tutti::plan
