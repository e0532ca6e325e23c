// Instants as a user writes them. Pure but for the time zone of the process; thread-safe.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace tutti::cli {

// "24h" before `now_unix_ns`, "2026-11-30" (its midnight) or "2026-11-30T14:05:00" in local time, or RFC 3339
// with a zone, "2026-11-30T14:05:00Z"; as ns since 1970. InvalidArgument names these four.
absl::StatusOr<int64_t> ParseInstant(const std::string& text, int64_t now_unix_ns);

// "2026-11-30 14:05:00", local time.
std::string FormatInstant(int64_t unix_ns);
// "2026-11-30 14:05:00.123", cut off.
std::string FormatInstantMs(int64_t unix_ns);

}  // namespace tutti::cli
