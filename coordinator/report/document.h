// What a command has to say to a program: one tree of values, printed as JSON or YAML. Pure; thread-safe, as
// all readers are.
#pragma once

#include <google/protobuf/message.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace tutti::report {

// A value with everything below it, owned. Maps keep the order in which they were filled.
struct Document {
  enum class Kind { kWord, kText, kList, kMap };

  Kind kind = Kind::kWord;
  std::string text = "null";      // of a text; of a word null, true, false or a number as JSON writes it
  std::vector<std::string> keys;  // of a map, one for each item
  std::vector<Document> items;    // of a list or map

  static Document Null() { return Document(); }
  static Document Text(std::string_view text);
  static Document OptionalText(const std::optional<std::string>& text);  // null where it is not set
  static Document Number(int64_t number);
  static Document Bool(bool value);
  static Document List();
  static Document Texts(const std::vector<std::string>& texts);
  static Document Map();

  // Of a map and of a list. Return the document itself, so that calls can be chained.
  Document& Add(std::string_view key, Document value);
  Document& Add(Document value);
};

// The tree of a JSON text; numbers keep their characters. InvalidArgument with line and column.
absl::StatusOr<Document> ParseDocument(std::string_view json);
// The tree of RenderMessageJson.
Document MessageDocument(const google::protobuf::Message& message);

// As RenderMessageJson lays it out, with a newline at the end.
std::string DocumentJson(const Document& document);
// YAML 1.2 in block style; lists of scalars stand on one line. Texts that are not plain words stand in the
// quotes of JSON, which YAML reads the same way.
std::string DocumentYaml(const Document& document);

}  // namespace tutti::report
