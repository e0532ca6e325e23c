#include "coordinator/plan/yaml_reader.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/status/printable.h"
#include "coordinator/plan/text_check.h"

namespace tutti::plan {
namespace {

// Thrown through yaml-cpp's parser, which calls itself once per level, to stop it; caught in Read.
struct Refused {};

class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const std::string& origin, ErrorList& errors) : origin_(origin), errors_(errors) {}

  NodePtr TakeRoot() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    // yaml-cpp finds the end of a value that is not there only behind the next line break.
    const bool value_of_key = !stack_.empty() && stack_.back().is_map && stack_.back().has_key;
    Place(mark, anchor, MakeNull(value_of_key ? stack_.back().key_position : At(mark)), 1);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    RefuseTag(mark, tag);
    CheckCharacters(mark, value);
    // yaml-cpp gives plain scalars the tag "?" and quoted ones "!".
    Place(mark, anchor, MakeScalar(At(mark), value, tag != "!"), 1);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    auto found = anchors_.find(anchor);
    if (found == anchors_.end())
      Refuse(mark, "an alias inside the value that it stands for: write the value itself");
    Place(mark, 0, found->second, found->second->nodes);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    Open(mark, tag, anchor, false);
  }
  void OnSequenceEnd() override { Close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    Open(mark, tag, anchor, true);
  }
  void OnMapEnd() override { Close(); }

  [[noreturn]] void Refuse(const YAML::Mark& mark, const std::string& message) {
    errors_.Add(At(mark), "", message);
    throw Refused{};
  }

 private:
  struct Level {
    bool is_map = false;
    YAML::Mark mark;
    YAML::anchor_t anchor = 0;
    std::vector<NodePtr> items;
    std::vector<Entry> entries;
    std::map<std::string, Position> keys;
    bool has_key = false;
    std::string key;
    Position key_position;
  };

  Position At(const YAML::Mark& mark) const {
    if (!origin_.empty()) return Position{0, 0, origin_};
    return Position{mark.line + 1, mark.column + 1, ""};
  }

  void RefuseTag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    Refuse(mark, absl::StrCat("the tag ", tag, " is not part of the plan language: remove it"));
  }

  // The text has none, but quoted scalars can write them ("\x1B"), and those of several lines hold line
  // breaks; of
  // "\N" and "\_" yaml-cpp makes a byte that is no character. Reading goes on, as after a key that occurs
  // twice.
  void CheckCharacters(const YAML::Mark& mark, const std::string& value) {
    const std::optional<ControlCharacter> found = FindControlCharacter(value);
    const size_t valid = ValidUtf8Prefix(value);
    if (!found && valid == value.size()) return;
    const unsigned code = found ? found->code : static_cast<unsigned char>(value[valid]);
    errors_.Add(At(mark), "",
                absl::StrFormat("%s holds 0x%02X, %s, which keys and values do not have",
                                Describe(*MakeScalar(At(mark), value, false)), code,
                                found ? "a control character" : "a byte that is not UTF-8"));
  }

  void Open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, bool is_map) {
    RefuseTag(mark, tag);
    if (stack_.size() >= static_cast<size_t>(kDeepestNesting)) {
      Refuse(mark, absl::StrCat("nested deeper than ", kDeepestNesting, " levels"));
    }
    if (!stack_.empty() && stack_.back().is_map && !stack_.back().has_key) {
      Refuse(mark, "a list or map where a key is due: keys are words; is a bracket or quote not closed?");
    }
    Level level;
    level.is_map = is_map;
    level.mark = mark;
    level.anchor = anchor;
    stack_.push_back(std::move(level));
  }

  void Close() {
    Level level = std::move(stack_.back());
    stack_.pop_back();
    NodePtr node = level.is_map ? MakeMap(At(level.mark), std::move(level.entries))
                                : MakeList(At(level.mark), std::move(level.items));
    Place(level.mark, level.anchor, std::move(node), 1);
  }

  void Count(const YAML::Mark& mark, size_t nodes) {
    nodes_ += nodes;
    if (nodes_ > kMostNodes) {
      Refuse(mark, absl::StrCat("the plan has more than ", kMostNodes, " values, aliases included"));
    }
  }

  // `nodes` is how many values the node adds: an alias all that it stands for, a list or map only itself.
  void Place(const YAML::Mark& mark, YAML::anchor_t anchor, NodePtr node, size_t nodes) {
    Count(mark, nodes);
    if (anchor != 0) anchors_[anchor] = node;
    if (stack_.empty()) {
      root_ = std::move(node);
      return;
    }
    Level& level = stack_.back();
    if (!level.is_map) {
      level.items.push_back(std::move(node));
    } else if (level.has_key) {
      level.entries.push_back(Entry{std::move(level.key), std::move(level.key_position), std::move(node)});
      level.has_key = false;
    } else {
      TakeKey(mark, *node, level);
    }
  }

  void TakeKey(const YAML::Mark& mark, const Node& node, Level& level) {
    if (node.kind != Node::Kind::kScalar || node.text.empty()) Refuse(mark, "an empty key: keys are words");
    auto [known, added] = level.keys.insert({node.text, At(mark)});
    if (!added) {
      // Reading goes on: further errors are wanted too, and the plan is refused anyway.
      const std::string first =
          origin_.empty() ? absl::StrCat(", first in line ", known->second.line) : std::string();
      errors_.Add(At(mark), node.text, absl::StrCat("the key occurs twice", first, ": remove one"));
    }
    level.key = node.text;
    level.key_position = At(mark);
    level.has_key = true;
  }

  const std::string& origin_;
  ErrorList& errors_;
  std::vector<Level> stack_;
  std::map<YAML::anchor_t, NodePtr> anchors_;
  NodePtr root_;
  size_t nodes_ = 0;
};

