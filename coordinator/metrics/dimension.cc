#include "coordinator/metrics/dimension.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/units/units.h"

namespace tutti::metrics {
namespace {

struct Form {
  const char* unit;
  const char* example;
  const char* pattern;
};

constexpr char kPlainNumber[] = "[0-9]+(\\.[0-9]+)?";

Form FormOf(Dimension dimension) {
  switch (dimension) {
    case Dimension::kRate:
      return {"bps", "9.4Gbps", "[0-9]+(\\.[0-9]+)?(bps|Kbps|Mbps|Gbps)"};
    case Dimension::kRatio:
      return {"ratio", "0.1%", "[0-9]+(\\.[0-9]+)?%"};
    case Dimension::kDuration:
      return {"ns", "250us", "[0-9]+(\\.[0-9]+)?(us|ms|s|m|h)"};
    case Dimension::kPerSecond:
      return {"1/s", "1000/s", "[0-9]+(\\.[0-9]+)?/s"};
    case Dimension::kServiceDemand:
      return {"us/KB", "0.6us/KB", "[0-9]+(\\.[0-9]+)?us/KB"};
    case Dimension::kCores:
      return {"cores", "1.5cores", "[0-9]+(\\.[0-9]+)?cores"};
    case Dimension::kIndex:
      return {"", "0.95", kPlainNumber};
    case Dimension::kCount:
      return {"", "0", "[0-9]+"};
  }
  return {"", "", kPlainNumber};
}

// Without an exponent and without the zeros that end a fraction.
std::string Digits(double value, int digits) {
  const int before_point = value == 0 ? 1 : static_cast<int>(std::floor(std::log10(std::fabs(value)))) + 1;
  std::string text = absl::StrFormat("%.*f", std::clamp(digits - before_point, 0, 15), value);
  if (text.find('.') == std::string::npos) return text;
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

// How a figure is written: times `times`, divided by `divisor`, then the unit.
struct Scale {
  double times = 1;
  double divisor = 1;
  const char* unit = "";

  double Of(double value) const { return value * times / divisor; }
};

// In the largest of `units` (the largest first) that is not above the value; in the last one if all are.
Scale Largest(double value, std::initializer_list<std::pair<double, const char*>> units) {
  const std::pair<double, const char*>* chosen = units.end() - 1;
  for (const auto& unit : units) {
    if (std::fabs(value) < unit.first) continue;
    chosen = &unit;
    break;
  }
  return {1, chosen->first, chosen->second};
}

Scale ScaleOf(Dimension dimension, double value) {
  switch (dimension) {
    case Dimension::kRate:
      return Largest(value, {{1e9, "Gbps"}, {1e6, "Mbps"}, {1e3, "Kbps"}, {1.0, "bps"}});
    case Dimension::kRatio:
      return {100, 1, "%"};
    case Dimension::kDuration:
      return Largest(value, {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}});
    case Dimension::kPerSecond:
      return {1, 1, "/s"};
    case Dimension::kServiceDemand:
    case Dimension::kCores:
    case Dimension::kIndex:
    case Dimension::kCount:
      break;
  }
  return {1, 1, FormOf(dimension).unit};
}

absl::StatusOr<double> AsDouble(const absl::StatusOr<uint64_t>& value) {
  if (!value.ok()) return value.status();
  return static_cast<double>(*value);
}

absl::StatusOr<double> AsDouble(const absl::StatusOr<int64_t>& value) {
  if (!value.ok()) return value.status();
  return static_cast<double>(*value);
}

}  // namespace

const std::vector<Dimension>& Dimensions() {
  static const std::vector<Dimension> dimensions = {
      Dimension::kRate,          Dimension::kRatio, Dimension::kDuration, Dimension::kPerSecond,
      Dimension::kServiceDemand, Dimension::kCores, Dimension::kIndex,    Dimension::kCount};
  return dimensions;
}

const char* UnitOf(Dimension dimension) { return FormOf(dimension).unit; }
const char* ExampleOf(Dimension dimension) { return FormOf(dimension).example; }
const char* PatternOf(Dimension dimension) { return FormOf(dimension).pattern; }

absl::StatusOr<double> ParseFigure(Dimension dimension, std::string_view text) {
  switch (dimension) {
    case Dimension::kRate:
      return AsDouble(ParseRateBps(text));
    case Dimension::kRatio:
      return ParsePercent(text);
    case Dimension::kDuration:
      return AsDouble(ParseDurationNs(text));
    case Dimension::kPerSecond:
    case Dimension::kServiceDemand:
    case Dimension::kCores:
    case Dimension::kIndex:
    case Dimension::kCount:
      break;
  }
  const bool unitless = dimension == Dimension::kIndex || dimension == Dimension::kCount;
  const std::string unit = dimension == Dimension::kPerSecond ? "/s" : unitless ? "" : UnitOf(dimension);
  const absl::StatusOr<double> value = ParseWithUnit(text, unit);
  if (!value.ok()) return value.status();
  if (dimension == Dimension::kIndex && *value > 1) {
    return absl::InvalidArgumentError(absl::StrCat("\"", std::string(text), "\" is over 1: write 0 to 1"));
  }
  if (dimension == Dimension::kCount && *value != std::floor(*value)) {
    return absl::InvalidArgumentError(absl::StrCat("\"", std::string(text), "\" is no count: write ",
                                                   Digits(std::floor(*value), kLimitDigits), " or ",
                                                   Digits(std::ceil(*value), kLimitDigits)));
  }
  return *value;
}

std::string FigureText(Dimension dimension, double value, int digits) {
  const Scale scale = ScaleOf(dimension, value);
  return absl::StrCat(Digits(scale.Of(value), digits), scale.unit);
}

std::string FigureTextBeside(Dimension dimension, double value, double limit) {
  if (value == limit) return FigureText(dimension, value, kLimitDigits);
  // In one unit and with equally many digits rounding keeps the order: where the two texts differ, the figure
  // is on its own side of the limit.
  const Scale scale = ScaleOf(dimension, value);
  for (int digits = kValueDigits; digits <= kLimitDigits; ++digits) {
    const std::string text = Digits(scale.Of(value), digits);
    if (text != Digits(scale.Of(limit), digits)) return absl::StrCat(text, scale.unit);
  }
  return absl::StrCat(value < limit ? "just below " : "just above ",
                      FigureText(dimension, limit, kLimitDigits));
}

}  // namespace tutti::metrics
