// Every value of every case has an origin, and the right one.
#include "coordinator/plan/explanation.h"

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "coordinator/plan/explained_fields.h"
#include "coordinator/plan/language.h"
#include "tests/unit/coordinator/plan/plan_texts.h"

namespace tutti::plan {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// Every key of the language, in three entries: over UDP, over TCP, and with requests.
const char kEveryKey[] = R"(version: 1
name: every-key
roles:
  a: {hosts: [h1]}
  b: {count: 1, labels: {rack: r1, zone: z1}}
  c: {same_as: a}
traffic:
  - name: datagrams
    from: a
    to: b
    pattern: pairs
    both_ways: true
    streams: 2
    protocol: udp
    message_size: 1400B
    read_size: 2KiB
    socket_buffer: {send: 1MiB, receive: 2MiB}
    cpus: {sender: [0, 2], receiver: any}
    network: 10.0.0.0/24
    ip: ipv4
    dscp: 8
    rate: 5000pps
    catch_up: 5ms
    burst: 2
    pacing: spin
    send: sendmmsg
    receive: recvmmsg
    batch: 8
    discard: false
    receive_wait: poll
    threads: per_stream
    priority: 3
    mark: 7
    ecn: ect0
    ports: 5201-5300
    source_ports: 6201-6300
    best_effort: true
  - from: a
    to: b
    protocol: tcp
    nodelay: true
    congestion: cubic
    mss: 1000B
    bytes: 1GiB
  - from: c
    to: b
    protocol: tcp
    request_response: {request: 100B, response: 200B, outstanding: 1, connect: false}
timing: {warmup: 1s, measure: 5s, cooldown: 100ms, interval: 100ms}
repeat: 2
limits: {start_skew: 50ms, overlap: 99%, clock_error: 1ms}
thresholds:
  - throughput.received >= 1Mbps
  - expect: throughput.sent >= 1Mbps
    entry: datagrams
    scope: total
    window: measure
    severity: fail
    abort: true
    grace: 2s
  - {expect: throughput.received >= 1Mbps, scope: "role:b"}
)";

// "traffic[0].ways.send" of each field below `message` that is set.
void CollectSet(const Message& message, const std::string& prefix, std::vector<std::string>& paths) {
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    const bool is_message = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && !field->is_map();
    const std::string path = prefix + field->name();
    if (!field->is_repeated()) {
      if (is_message) {
        CollectSet(reflection.GetMessage(message, field), path + ".", paths);
      } else {
        paths.push_back(path);
      }
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
      const std::string item = path + "[" + std::to_string(i) + "]";
      if (is_message) {
        CollectSet(reflection.GetRepeatedMessage(message, field, i), item + ".", paths);
      } else {
        paths.push_back(item);
      }
    }
  }
}

// Itself, or a whole of which it is a part.
bool IsCovered(const std::string& path, const std::set<std::string>& fields) {
  for (const std::string& field : fields) {
    if (path.rfind(field, 0) != 0) continue;
    if (path.size() == field.size() || path[field.size()] == '.' || path[field.size()] == '[') return true;
  }
  return false;
}

void ExpectEveryFieldHasAnOrigin(const tutti::v1::Plan& plan) {
  const std::vector<ExplainedCase> cases = ExplainPlan(plan);
  ASSERT_EQ(static_cast<int>(cases.size()), plan.cases_size());
  for (int i = 0; i < plan.cases_size(); ++i) {
    std::set<std::string> fields;
    std::set<std::string> paths;
    for (const ExplainedValue& value : cases[static_cast<size_t>(i)].values) {
      fields.insert(value.fields.begin(), value.fields.end());
      EXPECT_TRUE(paths.insert(value.path).second) << value.path << " is listed twice";
      EXPECT_FALSE(value.value.empty()) << value.path;
      const bool somewhere = value.position.line > 0 || !value.position.origin.empty();
      EXPECT_EQ(somewhere, value.origin != ValueOrigin::kDefault) << value.path;
    }
    std::vector<std::string> set;
    CollectSet(plan.cases(i), "", set);
    for (const std::string& path : set) {
      if (path == "index") continue;  // its place, which nobody has chosen
      EXPECT_TRUE(IsCovered(path, fields)) << "case " << i << ": where does " << path << " come from?";
    }
  }
}

