#include "tests/fuzz/mutation.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace tutti::fuzz {
namespace {

// What parsers of texts trip over.
constexpr std::string_view kTokens[] = {
    "\"",
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\n",
    "- ",
    "  ",
    "null",
    "true",
    "~",
    "&a ",
    "*a",
    "<<: *a",
    "|\n",
    "%",
    "!x ",
    "${streams}",
    "\\u0000",
    "\\ud800",
    "-1",
    "0",
    "1e999",
    "-1e-999",
    "0x10",
    "1KiB",
    "10s",
    "100%",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551616",
    "4294967296",
    "\xEF\xBB\xBF",
    "\xC2\x85",
};

}  // namespace

Mutator::Mutator(uint64_t seed, std::vector<std::string> inputs, size_t most_bytes)
    : random_(seed), inputs_(std::move(inputs)), most_bytes_(most_bytes) {
  if (inputs_.empty()) inputs_.emplace_back();
  for (std::string& input : inputs_) input.resize(std::min(input.size(), most_bytes_));
}

std::string Mutator::Next() {
  std::string input = Any();
  for (size_t changes = 1 + Below(8); changes > 0; --changes) Change(input);
  input.resize(std::min(input.size(), most_bytes_));
  return input;
}

std::string Mutator::Part(const std::string& of) {
  const size_t begin = Below(of.size());
  return of.substr(begin, 1 + Below(of.size() - begin));
}

// The extremes of every width, of either byte order, and of a varint.
std::string Mutator::Number() {
  if (Below(4) == 0) return std::string(9, '\xFF') + '\x01';
  const size_t bytes = size_t{1} << Below(4);
  std::string number(bytes, Below(2) == 0 ? '\0' : '\xFF');
  const size_t top = Below(2) == 0 ? 0 : bytes - 1;
  if (Below(2) == 0) number[top] = number[top] == '\0' ? '\x80' : '\x7F';
  return number;
}

void Mutator::Change(std::string& input) {
  const size_t at = Below(input.size() + 1);
  switch (Below(9)) {
    case 0:
      if (at < input.size()) input[at] = static_cast<char>(input[at] ^ (1 << Below(8)));
      break;
    case 1:
      if (at < input.size()) input[at] = static_cast<char>(random_());
      break;
    case 2:
      for (size_t i = Below(8); i > 0; --i) input.insert(at, 1, static_cast<char>(random_()));
      break;
    case 3:
      input.erase(at, Below(1 + Below(64)));
      break;
    case 4: {
      const std::string part = Part(input).substr(0, 256);
      std::string repeated;
      for (size_t i = 1 + Below(64); i > 0; --i) repeated += part;
      input.insert(at, repeated);
      break;
    }
    case 5: {
      const std::string number = Number();
      input.replace(at, std::min(number.size(), input.size() - at), number);
      break;
    }
    case 6:
      input.erase(at);
      input += Part(Any());
      break;
    case 7:
      input.insert(at, Part(Any()));
      break;
    default:
      input.insert(at, kTokens[Below(std::size(kTokens))]);
      break;
  }
}

}  // namespace tutti::fuzz
