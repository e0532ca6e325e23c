#include "coordinator/api/http/target.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/status/macros.h"
#include "common/status/printable.h"

namespace tutti::http {
namespace {

constexpr char kHexDigits[] = "0123456789ABCDEF";

absl::Status Bad(std::string_view text, std::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrCat("the address has \"", Printable(text), "\": ", absl::string_view(why.data(), why.size())));
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

absl::StatusOr<std::string> Decode(std::string_view text, bool plus_is_blank) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_blank) {
      decoded += ' ';
    } else if (text[i] != '%') {
      decoded += text[i];
    } else {
      const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? HexDigit(text[i + 2]) : -1;
      if (high < 0 || low < 0) return Bad(text, "two hexadecimal digits have to follow each %");
      decoded += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  for (size_t i = 0; i < decoded.size();) {
    const size_t length = Utf8CharacterLength(std::string_view(decoded).substr(i));
    if (length == 0) return Bad(text, "it is not UTF-8");
    i += length;
  }
  if (FindControlCharacter(decoded)) return Bad(text, "it holds a control character");
  return decoded;
}

absl::Status ReadPath(std::string_view path, Target& target) {
  while (true) {
    path.remove_prefix(1);  // the slash
    const size_t end = path.find('/');
    absl::StatusOr<std::string> segment = Decode(path.substr(0, end), false);
    if (!segment.ok()) return segment.status();
    if (*segment == "." || *segment == "..") return Bad(*segment, "write the path without it");
    target.segments.push_back(*std::move(segment));
    if (end == std::string_view::npos) return absl::OkStatus();
    path.remove_prefix(end);
  }
}

absl::Status ReadQuery(std::string_view query, Target& target) {
  while (!query.empty()) {
    const size_t end = query.find('&');
    const std::string_view one = query.substr(0, end);
    query.remove_prefix(end == std::string_view::npos ? query.size() : end + 1);
    if (one.empty()) continue;
    const size_t equals = one.find('=');
    TUTTI_ASSIGN_OR_RETURN(std::string key, Decode(one.substr(0, equals), true));
    std::string value;
    if (equals != std::string_view::npos) {
      TUTTI_ASSIGN_OR_RETURN(value, Decode(one.substr(equals + 1), true));
    }
    target.query.emplace_back(std::move(key), std::move(value));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Target> ParseTarget(std::string_view text) {
  constexpr std::string_view kScheme = "http://";
  Target target;
  if (text.substr(0, kScheme.size()) == kScheme) {
    text.remove_prefix(kScheme.size());
    const size_t end = text.find_first_of("/?");
    target.authority = std::string(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end);
    if (target.authority.empty()) return Bad(text, "the host is missing");
  }
  if (text.find('#') != std::string_view::npos) return Bad(text, "a fragment is not sent to a server");
  const size_t question = text.find('?');
  const std::string_view path = text.substr(0, question);
  if (path.empty() || path.front() != '/') return Bad(text, "a path begins with a slash");
  TUTTI_RETURN_IF_ERROR(ReadPath(path, target));
  if (question != std::string_view::npos) TUTTI_RETURN_IF_ERROR(ReadQuery(text.substr(question + 1), target));
  return target;
}

std::string PercentEncode(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    const bool unreserved = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                            c == '-' || c == '.' || c == '_' || c == '~';
    if (unreserved) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += '%';
    encoded += kHexDigits[byte >> 4];
    encoded += kHexDigits[byte & 15];
  }
  return encoded;
}

}  // namespace tutti::http