const ExplainedValue* ValueAt(const ExplainedCase& of, const std::string& path) {
  for (const ExplainedValue& value : of.values) {
    if (value.path == path) return &value;
  }
  return nullptr;
}

// "1472B from p.yaml:12:5"; empty: there is no such value.
std::string Told(const tutti::v1::Plan& plan, size_t index, const std::string& path) {
  const std::vector<ExplainedCase> cases = ExplainPlan(plan);
  const ExplainedValue* value = ValueAt(cases.at(index), path);
  return value == nullptr ? "" : value->value + " from " + OriginText(*value, plan.source_name());
}

// --- nothing is left out --------------------------------------------------------------------------

TEST(ExplainPlan, EveryFieldOfThePlansThatAreShippedHasAnOrigin) {
  int plans = 0;
  for (const auto& file : std::filesystem::directory_iterator(std::string(TUTTI_SOURCE_DIR) + "/plans")) {
    SCOPED_TRACE(file.path().filename().string());
    std::ifstream in(file.path());
    std::ostringstream text;
    text << in.rdbuf();
    ExpectEveryFieldHasAnOrigin(Load(text.str()));
    ++plans;
  }
  EXPECT_GT(plans, 10);
}

TEST(ExplainPlan, EveryFieldOfAPlanWithEveryKeyHasAnOrigin) { ExpectEveryFieldHasAnOrigin(Load(kEveryKey)); }

TEST(ExplainPlan, EveryFieldOfTheSmallestPlanHasAnOrigin) {
  ExpectEveryFieldHasAnOrigin(Load(MinimalPlan()));
  ExpectEveryFieldHasAnOrigin(Load(MinimalPlan("", "", "tcp")));
}

void CollectLeaves(const Descriptor& type, const std::string& prefix, std::vector<std::string>& leaves) {
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    const std::string path = prefix + field.name();
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && !field.is_repeated()) {
      CollectLeaves(*field.message_type(), path + ".", leaves);
    } else {
      leaves.push_back(path);
    }
  }
}

// A field that is added to the contract is not explained by itself: this is where that is noticed.
TEST(ExplainedFields, EveryFieldOfTheContractIsDecidedByAKey) {
  const std::vector<std::pair<const Descriptor*, const std::vector<KeyFields>*>> tables = {
      {tutti::v1::Role::descriptor(), &RoleFields()},
      {tutti::v1::TrafficEntry::descriptor(), &EntryFields()},
      {tutti::v1::Timing::descriptor(), &TimingFields()},
      {tutti::v1::Limits::descriptor(), &LimitFields()},
      {tutti::v1::Threshold::descriptor(), &ThresholdFields()}};
  for (const auto& [type, keys] : tables) {
    std::set<std::string> fields;
    for (const KeyFields& key : *keys) fields.insert(key.fields.begin(), key.fields.end());
    std::vector<std::string> leaves;
    CollectLeaves(*type, "", leaves);
    for (const std::string& leaf : leaves) {
      EXPECT_TRUE(IsCovered(leaf, fields)) << type->name() << "." << leaf << " is not in explained_fields.cc";
    }
  }
  std::vector<std::string> parts;
  for (int i = 0; i < tutti::v1::Case::descriptor()->field_count(); ++i) {
    parts.push_back(tutti::v1::Case::descriptor()->field(i)->name());
  }
  EXPECT_THAT(parts, UnorderedElementsAre("index", "values", "roles", "traffic", "timing", "repeat", "limits",
                                          "thresholds"));
}

void CollectKeys(const KeyTable& table, const std::string& above, std::set<std::string>& keys) {
  for (const KeySpec& key : table.keys) {
    const std::string path = above.empty() ? key.name : above + "." + key.name;
    if (key.value.kind == ValueKind::kMap) {
      CollectKeys(*key.value.table, path, keys);
    } else {
      keys.insert(path);
    }
  }
}

