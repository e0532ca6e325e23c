#include "coordinator/plan/check_shape.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/suggestion/suggestion.h"
#include "coordinator/plan/value_parser.h"

namespace tutti::plan {
namespace {

// Keys that people bring along from other tools or spellings, and what a plan calls them.
std::string Synonym(const KeyTable& table, const std::string& key) {
  static const std::pair<const char*, const char*> kSynonyms[] = {{"all", "count: all"},
                                                                  {"sender", "from"},
                                                                  {"receiver", "to"},
                                                                  {"size", "message_size"},
                                                                  {"length", "message_size"},
                                                                  {"duration", "measure"},
                                                                  {"time", "measure"},
                                                                  {"parallel", "streams"},
                                                                  {"bidirectional", "both_ways"},
                                                                  {"bandwidth", "rate"},
                                                                  {"repetitions", "repeat"},
                                                                  {"port", "ports"},
                                                                  {"bidir", "both_ways"},
                                                                  {"tos", "dscp"},
                                                                  {"window", "socket_buffer"}};
  for (const auto& [word, meant] : kSynonyms) {
    if (key != word) continue;
    const std::string meant_key(std::string_view(meant).substr(0, std::string_view(meant).find(':')));
    if (table.Find(meant_key) != nullptr) return meant;
  }
  return "";
}

void AddUnknownKey(const Entry& entry, const KeyTable& table, const std::string& path, ErrorList& errors) {
  const std::string synonym = Synonym(table, entry.key);
  const std::string advice = synonym.empty() ? DidYouMean(entry.key, table.Names())
                                             : absl::StrCat("; did you mean \"", synonym, "\"?");
  errors.Add(entry.key_position, JoinPath(path, entry.key),
             absl::StrCat("\"", entry.key, "\" is not a key of ", table.what, advice));
}

void CheckList(const Node& node, const ValueSpec& spec, const std::string& path, ErrorList& errors) {
  if (node.kind != Node::Kind::kList) {
    const std::string fix = node.kind == Node::Kind::kScalar ? absl::StrCat("write [", node.text, "]")
                                                             : std::string("begin each of its items with -");
    errors.Add(node.position, path, absl::StrCat(Describe(node), " is no list: ", fix));
    return;
  }
  if (node.items.empty()) errors.Add(node.position, path, "is an empty list: write at least one item");
  for (size_t i = 0; i < node.items.size(); ++i) {
    CheckShape(*node.items[i], *spec.item, absl::StrCat(path, "[", i, "]"), errors);
  }
}

void CheckNamedMap(const Node& node, const ValueSpec& spec, const std::string& path, ErrorList& errors) {
  if (node.kind != Node::Kind::kMap) {
    errors.Add(node.position, path, absl::StrCat(Describe(node), " is no map: write NAME: VALUE lines"));
    return;
  }
  if (node.entries.empty())
    errors.Add(node.position, path, "is an empty map: write at least one NAME: VALUE");
  for (const Entry& entry : node.entries) {
    const std::string entry_path = JoinPath(path, entry.key);
    // Labels come from elsewhere and may be named as they like; roles are named here.
    if (spec.item->kind == ValueKind::kMap) {
      const Node name = *MakeScalar(entry.key_position, entry.key, true);
      const absl::Status status = CheckScalarValue(name, NameSpec());
      if (!status.ok()) errors.Add(entry.key_position, entry_path, std::string(status.message()));
    }
    CheckShape(*entry.value, *spec.item, entry_path, errors);
  }
}

}  // namespace

std::string JoinPath(const std::string& path, const std::string& key) {
  return path.empty() ? key : absl::StrCat(path, ".", key);
}

void CheckShape(const Node& node, const KeyTable& table, const std::string& path, ErrorList& errors) {
  if (node.broken) return;
  if (node.kind != Node::Kind::kMap) {
    errors.Add(node.position, path,
               absl::StrCat(Describe(node), " is no map: ", table.what, " has the keys ",
                            absl::StrJoin(table.Names(), ", ")));
    return;
  }
  for (const Entry& entry : node.entries) {
    const KeySpec* key = table.Find(entry.key);
    if (key == nullptr) {
      AddUnknownKey(entry, table, path, errors);
    } else {
      CheckShape(*entry.value, key->value, JoinPath(path, entry.key), errors);
    }
  }
  for (const KeySpec& key : table.keys) {
    if (!key.required || Find(&node, key.name) != nullptr) continue;
    errors.Add(node.position, path,
               absl::StrCat("the key \"", key.name, "\" is missing: write ", key.name, ": ...  (",
                            key.description, ")"));
  }
}

void CheckShape(const Node& node, const ValueSpec& spec, const std::string& path, ErrorList& errors) {
  if (node.broken) return;
  switch (spec.kind) {
    case ValueKind::kAxes:  // read by matrix.cc, once and not per case
      return;
    case ValueKind::kMap:
      CheckShape(node, *spec.table, path, errors);
      return;
    case ValueKind::kList:
      CheckList(node, spec, path, errors);
      return;
    case ValueKind::kNamedMap:
      CheckNamedMap(node, spec, path, errors);
      return;
    case ValueKind::kThreshold:
      if (node.kind != Node::Kind::kMap) break;
      CheckShape(node, *spec.table, path, errors);
      return;
    default:
      break;
  }
  if (node.kind == Node::Kind::kNull) {
    errors.Add(node.position, path, "has no value: write one, or leave the key out");
    return;
  }
  // An item of a CPU list may be the broken one.
  for (const NodePtr& item : node.items) {
    if (item->broken) return;
  }
  const absl::Status status = CheckScalarValue(node, spec);
  if (!status.ok()) errors.Add(node.position, path, std::string(status.message()));
}

}  // namespace tutti::plan
