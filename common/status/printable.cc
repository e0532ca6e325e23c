#include "common/status/printable.h"

#include "absl/strings/str_format.h"

namespace tutti {
namespace {

constexpr unsigned kDelete = 0x7F;
constexpr unsigned kLastOfC0 = 0x1F;
constexpr unsigned kLastOfC1 = 0x9F;

unsigned ByteAt(std::string_view text, size_t i) { return static_cast<unsigned char>(text[i]); }

// The control character at `offset`, of which C1 takes two bytes in UTF-8: 0xC2 and its code.
std::optional<ControlCharacter> ControlAt(std::string_view text, size_t offset) {
  const unsigned first = ByteAt(text, offset);
  if (first <= kLastOfC0 || first == kDelete) return ControlCharacter{offset, first};
  if (first != 0xC2 || offset + 1 >= text.size()) return std::nullopt;
  const unsigned second = ByteAt(text, offset + 1);
  if (second < 0x80 || second > kLastOfC1) return std::nullopt;
  return ControlCharacter{offset, second};
}

std::string Escape(unsigned code) {
  switch (code) {
    case '\n':
      return "\\n";
    case '\t':
      return "\\t";
    case '\r':
      return "\\r";
    default:
      return absl::StrFormat("\\x%02X", code);
  }
}

// A mark that turns the direction of writing (Unicode's Bidi_Control), which can make a text look like
// another, or that ends a line (U+2028, U+2029); 0: there is none.
unsigned MarkAt(std::string_view text, size_t offset) {
  if (text.substr(offset, 2) == "\xD8\x9C") return 0x061C;
  if (offset + 2 >= text.size() || ByteAt(text, offset) != 0xE2) return 0;
  const unsigned code = 0x2000 + ((ByteAt(text, offset + 1) & 0x3F) << 6) + (ByteAt(text, offset + 2) & 0x3F);
  const bool acts = code == 0x200E || code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
                    (code >= 0x2066 && code <= 0x2069);
  return acts ? code : 0;
}

std::string WriteOut(std::string_view text, bool keep_line_breaks) {
  std::string printable;
  printable.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const size_t length = Utf8CharacterLength(text.substr(i));
    const std::optional<ControlCharacter> control = ControlAt(text, i);
    if (keep_line_breaks && text[i] == '\n') {
      printable += '\n';
    } else if (control) {
      printable += Escape(control->code);
    } else if (length == 0) {
      printable += Escape(ByteAt(text, i));
    } else if (const unsigned mark = MarkAt(text, i); mark != 0) {
      printable += absl::StrFormat("\\u%04X", mark);
    } else {
      printable.append(text.substr(i, length));
    }
    i += length == 0 ? 1 : length;
  }
  return printable;
}

}  // namespace

size_t Utf8CharacterLength(std::string_view text) {
  if (text.empty()) return 0;
  const unsigned first = ByteAt(text, 0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  // The second byte's range is what excludes overlong forms, surrogates and values over U+10FFFF.
  unsigned low = 0x80, high = 0xBF;
  if (first == 0xE0) low = 0xA0;
  if (first == 0xED) high = 0x9F;
  if (first == 0xF0) low = 0x90;
  if (first == 0xF4) high = 0x8F;
  if (ByteAt(text, 1) < low || ByteAt(text, 1) > high) return 0;
  for (size_t i = 2; i < length; ++i) {
    if ((ByteAt(text, i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

std::optional<ControlCharacter> FindControlCharacter(std::string_view text, size_t from) {
  for (size_t i = from; i < text.size(); ++i) {
    if (std::optional<ControlCharacter> found = ControlAt(text, i)) return found;
  }
  return std::nullopt;
}

std::string Printable(std::string_view text) { return WriteOut(text, false); }
std::string PrintableLines(std::string_view text) { return WriteOut(text, true); }

std::string ValidUtf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const size_t length = Utf8CharacterLength(text.substr(i));
    valid.append(length == 0 ? std::string_view("\xEF\xBF\xBD") : text.substr(i, length));
    i += length == 0 ? 1 : length;
  }
  return valid;
}

}  // namespace tutti
