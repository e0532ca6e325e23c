// A plan's YAML as a tree that remembers where each value was written.
//
// Trees are immutable and share their parts: replacing one value copies only the path to it, and the cases of
// a matrix share everything that they do not vary. Thread-safe, as all readers are.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::plan {

struct Node;
using NodePtr = std::shared_ptr<const Node>;

// Where a value was written.
struct Position {
  int line = 0;        // from 1; 0: not in the file
  int column = 0;      // from 1, in bytes
  std::string origin;  // the --set argument that brought the value; empty: the file

  bool operator==(const Position&) const = default;
};

struct Entry {
  std::string key;
  Position key_position;
  NodePtr value;
};

struct Node {
  enum class Kind { kNull, kScalar, kList, kMap };

  Kind kind = Kind::kNull;
  Position position;
  std::string text;            // of a scalar
  bool plain = true;           // a scalar without quotes
  std::vector<NodePtr> items;  // of a list
  std::vector<Entry> entries;  // of a map, in the order of the file; keys are distinct
  size_t nodes = 1;            // of this subtree, shared parts counted each time
  bool has_reference = false;  // "${" occurs in it
  bool broken = false;         // stands for a value whose error is already listed
};

NodePtr MakeScalar(Position position, std::string text, bool plain);
NodePtr MakeNull(Position position);
NodePtr MakeBroken(Position position);
NodePtr MakeList(Position position, std::vector<NodePtr> items);
NodePtr MakeMap(Position position, std::vector<Entry> entries);

// The value of `key`, or nullptr if `map` is null, no map, or has no such key.
const Node* Find(const Node* map, std::string_view key);
const Entry* FindEntry(const Node* map, std::string_view key);

// "a map", "the list [1, 2]": what a person would call it in an error.
std::string Describe(const Node& node);
// YAML flow style: "1MiB", "[a, b]", "{send: 1MiB}".
std::string ToFlowText(const Node& node);

}  // namespace tutti::plan
