#include "coordinator/plan/explanation.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/units/units.h"
#include "coordinator/plan/check_shape.h"
#include "coordinator/plan/error_list.h"
#include "coordinator/plan/explained_fields.h"
#include "coordinator/plan/language.h"
#include "coordinator/plan/matrix.h"
#include "coordinator/plan/overrides.h"
#include "coordinator/plan/substitution.h"
#include "coordinator/plan/yaml_reader.h"

namespace tutti::plan {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using tutti::v1::TrafficEntry;

// A value before and after the matrix was put in; null: it is not written. A reference that stands for a
// whole map or list stands for each of its parts too.
struct Written {
  const Node* raw = nullptr;
  const Node* value = nullptr;

  Written At(const std::string& key) const {
    const bool reference = raw != nullptr && raw->kind == Node::Kind::kScalar;
    return {reference ? raw : Find(raw, key), Find(value, key)};
  }
  Written Item(size_t i) const {
    const bool reference = raw->kind == Node::Kind::kScalar;
    return {reference ? raw : raw->items[i].get(), value->items[i].get()};
  }
};

// The first part of `written` that came from an axis; nullptr: none did.
const Node* FromAxis(const Written& written) {
  const Node& raw = *written.raw;
  if (!raw.has_reference) return nullptr;
  if (raw.kind == Node::Kind::kScalar) return written.value;
  for (size_t i = 0; i < raw.items.size(); ++i) {
    if (const Node* found = FromAxis(written.Item(i)); found != nullptr) return found;
  }
  for (const Entry& entry : raw.entries) {
    if (const Node* found = FromAxis(written.At(entry.key)); found != nullptr) return found;
  }
  return nullptr;
}

// The first part of `node` that a --set has brought; nullptr: none has.
const Node* FromOverride(const Node& node) {
  if (!node.position.origin.empty()) return &node;
  for (const NodePtr& item : node.items) {
    if (const Node* found = FromOverride(*item); found != nullptr) return found;
  }
  for (const Entry& entry : node.entries) {
    if (const Node* found = FromOverride(*entry.value); found != nullptr) return found;
  }
  return nullptr;
}

void SetOrigin(const Written& written, ExplainedValue& value) {
  if (const Node* from_axis = FromAxis(written); from_axis != nullptr) {
    std::set<std::string> axes;
    CollectReferences(*written.raw, axes);
    value.origin = ValueOrigin::kAxis;
    value.axes.assign(axes.begin(), axes.end());
    value.position = from_axis->position;
  } else if (const Node* from_override = FromOverride(*written.value); from_override != nullptr) {
    value.origin = ValueOrigin::kOverride;
    value.position = from_override->position;
  } else {
    value.origin = ValueOrigin::kPlan;
    value.position = written.value->position;
  }
}

std::string NumberText(uint64_t number, const KeySpec& key) {
  switch (key.value.kind) {
    case ValueKind::kInteger:
      return absl::StrCat(number);
    case ValueKind::kSize:
      return FormatSize(number);
    case ValueKind::kDuration:
      return FormatDuration(static_cast<int64_t>(number));
    default:
      return key.default_text;
  }
}

// What a key that is left out comes to: the number or name that the case has, else the language's own words.
std::string DefaultOf(const Message& message, const std::string& field_path, const KeySpec& key) {
  const Message* at = &message;
  for (const absl::string_view name : absl::StrSplit(field_path, '.')) {
    const FieldDescriptor* field = at->GetDescriptor()->FindFieldByName(std::string(name));
    const Reflection& reflection = *at->GetReflection();
    if (field == nullptr || field->is_repeated()) return key.default_text;
    if (field->has_presence() && !reflection.HasField(*at, field)) return key.default_text;
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_MESSAGE:
        at = &reflection.GetMessage(*at, field);
        break;
      case FieldDescriptor::CPPTYPE_STRING: {
        const std::string text = reflection.GetString(*at, field);
        return text.empty() ? key.default_text : text;
      }
      case FieldDescriptor::CPPTYPE_UINT32:
        return NumberText(reflection.GetUInt32(*at, field), key);
      case FieldDescriptor::CPPTYPE_UINT64:
        return NumberText(reflection.GetUInt64(*at, field), key);
      case FieldDescriptor::CPPTYPE_INT64:
        return NumberText(static_cast<uint64_t>(reflection.GetInt64(*at, field)), key);
      default:
        return key.default_text;
    }
  }
  return key.default_text;
}

bool IsOneOf(const std::string& key, std::initializer_list<const char*> keys) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

