#include "coordinator/report/document.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status/macros.h"
#include "coordinator/report/json_text.h"
#include "coordinator/report/report.h"

namespace tutti::report {
namespace {

// The messages and schemas of this program nest less; a hostile text must not exhaust the stack.
constexpr int kDeepest = 200;

absl::StatusOr<Document> ReadValue(JsonReader& reader, int depth);

absl::StatusOr<Document> ReadMap(JsonReader& reader, int depth) {
  Document map = Document::Map();
  TUTTI_RETURN_IF_ERROR(reader.Expect('{'));
  if (reader.Accept('}')) return map;
  do {
    TUTTI_ASSIGN_OR_RETURN(const std::string key, reader.ReadString());
    TUTTI_RETURN_IF_ERROR(reader.Expect(':'));
    TUTTI_ASSIGN_OR_RETURN(Document value, ReadValue(reader, depth + 1));
    map.Add(key, std::move(value));
  } while (reader.Accept(','));
  TUTTI_RETURN_IF_ERROR(reader.Expect('}'));
  return map;
}

absl::StatusOr<Document> ReadList(JsonReader& reader, int depth) {
  Document list = Document::List();
  TUTTI_RETURN_IF_ERROR(reader.Expect('['));
  if (reader.Accept(']')) return list;
  do {
    TUTTI_ASSIGN_OR_RETURN(Document value, ReadValue(reader, depth + 1));
    list.Add(std::move(value));
  } while (reader.Accept(','));
  TUTTI_RETURN_IF_ERROR(reader.Expect(']'));
  return list;
}

absl::StatusOr<Document> ReadValue(JsonReader& reader, int depth) {
  if (depth > kDeepest) return reader.Error("nested too deeply");
  const char next = reader.Peek();
  if (next == '{') return ReadMap(reader, depth);
  if (next == '[') return ReadList(reader, depth);
  if (next == '"') {
    TUTTI_ASSIGN_OR_RETURN(const std::string text, reader.ReadString());
    return Document::Text(text);
  }
  if (reader.AcceptWord("null")) return Document::Null();
  if (reader.AcceptWord("true")) return Document::Bool(true);
  if (reader.AcceptWord("false")) return Document::Bool(false);
  Document number;
  TUTTI_ASSIGN_OR_RETURN(number.text, reader.ReadNumber());
  return number;
}

void AppendNewLine(int depth, std::string& out) {
  out += '\n';
  out.append(static_cast<size_t>(depth), ' ');
}

void AppendJson(const Document& document, int depth, std::string& out) {
  switch (document.kind) {
    case Document::Kind::kWord:
      out += document.text;
      return;
    case Document::Kind::kText:
      AppendJsonString(document.text, out);
      return;
    case Document::Kind::kMap:
      out += '{';
      for (size_t i = 0; i < document.items.size(); ++i) {
        if (i > 0) out += ',';
        AppendNewLine(depth + 1, out);
        AppendJsonString(document.keys[i], out);
        out += ": ";
        AppendJson(document.items[i], depth + 1, out);
      }
      if (!document.items.empty()) AppendNewLine(depth, out);
      out += '}';
      return;
    case Document::Kind::kList:
      break;
  }
  const bool of_maps = std::any_of(document.items.begin(), document.items.end(),
                                   [](const Document& item) { return item.kind == Document::Kind::kMap; });
  out += '[';
  for (size_t i = 0; i < document.items.size(); ++i) {
    if (i > 0) out += of_maps ? "," : ", ";
    if (of_maps) AppendNewLine(depth + 1, out);
    AppendJson(document.items[i], depth + 1, out);
  }
  if (of_maps) AppendNewLine(depth, out);
  out += ']';
}

}  // namespace

Document Document::Text(std::string_view text) {
  Document document;
  document.kind = Kind::kText;
  document.text = std::string(text);
  return document;
}

Document Document::OptionalText(const std::optional<std::string>& text) {
  return text ? Text(*text) : Null();
}

Document Document::Number(int64_t number) {
  Document document;
  document.text = absl::StrCat(number);
  return document;
}

Document Document::Bool(bool value) {
  Document document;
  document.text = value ? "true" : "false";
  return document;
}

Document Document::List() {
  Document document;
  document.kind = Kind::kList;
  return document;
}

Document Document::Texts(const std::vector<std::string>& texts) {
  Document list = List();
  for (const std::string& text : texts) list.Add(Text(text));
  return list;
}

Document Document::Map() {
  Document document;
  document.kind = Kind::kMap;
  return document;
}

Document& Document::Add(std::string_view key, Document value) {
  keys.emplace_back(key);
  items.push_back(std::move(value));
  return *this;
}

Document& Document::Add(Document value) {
  items.push_back(std::move(value));
  return *this;
}

absl::StatusOr<Document> ParseDocument(std::string_view json) {
  JsonReader reader(json);
  TUTTI_ASSIGN_OR_RETURN(Document document, ReadValue(reader, 0));
  TUTTI_RETURN_IF_ERROR(reader.ExpectEnd());
  return document;
}

Document MessageDocument(const google::protobuf::Message& message) {
  absl::StatusOr<Document> document = ParseDocument(RenderMessageJson(message, JsonStyle{.indent = false}));
  return document.ok() ? *std::move(document) : Document::Null();  // it is our own JSON
}

std::string DocumentJson(const Document& document) {
  std::string out;
  AppendJson(document, 0, out);
  out += '\n';
  return out;
}

}  // namespace tutti::report
