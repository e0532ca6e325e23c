#include "coordinator/plan/overrides.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/suggestion/suggestion.h"
#include "coordinator/plan/check_shape.h"
#include "coordinator/plan/language.h"
#include "coordinator/plan/yaml_reader.h"

namespace tutti::plan {
namespace {

struct Segment {
  std::string key;  // empty: an index
  std::optional<size_t> index;
};

absl::StatusOr<std::vector<Segment>> ParsePath(const std::string& path) {
  const absl::Status malformed = absl::InvalidArgumentError(absl::StrCat(
      "\"", path, "\" is no path: write keys and indexes, as in traffic[0].streams or timing.measure"));
  std::vector<Segment> segments;
  size_t i = 0;
  while (i < path.size()) {
    if (path[i] == '[') {
      const size_t close = path.find(']', i);
      size_t index = 0;
      if (close == std::string::npos || segments.empty()) return malformed;
      const std::string digits = path.substr(i + 1, close - i - 1);
      if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos ||
          !absl::SimpleAtoi(digits, &index)) {
        return malformed;
      }
      segments.push_back(Segment{"", index});
      i = close + 1;
      if (i < path.size() && path[i] != '.' && path[i] != '[') return malformed;
    } else {
      if (!segments.empty()) {
        if (path[i] != '.') return malformed;
        ++i;
      }
      const size_t end = std::min(path.find_first_of(".[", i), path.size());
      if (end == i) return malformed;
      segments.push_back(Segment{path.substr(i, end - i), std::nullopt});
      i = end;
    }
  }
  if (segments.empty()) return malformed;
  return segments;
}

// One --set at work: walks the path, the tree and the language side by side.
class Setter {
 public:
  Setter(std::vector<Segment> segments, NodePtr value, std::string origin)
      : segments_(std::move(segments)), value_(std::move(value)), origin_(std::move(origin)) {}

  absl::StatusOr<NodePtr> SetInPlan(const Node& root) { return SetInTable(&root, PlanKeys(), 0, ""); }

 private:
  // `node` may be null: the plan leaves the value out.
  absl::StatusOr<NodePtr> Set(const Node* node, const ValueSpec* spec, size_t depth,
                              const std::string& path) {
    if (depth == segments_.size()) return value_;
    const ValueKind kind = spec == nullptr ? ValueKind::kText : spec->kind;
    if (node != nullptr && node->kind == Node::Kind::kScalar) {
      return Error(absl::StrCat(path, " is the single value ", Describe(*node), ": set it as a whole"));
    }
    switch (kind) {
      case ValueKind::kMap:
      case ValueKind::kThreshold:
        return SetInTable(node, *spec->table, depth, path);
      case ValueKind::kNamedMap:
        return SetNamed(node, *spec->item, spec->item->kind == ValueKind::kMap, depth, path);
      case ValueKind::kAxes:
        return SetAxis(node, depth, path);
      case ValueKind::kList:
        return SetItem(node, spec->item, depth, path);
      default:
        if (node != nullptr && node->kind == Node::Kind::kList) return SetItem(node, nullptr, depth, path);
        return Error(absl::StrCat(path, " is a single value: nothing lies below it"));
    }
  }

  absl::StatusOr<NodePtr> SetInTable(const Node* node, const KeyTable& table, size_t depth,
                                     const std::string& path) {
    const std::string& key = segments_[depth].key;
    if (key.empty()) return Error(absl::StrCat(path, " is no list: write a key, not an index"));
    const KeySpec* spec = table.Find(key);
    if (spec == nullptr) {
      return Error(
          absl::StrCat("\"", key, "\" is not a key of ", table.what, DidYouMean(key, table.Names())));
    }
    return SetEntry(node, key, &spec->value, depth, path);
  }

  absl::StatusOr<NodePtr> SetNamed(const Node* node, const ValueSpec& item, bool must_exist, size_t depth,
                                   const std::string& path) {
    const std::string& key = segments_[depth].key;
    if (key.empty()) return Error(absl::StrCat(path, " is no list: write a name, not an index"));
    if (must_exist && Find(node, key) == nullptr) return NotThere(node, key, path);
    return SetEntry(node, key, &item, depth, path);
  }

