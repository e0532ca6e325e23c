#include "coordinator/report/figures.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/units/units.h"

namespace tutti::report {

namespace v1 = tutti::v1;

std::string Rate(bool present, const v1::Spread& spread) {
  return present && spread.has_median() ? FormatRate(spread.median()) : kNone;
}

std::string RateWithRange(bool present, const v1::Spread& spread) {
  std::string median = Rate(present, spread);
  if (!present || !spread.has_median() || spread.trials() < 2) return median;
  // Minimum and maximum take the unit and the decimals of the median, whatever their own would be.
  const size_t blank = median.find(' ');
  const size_t point = median.find('.');
  const int decimals = point < blank ? static_cast<int>(blank - point) - 1 : 0;
  const char prefix = median[blank + 1];
  const double scale = prefix == 'G' ? 1e9 : prefix == 'M' ? 1e6 : prefix == 'K' ? 1e3 : 1;
  return absl::StrFormat("%s (%.*f..%.*f)", median, decimals, spread.min() / scale, decimals,
                         spread.max() / scale);
}

std::string Percent(bool present, const v1::Spread& spread) {
  return present && spread.has_median() ? FormatPercent(spread.median()) : kNone;
}

std::string Index(double value) {
  const std::string text = absl::StrFormat("%.3f", value);
  return value < 1 && text == "1.000" ? "0.999+" : text;
}

std::string Index(bool present, const v1::Spread& spread) {
  return present && spread.has_median() ? Index(spread.median()) : kNone;
}

std::string Duration(bool present, const v1::Spread& spread) {
  return present && spread.has_median() ? FormatDuration(std::llround(spread.median())) : kNone;
}

std::string Count(bool present, const v1::Spread& spread) {
  if (!present || !spread.has_median()) return kNone;
  // The median of an even number of trials may lie between two counts.
  const bool whole = spread.median() == std::floor(spread.median());
  return absl::StrFormat("%.*f", whole ? 0 : 1, spread.median());
}

std::string Cores(const v1::CpuSummary& cpu) {
  if (!cpu.has_cores_busy() || !cpu.cores_busy().has_median()) return kNone;
  return absl::StrFormat("%.2f (%.0f%%)", cpu.cores_busy().median(), cpu.busy_ratio().median() * 100);
}

std::string ServiceDemand(const v1::CpuSummary& cpu) {
  if (!cpu.has_service_demand_us_per_kb() || !cpu.service_demand_us_per_kb().has_median()) return kNone;
  return ThreeDigits(cpu.service_demand_us_per_kb().median());
}

std::string ThreeDigits(double value) {
  if (value <= 0) return absl::StrFormat("%.2f", value);
  // The digit before the rounding may carry: 9.996 is 10.0.
  const double unit = std::pow(10, std::floor(std::log10(value)) - 2);
  const double rounded = std::round(value / unit) * unit;
  const int decimals = 2 - static_cast<int>(std::floor(std::log10(rounded * (1 + 1e-12))));
  return absl::StrFormat("%.*f", std::max(decimals, 0), rounded);
}

std::string Cores(const v1::CpuUse& cpu) {
  if (!cpu.has_cores_busy()) return kNone;
  return absl::StrFormat("%.2f (%.0f%%)", cpu.cores_busy(), cpu.busy_ratio() * 100);
}

std::string TotalText(const v1::Total& total) {
  if (total.has_value()) return absl::StrCat(total.value());
  if (total.parts() == 0) return kNone;
  return absl::StrCat("- (", total.parts_known(), " of ", total.parts(), ": ", total.known(), ")");
}

std::string RateOver(uint64_t bytes, int64_t elapsed_ns) {
  if (elapsed_ns <= 0) return kNone;
  return FormatRate(static_cast<double>(bytes) * 8e9 / static_cast<double>(elapsed_ns));
}

std::string Seconds(int64_t ns) {
  int decimals = 2;
  for (int64_t last_ns = 10'000'000; decimals < 6 && ns % last_ns != 0; last_ns /= 10) ++decimals;
  return absl::StrFormat("%.*f", decimals, static_cast<double>(ns) / 1e9);
}

std::string MatrixValues(const google::protobuf::RepeatedPtrField<v1::AxisValue>& values) {
  std::string text;
  for (const v1::AxisValue& value : values) {
    absl::StrAppend(&text, text.empty() ? "" : " ", value.axis(), "=", value.value());
  }
  return text;
}

std::string Colored(std::string_view text, Mood mood, const Style& style) {
  if (!style.color) return std::string(text);
  const char* code = mood == Mood::kGood ? "\033[32m" : mood == Mood::kWarning ? "\033[33m" : "\033[31m";
  return absl::StrCat(code, absl::string_view(text.data(), text.size()), "\033[0m");
}

std::string Bold(std::string_view text, const Style& style) {
  if (!style.color) return std::string(text);
  return absl::StrCat("\033[1m", absl::string_view(text.data(), text.size()), "\033[0m");
}

Mood MoodOf(v1::TrialStatus status) {
  if (status == v1::TRIAL_STATUS_GOOD) return Mood::kGood;
  return status == v1::TRIAL_STATUS_FAILED ? Mood::kBad : Mood::kWarning;
}

Mood MoodOf(v1::CaseStatus status) {
  if (status == v1::CASE_STATUS_GOOD) return Mood::kGood;
  return status == v1::CASE_STATUS_FAILED ? Mood::kBad : Mood::kWarning;
}

Mood MoodOf(v1::RunStatus status) {
  if (status == v1::RUN_STATUS_PASSED || status == v1::RUN_STATUS_RUNNING) return Mood::kGood;
  return status == v1::RUN_STATUS_FAILED ? Mood::kBad : Mood::kWarning;
}

std::string Words(std::string enum_name) {
  std::replace(enum_name.begin(), enum_name.end(), '_', ' ');
  return enum_name;
}

}  // namespace tutti::report