// Whether a key that is left out means anything in its place.
bool HasMeaning(const Message& message, const std::string& key) {
  if (const auto* entry = dynamic_cast<const TrafficEntry*>(&message); entry != nullptr) {
    if (IsOneOf(key, {"nodelay", "congestion", "mss"})) return entry->protocol() == tutti::v1::PROTOCOL_TCP;
    if (key == "ecn") return entry->protocol() == tutti::v1::PROTOCOL_UDP;
    if (IsOneOf(key, {"catch_up", "burst", "pacing"})) return entry->has_rate_bps();
    if (IsOneOf(key, {"message_size", "read_size", "bytes"})) return !entry->has_request_response();
  }
  if (const auto* threshold = dynamic_cast<const tutti::v1::Threshold*>(&message); threshold != nullptr) {
    return key != "grace" || threshold->abort();
  }
  return true;
}

// A message of the case, where it is, and the keys that fill it.
struct Filled {
  const Message& message;
  std::string field_prefix;  // "traffic[0]."
  const std::vector<KeyFields>& keys;
};

class CaseExplainer {
 public:
  CaseExplainer(const tutti::v1::Case& plan_case, const Node& root, const Node& resolved)
      : case_(plan_case), root_{&root, &resolved} {}

  std::vector<ExplainedValue> Run() {
    const KeyTable& plan = PlanKeys();
    const Filled whole{case_, "", CaseFields()};
    for (const KeySpec& key : plan.keys) {
      const Written written = root_.At(key.name);
      if (written.value != nullptr && key.name == "matrix") {
        AddAxes(written);
      } else if (written.value != nullptr && key.name == "roles") {
        AddRoles(*key.value.item->table, written);
      } else if (written.value != nullptr && key.name == "traffic") {
        AddTraffic(*key.value.item->table, written);
      } else if (written.value != nullptr && key.name == "thresholds") {
        AddThresholds(*key.value.item->table, written);
      } else if (key.name == "timing") {
        AddTable(*key.value.table, written, {case_.timing(), "timing.", TimingFields()}, "timing", "");
      } else if (key.name == "limits") {
        AddTable(*key.value.table, written, {case_.limits(), "limits.", LimitFields()}, "limits", "");
      } else {
        AddKey(key, written, whole, key.name, key.name);
      }
    }
    return std::move(values_);
  }

 private:
  // The value of each axis in this case.
  void AddAxes(const Written& matrix) {
    for (int i = 0; i < case_.values_size(); ++i) {
      const Node* axis = Find(matrix.value, case_.values(i).axis());
      if (axis == nullptr) continue;
      for (const NodePtr& item : axis->items) {
        if (ToFlowText(*item) != case_.values(i).value()) continue;
        Add({item.get(), item.get()}, JoinPath("matrix", case_.values(i).axis()),
            {absl::StrCat("values[", i, "]")});
        break;
      }
    }
  }

  void AddRoles(const KeyTable& table, const Written& roles) {
    for (int i = 0; i < case_.roles_size(); ++i) {
      const std::string& name = case_.roles(i).name();
      AddTable(table, roles.At(name), {case_.roles(i), absl::StrCat("roles[", i, "]."), RoleFields()},
               JoinPath("roles", name), "");
    }
  }

  void AddTraffic(const KeyTable& table, const Written& traffic) {
    for (int i = 0; i < case_.traffic_size(); ++i) {
      const std::string path = absl::StrCat("traffic[", i, "]");
      const Filled filled{case_.traffic(i), path + ".", EntryFields()};
      AddTable(table, traffic.Item(static_cast<size_t>(i)), filled, path, "");
    }
  }

  // One that is a text alone has nothing but what it expects.
  void AddThresholds(const KeyTable& table, const Written& thresholds) {
    for (int i = 0; i < case_.thresholds_size(); ++i) {
      const std::string path = absl::StrCat("thresholds[", i, "]");
      const Filled filled{case_.thresholds(i), path + ".", ThresholdFields()};
      const Written written = thresholds.Item(static_cast<size_t>(i));
      if (written.value->kind == Node::Kind::kMap) {
        AddTable(table, written, filled, path, "");
        continue;
      }
      for (const KeySpec& key : table.keys) {
        const bool expected = key.name == "expect";
        AddKey(key, expected ? written : Written{}, filled, expected ? path : JoinPath(path, key.name),
               key.name);
      }
    }
  }

