#include "coordinator/report/figures.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/units/units.h"

namespace tutti::report {

namespace v1 = tutti::v1;

std::string RateWithSpread(bool present, const v1::Spread& spread) {
  if (!present || !spread.has_median()) return kNone;
  const std::string median = FormatRate(spread.median());
  if (spread.trials() < 2 || spread.median() <= 0) return median;
  const double most =
      std::max(spread.max() - spread.median(), spread.median() - spread.min()) / spread.median();
  return absl::StrFormat("%s ±%.*f%%", median, most < 0.0995 ? 1 : 0, most * 100);
}

std::string Percent(bool present, const v1::Spread& spread) {
  return present && spread.has_median() ? FormatPercent(spread.median()) : kNone;
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
  return absl::StrFormat("%.3f", cpu.service_demand_us_per_kb().median());
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

std::string Seconds(int64_t ns) { return absl::StrFormat("%.2f", static_cast<double>(ns) / 1e9); }

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
