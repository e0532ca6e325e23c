#include "coordinator/report/json_text.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/status/printable.h"

namespace tutti::report {
namespace {

void AppendCodePoint(uint32_t code, std::string& out) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (code >> 18));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

bool IsNumberCharacter(char c) {
  return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

}  // namespace

void AppendJsonString(std::string_view text, std::string& out) {
  out += '"';
  while (!text.empty()) {
    const size_t length = Utf8CharacterLength(text);
    const char c = text[0];
    if (length == 0) {
      out += "\xEF\xBF\xBD";
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (length == 1 && (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)) {
      absl::StrAppendFormat(&out, "\\u%04x", static_cast<unsigned>(c));
    } else {
      out.append(text.data(), length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

void JsonReader::SkipBlanks() {
  while (at_ < text_.size() &&
         (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) {
    ++at_;
  }
}

char JsonReader::Peek() {
  SkipBlanks();
  return at_ < text_.size() ? text_[at_] : '\0';
}

bool JsonReader::Accept(char c) {
  if (Peek() != c || at_ >= text_.size()) return false;
  ++at_;
  return true;
}

absl::Status JsonReader::Error(std::string_view what) const {
  size_t line = 1;
  size_t column = 1;
  for (size_t i = 0; i < at_ && i < text_.size(); ++i) {
    column = text_[i] == '\n' ? 1 : column + 1;
    if (text_[i] == '\n') ++line;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("line ", line, ", column ", column, ": ", absl::string_view(what.data(), what.size())));
}

absl::Status JsonReader::Expect(char c) {
  if (Accept(c)) return absl::OkStatus();
  return Error(
      absl::StrFormat("'%c' is expected%s", c, at_ >= text_.size() ? ", the document ends here" : ""));
}

bool JsonReader::AcceptWord(std::string_view word) {
  SkipBlanks();
  if (text_.substr(at_, word.size()) != word) return false;
  at_ += word.size();
  return true;
}

absl::Status JsonReader::ExpectEnd() {
  SkipBlanks();
  return at_ == text_.size() ? absl::OkStatus() : Error("the document should end here");
}

absl::StatusOr<std::string> JsonReader::ReadNumber() {
  SkipBlanks();
  const size_t begin = at_;
  while (at_ < text_.size() && IsNumberCharacter(text_[at_])) ++at_;
  if (at_ == begin) return Error("a number is expected");
  return std::string(text_.substr(begin, at_ - begin));
}

absl::StatusOr<uint32_t> JsonReader::ReadHex4() {
  uint32_t code = 0;
  for (int i = 0; i < 4; ++i, ++at_) {
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return Error("four hexadecimal digits are expected after \\u");
    code = code * 16 + static_cast<uint32_t>(digit);
  }
  return code;
}

absl::Status JsonReader::AppendEscape(std::string& out) {
  static constexpr std::string_view kNames = "\"\\/bfnrt";
  static constexpr std::string_view kValues = "\"\\/\b\f\n\r\t";
  const char c = at_ < text_.size() ? text_[at_++] : '\0';
  const size_t known = c == '\0' ? std::string_view::npos : kNames.find(c);
  if (known != std::string_view::npos) {
    out += kValues[known];
    return absl::OkStatus();
  }
  if (c != 'u') return Error("unknown escape in a string");
  absl::StatusOr<uint32_t> code = ReadHex4();
  if (!code.ok()) return code.status();
  if (*code >= 0xD800 && *code < 0xDC00 && text_.substr(at_, 2) == "\\u") {
    at_ += 2;
    const absl::StatusOr<uint32_t> low = ReadHex4();
    if (!low.ok()) return low.status();
    if (*low < 0xDC00 || *low > 0xDFFF) return Error("half of a surrogate pair in a string");
    *code = 0x10000 + ((*code - 0xD800) << 10) + (*low - 0xDC00);
  } else if (*code >= 0xD800 && *code <= 0xDFFF) {
    return Error("half of a surrogate pair in a string");
  }
  AppendCodePoint(*code, out);
  return absl::OkStatus();
}

absl::StatusOr<std::string> JsonReader::ReadString() {
  if (const absl::Status status = Expect('"'); !status.ok()) return status;
  std::string out;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '"') {
      ++at_;
      return out;
    }
    if (c == '\\') {
      ++at_;
      if (const absl::Status status = AppendEscape(out); !status.ok()) return status;
      continue;
    }
    const size_t length = Utf8CharacterLength(text_.substr(at_));
    if (length == 0) return Error("a string that is not UTF-8");
    if (static_cast<unsigned char>(c) < 0x20) return Error("a control character in a string");
    out.append(text_.substr(at_, length));
    at_ += length;
  }
  return Error("a string without an end");
}

}  // namespace tutti::report
