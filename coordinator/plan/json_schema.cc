#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "coordinator/metrics/metric.h"
#include "coordinator/plan/language.h"
#include "coordinator/plan/plan_loader.h"

namespace tutti::plan {
namespace {

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      absl::StrAppendFormat(&quoted, "\\u%04x", static_cast<int>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string TextLike(std::string_view pattern) {
  return absl::StrCat("{\"type\": \"string\", \"pattern\": ", Quoted(pattern), "}");
}

std::string IntegerWithin(const ValueSpec& spec) {
  return absl::StrCat("{\"type\": \"integer\", \"minimum\": ", spec.min, ", \"maximum\": ", spec.max, "}");
}

std::string AnyOf(const std::vector<std::string>& schemas) {
  return absl::StrCat("{\"anyOf\": [", absl::StrJoin(schemas, ", "), "]}");
}

constexpr char kNumber[] = "[0-9]+(\\.[0-9]+)?";

std::string TableSchema(const KeyTable& table, const std::string& indent);

// Without the ${axis} that may stand in most values' place.
std::string ValueSchema(const ValueSpec& spec, const std::string& indent);

// With it.
std::string OpenSchema(const ValueSpec& spec, const std::string& indent) {
  return AnyOf({ValueSchema(spec, indent), "{\"$ref\": \"#/$defs/reference\"}"});
}

// "loss < 0.1%": the metrics of each dimension with its figures.
std::string ExpectedSchema() {
  std::vector<std::string> schemas;
  for (const metrics::Dimension dimension : metrics::Dimensions()) {
    std::vector<std::string> names;
    for (const metrics::Metric& metric : metrics::Metrics()) {
      if (metric.dimension == dimension) names.push_back(absl::StrReplaceAll(metric.name, {{".", "\\."}}));
    }
    if (names.empty()) continue;
    schemas.push_back(TextLike(absl::StrCat("^ *(", absl::StrJoin(names, "|"), ") *(<|<=|>|>=) *",
                                            metrics::PatternOf(dimension), " *$")));
  }
  return AnyOf(schemas);
}

std::string SingleSchema(const ValueSpec& spec) {
  switch (spec.kind) {
    case ValueKind::kInteger:
      return IntegerWithin(spec);
    case ValueKind::kSize:
      return TextLike(absl::StrCat("^", kNumber, "(B|KiB|MiB|GiB|TiB|PiB)$"));
    case ValueKind::kBuffer:
      return TextLike(absl::StrCat("^(default|", kNumber, "(B|KiB|MiB|GiB|TiB|PiB))$"));
    case ValueKind::kRate:
      return TextLike(absl::StrCat("^", kNumber, "(bps|Kbps|Mbps|Gbps|pps|Kpps|Mpps)$"));
    case ValueKind::kDuration:
      return TextLike(absl::StrCat("^", kNumber, "(us|ms|s|m|h)$"));
    case ValueKind::kPercent:
      return TextLike(absl::StrCat("^", kNumber, "%$"));
    case ValueKind::kBool:
      return "{\"type\": \"boolean\"}";
    case ValueKind::kWord: {
      std::vector<std::string> words;
      for (const std::string& word : spec.words) words.push_back(Quoted(word));
      return absl::StrCat("{\"enum\": [", absl::StrJoin(words, ", "), "]}");
    }
    case ValueKind::kName:
      return TextLike(absl::StrCat("^[A-Za-z0-9_-]{1,", spec.max, "}$"));
    case ValueKind::kHostName:
      return TextLike("^[A-Za-z0-9_.:@-]{1,253}$");
    case ValueKind::kText:
      return absl::StrCat("{\"type\": [\"string\", \"number\", \"boolean\"], \"maxLength\": ", spec.max, "}");
    case ValueKind::kCount:
      return AnyOf({IntegerWithin(spec), "{\"const\": \"all\"}"});
    case ValueKind::kCpus: {
      const std::string cpu = AnyOf({IntegerWithin(spec), TextLike("^[0-9]+(-[0-9]+)?$")});
      return AnyOf({TextLike("^(any|nic_local|avoid_irq|with_rx|numa:[0-9]+)$"),
                    absl::StrCat("{\"type\": \"array\", \"minItems\": 1, \"items\": ",
                                 AnyOf({cpu, "{\"$ref\": \"#/$defs/reference\"}"}), "}")});
    }
    case ValueKind::kPorts:
      return AnyOf(
          {"{\"type\": \"integer\", \"minimum\": 1, \"maximum\": 65535}", TextLike("^[0-9]+(-[0-9]+)?$")});
    case ValueKind::kExpected:
      return ExpectedSchema();
    case ValueKind::kScope:
      return TextLike("^(total|host|pair|stream|role:[A-Za-z0-9_-]{1,64}|host:[A-Za-z0-9_.:@-]{1,253})$");
    default:
      return "{\"type\": \"string\", \"minLength\": 1}";
  }
}

std::string ValueSchema(const ValueSpec& spec, const std::string& indent) {
  switch (spec.kind) {
    case ValueKind::kMap:
      return TableSchema(*spec.table, indent);
    case ValueKind::kThreshold:
      return AnyOf({TableSchema(*spec.table, indent), ExpectedSchema()});
    case ValueKind::kList:
      return absl::StrCat(
          "{\"type\": \"array\", \"minItems\": 1, \"items\": ", OpenSchema(*spec.item, indent), "}");
    case ValueKind::kNamedMap: {
      const bool named_here = spec.item->kind == ValueKind::kMap;
      return absl::StrCat("{\"type\": \"object\", \"minProperties\": 1, ",
                          named_here ? "\"propertyNames\": {\"pattern\": \"^[A-Za-z0-9_-]{1,64}$\"}, " : "",
                          "\"additionalProperties\": ", OpenSchema(*spec.item, indent), "}");
    }
    case ValueKind::kAxes:
      return "{\"type\": \"object\", \"minProperties\": 1, \"propertyNames\": {\"pattern\": "
             "\"^[A-Za-z0-9_-]{1,64}$\"}, \"additionalProperties\": {\"type\": \"array\", \"minItems\": 1}}";
    default:
      return SingleSchema(spec);
  }
}

std::string TableSchema(const KeyTable& table, const std::string& indent) {
  const std::string inner = indent + "  ";
  std::vector<std::string> properties;
  std::vector<std::string> required;
  for (const KeySpec& key : table.keys) {
    const bool fixed =
        &table == &PlanKeys() && (key.name == "version" || key.name == "name" || key.name == "matrix");
    const std::string schema = fixed ? ValueSchema(key.value, inner) : OpenSchema(key.value, inner);
    std::string note = key.description;
    if (!key.default_text.empty()) absl::StrAppend(&note, ". Default: ", key.default_text);
    // Every schema above is an object, which the description joins.
    properties.push_back(absl::StrCat("\n", inner, Quoted(key.name), ": {\"description\": ", Quoted(note),
                                      ", ", schema.substr(1)));
    if (key.required) required.push_back(Quoted(key.name));
  }
  return absl::StrCat(
      "{\"type\": \"object\", \"additionalProperties\": false",
      required.empty() ? "" : absl::StrCat(", \"required\": [", absl::StrJoin(required, ", "), "]"),
      ", \"properties\": {", absl::StrJoin(properties, ","), "\n", indent, "}}");
}

}  // namespace

std::string PlanJsonSchema() {
  return absl::StrCat("{\"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n",
                      "\"title\": \"A plan of tutti\",\n",
                      "\"$defs\": {\"reference\": {\"description\": \"A value with ${AXIS} in it\", ",
                      "\"type\": \"string\", \"pattern\": \"\\\\$\\\\{[A-Za-z0-9_-]+\\\\}\"}},\n",
                      TableSchema(PlanKeys(), "").substr(1), "\n");
}

}  // namespace tutti::plan
