#include "coordinator/plan/yaml_node.h"

#include <utility>

namespace tutti::plan {

NodePtr MakeScalar(Position position, std::string text, bool plain) {
  auto node = std::make_shared<Node>();
  node->kind = Node::Kind::kScalar;
  node->position = std::move(position);
  node->has_reference = text.find("${") != std::string::npos;
  node->text = std::move(text);
  node->plain = plain;
  return node;
}

NodePtr MakeNull(Position position) {
  auto node = std::make_shared<Node>();
  node->position = std::move(position);
  return node;
}

NodePtr MakeBroken(Position position) {
  auto node = std::make_shared<Node>();
  node->position = std::move(position);
  node->broken = true;
  return node;
}

NodePtr MakeList(Position position, std::vector<NodePtr> items) {
  auto node = std::make_shared<Node>();
  node->kind = Node::Kind::kList;
  node->position = std::move(position);
  for (const NodePtr& item : items) {
    node->nodes += item->nodes;
    node->has_reference |= item->has_reference;
  }
  node->items = std::move(items);
  return node;
}

NodePtr MakeMap(Position position, std::vector<Entry> entries) {
  auto node = std::make_shared<Node>();
  node->kind = Node::Kind::kMap;
  node->position = std::move(position);
  for (const Entry& entry : entries) {
    node->nodes += entry.value->nodes;
    node->has_reference |= entry.value->has_reference;
  }
  node->entries = std::move(entries);
  return node;
}

const Entry* FindEntry(const Node* map, std::string_view key) {
  if (map == nullptr) return nullptr;
  for (const Entry& entry : map->entries) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

const Node* Find(const Node* map, std::string_view key) {
  const Entry* entry = FindEntry(map, key);
  return entry == nullptr ? nullptr : entry->value.get();
}

std::string ToFlowText(const Node& node) {
  std::string text;
  switch (node.kind) {
    case Node::Kind::kNull:
      return "null";
    case Node::Kind::kScalar:
      return node.text;
    case Node::Kind::kList:
      for (const NodePtr& item : node.items) text += (text.empty() ? "" : ", ") + ToFlowText(*item);
      return "[" + text + "]";
    case Node::Kind::kMap:
      for (const Entry& entry : node.entries) {
        text += (text.empty() ? "" : ", ") + entry.key + ": " + ToFlowText(*entry.value);
      }
      return "{" + text + "}";
  }
  return text;
}

std::string Describe(const Node& node) {
  constexpr size_t kLongest = 60;
  std::string text = ToFlowText(node);
  if (text.size() > kLongest) {
    size_t end = kLongest;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
      --end;  // not inside a character
    text = text.substr(0, end) + "...";
  }
  switch (node.kind) {
    case Node::Kind::kNull:
      return "nothing";
    case Node::Kind::kScalar:
      return "\"" + text + "\"";
    case Node::Kind::kList:
      return "the list " + text;
    case Node::Kind::kMap:
      return "the map " + text;
  }
  return text;
}

}  // namespace tutti::plan
