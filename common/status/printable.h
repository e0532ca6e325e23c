// Text that somebody else wrote (plans, labels, file names), made fit for a terminal and a log. Pure;
// thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tutti {

// The length of the UTF-8 character at the start of `text`; 0 if there is none (RFC 3629: no surrogates, no
// overlong forms).
size_t Utf8CharacterLength(std::string_view text);

struct ControlCharacter {
  size_t offset = 0;  // in bytes
  unsigned code = 0;  // U+0000 to U+001F (C0), U+007F (DEL) or U+0080 to U+009F (C1)
};

// The first control character at or behind `from`.
std::optional<ControlCharacter> FindControlCharacter(std::string_view text, size_t from = 0);

// `text` with control characters, marks that turn the direction of writing or end a line, and bytes that are
// not UTF-8 written out, as YAML and C do between double quotes: "\n", "\t", "\x1B", "\u202E". Everything
// else stays as it is.
std::string Printable(std::string_view text);

// The same for a text of several lines: its line breaks stay.
std::string PrintableLines(std::string_view text);

// `text` with U+FFFD for each byte that is not UTF-8, which no string of a message may have; else as it is.
std::string ValidUtf8(std::string_view text);

}  // namespace tutti
