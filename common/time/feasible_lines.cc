#include "common/time/feasible_lines.h"

#include <algorithm>

namespace tutti {

void FeasibleLines::Start(const Range& offsets, const Range& slopes) {
  corners_.clear();
  corners_.push_back({offsets.low, slopes.low});
  corners_.push_back({offsets.high, slopes.low});
  corners_.push_back({offsets.high, slopes.high});
  corners_.push_back({offsets.low, slopes.high});
}

void FeasibleLines::Clip(const std::vector<Line>& from, double x, double y, double sign,
                         std::vector<Line>* to) {
  to->clear();
  if (from.empty()) return;
  const auto room = [&](const Line& line) { return sign * (y - line.At(x)); };
  const Line* last = &from.back();
  double last_room = room(*last);
  for (const Line& line : from) {
    const double line_room = room(line);
    if ((line_room < 0) != (last_room < 0)) {
      const double part = last_room / (last_room - line_room);
      to->push_back({last->offset + (line.offset - last->offset) * part,
                     last->slope + (line.slope - last->slope) * part});
    }
    if (line_room >= 0) to->push_back(line);
    last = &line;
    last_room = line_room;
  }
}

bool FeasibleLines::Cut(double x, double y, double half) {
  const Range range = At(x);
  if (range.low > y + half || range.high < y - half) return false;
  if (range.low >= y - half && range.high <= y + half) return true;
  Clip(corners_, x, y + half, 1, &below_);
  Clip(below_, x, y - half, -1, &between_);
  if (between_.empty()) return false;
  corners_.swap(between_);
  return true;
}

FeasibleLines::Range FeasibleLines::At(double x) const {
  const double first = corners_.front().At(x);
  Range range{first, first};
  for (const Line& corner : corners_) {
    const double y = corner.At(x);
    range.low = std::min(range.low, y);
    range.high = std::max(range.high, y);
  }
  return range;
}

FeasibleLines::Range FeasibleLines::Slopes() const {
  Range range{corners_.front().slope, corners_.front().slope};
  for (const Line& corner : corners_) {
    range.low = std::min(range.low, corner.slope);
    range.high = std::max(range.high, corner.slope);
  }
  return range;
}

}  // namespace tutti
