#include "coordinator/plan/text_check.h"

#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/status/printable.h"
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

bool CheckControlCharacters(std::string_view text, const std::string& origin, ErrorList& errors) {
  std::optional<ControlCharacter> found = FindControlCharacter(text);
  while (found && (found->code == '\n' || found->code == '\t' || found->code == '\r')) {
    found = FindControlCharacter(text, found->offset + 1);
  }
  if (!found) return true;
  errors.Add(At(text, found->offset, origin), "",
             absl::StrFormat("the control character 0x%02X cannot be in a plan: remove it", found->code));
  return false;
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
    const size_t length = Utf8CharacterLength(text.substr(valid));
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