  absl::StatusOr<NodePtr> SetAxis(const Node* node, size_t depth, const std::string& path) {
    const std::string& key = segments_[depth].key;
    if (key.empty()) return Error("matrix is no list: write the name of an axis, not an index");
    if (Find(node, key) == nullptr) return NotThere(node, key, path);
    if (depth + 1 < segments_.size()) {
      return Error(absl::StrCat("an axis is set as a whole: write matrix.", key, "=[VALUE, VALUE]"));
    }
    return SetEntry(node, key, nullptr, depth, path);
  }

  absl::StatusOr<NodePtr> SetEntry(const Node* node, const std::string& key, const ValueSpec* spec,
                                   size_t depth, const std::string& path) {
    const Entry* old = FindEntry(node, key);
    absl::StatusOr<NodePtr> value =
        Set(old == nullptr ? nullptr : old->value.get(), spec, depth + 1, JoinPath(path, key));
    if (!value.ok()) return value.status();
    const Position here{0, 0, origin_};
    std::vector<Entry> entries;
    if (node != nullptr) entries = node->entries;
    bool replaced = false;
    for (Entry& entry : entries) {
      if (entry.key != key) continue;
      entry.value = *value;
      replaced = true;
    }
    if (!replaced) entries.push_back(Entry{key, here, *std::move(value)});
    return MakeMap(node == nullptr ? here : node->position, std::move(entries));
  }

  absl::StatusOr<NodePtr> SetItem(const Node* node, const ValueSpec* item, size_t depth,
                                  const std::string& path) {
    if (node == nullptr || node->kind != Node::Kind::kList) {
      return Error(absl::StrCat(path, " is not in the plan: set it as a whole"));
    }
    const Segment& segment = segments_[depth];
    size_t index = node->items.size();
    if (segment.index) {
      index = *segment.index;
      if (index >= node->items.size()) {
        return Error(absl::StrCat(path, "[", index, "] does not exist: the list has ", node->items.size(),
                                  node->items.size() == 1 ? " item" : " items", ", counted from 0"));
      }
    } else {
      std::vector<std::string> names;
      for (size_t i = 0; i < node->items.size(); ++i) {
        const Node* name = Find(node->items[i].get(), "name");
        names.push_back(name != nullptr ? name->text : absl::StrCat("entry-", i + 1));
        if (names.back() == segment.key) index = i;
      }
      if (index == node->items.size()) {
        return Error(
            absl::StrCat(path, " has no item named \"", segment.key, "\"", DidYouMean(segment.key, names)));
      }
    }
    absl::StatusOr<NodePtr> value =
        Set(node->items[index].get(), item, depth + 1, absl::StrCat(path, "[", index, "]"));
    if (!value.ok()) return value.status();
    std::vector<NodePtr> items = node->items;
    items[index] = *std::move(value);
    return MakeList(node->position, std::move(items));
  }

  absl::Status NotThere(const Node* node, const std::string& key, const std::string& path) {
    std::vector<std::string> known;
    if (node != nullptr) {
      for (const Entry& entry : node->entries) known.push_back(entry.key);
    }
    return Error(absl::StrCat("the plan's ", path,
                              known.empty() ? " is empty" : absl::StrCat(" has no \"", key, "\""),
                              DidYouMean(key, known)));
  }

  absl::Status Error(const std::string& message) { return absl::InvalidArgumentError(message); }

  const std::vector<Segment> segments_;
  const NodePtr value_;
  const std::string origin_;
};

}  // namespace

NodePtr ApplyOverride(const NodePtr& root, const std::string& argument, ErrorList& errors) {
  const Position here{0, 0, argument.empty() ? "\"\"" : argument};
  const size_t equals = argument.find('=');
  if (equals == std::string::npos || equals == 0) {
    errors.Add(here, "", "an override is KEY=VALUE, as in timing.measure=2s");
    return root;
  }
  const std::string path = argument.substr(0, equals);
  absl::StatusOr<std::vector<Segment>> segments = ParsePath(path);
  if (!segments.ok()) {
    errors.Add(here, "", std::string(segments.status().message()));
    return root;
  }
  NodePtr value = ReadYamlValue(std::string_view(argument).substr(equals + 1), argument, errors);
  if (value == nullptr) return root;
  absl::StatusOr<NodePtr> changed = Setter(*std::move(segments), std::move(value), argument).SetInPlan(*root);
  if (!changed.ok()) {
    errors.Add(here, path, std::string(changed.status().message()));
    return root;
  }
  return *std::move(changed);
}

}  // namespace tutti::plan
