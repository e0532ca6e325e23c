// How many nanoseconds a unit of time has.
#pragma once

#include <cstdint>

namespace tutti {

inline constexpr int64_t kNsPerUs = 1'000;
inline constexpr int64_t kNsPerMs = 1'000'000;
inline constexpr int64_t kNsPerSecond = 1'000'000'000;

}  // namespace tutti
