// Order statistics of a handful of values.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace tutti {

struct SpreadOf {
  double median = 0;  // of an even number: the mean of the middle two
  double min = 0;
  double max = 0;
  size_t count = 0;
};

// nullopt of an empty list. NaN is the caller's mistake.
std::optional<SpreadOf> Spread(std::vector<double> values);

}  // namespace tutti
