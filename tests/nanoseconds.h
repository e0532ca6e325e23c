// Spans of time in ns, for tests.
#pragma once

#include <cstdint>

namespace tutti {

inline constexpr int64_t kUs = 1'000;
inline constexpr int64_t kMs = 1'000 * kUs;
inline constexpr int64_t kSecond = 1'000 * kMs;
inline constexpr int64_t kMinute = 60 * kSecond;
inline constexpr int64_t kHour = 60 * kMinute;
inline constexpr int64_t kDay = 24 * kHour;

}  // namespace tutti
