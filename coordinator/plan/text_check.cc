#include "coordinator/plan/text_check.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "coordinator/plan/yaml_reader.h"

namespace tutti::plan {
namespace {

Position At(std::string_view text, size_t offset, const std::string& origin) {
  if (!origin.empty()) return Position{0, 0, origin};
  const std::string_view before = text.substr(0, offset);
  const size_t line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return Position{static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
                  static_cast<int>(offset - line_start) + 1, ""};
}

// The length of the UTF-8 character at the start of `text`, 0 if there is none.
size_t CharacterLength(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  // The second byte's range is what excludes overlong forms, surrogates and values over U+10FFFF.
  unsigned char low = 0x80, high = 0xBF;
  if (first == 0xE0) low = 0xA0;
  if (first == 0xED) high = 0x9F;
  if (first == 0xF0) low = 0x90;
  if (first == 0xF4) high = 0x8F;
  if (byte(1) < low || byte(1) > high) return 0;
  for (size_t i = 2; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

bool CheckControlCharacters(std::string_view text, const std::string& origin, ErrorList& errors) {
  for (size_t i = 0; i < text.size(); ++i) {
    const unsigned char c = static_cast<unsigned char>(text[i]);
    if ((c >= 0x20 && c != 0x7F) || c == '\n' || c == '\t' || c == '\r') continue;
    errors.Add(At(text, i, origin), "",
               absl::StrFormat("the control character 0x%02X cannot be in a plan: remove it", c));
    return false;
  }
  return true;
}

bool CheckTabs(std::string_view text, const std::string& origin, ErrorList& errors) {
  bool indentation = true;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') {
      indentation = true;
    } else if (text[i] == '\t' && indentation) {
      errors.Add(At(text, i, origin), "", "a tab in the indentation: YAML allows spaces only, replace it");
      return false;
    } else if (text[i] != ' ') {
      indentation = false;
    }
  }
  return true;
}

// yaml-cpp's scanner takes seconds over a megabyte of brackets before its parser, which can be stopped, sees
// the first.
bool CheckBrackets(std::string_view text, const std::string& origin, ErrorList& errors) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '[' || c == '{') {
      if (++depth <= kDeepestNesting) continue;
      errors.Add(At(text, i, origin), "", absl::StrCat("nested deeper than ", kDeepestNesting, " levels"));
      return false;
    }
    if (c != ' ' && c != '\n' && c != '\r' && c != '\t') depth = 0;
  }
  return true;
}

}  // namespace

size_t ValidUtf8Prefix(std::string_view text) {
  size_t valid = 0;
  while (valid < text.size()) {
    const size_t length = CharacterLength(text.substr(valid));
    if (length == 0) break;
    valid += length;
  }
  return valid;
}

bool CheckText(std::string_view text, const std::string& origin, ErrorList& errors) {
  const size_t valid = ValidUtf8Prefix(text);
  if (valid < text.size()) {
    errors.Add(At(text, valid, origin), "",
               absl::StrFormat("byte 0x%02X is not UTF-8: save the plan as UTF-8",
                               static_cast<unsigned char>(text[valid])));
    return false;
  }
  const bool characters = CheckControlCharacters(text, origin, errors);
  const bool tabs = CheckTabs(text, origin, errors);
  const bool brackets = CheckBrackets(text, origin, errors);
  return characters && tabs && brackets;
}

}  // namespace tutti::plan
