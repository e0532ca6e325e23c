#include "coordinator/plan/natural_order.h"

#include <cstddef>

namespace tutti::plan {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The run of digits at `i` without leading zeros; `i` moves behind it.
std::string_view TakeNumber(std::string_view text, size_t& i) {
  while (i < text.size() && text[i] == '0') ++i;
  const size_t begin = i;
  while (i < text.size() && IsDigit(text[i])) ++i;
  return text.substr(begin, i - begin);
}

}  // namespace

bool NaturalLess(std::string_view a, std::string_view b) {
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (IsDigit(a[i]) && IsDigit(b[j])) {
      const std::string_view x = TakeNumber(a, i), y = TakeNumber(b, j);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
      continue;
    }
    if (a[i] != b[j]) return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[j]);
    ++i;
    ++j;
  }
  if (i < a.size() || j < b.size()) return j < b.size();
  return a < b;  // host1 and host01 are different names
}

}  // namespace tutti::plan