  // `above` is the path from the message's own map to this one: "socket_buffer".
  void AddTable(const KeyTable& table, const Written& written, const Filled& filled, const std::string& path,
                const std::string& above) {
    for (const KeySpec& key : table.keys) {
      const Written value = written.At(key.name);
      const std::string key_path = JoinPath(path, key.name);
      const std::string local = JoinPath(above, key.name);
      const bool left_out = value.value == nullptr;
      if (key.value.kind == ValueKind::kMap && (!left_out || key.default_text.empty())) {
        AddTable(*key.value.table, value, filled, key_path, local);
      } else if (key.value.kind == ValueKind::kList && !left_out) {
        for (size_t i = 0; i < value.value->items.size(); ++i) {
          AddKey(key, value.Item(i), filled, absl::StrCat(key_path, "[", i, "]"), local);
        }
      } else if (key.value.kind == ValueKind::kNamedMap && !left_out) {
        for (const Entry& entry : value.value->entries) {
          AddKey(key, value.At(entry.key), filled, JoinPath(key_path, entry.key), local);
        }
      } else {
        AddKey(key, value, filled, key_path, local);
      }
    }
  }

  void AddKey(const KeySpec& key, const Written& written, const Filled& filled, const std::string& path,
              const std::string& local) {
    std::vector<std::string> fields = FieldsOf(filled.keys, local);
    const std::string first = fields.empty() ? "" : fields.front();
    for (std::string& field : fields) field.insert(0, filled.field_prefix);
    if (written.value != nullptr) return Add(written, path, std::move(fields));
    if (!HasMeaning(filled.message, local)) return;
    ExplainedValue value;
    value.path = path;
    value.value = first.empty() ? key.default_text : DefaultOf(filled.message, first, key);
    value.fields = std::move(fields);
    if (!value.value.empty()) values_.push_back(std::move(value));
  }

  void Add(const Written& written, const std::string& path, std::vector<std::string> fields) {
    ExplainedValue value;
    value.path = path;
    value.value = ToFlowText(*written.value);
    value.fields = std::move(fields);
    SetOrigin(written, value);
    values_.push_back(std::move(value));
  }

  const tutti::v1::Case& case_;
  const Written root_;
  std::vector<ExplainedValue> values_;
};

std::string PlaceText(const Position& position, std::string_view source_name) {
  if (!position.origin.empty()) return absl::StrCat("--set ", position.origin);
  return absl::StrCat(std::string(source_name), ":", position.line, ":", position.column);
}

}  // namespace

const char* OriginName(ValueOrigin origin) {
  switch (origin) {
    case ValueOrigin::kPlan:
      return "plan";
    case ValueOrigin::kAxis:
      return "axis";
    case ValueOrigin::kOverride:
      return "set";
    case ValueOrigin::kDefault:
      return "default";
  }
  return "?";
}

std::vector<ExplainedCase> ExplainPlan(const tutti::v1::Plan& plan) {
  std::vector<ExplainedCase> explained;
  ErrorList ignored;  // it is valid
  NodePtr root = ReadYaml(plan.source(), ignored);
  if (root == nullptr) return explained;
  for (const std::string& override : plan.overrides()) root = ApplyOverride(root, override, ignored);
  const std::vector<MatrixAxis> axes = ReadMatrix(*root, ignored);
  for (const tutti::v1::Case& plan_case : plan.cases()) {
    const NodePtr resolved = SubstituteCase(root, CaseValues(axes, plan_case.index()), ignored);
    explained.push_back({plan_case.index(), CaseExplainer(plan_case, *root, *resolved).Run()});
  }
  return explained;
}

std::vector<ExplainedValue> SharedValues(const std::vector<ExplainedCase>& cases) {
  std::vector<ExplainedValue> shared;
  if (cases.empty()) return shared;
  std::map<std::string, size_t> having;  // in how many cases the value of the first one's path is the same
  std::map<std::string, const ExplainedValue*> first;
  for (const ExplainedValue& value : cases.front().values) first[value.path] = &value;
  for (const ExplainedCase& each : cases) {
    for (const ExplainedValue& value : each.values) {
      const auto known = first.find(value.path);
      if (known != first.end() && *known->second == value) ++having[value.path];
    }
  }
  for (const ExplainedValue& value : cases.front().values) {
    if (having[value.path] == cases.size()) shared.push_back(value);
  }
  return shared;
}

std::string OriginText(const ExplainedValue& value, std::string_view source_name) {
  switch (value.origin) {
    case ValueOrigin::kDefault:
      return "default";
    case ValueOrigin::kAxis:
      return absl::StrCat(value.axes.size() == 1 ? "axis " : "axes ", absl::StrJoin(value.axes, ", "), ", ",
                          PlaceText(value.position, source_name));
    case ValueOrigin::kPlan:
    case ValueOrigin::kOverride:
      break;
  }
  return PlaceText(value.position, source_name);
}

}  // namespace tutti::plan
