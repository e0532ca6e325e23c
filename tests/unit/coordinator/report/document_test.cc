#include "coordinator/report/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "coordinator/report/report.h"
#include "tests/unit/coordinator/report/sample_result.h"

namespace tutti::report {
namespace {

using testing::HasSubstr;

Document Sample() {
  Document host = Document::Map();
  host.Add("name", Document::Text("host1"));
  host.Add("address6", Document::OptionalText(std::nullopt));
  host.Add("cpus", Document::List().Add(Document::Number(0)).Add(Document::Number(-1)));
  host.Add("labels", Document::Map());
  Document document = Document::Map();
  document.Add("hosts", Document::List().Add(host).Add(Document::Map().Add("up", Document::Bool(false))));
  document.Add("names", Document::Texts({"a", "b c"}));
  return document;
}

TEST(DocumentJsonTest, IsLaidOutAsMessagesAre) {
  EXPECT_EQ(DocumentJson(Sample()),
            "{\n"
            " \"hosts\": [\n"
            "  {\n"
            "   \"name\": \"host1\",\n"
            "   \"address6\": null,\n"
            "   \"cpus\": [0, -1],\n"
            "   \"labels\": {}\n"
            "  },\n"
            "  {\n"
            "   \"up\": false\n"
            "  }\n"
            " ],\n"
            " \"names\": [\"a\", \"b c\"]\n"
            "}\n");
  EXPECT_EQ(DocumentJson(Document::List()), "[]\n");
}

TEST(DocumentYamlTest, IsBlockStyleWithListsOfScalarsOnALine) {
  EXPECT_EQ(DocumentYaml(Sample()),
            "hosts:\n"
            "  - name: host1\n"
            "    address6: null\n"
            "    cpus: [0, -1]\n"
            "    labels: {}\n"
            "  - up: false\n"
            "names: [a, \"b c\"]\n");
  EXPECT_EQ(DocumentYaml(Document::Map()), "{}\n");
  const Document nested = Document::List().Add(Document::List().Add(Sample()));
  EXPECT_EQ(DocumentYaml(nested).substr(0, 11), "- - hosts:\n");
}

TEST(DocumentYamlTest, TextsThatYamlWouldTakeForSomethingElseAreQuoted) {
  for (const char* plain : {"host1", "eth0", "over_limit", "v1.2-rc", "a/b"}) {
    EXPECT_EQ(DocumentYaml(Document::Text(plain)), std::string(plain) + "\n");
  }
  for (const char* quoted :
       {"",    "no",  "Yes", "null", "12", "1e3",      "0x1f", "~",  "-a",          "a: b",
        "a#b", "a,b", "[a]", "*a",   "&a", "10.0.0.1", " a",   "a ", "2001:db8::1", "12:30"}) {
    EXPECT_EQ(DocumentYaml(Document::Text(quoted)), "\"" + std::string(quoted) + "\"\n") << quoted;
  }
  EXPECT_EQ(DocumentYaml(Document::Text("two\nlines \"quoted\" \x1b")),
            "\"two\\nlines \\\"quoted\\\" \\u001b\"\n");
  EXPECT_EQ(
      DocumentYaml(Document::Map().Add("net.ipv4.tcp_rmem", Document::Null()).Add("a b", Document::Null())),
      "net.ipv4.tcp_rmem: null\n\"a b\": null\n");
}

// YAML 1.1 reads a number with an exponent and no point as a text.
TEST(DocumentYamlTest, NumbersAreNumbersToEveryReader) {
  for (const auto& [json, yaml] :
       {std::pair("5e+07", "5.0e+07\n"), std::pair("-2e-9", "-2.0e-9\n"), std::pair("9.5e+07", "9.5e+07\n"),
        std::pair("50000000", "50000000\n"), std::pair("true", "true\n"), std::pair("false", "false\n")}) {
    const auto document = ParseDocument(json);
    ASSERT_TRUE(document.ok()) << document.status();
    EXPECT_EQ(DocumentYaml(*document), yaml);
  }
}

TEST(ParseDocumentTest, KeepsOrderAndDigits) {
  const std::string json =
      "{\n \"b\": 18446744073709551615,\n \"a\": [1.5e-300, true, null, \"\\u00e4\"],\n \"c\": []\n}\n";
  const absl::StatusOr<Document> document = ParseDocument(json);
  ASSERT_TRUE(document.ok()) << document.status();
  EXPECT_EQ(DocumentJson(*document),
            "{\n \"b\": 18446744073709551615,\n \"a\": [1.5e-300, true, null, \"\u00e4\"],\n \"c\": []\n}\n");
}

TEST(ParseDocumentTest, WhatIsNotJsonIsRefusedWithItsPlace) {
  for (const char* text : {"", "{", "[1,]", "{\"a\" 1}", "{a: 1}", "nul", "1 2", "\"a"}) {
    EXPECT_EQ(ParseDocument(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
  EXPECT_THAT(std::string(ParseDocument("{\n \"a\" 1}").status().message()), HasSubstr("line 2"));
  EXPECT_FALSE(ParseDocument(std::string(100'000, '[')).ok());
}

TEST(MessageDocumentTest, IsTheJsonOfTheMessage) {
  const tutti::v1::Result result = SampleResult();
  EXPECT_EQ(DocumentJson(MessageDocument(result)), RenderMessageJson(result));
}

}  // namespace
}  // namespace tutti::report
