#include <gmock/gmock.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "coordinator/plan/error_list.h"
#include "coordinator/plan/language.h"
#include "coordinator/plan/plan_loader.h"
#include "coordinator/plan/yaml_reader.h"
#include "tests/unit/coordinator/plan/plan_texts.h"

namespace tutti::plan {
namespace {

using google::protobuf::Struct;
using google::protobuf::Value;

Struct Schema() {
  Struct schema;
  const auto status = google::protobuf::util::JsonStringToMessage(PlanJsonSchema(), &schema);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return schema;
}

// The first alternative that describes a value and not a ${reference}; a map where a text would do as well.
const Struct& Described(const Struct& schema) {
  auto any_of = schema.fields().find("anyOf");
  return any_of == schema.fields().end() ? schema
                                         : Described(any_of->second.list_value().values(0).struct_value());
}

// Every key of `node` stands in the schema, at every level.
void ExpectKeysConform(const Node& node, const Struct& described, const std::string& path) {
  const Struct& schema = Described(described);
  if (node.kind == Node::Kind::kList && schema.fields().count("items") > 0) {
    for (const NodePtr& item : node.items) {
      ExpectKeysConform(*item, schema.fields().at("items").struct_value(), path + "[]");
    }
  }
  if (node.kind != Node::Kind::kMap) return;
  for (const Entry& entry : node.entries) {
    const std::string entry_path = path + "." + entry.key;
    auto properties = schema.fields().find("properties");
    if (properties != schema.fields().end()) {
      const auto& known = properties->second.struct_value().fields();
      auto found = known.find(entry.key);
      ASSERT_NE(found, known.end()) << entry_path;
      ExpectKeysConform(*entry.value, found->second.struct_value(), entry_path);
    } else {
      ASSERT_EQ(schema.fields().count("additionalProperties"), 1u) << entry_path;
      ExpectKeysConform(*entry.value, schema.fields().at("additionalProperties").struct_value(), entry_path);
    }
  }
}

TEST(PlanJsonSchema, IsValidJsonOfItsDraft) {
  const Struct schema = Schema();
  EXPECT_EQ(schema.fields().at("$schema").string_value(), "https://json-schema.org/draft/2020-12/schema");
  EXPECT_FALSE(schema.fields().at("additionalProperties").bool_value());
  EXPECT_EQ(schema.fields()
                .at("$defs")
                .struct_value()
                .fields()
                .at("reference")
                .struct_value()
                .fields()
                .at("pattern")
                .string_value(),
            "\\$\\{[A-Za-z0-9_-]+\\}");
}

TEST(PlanJsonSchema, HasTheKeysThatTheLoaderKnows) {
  const Struct schema = Schema();
  std::set<std::string> names;
  for (const auto& [name, value] : schema.fields().at("properties").struct_value().fields())
    names.insert(name);
  EXPECT_THAT(names, testing::UnorderedElementsAre("version", "name", "roles", "matrix", "traffic", "timing",
                                                   "repeat", "limits", "thresholds"));
  std::set<std::string> required;
  for (const Value& name : schema.fields().at("required").list_value().values())
    required.insert(name.string_value());
  EXPECT_THAT(required, testing::UnorderedElementsAre("version", "name", "roles", "traffic"));
}

// The patterns of `expect`, by the metrics' dimensions.
bool TakesExpected(const Struct& schema, const std::string& text) {
  const auto& properties = schema.fields().at("properties").struct_value().fields();
  const Struct& list = Described(properties.at("thresholds").struct_value());
  const Struct& item = Described(list.fields().at("items").struct_value());
  const Struct& expect = item.fields().at("properties").struct_value().fields().at("expect").struct_value();
  for (const Value& alternative : expect.fields().at("anyOf").list_value().values()) {
    const Struct& inner = alternative.struct_value();
    if (inner.fields().count("anyOf") == 0) continue;
    for (const Value& one : inner.fields().at("anyOf").list_value().values()) {
      const std::string pattern = one.struct_value().fields().at("pattern").string_value();
      if (std::regex_search(text, std::regex(pattern))) return true;
    }
  }
  return false;
}

TEST(PlanJsonSchema, KnowsTheMetricsWithTheirUnits) {
  const Struct schema = Schema();
  for (const char* good : {"throughput.received >= 9.4Gbps", "loss<0.1%", "latency.p99_9 <= 250us",
                           "jain > 0.95", "service_demand.receiver < 0.6us/KB", "retransmits < 5/s",
                           "cpu.sender < 1.5cores", "stalled_intervals <= 0"}) {
    EXPECT_TRUE(TakesExpected(schema, good)) << good;
    EXPECT_EQ(Errors(MinimalPlan(std::string(good).find("latency") == 0 ? "    request_response: {}\n" : "",
                                 std::string("thresholds: [\"") + good + "\"]\n",
                                 std::string(good).find("retransmits") == 0 ? "tcp" : "udp")),
              "")
        << good;
  }
  for (const char* bad : {"throughput.received >= 9.4", "throughputXreceived >= 9.4Gbps", "loss < 0.1",
                          "loss == 0%", "jain > 95%", "goodput > 1Gbps", "stalled_intervals < 0.5"}) {
    EXPECT_FALSE(TakesExpected(schema, bad)) << bad;
  }
}

TEST(PlanJsonSchema, TheShippedPlansConform) {
  const Struct schema = Schema();
  for (const auto& file : std::filesystem::directory_iterator(std::string(TUTTI_SOURCE_DIR) + "/plans")) {
    std::ifstream in(file.path());
    std::ostringstream text;
    text << in.rdbuf();
    ErrorList errors;
    const NodePtr root = ReadYaml(text.str(), errors);
    ASSERT_NE(root, nullptr) << file.path();
    ExpectKeysConform(*root, schema, file.path().filename().string());
  }
}

}  // namespace
}  // namespace tutti::plan
