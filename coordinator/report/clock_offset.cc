#include "coordinator/report/clock_offset.h"

#include "absl/strings/str_format.h"

namespace tutti::report {

std::string FormatClockOffset(int64_t ns) {
  const uint64_t magnitude = ns < 0 ? 0 - static_cast<uint64_t>(ns) : static_cast<uint64_t>(ns);
  return absl::StrFormat("%s%d.%09d s", ns < 0 ? "-" : "+", magnitude / 1'000'000'000,
                         magnitude % 1'000'000'000);
}

}  // namespace tutti::report
