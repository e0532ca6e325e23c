// Documents as YAML (docs/decisions/0020-configuration-and-completion.md).
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "absl/strings/ascii.h"
#include "coordinator/report/document.h"
#include "coordinator/report/json_text.h"

namespace tutti::report {
namespace {

// What YAML 1.1 or 1.2 takes for something else than a text (yaml.org/type/bool.html, YAML 1.2.2
// section 10.3).
constexpr std::array<std::string_view, 9> kNoTexts = {"null", "true", "false", "yes", "no",
                                                      "on",   "off",  "y",     "n"};

// Begins with a letter and has nothing that a scanner could act on, also between brackets.
bool IsPlain(std::string_view text) {
  if (text.empty() || !absl::ascii_isalpha(static_cast<unsigned char>(text.front()))) return false;
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.' || c == '/';
  });
  std::string lower(text);
  absl::AsciiStrToLower(&lower);
  return plain && std::find(kNoTexts.begin(), kNoTexts.end(), lower) == kNoTexts.end();
}

void AppendText(std::string_view text, std::string& out) {
  if (IsPlain(text)) {
    out += text;
  } else {
    AppendJsonString(text, out);
  }
}

bool IsScalar(const Document& document) {
  return document.kind == Document::Kind::kWord || document.kind == Document::Kind::kText;
}

// Stands behind its key or dash.
bool IsInline(const Document& document) {
  if (IsScalar(document) || document.items.empty()) return true;
  return document.kind == Document::Kind::kList &&
         std::all_of(document.items.begin(), document.items.end(), IsScalar);
}

// YAML 1.1 takes a number with an exponent for a text unless it has a point (yaml.org/type/float.html).
void AppendWord(std::string_view word, std::string& out) {
  const size_t exponent = word.find_first_of("eE");
  const bool number =
      !word.empty() && (absl::ascii_isdigit(static_cast<unsigned char>(word.front())) || word.front() == '-');
  if (!number || exponent == std::string_view::npos || word.find('.') != std::string_view::npos) {
    out += word;
    return;
  }
  out += word.substr(0, exponent);
  out += ".0";
  out += word.substr(exponent);
}

void AppendInline(const Document& document, std::string& out) {
  switch (document.kind) {
    case Document::Kind::kWord:
      AppendWord(document.text, out);
      return;
    case Document::Kind::kText:
      AppendText(document.text, out);
      return;
    case Document::Kind::kMap:
      out += "{}";
      return;
    case Document::Kind::kList:
      break;
  }
  out += '[';
  for (size_t i = 0; i < document.items.size(); ++i) {
    if (i > 0) out += ", ";
    AppendInline(document.items[i], out);
  }
  out += ']';
}

// The first line is already indented, the others by `depth`; ends with a newline.
void AppendBlock(const Document& document, size_t depth, std::string& out) {
  if (IsInline(document)) {
    AppendInline(document, out);
    out += '\n';
    return;
  }
  for (size_t i = 0; i < document.items.size(); ++i) {
    if (i > 0) out.append(depth, ' ');
    const Document& item = document.items[i];
    if (document.kind == Document::Kind::kList) {
      out += "- ";
      AppendBlock(item, depth + 2, out);
      continue;
    }
    AppendText(document.keys[i], out);
    out += ':';
    if (IsInline(item)) {
      out += ' ';
    } else {
      out += '\n';
      out.append(depth + 2, ' ');
    }
    AppendBlock(item, depth + 2, out);
  }
}

}  // namespace

std::string DocumentYaml(const Document& document) {
  std::string out;
  AppendBlock(document, 0, out);
  return out;
}

}  // namespace tutti::report