// Swallows a second document up to its first event, which is all that need be known of it.
class SecondDocument : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override { throw mark; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
  }
  void OnMapEnd() override {}
};

std::string LineOf(std::string_view text, int line) {
  size_t begin = 0;
  for (int i = 0; i < line; ++i) {
    const size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) return "";
    begin = end + 1;
  }
  return std::string(text.substr(begin, text.find('\n', begin) - begin));
}

void AddSyntaxError(std::string_view text, const std::string& origin, const YAML::Exception& error,
                    ErrorList& errors) {
  Position position{0, 0, origin};
  if (origin.empty() && !error.mark.is_null())
    position = Position{error.mark.line + 1, error.mark.column + 1, ""};
  std::string hint;
  if (!error.mark.is_null() && LineOf(text, error.mark.line).find("${") != std::string::npos) {
    hint = ": inside {} and [] write ${...} in quotes, as in {send: \"${size}\"}";
  }
  errors.Add(position, "", absl::StrCat("not valid YAML: ", error.msg, hint));
}

NodePtr Read(std::string_view text, const std::string& origin, ErrorList& errors) {
  const size_t errors_before = errors.size();
  if (text.size() > kMostPlanBytes) {
    errors.Add(Position{0, 0, origin}, "",
               absl::StrCat("the plan has ", text.size(), " bytes, more than 1 MiB: make it smaller"));
    return nullptr;
  }
  if (!CheckText(text, origin, errors)) return nullptr;
  TreeBuilder builder(origin, errors);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    if (parser.HandleNextDocument(builder)) {
      SecondDocument second;
      parser.HandleNextDocument(second);
    }
  } catch (const Refused&) {
    return nullptr;
  } catch (const YAML::Mark& mark) {
    const Position position =
        origin.empty() ? Position{mark.line + 1, mark.column + 1, ""} : Position{0, 0, origin};
    errors.Add(position, "", "a second YAML document begins here: a file holds one plan");
    return nullptr;
  } catch (const YAML::Exception& error) {
    AddSyntaxError(text, origin, error, errors);
    return nullptr;
  } catch (const std::exception& error) {
    errors.Add(Position{0, 0, origin}, "", absl::StrCat("not readable as YAML: ", error.what()));
    return nullptr;
  }
  NodePtr root = builder.TakeRoot();
  if (root == nullptr || root->kind == Node::Kind::kNull) {
    errors.Add(Position{0, 0, origin}, "",
               origin.empty() ? "the plan is empty" : "a value is missing behind the =");
    return nullptr;
  }
  return errors.size() == errors_before ? root : nullptr;
}

}  // namespace

NodePtr ReadYaml(std::string_view text, ErrorList& errors) { return Read(text, "", errors); }

NodePtr ReadYamlValue(std::string_view text, const std::string& origin, ErrorList& errors) {
  return Read(text, origin, errors);
}

}  // namespace tutti::plan
