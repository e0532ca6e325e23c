// How much may be said by the labels of a run. The coordinator refuses more; who asks may know before.
#pragma once

#include <cstddef>

namespace tutti::plan {

inline constexpr size_t kMostLabels = 64;
inline constexpr size_t kMostLabelBytes = 1024;  // of one, key and value

}  // namespace tutti::plan
