// The set of all lines y = offset + slope x that pass through each of a number of intervals (x, y +- half).
//
// Each interval puts two half-planes on (offset, slope); what they have in common is a convex polygon. It is
// kept by its corners and cut by one interval at a time (Sutherland, Hodgman: Reentrant polygon clipping,
// CACM 17, 1974). At any x the set's least and greatest y are those of two corners, so every range given here
// is exact.
//
// Doubles: choose the origin near the data, so that x, y and half are small differences. Not thread-safe.
// Allocates only while the number of corners grows beyond all that it had before.
#pragma once

#include <vector>

namespace tutti {

class FeasibleLines {
 public:
  struct Range {
    double low = 0;
    double high = 0;
    double middle() const { return low + (high - low) / 2; }
    double half_width() const { return (high - low) / 2; }
  };

  // All lines with these offsets (y at x = 0) and slopes.
  void Start(const Range& offsets, const Range& slopes);

  // Keeps the lines through y +- half at x. False, and nothing changed, if no line is left.
  bool Cut(double x, double y, double half);

  // Of all lines in the set; after Start only.
  Range At(double x) const;
  Range Slopes() const;

 private:
  struct Line {
    double offset;
    double slope;
    double At(double x) const { return offset + slope * x; }
  };
  // `to` gets what of `from` lies at or below (sign 1), at or above (sign -1) y at x.
  static void Clip(const std::vector<Line>& from, double x, double y, double sign, std::vector<Line>* to);

  std::vector<Line> corners_;  // of the polygon, in order around it; a corner is a line
  std::vector<Line> below_;    // scratch
  std::vector<Line> between_;  // scratch
};

}  // namespace tutti
