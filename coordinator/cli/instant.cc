#include "coordinator/cli/instant.h"

#include <time.h>

#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/time/nanoseconds.h"
#include "common/units/units.h"

namespace tutti::cli {
namespace {

// RFC 3339, with a zone.
std::optional<int64_t> ZonedInstant(const std::string& text) {
  absl::Time instant;
  std::string why;
  if (!absl::ParseTime(absl::RFC3339_full, text, &instant, &why)) return std::nullopt;
  // absl knows "infinite-future" and "infinite-past" too.
  if (instant == absl::InfiniteFuture() || instant == absl::InfinitePast()) return std::nullopt;
  return absl::ToUnixNanos(instant);
}

}  // namespace

absl::StatusOr<int64_t> ParseInstant(const std::string& text, int64_t now_unix_ns) {
  if (const absl::StatusOr<int64_t> ago_ns = ParseDurationNs(text); ago_ns.ok()) return now_unix_ns - *ago_ns;
  if (const std::optional<int64_t> zoned_ns = ZonedInstant(text)) return *zoned_ns;
  for (const char* form : {"%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"}) {
    tm local{};
    const char* end = strptime(text.c_str(), form, &local);
    if (end == nullptr || *end != '\0') continue;
    local.tm_isdst = -1;  // mktime finds out
    return static_cast<int64_t>(mktime(&local)) * kNsPerSecond;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "\"", text,
      "\" is no instant; write how long ago (24h), a day (2026-11-30), 2026-11-30T14:05:00 in local time, or "
      "with a zone, 2026-11-30T14:05:00Z"));
}

std::string FormatInstant(int64_t unix_ns) {
  const time_t seconds = unix_ns / kNsPerSecond;
  tm local{};
  localtime_r(&seconds, &local);
  char text[32] = {};
  strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &local);
  return text;
}

std::string FormatInstantMs(int64_t unix_ns) {
  return absl::StrCat(FormatInstant(unix_ns), ".",
                      absl::Dec(unix_ns % kNsPerSecond / kNsPerMs, absl::kZeroPad3));
}

}  // namespace tutti::cli
