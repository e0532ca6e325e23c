#include "coordinator/plan/substitution.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/suggestion/suggestion.h"
#include "coordinator/plan/check_shape.h"

namespace tutti::plan {
namespace {

// A text cut at its references: literal, axis, literal, axis, ..., literal.
struct Pieces {
  std::vector<std::string> literals;
  std::vector<std::string> axes;
  bool closed = true;  // every "${" has its "}"
};

Pieces Cut(const std::string& text) {
  Pieces pieces;
  size_t from = 0;
  while (true) {
    const size_t open = text.find("${", from);
    if (open == std::string::npos) break;
    const size_t close = text.find('}', open);
    if (close == std::string::npos) {
      pieces.closed = false;
      break;
    }
    pieces.literals.push_back(text.substr(from, open - from));
    pieces.axes.push_back(text.substr(open + 2, close - open - 2));
    from = close + 1;
  }
  pieces.literals.push_back(text.substr(from));
  return pieces;
}

NodePtr SubstituteScalar(const Node& node, const AxisValues& values, const std::string& path,
                         ErrorList& errors) {
  const Pieces pieces = Cut(node.text);
  if (!pieces.closed) {
    errors.Add(node.position, path, absl::StrCat(Describe(node), " has no } behind its ${: write ${AXIS}"));
    return MakeBroken(node.position);
  }
  std::string text = pieces.literals[0];
  Position position = node.position;
  for (size_t i = 0; i < pieces.axes.size(); ++i) {
    const std::string& axis = pieces.axes[i];
    auto found = values.find(axis);
    if (found == values.end()) {
      std::vector<std::string> known;
      for (const auto& [name, value] : values) known.push_back(name);
      errors.Add(node.position, path,
                 absl::StrCat("${", axis, "} is not an axis of the matrix",
                              known.empty() ? ": the plan has no axes" : DidYouMean(axis, known)));
      return MakeBroken(node.position);
    }
    const Node& value = *found->second;
    if (value.broken) return MakeBroken(node.position);
    if (pieces.axes.size() == 1 && pieces.literals[0].empty() && pieces.literals[1].empty())
      return found->second;
    if (value.kind != Node::Kind::kScalar) {
      errors.Add(value.position, path,
                 absl::StrCat(Describe(value), " cannot stand inside the text ", Describe(node), ": ${", axis,
                              "} must be the whole value"));
      return MakeBroken(node.position);
    }
    absl::StrAppend(&text, value.text, pieces.literals[i + 1]);
    position = value.position;
  }
  return MakeScalar(position, std::move(text), true);
}

}  // namespace

NodePtr Substitute(const NodePtr& tree, const AxisValues& values, const std::string& path,
                   ErrorList& errors) {
  if (!tree->has_reference) return tree;
  switch (tree->kind) {
    case Node::Kind::kNull:
      return tree;
    case Node::Kind::kScalar:
      return SubstituteScalar(*tree, values, path, errors);
    case Node::Kind::kList: {
      std::vector<NodePtr> items;
      for (size_t i = 0; i < tree->items.size(); ++i) {
        items.push_back(Substitute(tree->items[i], values, absl::StrCat(path, "[", i, "]"), errors));
      }
      return MakeList(tree->position, std::move(items));
    }
    case Node::Kind::kMap: {
      std::vector<Entry> entries;
      for (const Entry& entry : tree->entries) {
        entries.push_back(Entry{entry.key, entry.key_position,
                                Substitute(entry.value, values, JoinPath(path, entry.key), errors)});
      }
      return MakeMap(tree->position, std::move(entries));
    }
  }
  return tree;
}

NodePtr SubstituteCase(const NodePtr& root, const AxisValues& values, ErrorList& errors) {
  std::vector<Entry> sections;
  for (const Entry& entry : root->entries) {
    const bool fixed = entry.key == "matrix" || entry.key == "version" || entry.key == "name";
    sections.push_back(Entry{entry.key, entry.key_position,
                             fixed ? entry.value : Substitute(entry.value, values, entry.key, errors)});
  }
  return MakeMap(root->position, std::move(sections));
}

void CollectReferences(const Node& tree, std::set<std::string>& names) {
  if (!tree.has_reference) return;
  if (tree.kind == Node::Kind::kScalar) {
    for (const std::string& axis : Cut(tree.text).axes) names.insert(axis);
  }
  for (const NodePtr& item : tree.items) CollectReferences(*item, names);
  for (const Entry& entry : tree.entries) CollectReferences(*entry.value, names);
}

}  // namespace tutti::plan
