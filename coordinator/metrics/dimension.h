// What a figure is a quantity of: how a plan writes it, in which unit a result holds it. Pure; thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace tutti::metrics {

enum class Dimension {
  kRate,           // bps
  kRatio,          // 0 to 1; written in %
  kDuration,       // ns
  kPerSecond,      // 1/s
  kServiceDemand,  // us/KB, KB = 1024 bytes
  kCores,          // CPUs busy
  kIndex,          // 0 to 1; written without a unit
  kCount,          // whole
};

const std::vector<Dimension>& Dimensions();

// The unit of figures in a result: "bps", "ratio", "ns", "1/s", "us/KB", "cores"; empty for numbers without
// one.
const char* UnitOf(Dimension dimension);
// How a plan writes it, as an example: "9.4Gbps".
const char* ExampleOf(Dimension dimension);
// The same as a regular expression, for the JSON Schema.
const char* PatternOf(Dimension dimension);

// In the unit of UnitOf. InvalidArgument says what is wrong and what to write instead.
absl::StatusOr<double> ParseFigure(Dimension dimension, std::string_view text);

inline constexpr int kValueDigits = 5;   // of a figure that was measured
inline constexpr int kLimitDigits = 12;  // of one that a plan gives: all that it may have written
// As a plan writes it, with at most so many significant digits: "9.3962Gbps".
std::string FigureText(Dimension dimension, double value, int digits);
// A measured figure that is compared with `limit`: with as many digits more as it takes to be seen on the
// side on which it is, "0.99999996" beside 1; "just below 1" where kLimitDigits are not enough.
std::string FigureTextBeside(Dimension dimension, double value, double limit);

}  // namespace tutti::metrics
