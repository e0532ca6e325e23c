#include "common/facts/number_ranges.h"

#include <cstddef>

#include "absl/strings/str_cat.h"

namespace tutti {

std::string NumberRanges(const std::vector<uint32_t>& numbers) {
  std::string text;
  for (size_t begin = 0; begin < numbers.size();) {
    size_t end = begin + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    absl::StrAppend(&text, text.empty() ? "" : ",", numbers[begin]);
    if (end - begin > 1) absl::StrAppend(&text, "-", numbers[end - 1]);
    begin = end;
  }
  return text;
}

}  // namespace tutti