TEST(ExplainedFields, EveryKeyOfTheLanguageDecidesAField) {
  const auto table = [](const char* key) -> const KeyTable& {
    const ValueSpec& value = PlanKeys().Find(key)->value;
    return value.table != nullptr ? *value.table : *value.item->table;
  };
  const std::vector<std::pair<const char*, const std::vector<KeyFields>*>> tables = {
      {"roles", &RoleFields()},
      {"traffic", &EntryFields()},
      {"timing", &TimingFields()},
      {"limits", &LimitFields()},
      {"thresholds", &ThresholdFields()}};
  for (const auto& [name, fields] : tables) {
    std::set<std::string> keys;
    CollectKeys(table(name), "", keys);
    std::set<std::string> known;
    for (const KeyFields& each : *fields) known.insert(each.key);
    EXPECT_EQ(keys, known) << name;
  }
}

// --- where a value comes from ---------------------------------------------------------------------

TEST(ExplainPlan, AWrittenValueHasItsPlace) {
  const tutti::v1::Plan plan = Load(MinimalPlan("    streams: 4\n"));
  EXPECT_EQ(Told(plan, 0, "traffic[0].streams"), "4 from p.yaml:11:14");
  EXPECT_EQ(Told(plan, 0, "roles.a.count"), "1 from p.yaml:4:14");
  EXPECT_EQ(Told(plan, 0, "name"), "minimal from p.yaml:2:7");
}

TEST(ExplainPlan, ADefaultIsWhatItComesToInTheCase) {
  const tutti::v1::Plan udp = Load(MinimalPlan());
  EXPECT_EQ(Told(udp, 0, "traffic[0].message_size"), "1472B from default");
  EXPECT_EQ(Told(udp, 0, "traffic[0].streams"), "1 from default");
  EXPECT_EQ(Told(udp, 0, "traffic[0].pattern"), "pairs from default");
  EXPECT_EQ(Told(udp, 0, "traffic[0].socket_buffer.send"), "default from default");
  EXPECT_EQ(Told(udp, 0, "timing.measure"), "10s from default");
  EXPECT_EQ(Told(udp, 0, "repeat"), "1 from default");
  EXPECT_EQ(Told(udp, 0, "matrix"), "one case from default");
  const tutti::v1::Plan tcp = Load(MinimalPlan("", "", "tcp"));
  EXPECT_EQ(Told(tcp, 0, "traffic[0].message_size"), "128KiB from default");
  EXPECT_EQ(Told(tcp, 0, "traffic[0].congestion"), "the kernel's from default");
}

TEST(ExplainPlan, WhatMeansNothingInItsPlaceIsNotListed) {
  const tutti::v1::Plan udp = Load(MinimalPlan());
  for (const char* path : {"traffic[0].nodelay", "traffic[0].catch_up", "limits.overlap"}) {
    EXPECT_EQ(Told(udp, 0, path), "") << path;
  }
  const tutti::v1::Plan paced = Load(MinimalPlan("    rate: 5000pps\n"));
  EXPECT_EQ(Told(paced, 0, "traffic[0].rate"), "5000pps from p.yaml:11:11");
  EXPECT_EQ(Told(paced, 0, "traffic[0].catch_up"), "10ms from default");
  const tutti::v1::Plan asks = Load(MinimalPlan("    request_response: {response: 1KiB}\n", "", "tcp"));
  EXPECT_EQ(Told(asks, 0, "traffic[0].message_size"), "");
  EXPECT_EQ(Told(asks, 0, "traffic[0].request_response.request"), "1B from default");
  EXPECT_EQ(Told(asks, 0, "traffic[0].request_response.response"), "1KiB from p.yaml:11:34");
}

const char kMatrix[] = R"(version: 1
name: m
roles: {a: {count: 1}, b: {count: 1}}
matrix:
  streams: [1, 4]
  buffers:
    - {send: 1MiB, receive: default}
    - {send: 2MiB}
  n: [1, 2]
traffic:
  - from: a
    to: b
    protocol: udp
    name: bulk-${n}
    streams: ${streams}
    socket_buffer: ${buffers}
    cpus: {sender: [0, "${n}"]}
)";

