// The texts of /proc and /sys, cut into lines, words and numbers.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_split.h"

namespace tutti::observe {

// Without the empty ones.
inline std::vector<std::string> Lines(std::string_view text) {
  return absl::StrSplit(absl::string_view(text.data(), text.size()), '\n', absl::SkipEmpty());
}

// What stands between spaces and tabs.
inline std::vector<std::string> Words(std::string_view line) {
  return absl::StrSplit(absl::string_view(line.data(), line.size()), absl::ByAnyChar(" \t"),
                        absl::SkipEmpty());
}

// The whole word has to be one number without a sign.
inline std::optional<uint64_t> ParseCounter(std::string_view word, int base = 10) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

}  // namespace tutti::observe
