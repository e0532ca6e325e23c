// How long a run may be told to wait for its hosts. The coordinator refuses anything else; who asks may know
// before.
#pragma once

#include <cstdint>

namespace tutti::plan {

inline constexpr int64_t kLeastWaitNs = 1'000'000'000;
inline constexpr int64_t kMostWaitNs = int64_t{30} * 24 * 3'600'000'000'000;

}  // namespace tutti::plan
