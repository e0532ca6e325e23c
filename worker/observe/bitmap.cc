#include "worker/observe/bitmap.h"

#include <charconv>
#include <cstddef>
#include <string>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace tutti::observe {
namespace {

constexpr size_t kDigitsPerGroup = 8;
constexpr uint32_t kBitsPerGroup = 32;

bool ParseGroup(const std::string& digits, bool first, uint32_t* bits) {
  if (first ? digits.size() > kDigitsPerGroup : digits.size() != kDigitsPerGroup) return false;
  const char* end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, *bits, 16);
  return parsed.ec == std::errc() && parsed.ptr == end;
}

}  // namespace

absl::StatusOr<std::vector<uint32_t>> ParseBitmap(std::string_view text) {
  const std::vector<std::string> groups = absl::StrSplit(absl::string_view(text.data(), text.size()), ',');
  std::vector<uint32_t> numbers;
  uint32_t lowest = 0;
  for (size_t at = groups.size(); at-- > 0; lowest += kBitsPerGroup) {
    uint32_t bits = 0;
    if (!ParseGroup(groups[at], at == 0, &bits)) {
      return absl::InvalidArgumentError(
          absl::StrCat("\"", std::string(text), "\" is not a bitmap such as ff,00000001"));
    }
    for (uint32_t bit = 0; bit < kBitsPerGroup; ++bit) {
      if ((bits >> bit & 1u) != 0) numbers.push_back(lowest + bit);
    }
  }
  return numbers;
}

}  // namespace tutti::observe
