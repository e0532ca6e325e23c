// Quantities as a plan writes them and as a report prints them.
//
// Sizes: B, KiB, MiB, GiB, TiB, PiB. Rates: bps, Kbps, Mbps, Gbps, and of messages pps, Kpps, Mpps (powers of
// 1000). Durations: us, ms, s, m, h. Decimals are allowed where the value is whole in the base unit
// ("1.5KiB", "0.5s"). Bare numbers and the ambiguous k, K, m, M, g, G, and of sizes t, T, p, P, KB to PB, are
// errors that name both readings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace tutti {

absl::StatusOr<uint64_t> ParseSizeBytes(std::string_view text);
absl::StatusOr<uint64_t> ParseRateBps(std::string_view text);
// Messages per second: "5000pps", "1.5Mpps" (powers of 1000).
bool IsMessageRate(std::string_view text);
absl::StatusOr<uint64_t> ParseMessageRate(std::string_view text);
absl::StatusOr<int64_t> ParseDurationNs(std::string_view text);
// "99%" -> 0.99; within 0% to 100%.
absl::StatusOr<double> ParsePercent(std::string_view text);
// A number with exactly `unit` behind it: "0.6us/KB", "50000/s", "1.5cores"; of an empty unit the number
// alone.
absl::StatusOr<double> ParseWithUnit(std::string_view text, std::string_view unit);

// The shortest exact form with the largest unit: "1472B", "1MiB", "1536KiB".
std::string FormatSize(uint64_t bytes);
// Three to four significant digits: "4.20 Gbps", "941.5 Mbps", "0 bps".
std::string FormatRate(double bps);
// Exact where short: "10s", "1.5s", "100ms", "12.3us".
std::string FormatDuration(int64_t ns);
// "about 35s left" (below two minutes), "about 4m left" (below two hours), "about 3h left"; of 0 "past its
// expected end". The words for whatever has an expected end, the same wherever they are told.
std::string FormatTimeLeft(int64_t left_ns);
// 0.0123 -> "1.23%".
std::string FormatPercent(double ratio);

}  // namespace tutti
