#include <cmath>
#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/units/units.h"

namespace tutti {
namespace {

// Without the zeros that end a fraction: "1.500" -> "1.5", "2.00" -> "2".
std::string Trimmed(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

// At most four significant digits, at most three decimals.
std::string FourDigits(double value) {
  const int decimals = value < 10 ? 3 : value < 100 ? 2 : value < 1000 ? 1 : 0;
  return Trimmed(absl::StrFormat("%.*f", decimals, value));
}

}  // namespace

std::string FormatSize(uint64_t bytes) {
  if (bytes == 0) return "0B";
  static constexpr const char* kNames[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  int unit = 0;
  while (unit < 5 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++unit;
  }
  return absl::StrCat(bytes, kNames[unit]);
}

std::string FormatRate(double bps) {
  if (!std::isfinite(bps)) return "-";
  if (bps < 0) return absl::StrCat("-", FormatRate(-bps));
  static constexpr const char* kNames[] = {" bps", " Kbps", " Mbps", " Gbps"};
  int unit = 0;
  // The bound is where the coarsest rounding below would print 1000.0.
  while (unit < 3 && bps >= 999.95) {
    bps /= 1000;
    ++unit;
  }
  if (unit == 0) return absl::StrCat(Trimmed(absl::StrFormat("%.1f", bps)), kNames[0]);
  return absl::StrFormat("%.*f%s", bps < 9.995 ? 2 : 1, bps, kNames[unit]);
}

std::string FormatDuration(int64_t ns) {
  if (ns == 0) return "0s";
  // In double beyond 2^53 ns (104 days) only the digits that are not printed are lost.
  const double positive = std::fabs(static_cast<double>(ns));
  const char* sign = ns < 0 ? "-" : "";
  constexpr int64_t kSecond = 1'000'000'000;
  if (ns % (3600 * kSecond) == 0) return absl::StrCat(ns / (3600 * kSecond), "h");
  if (ns % (60 * kSecond) == 0) return absl::StrCat(ns / (60 * kSecond), "m");
  if (positive >= 999.95e6) {
    if (positive >= 1000e9) return absl::StrFormat("%s%.0fs", sign, positive / 1e9);
    return absl::StrCat(sign, FourDigits(positive / 1e9), "s");
  }
  if (positive >= 999.95e3) return absl::StrCat(sign, FourDigits(positive / 1e6), "ms");
  return absl::StrCat(sign, FourDigits(positive / 1e3), "us");
}

std::string FormatTimeLeft(int64_t left_ns) {
  constexpr int64_t kSecond = 1'000'000'000;
  constexpr int64_t kMinute = 60 * kSecond;
  constexpr int64_t kHour = 60 * kMinute;
  if (left_ns <= 0) return "past its expected end";
  if (left_ns < kSecond) return "less than 1s left";
  const auto about = [left_ns](int64_t unit_ns, const char* unit) {
    const int64_t rounded = left_ns / unit_ns + (left_ns % unit_ns >= unit_ns / 2 ? 1 : 0);
    return absl::StrCat("about ", rounded, unit, " left");
  };
  if (left_ns < 2 * kMinute) return about(kSecond, "s");
  if (left_ns < 2 * kHour) return about(kMinute, "m");
  return about(kHour, "h");
}

std::string FormatPercent(double ratio) {
  if (!std::isfinite(ratio)) return "-";
  const double percent = ratio * 100;
  std::string text = absl::StrFormat("%.2f", percent);
  // Rounding must not turn "almost" into all or nothing: 99.999% of overlap is not 100%, 0.001% of loss is
  // not 0.
  if (percent < 100 && text == "100.00") return "99.99+%";
  if (percent > 0 && text == "0.00") return "<0.01%";
  if (percent < 0 && text == "-0.00") text = "0.00";
  return absl::StrCat(Trimmed(text), "%");
}

}  // namespace tutti
