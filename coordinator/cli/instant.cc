#include "coordinator/cli/instant.h"

#include <time.h>

#include "absl/strings/str_cat.h"
#include "common/units/units.h"

namespace tutti::cli {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;

}  // namespace

absl::StatusOr<int64_t> ParseInstant(const std::string& text, int64_t now_unix_ns) {
  if (const absl::StatusOr<int64_t> ago_ns = ParseDurationNs(text); ago_ns.ok()) return now_unix_ns - *ago_ns;
  for (const char* form : {"%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"}) {
    tm local{};
    const char* end = strptime(text.c_str(), form, &local);
    if (end == nullptr || *end != '\0') continue;
    local.tm_isdst = -1;  // mktime finds out
    return static_cast<int64_t>(mktime(&local)) * kSecondNs;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "\"", text, "\" is no instant; write how long ago (24h), a day (2026-11-30) or 2026-11-30T14:05:00"));
}

std::string FormatInstant(int64_t unix_ns) {
  const time_t seconds = unix_ns / kSecondNs;
  tm local{};
  localtime_r(&seconds, &local);
  char text[32] = {};
  strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &local);
  return text;
}

}  // namespace tutti::cli
