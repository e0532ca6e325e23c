#include "common/stats/spread.h"

#include <algorithm>

namespace tutti {

std::optional<SpreadOf> Spread(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  SpreadOf spread;
  // Halved before they are added, so that the mean of two huge values does not overflow.
  spread.median = values.size() % 2 == 1 ? values[middle] : values[middle - 1] / 2 + values[middle] / 2;
  spread.min = values.front();
  spread.max = values.back();
  spread.count = values.size();
  return spread;
}

}  // namespace tutti
