#include "coordinator/cli/time_left.h"

#include "absl/strings/str_cat.h"
#include "common/units/units.h"

namespace tutti::cli {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;
constexpr int64_t kMinuteNs = 60 * kSecondNs;

}  // namespace

std::string TimeLeft(int64_t left_ns) {
  if (left_ns < kSecondNs) return "less than 1s left";
  const int64_t step_ns = left_ns < 2 * kMinuteNs ? kSecondNs : kMinuteNs;
  const int64_t rounded_ns = (left_ns + step_ns / 2) / step_ns * step_ns;
  return absl::StrCat("about ", FormatDuration(rounded_ns), " left");
}

}  // namespace tutti::cli
