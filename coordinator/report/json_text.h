// The texts that JSON is made of: strings (RFC 8259) and a reader of one value after the other. Pure.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tutti::report {

// With quotes. Bytes that are not UTF-8 become U+FFFD, so that the document is always valid.
void AppendJsonString(std::string_view text, std::string& out);

// Walks over a JSON document; errors are InvalidArgument with line and column. Not thread-safe; `text`
// outlives it.
class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  // The next character that is not blank; 0 at the end.
  char Peek();
  // Consumes `c` if it is next.
  bool Accept(char c);
  absl::Status Expect(char c);
  absl::StatusOr<std::string> ReadString();
  // The characters of a number, unconverted, so that 64-bit integers stay exact.
  absl::StatusOr<std::string> ReadNumber();
  // true, false or null, if one of them is next.
  bool AcceptWord(std::string_view word);
  absl::Status ExpectEnd();
  absl::Status Error(std::string_view what) const;

 private:
  void SkipBlanks();
  absl::Status AppendEscape(std::string& out);
  absl::StatusOr<uint32_t> ReadHex4();

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace tutti::report