TEST(ExplainPlan, AValueOfAnAxisHasItsPlaceInTheMatrix) {
  const tutti::v1::Plan plan = Load(kMatrix);
  ASSERT_EQ(plan.cases_size(), 8);
  // The first axis is the slowest: case 7 is 4, 2MiB, 2.
  EXPECT_EQ(Told(plan, 0, "traffic[0].streams"), "1 from axis streams, p.yaml:5:13");
  EXPECT_EQ(Told(plan, 7, "traffic[0].streams"), "4 from axis streams, p.yaml:5:16");
  EXPECT_EQ(Told(plan, 7, "traffic[0].name"), "bulk-2 from axis n, p.yaml:9:10");
  EXPECT_EQ(Told(plan, 0, "traffic[0].socket_buffer.receive"), "default from axis buffers, p.yaml:7:29");
  EXPECT_EQ(Told(plan, 7, "traffic[0].socket_buffer.send"), "2MiB from axis buffers, p.yaml:8:14");
  EXPECT_EQ(Told(plan, 7, "traffic[0].socket_buffer.receive"), "default from default");
  EXPECT_EQ(Told(plan, 7, "traffic[0].cpus.sender"), "[0, 2] from axis n, p.yaml:9:10");
  EXPECT_EQ(Told(plan, 7, "matrix.streams"), "4 from p.yaml:5:16");
  const std::vector<ExplainedCase> cases = ExplainPlan(plan);
  const ExplainedValue* name = ValueAt(cases.at(7), "traffic[0].name");
  ASSERT_NE(name, nullptr);
  EXPECT_THAT(name->axes, ElementsAre("n"));
  ExpectEveryFieldHasAnOrigin(plan);
}

TEST(ExplainPlan, WhatSetHasBroughtSaysWhich) {
  const tutti::v1::Plan plan = Load(
      kMatrix, {"timing.measure=2s", "timing.measure=3s", "matrix.streams=[8]", "traffic[0].protocol=tcp"});
  EXPECT_EQ(Told(plan, 0, "timing.measure"), "3s from --set timing.measure=3s");
  EXPECT_EQ(Told(plan, 0, "timing.warmup"), "1s from default");
  EXPECT_EQ(Told(plan, 0, "traffic[0].protocol"), "tcp from --set traffic[0].protocol=tcp");
  EXPECT_EQ(Told(plan, 0, "traffic[0].streams"), "8 from axis streams, --set matrix.streams=[8]");
  EXPECT_EQ(Told(plan, 0, "matrix.streams"), "8 from --set matrix.streams=[8]");
  ExpectEveryFieldHasAnOrigin(plan);
}

TEST(ExplainPlan, AThresholdIsATextOrAMap) {
  const tutti::v1::Plan plan = Load(kEveryKey);
  EXPECT_EQ(Told(plan, 0, "thresholds[0]"), "throughput.received >= 1Mbps from p.yaml:53:5");
  EXPECT_EQ(Told(plan, 0, "thresholds[0].severity"), "fail from default");
  EXPECT_EQ(Told(plan, 0, "thresholds[0].grace"), "");
  EXPECT_EQ(Told(plan, 0, "thresholds[1].expect"), "throughput.sent >= 1Mbps from p.yaml:54:13");
  EXPECT_EQ(Told(plan, 0, "thresholds[2].abort"), "false from default");
}

TEST(ExplainPlan, ATextThatCannotBeReadExplainsNothing) {
  tutti::v1::Plan plan;
  plan.set_source("{");
  EXPECT_THAT(ExplainPlan(plan), testing::SizeIs(0));
}

// --- what cases have in common --------------------------------------------------------------------

TEST(SharedValues, AreThoseThatAreTheSameEverywhere) {
  const std::vector<ExplainedCase> cases = ExplainPlan(Load(kMatrix));
  std::set<std::string> shared;
  for (const ExplainedValue& value : SharedValues(cases)) shared.insert(value.path);
  EXPECT_EQ(shared.count("timing.warmup"), 1u);
  EXPECT_EQ(shared.count("traffic[0].protocol"), 1u);
  EXPECT_EQ(shared.count("traffic[0].streams"), 0u);
  EXPECT_EQ(shared.count("traffic[0].socket_buffer.receive"), 0u);
  EXPECT_EQ(shared.count("matrix.n"), 0u);
  EXPECT_THAT(SharedValues({}), IsEmpty());
}

}  // namespace
}  // namespace tutti::plan
